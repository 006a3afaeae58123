"""What one can do now, in one sentence: the many lines of a prompt compressed into the words people type.

Made from the exact lines that the seat may send, so it never offers what would be refused. Short forms are those of
the table of commands.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from golfnet.engine.notation import listed, word
from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.replies.offers import Arguments, Offer
from golfnet.protocol.text.words import seconds


def hint(phase: str | None, offer: Offer, *, you: str | None, ms: int | None = None) -> str:
    """Return a sentence such as ``You can draw (d) or take SLOT (t 1) within 60 seconds.``; empty if there is nothing.

    ``you`` is the seat's letter.
    """
    choices = offer.arguments
    within = "" if ms is None else f" within {seconds(ms)}"
    if phase == "start" and (verb := _starting(choices)):
        shape, example = _starting_line(choices[verb])
        typed = f"{verb} {shape}" if shape == example else f"{verb} {shape} ({_short(verb)} {example})"
        return f"{_START[verb]} {_cards(choices[verb])}{within}: type {typed}."
    examples = _examples(offer.targets, you)
    return _offered([_typed(verb, choices[verb], examples) for verb in choices], choices, within)


def spoken_hint(phase: str | None, offer: Offer) -> str:
    """Return the same for a screen reader: without short forms, examples and clock."""
    choices = offer.arguments
    if phase == "start" and (verb := _starting(choices)):
        shape, example = _starting_line(choices[verb])
        slots = "a slot number" if len(shape.split()) == 1 else f"{word(len(shape.split()))} slot numbers"
        how = f"{verb} {example}" if shape == example else f"{verb} and {slots}"
        return f"{_START[verb]} {_cards(choices[verb])}: type {how}."
    return _offered([_spoken(verb, choices[verb]) for verb in choices], choices, "")


def is_start_of_turn(phase: str | None, offer: Offer) -> bool:
    """Tell whether this is offered at the beginning of a turn."""
    return phase == "turn" and bool(offer.lines)


def is_open_window(offer: Offer) -> bool:
    """Tell whether this is offered in a slam window that the seat has not passed."""
    return "slam" in offer and "pass" in offer


_START: Final = {"peek": "Look at", "flip": "Turn up"}
_TARGETED: Final = ("slam", "switch")
_FORCED: Final = ("give", "swap")
_SLOTTED: Final = {
    "take": "take the discard into",
    "swap": "swap the card into",
    "give": "give the card from",
    "flip": "flip",
}
_TYPED: Final = ("ready", "start", "rematch")


def _offered(pieces: list[str], choices: Mapping[str, Arguments], within: str) -> str:
    if not pieces:
        return ""
    may = "have a power: you can" if "decline" in choices else "can"
    must = len(choices) == 1 and next(iter(choices)) in _FORCED
    what = "type " if set(choices) <= set(_TYPED) else ""
    return f"You {'must' if must else may} {what}{listed(pieces, 'or')}{within}."


def _starting(choices: Mapping[str, Arguments]) -> str | None:
    return next((verb for verb in choices if verb in _START), None)


def _cards(arguments: Arguments) -> str:
    most = max(map(len, arguments))
    return "one of your cards" if most == 1 else f"{word(most)} of your cards"


def _starting_line(arguments: Arguments) -> tuple[str, str]:
    """Return the shape of a start choice and an example; the same where there is nothing to choose."""
    most = max(map(len, arguments))
    example = " ".join(next(each for each in arguments if len(each) == most))
    only = len([each for each in arguments if len(each) == most]) == 1
    return (example if only else " ".join(["SLOT"] * most)), example


def _short(verb: str) -> str:
    spec = COMMANDS.get(verb)
    return next((short for short in spec.short if short.isalpha()), verb) if spec else verb


def _sign(verb: str) -> str | None:
    """Return a short form that needs no space after it."""
    spec = COMMANDS.get(verb)
    return next((short for short in spec.short if not short.isalnum()), None) if spec else None


def _examples(targets: Sequence[str], you: str | None) -> list[str]:
    """Return a position of one's own and one of another's, as far as there are any."""
    own = [at[1:] for at in targets if you is not None and at.startswith(you)]
    others = [at for at in targets if you is None or not at.startswith(you)]
    return [*own[:1], *others[:1]] or list(targets[:1])


def _typed(verb: str, arguments: Arguments, examples: list[str]) -> str:
    if verb in _TARGETED and examples:
        if verb == "switch":
            first, second = examples if len(examples) == 2 else (examples[0], "POSITION")
            return f"switch POSITION POSITION (switch {first} {second})"
        sign = _sign(verb)
        lines = [f"{sign}{at}" if sign else f"{verb} {at}" for at in examples]
        return f"{verb} POSITION ({', '.join(lines)})"
    with_arguments = [each for each in arguments if each]
    if not with_arguments:
        short = _short(verb)
        return verb if short == verb else f"{verb} ({short})"
    example = f"{_short(verb)} {with_arguments[0][0]}"
    if verb == "peek":
        return f"peek POSITION ({example})"
    slots = [each[0] for each in with_arguments]
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
    """Tell whether the slots are 1, 2, 3 … without a gap, so that they need not be listed."""
    return len(slots) > 1 and list(slots) == [str(slot) for slot in range(1, len(slots) + 1)]
