"""How options are written: one form for each kind of value, read and written in the same place.

What ``write`` gave, ``read`` turns into an equal value, and ``read(text_of(json(value)))`` does as well: values of
JSON and TOML have no reader of their own.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar

from golfnet.engine.cards import RANKS
from golfnet.engine.rules import BOUNDS, Packs, Span, Start, StartMode

Json = bool | int | str | Mapping[str, int] | None
"""An option's value in JSON or TOML; None only where a number may be absent."""

T = TypeVar("T")
Word = TypeVar("Word", bound=StrEnum)


@dataclass(frozen=True, slots=True, kw_only=True)
class Form(Generic[T]):
    """How one kind of value is written; ``read`` takes lower-case text and raises ``ValueError``.

    ``takes`` says in words what is read; ``words`` explains each word where there is a fixed list of them.
    """

    takes: str
    read: Callable[[str], T]
    write: Callable[[T], str]
    json: Callable[[T], Json]
    words: Mapping[str, str] = field(default_factory=dict)


def text_of(value: object) -> str:
    """Return the text of a value of JSON or TOML, text itself unchanged; raises ``ValueError``."""
    match value:
        case bool():
            return "on" if value else "off"
        case int() | str():
            return str(value)
        case None:
            return "none"
        case Mapping():
            return ",".join([f"{key}:{item}" for key, item in value.items()])
        case _:
            raise ValueError(f"no option is written as {type(value).__name__}")


def number(option: str) -> Form[int]:
    """Return the form of a whole number within the option's bounds."""
    low, high = BOUNDS[option]
    return Form(takes=f"a number from {low} to {high}", read=_whole, write=str, json=_as_it_is)


def number_or_none(option: str) -> Form[int | None]:
    """Return the form of a whole number within the option's bounds that may be absent."""
    return Form(
        takes=f"{number(option).takes}, or none",
        read=lambda text: None if text == "none" else _whole(text),
        write=lambda value: "none" if value is None else str(value),
        json=_as_it_is,
    )


def words(meanings: Mapping[Word, str]) -> Form[Word]:
    """Return the form of an enumeration, with what each of its words means."""
    first, *others = meanings
    return Form(
        takes=f"{', '.join([first, *others[:-1]])} or {others[-1]}",
        read=type(first),
        write=str,
        json=str,
        words={word.value: meaning for word, meaning in meanings.items()},
    )


def _as_it_is(value: Any) -> Any:
    return value


def _whole(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,6}", text):
        raise ValueError(text)
    return int(text)


def _rank(text: str) -> str:
    rank = text.upper()
    if rank not in RANKS:
        raise ValueError(text)
    return rank


def _read_switch(text: str) -> bool:
    if text not in _SWITCHES:
        raise ValueError(text)
    return _SWITCHES[text]


def _read_seats(text: str) -> Span:
    low, dash, high = text.partition("-")
    return Span(_whole(low), _whole(high if dash else low))


def _write_seats(seats: Span) -> str:
    return str(seats.low) if seats.low == seats.high else f"{seats.low}-{seats.high}"


def _read_packs(text: str) -> Packs:
    first, *later = text.split(",")
    steps = [step.split(":") for step in later]
    return Packs(((1, _whole(first)), *[(_whole(seats), _whole(packs)) for seats, packs in steps]))


def _write_packs(packs: Packs) -> str:
    (_, first), *later = packs.steps
    return ",".join([str(first), *[f"{seats}:{packs}" for seats, packs in later]])


def _read_start(text: str) -> Start:
    if text == StartMode.NONE:
        return Start(StartMode.NONE, 0)
    mode, _, cards = text.rpartition("-")
    return Start(StartMode(mode), _whole(cards))


def _write_start(start: Start) -> str:
    return start.mode.value if start.mode is StartMode.NONE else f"{start.mode.value}-{start.cards}"


def _read_values(text: str) -> dict[str, int]:
    pairs = [pair.split(":") for pair in text.split(",")]
    values = {_rank(rank.strip()): _whole(points.strip()) for rank, points in pairs}
    if len(values) != len(pairs):
        raise ValueError(text)
    return values


def _write_values(values: Mapping[str, int]) -> str:
    return ",".join([f"{rank}:{points}" for rank, points in values.items()])


def _read_ranks(text: str) -> tuple[str, ...]:
    if text == "off":
        return ()
    # "10" is always ten: written upwards, as RuleSet keeps them, 0 never follows 1 as a rank of its own.
    ranks = re.findall(r"10|[^\s,]", text)
    if not ranks:
        raise ValueError(text)
    return tuple([_rank(rank) for rank in ranks])


def _write_ranks(ranks: tuple[str, ...]) -> str:
    return "".join(ranks) or "off"


def _between(option: str) -> str:
    low, high = BOUNDS[option]
    return f"from {low} to {high}"


_SWITCHES: Final = {
    **dict.fromkeys(("on", "yes", "true"), True),
    **dict.fromkeys(("off", "no", "false"), False),
}

SWITCH: Final[Form[bool]] = Form(
    takes="on or off", read=_read_switch, write=lambda on: "on" if on else "off", json=_as_it_is
)
SEATS: Final[Form[Span]] = Form(
    takes=f"a number {_between('seats')}, or a span such as 2-6",
    read=_read_seats,
    write=_write_seats,
    json=lambda seats: seats.low if seats.low == seats.high else _write_seats(seats),
)
PACKS: Final[Form[Packs]] = Form(
    takes=f"a number {_between('decks')}, or growing: 1,4:2,8:3 is 1 pack, 2 from 4 seats on and 3 from 8",
    read=_read_packs,
    write=_write_packs,
    json=lambda packs: packs.steps[0][1] if len(packs.steps) == 1 else _write_packs(packs),
)
START: Final[Form[Start]] = Form(
    takes="none, or peek-bottom-N, peek-any-N, flip-bottom-N or flip-any-N, such as flip-any-2",
    read=_read_start,
    write=_write_start,
    json=_write_start,
)
VALUES: Final[Form[Mapping[str, int]]] = Form(
    takes=f"ranks with points {_between('values')}, such as 2:-2,K:0 (* is the joker)",
    read=_read_values,
    write=_write_values,
    json=dict,
)
RANK_LIST: Final[Form[tuple[str, ...]]] = Form(
    takes="off, or ranks such as JQK", read=_read_ranks, write=_write_ranks, json=_write_ranks
)
