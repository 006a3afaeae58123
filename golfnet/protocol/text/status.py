"""The status of a table for all styles: its title, what it is waiting for, what the viewer can do, and the totals.

A hint says what the viewer can do now, in one sentence instead of the many lines of a prompt. Hints are made from the
exact lines that the seat may send, so they never offer anything that would be refused.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from golfnet.engine.cards import HIDDEN, Seat, parse_seat
from golfnet.engine.forms import count, listed, word
from golfnet.engine.rules import PEEKS, Span
from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.commands.settings import Settings
from golfnet.protocol.replies.replies import Arguments, Offer, SeatView, TableView
from golfnet.protocol.text.words import Voice, capital, number, points, seconds


def voice_for(view: TableView, settings: Settings) -> Voice:
    """Return the voice for the viewer of a table."""
    return Voice(settings=settings, you=None if view.you is None else parse_seat(view.you), names=view.names)


def seat_of(seat: SeatView) -> Seat:
    """Return the seat of a ``SeatView``."""
    return parse_seat(seat.seat)


def title(view: TableView) -> str:
    """Return the title of a table: ``t12 "Friday", six-card, hole 3 of 9``."""
    name = f' "{view.name}"' if view.name else ""
    if not view.hole:
        return f"{view.table}{name}, {view.variant}"
    of = f" of {view.holes}" if view.holes else ""
    target = f", to {view.target} points" if view.target and not view.holes else ""
    return f"{view.table}{name}, {view.variant}, hole {view.hole}{of}{target}"


def status(view: TableView, voice: Voice) -> str:
    """Return what the table is waiting for, as a sentence."""
    match view.state:
        case "open":
            return _open(view)
        case "between":
            return _between(view, voice)
        case "finished":
            return "The match is over."
        case _:
            return _playing(view, voice)


def notes(seat: SeatView, view: TableView) -> list[str]:
    """Return short remarks about a seat, but not whether it is its turn: ``status`` says that."""
    waiting = view.state in ("open", "between")
    is_closer = seat.seat == view.closer and view.state != "finished"
    return [
        *(["host"] if seat.host and view.state == "open" else []),
        *(["ready"] if seat.ready and waiting else []),
        *(["bot"] if seat.kind != "human" else []),
        *(["away"] if not seat.present and seat.kind == "human" else []),
        *(["all face up" if HIDDEN not in "".join(seat.slots) else "knocked"] if is_closer else []),
    ]


def marks(seat: SeatView, view: TableView) -> list[str]:
    """Return the remarks about a seat for a picture: ``notes``, and whether it is another player's turn."""
    is_turn = seat.seat == view.turn and view.state == "playing" and view.phase in TURNS
    return [*notes(seat, view), *(["to play"] if is_turn and seat.seat != view.you else [])]


def totals(view: TableView, voice: Voice) -> str:
    """Return the totals so far, lowest first; empty before the end of the first hole."""
    if not view.scores:
        return ""
    each = [
        f"{voice.who(seat_of(seat))} {number(seat.total, voice.settings)}"
        for seat in sorted(view.seats, key=lambda seat: seat.total)
    ]
    return f"Totals after {count(len(view.scores), 'hole')}: {', '.join(each)}."


def own_points(seat: SeatView, view: TableView, settings: Settings) -> list[str]:
    """Return a seat's total in words; empty before the end of the first hole."""
    return [points(seat.total, settings)] if view.scores else []


TURNS: Final = ("turn", "holding", "flip", "power")
"""The phases in which the table is waiting for the seat whose turn it is."""
_NAMED: Final = 4
"""The maximum number of players named in one sentence; larger groups are only counted."""


def _open(view: TableView) -> str:
    soon = f" {countdown(view.starts_ms)}" if view.starts_ms else ""
    absent = [seat.name for seat in view.seats if not seat.present]
    away = f" Waiting for {listed(absent)}." if absent else ""
    bots = f" {bots_come(view.filling.level, view.filling.ms)}" if view.filling is not None else ""
    return f"{_taken(len(view.seats), view.rules.seats)}{away}{bots}{soon}"


def bots_come(level: str, ms: int) -> str:
    """Return a sentence about the bots that will join in ``ms`` milliseconds, or join now if that is 0."""
    when = f"will join in {seconds(ms)}, as many as are needed" if ms else "join"
    return f"{level.capitalize()} bots {when}."


