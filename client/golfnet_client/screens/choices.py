"""What the player can do now: keys, what they do, and the exact command line that each one sends.

They are made from the lines that the server offers, so nothing is shown that would be refused. The screen shows these
choices, and keys and clicks carry them out.
"""

from typing import Final, NamedTuple

from golfnet.protocol.replies.replies import TableView
from golfnet_client.model.model import Model, Place
from golfnet_client.screens.faces import card_text


class Choice(NamedTuple):
    """A key, what it does, and the line it sends: empty if it sends none, or None if it has no effect now."""

    key: str
    label: str
    line: str | None


_PLAIN: Final = (
    Choice("x", "discard", "discard"),
    Choice("k", "knock", "knock"),
    Choice("p", "pass", "pass"),
    Choice("n", "no power", "decline"),
    Choice("r", "ready", "ready"),
    Choice("o", "start", "start"),
    Choice("r", "rematch", "rematch"),
)
"""Choices that are commands without arguments, except drawing, which comes first."""

_AGREES: Final = ("ready", "start", "rematch")
"""If there is no card to choose, Enter sends the first of these commands that is offered."""

FILL_SECONDS: Final = 30
"""Seconds until bots take the free seats, if the host presses the key instead of typing ``bot fill=SECONDS``."""

_PICKS: Final = {"swap": "put it in", "flip": "turn up", "give": "give", "peek": "look at"}
"""Verbs that need a card, with their labels; Enter and digits use the first of them that is offered."""


def keys_of(*keys: tuple[str, str, bool]) -> list[Choice]:
    """Return choices that send no line, each from its key, its label, and whether it is shown."""
    return [Choice(key, label, "") for key, label, is_shown in keys if is_shown]


def choices(model: Model) -> list[Choice]:
    """Return the choices at the table, the likeliest first; none has an effect below a text or without a connection."""
    if model.place is Place.REPLAY:
        return []
    view = model.shown
    found = [*_play(model, view), *_host(view), *_around(model, view)]
    offered = [choice for choice in found if choice.line is not None]
    if model.pages is not None or not model.is_connected:
        return [choice._replace(line=None) for choice in offered]
    return offered


def _play(model: Model, view: TableView) -> list[Choice]:
    """Return a choice for each offer of the server; a choice has a line only if the selected card allows it."""
    offer = view.offer
    found = [Choice("d", "draw", "draw")] * ("draw" in offer)
    if "take" in offer:
        top = card_text(view.discard) if view.discard is not None else ""
        ways = offer.arguments["take"]
        found.append(
            Choice("t", f"take {top}".rstrip(), " ".join(["take", *ways[0]]) if len(ways) == 1 else "take")
        )
    picks = _picks(model, view)
    found += picks[:1]
    if "switch" in offer:
        pair = [at for at in model.marks if at in view.targets]
        if len(pair) == 1 and model.cursor in view.targets and model.cursor not in pair:
            pair.append(model.cursor)
        switch = f"switch {' '.join(pair)}" if len(pair) == 2 else None
        found.append(Choice("m", "mark", f"mark {model.cursor}" if model.cursor in view.targets else None))
        found.append(Choice("w", f"switch {' and '.join(pair)}", switch))
    if can_slam(view):
        if model.cursor is None and digits_of(view):
            found.append(Choice(digits_of(view), "choose", ""))
        found.append(Choice("space", f"slam {model.cursor}", slam_line(view, model.cursor)))
    passed_over = "pass" if is_won(view) else ""
    found += [choice for choice in _PLAIN if choice.line in offer.arguments and choice.line != passed_over]
    found += picks[1:]  # in a narrow window, Enter is left out first: it does the same as a digit
    if view.targets and ("switch" in offer or can_slam(view)):
        example = next((at for at in view.targets if at[0] != view.you), view.targets[0])
        found.append(Choice(example.lower(), "aim", ""))
    return found


