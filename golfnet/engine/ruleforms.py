"""Text forms of those rule set options that are not simply a number, a switch or a word."""

import re
from collections.abc import Mapping
from typing import Final

from golfnet.engine import forms
from golfnet.engine.cards import RANKS
from golfnet.engine.rules import BOUNDS, Packs, Span, Start, StartMode


def number(option: str) -> forms.ValueForm[int]:
    """Return the form of a whole number within the option's bounds."""
    return forms.number(*BOUNDS[option])


def number_or_none(option: str) -> forms.ValueForm[int | None]:
    """Return the form of a number within the option's bounds, or none."""
    return forms.or_none(number(option))


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


def _write_values(values: Mapping[str, int]) -> str:
    return ",".join([f"{rank}:{points}" for rank, points in values.items()])


def _read_ranks(text: str) -> tuple[str, ...]:
    if text == "off":
        return ()
    # "10" is always ten: in the ascending order of RuleSet, the rank 0 never follows the rank 1.
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


SEATS: Final[forms.ValueForm[Span]] = forms.ValueForm(
    takes=f"a number {_between('seats')}, or a span such as 2-6",
    read=_read_seats,
    write=_write_seats,
    json=lambda seats: seats.low if seats.low == seats.high else _write_seats(seats),
)
PACKS: Final[forms.ValueForm[Packs]] = forms.ValueForm(
    takes=f"a number {_between('decks')}, or growing: 1,4:2,8:3 is 1 deck, 2 from 4 seats on and 3 from 8",
    read=_read_packs,
    write=_write_packs,
    json=lambda packs: packs.steps[0][1] if len(packs.steps) == 1 else _write_packs(packs),
)
START: Final[forms.ValueForm[Start]] = forms.ValueForm(
    takes="none, or peek-bottom-N, peek-any-N, flip-bottom-N or flip-any-N, such as flip-any-2",
    read=_read_start,
    write=_write_start,
    json=_write_start,
)
VALUES: Final[forms.ValueForm[Mapping[str, int]]] = forms.ValueForm(
    takes=f"ranks with points {_between('values')}, such as 2:-2,K:0 (* is the joker)",
    read=_read_values,
    write=_write_values,
    json=dict,
)
RANK_LIST: Final[forms.ValueForm[tuple[str, ...]]] = forms.ValueForm(
    takes="off, or ranks such as JQK", read=_read_ranks, write=_write_ranks, json=_write_ranks
)