def countdown(ms: int) -> str:
    """Return a sentence about when the match begins, once enough players have joined."""
    return f"The match begins in {seconds(ms)}, or as soon as everybody is ready."


def _taken(taken: int, seats: Span) -> str:
    if taken >= seats.high:
        return "All seats are taken."
    enough = f", {seats.low} are enough" if seats.low != seats.high else ""
    return f"Waiting for players: {taken} of {seats.high} seats taken{enough}."


def sealing_closed(awaited: Sequence[Seat], ms: int, voice: Voice) -> str:
    """Return whose sealed texts are still missing or, to a viewer who has to send one, how to do so."""
    if voice.you in awaited:
        return f"Sealing is closed. Send your sealed text within {seconds(ms)}; type: cut TEXT"
    return f"Sealing is closed. Waiting up to {seconds(ms)} for the sealed text of {voice.all_of(awaited)}."


def _between(view: TableView, voice: Voice) -> str:
    awaited = [seat_of(seat) for seat in view.seats if seat.seal is not None and not seat.told]
    if view.sealing_ms is not None and awaited:
        return sealing_closed(awaited, view.sealing_ms, voice)
    what = "The hole is over. The next hole" if view.scores else "The match has started. The first hole"
    if not view.scores or view.sealing_ms is not None:  # The table is waiting only for sealed texts.
        return f"{what} will be dealt in a moment."
    when = f"in {seconds(view.pause_ms)}, or as soon as" if view.pause_ms else "as soon as"
    return f"{what} will be dealt {when} everybody is ready."


def _playing(view: TableView, voice: Voice) -> str:
    turn = None if view.turn is None else parse_seat(view.turn)
    last = " These are the last turns." if view.closer is not None and view.phase != "over" else ""
    match view.phase:
        case "start":
            return _choosing(view, voice)
        case "turn" if turn is not None:
            return f"{voice.turn(turn)}.{last}"
        case "holding" if view.holding is not None:
            card = "a card from the stock" if view.drawn is None else voice.card(view.drawn)
            return f"{voice.does(parse_seat(view.holding), 'hold')} {card}.{last}"
        case "flip" if turn is not None:
            return f"{voice.does(turn, 'may')} turn up a card.{last}"
        case "power" if turn is not None:
            return f"{voice.does(turn, 'may')} use a power.{_window(view, voice)}{last}"
        case "slam":
            return f"{_window(view, voice).strip() or 'A slam window is open.'}{last}"
        case "give" if view.owes is not None:
            return f"{voice.does(parse_seat(view.owes), 'have')} to give a card."
        case _:
            return "The hole is over."


def _choosing(view: TableView, voice: Voice) -> str:
    """Return who still has to make start choices: a few players by name, or only how many there are."""
    owing = [Seat(seat) for seat, owed in enumerate(view.owed) if owed]
    counts = {owed for owed in view.owed if owed}
    cards = count(counts.pop(), "card") if len(counts) == 1 else "cards"
    choice = f"{'look at' if view.rules.start.mode in PEEKS else 'turn up'} {cards}"
    if len(owing) <= _NAMED:
        who = capital(voice.all_of(owing)) if owing else "Nobody"
        has = "has" if len(owing) <= 1 and owing != [voice.you] else "have"
        return f"{who} still {has} to {choice}."
    others = len(owing) - (voice.you in owing)
    who = f"You and {word(others)} others" if voice.you in owing else f"{word(others).capitalize()} players"
    return f"{who} still have to {choice}."


def _window(view: TableView, voice: Voice) -> str:
    if view.slam is None:
        return ""
    state = "has been slammed" if view.slam.won else f"may be slammed for {seconds(view.slam.ms)}"
    return f" {capital(voice.card(view.slam.card))} {state}."


def hint(
    phase: str | None,
    offer: Offer,
    *,
    you: str | None = None,
    ms: int | None = None,
    is_spoken: bool = False,
) -> str:
    """Return e.g. ``You can draw (d) or take SLOT (t 1) within 60 seconds.``; empty if there is nothing to do.

    ``you`` is the letter of the viewer's seat. A hint for screen readers has no short forms, examples or time left.
    """
    choices = offer.arguments
    within = "" if ms is None or is_spoken else f" within {seconds(ms)}"
    if phase == "start" and (verb := next((verb for verb in choices if verb in _START), None)):
        return _start_choice(verb, choices[verb], within, is_spoken=is_spoken)
    if is_spoken:
        return _offered({verb: _spoken(verb, choices[verb]) for verb in choices}, within, _SPOKEN)
    # One of the viewer's own positions and one of another seat, if there are any.
    own = [at[1:] for at in offer.targets if you is not None and at.startswith(you)]
    others = [at for at in offer.targets if you is None or not at.startswith(you)]
    examples = [*own[:1], *others[:1]]
    return _offered({verb: _typed(verb, choices[verb], examples) for verb in choices}, within, _TYPED)