def _picks(model: Model, view: TableView) -> list[Choice]:
    """Return the digits of the slots that can be chosen, and Enter for the selected one."""
    verb = picking(view)
    if not verb:
        return []
    lines = view.offer.after(verb)
    # If a single line is the longest, it names all the cards that the rules prescribe, such as the two bottom cards at
    # the start: the player has no choice.
    longest = max(map(len, lines))
    whole = [words for words in lines if len(words) == longest]
    if len(whole) == 1 and (longest > 1 or model.cursor is None):
        line: str | None = " ".join([verb, *whole[0]])
    else:
        line = line_at(view, verb, model.cursor)
    digits, place = digits_of(view), "" if line is None else line.partition(" ")[2]
    if digits and view.phase != "power" and (line is None or len(line.split()) == 2):
        return [Choice(digits, _PICKS[verb], ""), Choice("enter", f"slot {place}", line)]
    return [Choice("enter", f"{_PICKS[verb]} {place}", line)]


def _host(view: TableView) -> list[Choice]:
    if view.state != "open" or not is_host(view) or not free_seats(view):
        return []
    label, fill = (
        (f"bots in {FILL_SECONDS} s", FILL_SECONDS) if view.filling is None else ("cancel bots", "off")
    )
    return [Choice("b", "add a bot", "bot"), Choice("f", label, f"bot fill={fill}")]


def _around(model: Model, view: TableView) -> list[Choice]:
    """Return the choices other than play commands, such as chat and rules; they send no line."""
    waits = model.line[0] == view.table and model.line[1] > 0
    away = "leave" if view.you is not None else "leave the line" if waits else "stop watching"
    is_playing = model.is_seated and view.state == "playing"
    return keys_of(
        ("q", away, True),
        ("'", "chat", not model.is_solo),
        ("u", "rules", True),
        ("v", "scores", view.hole > 0),
        ("h", "hint", is_playing and is_asked(view) and view.match != model.hintless),
        ("g", "tips off" if model.lesson else "tips", model.is_seated),
    )


def is_asked(view: TableView) -> bool:
    """Return whether the viewer has to act. While a bot plays their seat, they can only take it back."""
    return bool(view.actions) and (view.state != "playing" or view.actions != ("ready",))


def picking(view: TableView) -> str:
    """Return the verb that needs a card now, or ``""`` if there is none."""
    return next((verb for verb in _PICKS if view.offer.after(verb)), "")


def digits_of(view: TableView) -> str:
    """Return the digits of the viewer's slots that can be chosen, such as ``1-6`` or ``1 4``, or ``""`` if none."""
    slots = sorted(int(at[1:]) for at in pickable(view) if at[:1] == view.you)
    if len(slots) > 2 and slots == list(range(slots[0], slots[-1] + 1)):
        return f"{slots[0]}-{slots[-1]}"
    return " ".join(map(str, slots))


def can_slam(view: TableView) -> bool:
    """Return whether a slam can still succeed; one that is too late may be sent, but is not suggested (C12, C17)."""
    return "slam" in view.offer and not is_won(view)


def is_won(view: TableView) -> bool:
    """Return whether a slam has already succeeded on the current discard."""
    return view.slam is not None and view.slam.won


def slam_line(view: TableView, at: str | None) -> str | None:
    """Return the line that slams a card on the current discard, or None if it may not be sent."""
    if at not in view.targets or not can_slam(view):
        return None
    return f"slam {at}" if view.slam is None else f"slam {at} #{view.slam.discard_no}"


def is_host(view: TableView) -> bool:
    """Return whether the viewer is the host of the table."""
    return view.own is not None and view.own.host


def free_seats(view: TableView) -> int:
    """Return how many seats are free at an open table."""
    return int(str(view.options["seats"]).rpartition("-")[2]) - len(view.seats)


def line_at(view: TableView, verb: str, at: str | None) -> str | None:
    """Return the line that uses a position, or None if it may not be sent."""
    ways = [(at,), (at[1:],)] if at is not None and at[:1] == view.you else [(at,)]
    return next((" ".join([verb, *words]) for words in view.offer.after(verb) if words in ways), None)


def pickable(view: TableView) -> list[str]:
    """Return the positions that can be chosen now."""
    found = list(view.targets) if "switch" in view.offer or can_slam(view) else []
    for words in view.offer.after(picking(view)):
        found += [word if word[:1].isalpha() else f"{view.you}{word}" for word in words]
    return list(dict.fromkeys(found))


def line_for_key(model: Model, key: str) -> str | None:
    """Return the line that a key sends now, if any. Enter sends ``ready`` or the like if it chooses no card."""
    found = choices(model)
    if key == "enter" and all(choice.key != key for choice in found):
        return next((choice.line for choice in found if choice.line in _AGREES), None)
    return next((choice.line or None for choice in found if choice.key == key), None)
