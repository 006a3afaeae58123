"""Hints: what the viewer can do now, in one sentence instead of the many lines of a prompt.

They are made from the exact lines that the seat may send, so they never offer anything that would be refused.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from golfnet.engine.notation import listed, word
from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.replies.replies import Arguments, Offer
from golfnet.protocol.text.words import seconds


def hint(phase: str | None, offer: Offer, *, you: str | None, ms: int | None = None) -> str:
    """Return e.g. ``You can draw (d) or take SLOT (t 1) within 60 seconds.``; empty if there is nothing to do.

    ``you`` is the letter of the viewer's seat.
    """
    choices = offer.arguments
    within = "" if ms is None else f" within {seconds(ms)}"
    if phase == "start" and (verb := _starting(choices)):
        shape, example = _starting_line(choices[verb])
        typed = f"{verb} {shape}" if shape == example else f"{verb} {shape} ({_short(verb)} {example})"
        return f"{_START[verb]} {_cards(choices[verb])}{within}: type {typed}."
    examples = _examples(offer.targets, you)
    return _offered({verb: _typed(verb, choices[verb], examples) for verb in choices}, within, _TYPED)


def spoken_hint(phase: str | None, offer: Offer) -> str:
    """Return a hint for screen readers: without short forms, examples or the clock."""
    choices = offer.arguments
    if phase == "start" and (verb := _starting(choices)):
        shape, example = _starting_line(choices[verb])
        slots = "a slot number" if len(shape.split()) == 1 else f"{word(len(shape.split()))} slot numbers"
        how = f"{verb} {example}" if shape == example else f"{verb} and {slots}"
        return f"{_START[verb]} {_cards(choices[verb])}: type {how}."
    return _offered({verb: _spoken(verb, choices[verb]) for verb in choices}, "", _SPOKEN)


def is_start_of_turn(phase: str | None, offer: Offer) -> bool:
    """Return whether this is the offer at the beginning of a turn."""
    return phase == "turn" and bool(offer.lines)


def is_open_window(offer: Offer) -> bool:
    """Return whether this is the offer in a slam window that the seat has not passed."""
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
_WORDS: Final = frozenset(("ready", "start", "rematch"))
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
"""Explanations that distinguish declining a power from passing on a slam; prompts leave ``pass hole`` out."""


def _offered(pieces: dict[str, str], within: str, explained: Mapping[str, str]) -> str:
    """Return the pieces, which are keyed by verb, as a sentence; a slam window gets a separate one."""
    also = ""
    if "slam" in pieces and "pass" in pieces:
        if "decline" in pieces:
            pieces |= {verb: explained[verb] for verb in ("decline", "pass")}
        slams = [pieces.pop("slam"), pieces.pop("pass")]
        if not pieces:  # the sentence about the window has said how long it is open
            return f"You can {listed([*slams, explained['pass hole']], 'or')}."
        also = f" You can also {listed(slams, 'or')}."
    if not pieces:
        return ""
    may = "must" if len(pieces) == 1 and next(iter(pieces)) in _FORCED else "can"
    if "decline" in pieces:
        pieces["decline"] = pieces.pop("decline")  # the choice that does nothing comes last
        may = "have a power: you can"
    what = "type " if pieces.keys() <= _WORDS else ""
    return f"You {may} {what}{listed(list(pieces.values()), 'or')}{within}.{also}"


def _starting(choices: Mapping[str, Arguments]) -> str | None:
    return next((verb for verb in choices if verb in _START), None)


def _cards(arguments: Arguments) -> str:
    most = max(map(len, arguments))
    return "one of your cards" if most == 1 else f"{word(most)} of your cards"


def _starting_line(arguments: Arguments) -> tuple[str, str]:
    """Return the form of a start choice and an example; the two are equal if only one line is possible."""
    most = max(map(len, arguments))
    example = " ".join(next(each for each in arguments if len(each) == most))
    only = len([each for each in arguments if len(each) == most]) == 1
    return (example if only else " ".join(["SLOT"] * most)), example


def _short(verb: str) -> str:
    spec = COMMANDS.get(verb)
    return next((short for short in spec.short if short.isalpha()), verb) if spec else verb


def _sign(verb: str) -> str | None:
    """Return the short form of a verb that needs no space after it, or None."""
    spec = COMMANDS.get(verb)
    return next((short for short in spec.short if not short.isalnum()), None) if spec else None


def _examples(targets: Sequence[str], you: str | None) -> list[str]:
    """Return one of the viewer's own positions and one of another seat, if there are any."""
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
    """Return whether the slots are 1, 2, 3 … without a gap, so that they need not be listed."""
    return len(slots) > 1 and list(slots) == [str(slot) for slot in range(1, len(slots) + 1)]