_START: Final = {"peek": "Look at", "flip": "Turn up"}
_SLOTTED: Final = {
    "take": "take the discard into",
    "swap": "swap the card into",
    "give": "give the card from",
    "flip": "flip",
}
_TYPED: Final = {
    "decline": "decline (no power)",
    "pass": "pass (p: no slam)",
    "pass hole": "pass hole (all windows)",
}
_SPOKEN: Final = {
    "decline": "decline, which uses no power",
    "pass": "pass, which means no slam",
    "pass hole": "pass hole, which passes all windows",
}
"""Explanations of commands whose verbs alone are not clear enough."""


def _offered(pieces: dict[str, str], within: str, explained: Mapping[str, str]) -> str:
    """Return a sentence that lists the pieces; if only some are about slams, list these in a second sentence."""
    also = ""
    if "slam" in pieces and "pass" in pieces:
        if "decline" in pieces:
            pieces |= {verb: explained[verb] for verb in ("decline", "pass")}
        slams = [pieces.pop("slam"), pieces.pop("pass")]
        if not pieces:  # Omit ``within``: the sentence about the window says how long it is open.
            return f"You can {listed([*slams, explained['pass hole']], 'or')}."
        also = f" You can also {listed(slams, 'or')}."
    if not pieces:
        return ""
    may = "must" if len(pieces) == 1 and next(iter(pieces)) in ("give", "swap") else "can"
    if "decline" in pieces:
        pieces["decline"] = pieces.pop("decline")  # Put the choice that does nothing last.
        may = "have a power: you can"
    what = "type " if pieces.keys() & {"ready", "start", "rematch"} else ""
    return f"You {may} {what}{listed(list(pieces.values()), 'or')}{within}.{also}"


def _start_choice(verb: str, arguments: Arguments, within: str, *, is_spoken: bool) -> str:
    most = max(map(len, arguments))
    example, *others = [" ".join(each) for each in arguments if len(each) == most]
    if not others:
        typed = f"{verb} {example}"
    elif is_spoken:
        typed = f"{verb} and {'a slot number' if most == 1 else f'{word(most)} slot numbers'}"
    else:
        typed = f"{verb} {' '.join(['SLOT'] * most)} ({_short(verb)} {example})"
    return f"{_START[verb]} {word(most)} of your cards{within}: type {typed}."


def _short(verb: str) -> str:
    return next((short for short in COMMANDS[verb].short if short.isalpha()), verb)


def _typed(verb: str, arguments: Arguments, examples: list[str]) -> str:
    if verb == "switch" and examples:
        first, second = examples if len(examples) == 2 else (examples[0], "POSITION")
        return f"switch POSITION POSITION (switch {first} {second})"
    if verb == "slam" and examples:
        sign = next(short for short in COMMANDS[verb].short if not short.isalnum())  # needs no space after it
        return f"slam POSITION ({', '.join([f'{sign}{at}' for at in examples])})"
    short, slots = _short(verb), [each[0] for each in arguments if each]
    if not slots:
        return verb if short == verb else f"{verb} ({short})"
    example = f"{short} {slots[0]}"
    if verb == "peek":
        return f"peek POSITION ({example})"
    which = "SLOT" if _is_row(slots) else listed(slots, "or")
    alone = f", or just {slots[0]}" if verb == "swap" else ""
    return f"{verb} {which} ({example}{alone})"


def _spoken(verb: str, arguments: Arguments) -> str:
    if verb == "switch":
        return "switch two positions"
    if verb in ("slam", "peek"):
        return f"{verb} a position"
    slots = [each[0] for each in arguments if each]
    if not slots:
        return verb
    which = "a slot" if _is_row(slots) else f"slot {listed(slots, 'or')}"
    return f"{_SLOTTED.get(verb, verb)} {which}"


def _is_row(slots: Sequence[str]) -> bool:
    return len(slots) > 1 and list(slots) == [str(slot) for slot in range(1, len(slots) + 1)]
