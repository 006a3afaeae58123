"""What the person can do now: keys, their meaning, and the exact command line that each would send.

Made from the lines that the server says may be sent, so that nothing is offered that would be refused. The screen
shows these choices, keys and mouse carry them out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from golfnet_client.model.model import Place
from golfnet_client.screens.faces import card_text

if TYPE_CHECKING:
    from golfnet.protocol.replies.replies import TableView
    from golfnet_client.model.model import Model
    from golfnet_client.screens.faces import Look


class Choice(NamedTuple):
    """A key, what it does, and the line it sends: empty where it sends none, None where it lacks a card."""

    key: str
    label: str
    line: str | None


_PLAIN: Final = (
    ("draw", "d", "draw"),
    ("discard", "x", "discard"),
    ("knock", "k", "knock"),
    ("pass", "p", "pass"),
    ("decline", "n", "no power"),
    ("ready", "r", "ready"),
    ("start", "o", "start"),
    ("rematch", "r", "rematch"),
)
"""Lines that stand alone: the verb, its key, and what the key is called."""

_REPLAY: Final = (
    Choice("right", "next", ""),
    Choice("left", "back", ""),
    Choice("n", "next hole", ""),
    Choice("p", "hole before", ""),
    Choice("v", "scores", ""),
    Choice("q", "lobby", ""),
)

FILL_SECONDS: Final = 30
"""How long a key lets bots wait for people; ``bot fill=SECONDS`` asks for any other time."""

_PICKS: Final = ("swap", "flip", "give", "peek")
"""Verbs for which a card is chosen; Enter and digits mean the first of them that may be sent."""

_LABELS: Final = {"swap": "put in", "flip": "turn up", "give": "give", "peek": "look at"}


def choices(model: Model, look: Look) -> list[Choice]:
    """Return everything that can be done at the table now, the likeliest first."""
    view = model.table
    if view is None:
        return []
    if model.place is Place.REPLAY:
        return list(_REPLAY)
    found: list[Choice] = []
    offer = view.offer
    if "draw" in offer:
        found.append(Choice("d", "draw", "draw"))
    if "take" in offer:
        top = card_text(view.discard, look) if view.discard is not None else ""
        found.append(Choice("t", f"take {top}".rstrip(), _take(view)))
    verb = picking(view)
    if verb is not None:
        line = line_for(model, verb)
        place = "" if line is None else f" {line.partition(' ')[2]}"
        found.append(Choice("enter", f"{_LABELS[verb]}{place or ' a card'}", line))
    if "switch" in offer:
        pair = _pair(model)
        label = f"switch {' and '.join(pair)}" if len(pair) == 2 else "switch: mark two"
        found += [
            Choice("m", "mark", f"mark {model.cursor}" if model.cursor in view.targets else None),
            Choice("w", label, f"switch {' '.join(pair)}" if len(pair) == 2 else None),
        ]
    if "slam" in offer:
        may = model.cursor is not None and model.cursor in view.targets
        label = f"slam {model.cursor}" if may else "slam a card"
        number = f" #{view.slam.discard_no}" if view.slam is not None else ""
        found.append(Choice("space", label, f"slam {model.cursor}{number}" if may else None))
    found += [Choice(key, label, verb) for verb, key, label in _PLAIN if verb in offer and verb != "draw"]
    if view.state == "open" and is_host(view) and free_seats(view):
        found.append(Choice("b", "add a bot", "bot"))
        if view.filling is None:
            found.append(Choice("f", f"bots in {FILL_SECONDS} s", f"bot fill={FILL_SECONDS}"))
        else:
            found.append(Choice("f", "call bots off", "bot fill=off"))
    if view.hole:
        found.append(Choice("v", "scores", ""))
    return found


def picking(view: TableView) -> str | None:
    """Return the verb for which a card is to be chosen now."""
    return next((verb for verb in _PICKS if view.offer.after(verb)), None)


def is_host(view: TableView) -> bool:
    """Return whether the viewer is the host of the table."""
    return any(seat.host and seat.seat == view.you for seat in view.seats)


def free_seats(view: TableView) -> int:
    """Return how many more may sit down at an open table."""
    return int(str(view.options["seats"]).rpartition("-")[2]) - len(view.seats)


def line_for(model: Model, verb: str, position: str | None = None) -> str | None:
    """Return the line that does something with a position, or with the one chosen; None if it may not be sent."""
    view = model.table
    at = position or model.cursor
    if view is None:
        return None
    lines = view.offer.after(verb)
    if at is not None:
        ways = [(at,), (at[1:],)] if at[:1] == view.you else [(at,)]
        for words in lines:
            if words in ways:
                return " ".join([verb, *words])
    # Where there is nothing to choose, such as the two bottom cards at the start, the longest line says it all.
    longest = max(map(len, lines), default=0)
    whole = [words for words in lines if len(words) == longest]
    return " ".join([verb, *whole[0]]) if len(whole) == 1 else None


def pickable(view: TableView) -> list[str]:
    """Return the positions that can be chosen for something now."""
    verb = picking(view)
    found = list(view.targets)
    for words in () if verb is None else view.offer.after(verb):
        found += [word if word[:1].isalpha() else f"{view.you}{word}" for word in words]
    return list(dict.fromkeys(found))


def line_for_key(model: Model, key: str, look: Look) -> str | None:
    """Return the line that a key sends now, None where it has no meaning."""
    return next((choice.line or None for choice in choices(model, look) if choice.key == key), None)


def line_for_digit(model: Model, digit: str) -> str | None:
    """Return the line for the number of one of the person's own slots."""
    view = model.table
    verb = picking(view) if view is not None else None
    if view is None or verb is None or view.you is None:
        return None
    return line_for(model, verb, f"{view.you}{digit}")


def _take(view: TableView) -> str | None:
    lines = view.offer.arguments.get("take", ())
    return "take" if () in lines or len(lines) > 1 else " ".join(["take", *lines[0]]) if lines else None


def _pair(model: Model) -> list[str]:
    view = model.table
    marks = [at for at in model.marks if view is not None and at in view.targets]
    if len(marks) == 1 and model.cursor is not None and model.cursor not in marks and view is not None:
        marks += [at for at in (model.cursor,) if at in view.targets]
    return marks[:2]
