"""A rule set's fields as options: one table for reading and writing.

``from_options`` turns the result of ``as_options`` into an equal rule set; overriding the base with the result of
``differing`` gives the rule set. Commands, house rules, records and help on options all use ``FIELDS``. How a field is
written follows from its annotation in ``RuleSet``.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from golfnet.engine import forms
from golfnet.engine.cards import JOKER, RANKS
from golfnet.engine.errors import RuleError
from golfnet.engine.frozen import replaced
from golfnet.engine.rules import BOUNDS, USUAL_WINDOW, Packs, RuleSet, Span, Start, StartMode


def _read_seats(text: str) -> Span:
    low, dash, high = text.partition("-")
    return Span(forms.whole(low), forms.whole(high if dash else low))


def _write_seats(seats: Span) -> str:
    return str(seats.low) if seats.low == seats.high else f"{seats.low}-{seats.high}"


def _read_packs(text: str) -> Packs:
    first, *later = text.split(",")
    steps = [step.split(":") for step in later]
    return Packs(
        ((1, forms.whole(first)), *[(forms.whole(seats), forms.whole(packs)) for seats, packs in steps])
    )


def _write_packs(packs: Packs) -> str:
    (_, first), *later = packs.steps
    return ",".join([str(first), *[f"{seats}:{packs}" for seats, packs in later]])


def _read_start(text: str) -> Start:
    if text == StartMode.NONE:
        return Start(StartMode.NONE, 0)
    mode, _, cards = text.rpartition("-")
    return Start(StartMode(mode), forms.whole(cards))


def _write_start(start: Start) -> str:
    return start.mode.value if start.mode is StartMode.NONE else f"{start.mode.value}-{start.cards}"


def _read_values(text: str) -> dict[str, int]:
    pairs = [pair.split(":") for pair in text.split(",")]
    values = {_rank(rank.strip()): forms.whole(points.strip()) for rank, points in pairs}
    if len(values) != len(pairs):
        raise ValueError(text)
    return values


def _read_ranks(text: str) -> tuple[str, ...]:
    if text == "off":
        return ()
    # "10" always means ten: ranks are written in ascending order, so 0 never follows 1.
    ranks = re.findall(r"10|[^\s,]", text)
    if not ranks:
        raise ValueError(text)
    return tuple([_rank(rank) for rank in ranks])


def _write_ranks(ranks: tuple[str, ...]) -> str:
    return "".join(ranks) or "off"


def _between(option: str) -> str:
    low, high = BOUNDS[option]
    return f"from {low} to {high}"


def _rank(text: str) -> str:
    rank = text.upper()
    if rank not in RANKS:
        raise ValueError(text)
    return rank


def override(rules: RuleSet, changes: Mapping[str, object]) -> RuleSet:
    """Return the rule set with options changed, each given as text or as JSON, or raise ``RuleError``.

    Setting only a target removes the number of holes, and vice versa (X15). Changing ``slam`` sets the usual slam
    window for it, unless an unusual one was chosen before (C11). ``values`` changes only the ranks that it names.
    """
    if not changes:
        return rules  # The same object, so that all tables with these rules share it.
    parsed = {name.lower(): parse(name.lower(), value) for name, value in changes.items()}
    if parsed.get("target") is not None:
        parsed.setdefault("holes", None)
    elif parsed.get("holes") is not None:
        parsed.setdefault("target", None)
    if "slam" in parsed and rules.slam_window == USUAL_WINDOW[rules.slam]:
        parsed.setdefault("slam_window", USUAL_WINDOW[parsed["slam"]])
    named = parsed.pop("values", {})
    changed = replaced(rules, **parsed, values={**rules.values, **named})
    for rank in named:
        if rank not in _ranks_in_play(changed):
            raise RuleError("values", f"ranks of this deck, {' '.join(changed.deck.ranks)} or *, not {rank}")
    return changed


def as_options(rules: RuleSet) -> dict[str, forms.Json]:
    """Return every field as JSON, the form that rules have in records and views."""
    return {name: field.json(getattr(rules, name)) for name, field in FIELDS.items()}


def from_options(name: str, options: Mapping[str, object]) -> RuleSet:
    """Return the rule set that ``as_options`` wrote, with its name as title, or raise ``RuleError``.

    A missing field gets its default, because matches were played that way before the field existed. An unknown field
    is refused, because the match may have depended on it.
    """
    parsed = {option: parse(option, value) for option, value in options.items()}
    for option in FIELDS:
        if option not in parsed and option not in RuleSet.frozen_defaults:
            raise RuleError(option, f"{FIELDS[option].takes}; it is missing")
    return RuleSet(name=name, title=name, **parsed)


def differing(rules: RuleSet, base: RuleSet) -> str:
    """Return the options that turn ``base`` into ``rules``, such as ``holes=18 final_turn=on``; empty if equal."""
    changed = {name for name in FIELDS if getattr(rules, name) != getattr(base, name)}
    if changed & {"holes", "target"}:
        # Setting one of the two removes the other (X15), so write both if both have values.
        changed |= {"holes", "target"}
        changed -= {name for name in ("holes", "target") if getattr(rules, name) is None}
    if "slam" in changed and base.slam_window == USUAL_WINDOW[base.slam]:
        changed.discard("slam_window")
        changed |= {"slam_window"} if rules.slam_window != USUAL_WINDOW[rules.slam] else set()
    written = {name: FIELDS[name].write(getattr(rules, name)) for name in changed}
    if "values" in changed:
        others = {
            rank: points
            for rank, points in rules.values.items()
            if rank in _ranks_in_play(rules) and base.values.get(rank) != points
        }
        written["values"] = FIELDS["values"].write(others)
    return " ".join([f"{name}={written[name]}" for name in FIELDS if written.get(name)])


def parse(name: str, value: object) -> Any:
    """Return the value of an option, written as text or as JSON, or raise ``RuleError``."""
    field = FIELDS.get(name)
    if field is None:
        near = forms.alike(name.replace("-", "_"), FIELDS, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else f"the options are {' '.join(FIELDS)}"
        raise RuleError(name, f"no such option; {hint}")
    try:
        return field.read(forms.text_of(value).strip().lower())
    except ValueError:
        raise RuleError(name, f"{field.takes}, not {value!r}") from None


def _ranks_in_play(rules: RuleSet) -> tuple[str, ...]:
    return (*rules.deck.ranks, JOKER)


_MEANINGS: Final = {
    "seats": "How many seats play.",
    "rows": "How many rows a layout has.",
    "columns": "How many columns a layout has.",
    "decks": "How many decks are shuffled together.",
    "deck": "Which ranks a suit has.",
    "jokers": "How many jokers each deck has.",
    "start": "What each seat does with some of its cards before play begins.",
    "placed": "Whether a card placed in a layout lies face up or face down.",
    "lock": "Whether face-up cards are locked, so that they cannot be replaced.",
    "flip": "Whether you may turn up one of your cards after discarding the card you drew.",
    "reveal": "Whether you may turn up one of your cards as a whole turn.",
    "knock": "Whether you may knock instead of playing a turn; the others then have one more turn each.",
    "final_turn": "Whether the others have one more turn each when all cards of a layout are face up.",
    "cancel": "Which cards of equal rank in a layout count 0.",
    "values": "How many points a rank counts.",
    "holes": "How many holes a match has.",
    "target": "The total that ends the match when somebody reaches it.",
    "turns": "How many turns each seat has in a hole.",
    "turn_cap": "The maximum number of turns per seat in a hole that nobody closes.",
    "reshuffles": "How many times in a hole the discard pile is shuffled to become a new stock.",
    "penalty": "What closing a hole costs.",
    "recall": "How long you are shown a face-down card that you were allowed to see.",
    "dealer": "Who deals the first hole.",
    "slam": "Whether cards may be slammed on an equal discard, and which claim is judged first.",
    "slam_window": "How many seconds there are to slam on a discard.",
    "upcard": "Whether the discard pile begins with the first card of the stock.",
    "power": "Which ranks give a power to whoever discards them on their turn.",
    "face_up": "Whether face-up cards end the hole.",
    "stock_end": "When the hole ends after the last card of the stock is drawn.",
    "leader": "Who has the first turn of a hole.",
    "extra_suits_from": "The first seat that adds a suit to the deck; each seat after it adds one, too.",
}
"""Every field of a rule set except name, title and notes, in the order used in records, and what its value means."""


def _form(option: str, hint: Any) -> forms.ValueForm[Any]:
    if hint in _FORMS:
        return _FORMS[hint]
    if isinstance(hint, type) and issubclass(hint, forms.Explained):
        return forms.words(hint)
    number = forms.number(*BOUNDS[option])
    return number if hint is int else forms.or_none(number)


_FORMS: Final[dict[Any, forms.ValueForm[Any]]] = {
    bool: forms.SWITCH,
    Span: forms.ValueForm(
        takes=f"a number {_between('seats')}, or in a file a span such as 2-6",
        read=_read_seats,
        write=_write_seats,
        json=lambda seats: seats.low if seats.low == seats.high else _write_seats(seats),
    ),
    Packs: forms.ValueForm(
        takes=f"a number {_between('decks')}, or growing: 1,4:2,8:3 is 1 deck, 2 from 4 seats on and 3 from 8",
        read=_read_packs,
        write=_write_packs,
        json=lambda packs: packs.steps[0][1] if len(packs.steps) == 1 else _write_packs(packs),
    ),
    Start: forms.ValueForm(
        takes="none, or peek-bottom-N, peek-any-N, flip-bottom-N or flip-any-N, such as flip-any-2",
        read=_read_start,
        write=_write_start,
        json=_write_start,
    ),
    Mapping[str, int]: forms.ValueForm(
        takes=f"ranks with points {_between('values')}, such as 2:-2,K:0 (* is the joker)",
        read=_read_values,
        write=lambda values: ",".join([f"{rank}:{points}" for rank, points in values.items()]),
        json=dict,
    ),
    tuple[str, ...]: forms.ValueForm(
        takes="off, or ranks such as JQK", read=_read_ranks, write=_write_ranks, json=_write_ranks
    ),
}
"""The forms of options that are neither numbers nor words."""

FIELDS: Final = forms.table(
    *[(name, _form(name, RuleSet.__annotations__[name]), text) for name, text in _MEANINGS.items()]
)
"""The form of every option by its name, in the order used in records."""
