"""The cells of lists: the text for one or several values of a row.

A missing value gives empty text, an unexpected value its plain form; neither is an error. A cell that ``_MADE`` does
not have is the value of the field with its name.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final

from golfnet.engine.cards import CARDS
from golfnet.protocol.text.words import card_words, counted, ordinal, seconds

Row = Mapping[str, Any]
"""One row of a list, as programs receive it."""


def key_text(key: str) -> str:
    """Return a key as human-readable words, such as ``reaction`` for ``reaction_ms``."""
    return key.removesuffix("_ms").replace("_", " ")


def plain(value: Any) -> str:
    """Return any JSON value in a few words; for an object with a name, only the name."""
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.1f}"
        case Mapping() if "name" in value:
            return plain(value["name"])
        case Mapping():
            return " ".join([f"{key}={plain(item)}" for key, item in value.items()])
        case Sequence():
            return ", ".join(map(plain, value))
        case _:
            return str(value)


def cell(name: str) -> Callable[[Row], str]:
    """Return the function that makes the cell with this name."""
    return _MADE.get(name) or (lambda row: plain(row.get(name)))


def said(row: Row, template: str) -> str:
    """Return a sentence with cells, such as ``{name}, silent for {idle}``, without the parts whose cells are empty."""
    parts = []
    for part, makes in _parts(template):
        cells = [make(row) for make in makes]
        if all(cells):
            parts.append(part.format(*cells))
    return sentence(parts)


@lru_cache(maxsize=64)
def _parts(template: str) -> tuple[tuple[str, tuple[Callable[[Row], str], ...]], ...]:
    """Return the parts of a template, with ``{}`` for each cell and the functions that make the cells."""
    parts = template.split(", ")
    return tuple([(_NAME.sub("{}", part), tuple(map(cell, _NAME.findall(part)))) for part in parts])


def sentence(parts: Iterable[str]) -> str:
    """Return the parts of a sentence, with a full stop."""
    text = ", ".join(parts)
    return f"{text}." if text and not text.endswith((".", "?", "!")) else text


_NAME: Final = re.compile(r"\{(\w+)\}")


def idle(row: Row) -> str:
    """Return how long somebody has been silent, in minutes; empty if it is less than one."""
    ms = row.get("idle_ms")
    return counted(ms // 60_000, "minute") if isinstance(ms, int) and ms >= 60_000 else ""


def _moment(time: object) -> str:
    """Return a time in unix seconds as text in UTC."""
    if not isinstance(time, int | float):
        return plain(time)
    with suppress(OverflowError):  # a year that the calendar does not have
        moment = _EPOCH + timedelta(seconds=int(time))
        return f"{moment.year}-{moment:%m-%d %H:%M}"
    return plain(time)


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def where(row: Row) -> str:
    """Return where somebody is, written like ``t12 B`` or ``watches t12``."""
    if row.get("table"):
        return f"{plain(row['table'])} {plain(row.get('seat'))}".rstrip()
    watching = plain(row.get("watching"))
    return f"watches {watching}" if watching else "lobby"


def taken_seats(row: Row) -> str:
    """Return how many seats are taken, written like ``2/4``."""
    most, taken = plain(row.get("seats")), plain(row.get("taken"))
    return f"{taken}/{most}" if taken and most else most


def notes(row: Row) -> str:
    """Return remarks about a table; options come last, because they may be long, and only the end is cut off."""
    watchers, options, filling = row.get("watchers"), row.get("options"), row.get("filling")
    ms = filling.get("ms") if isinstance(filling, Mapping) else None
    words = options.split() if isinstance(options, str) else []
    others = " ".join([word for word in words if not word.startswith("seats=")])
    return ", ".join(
        [
            *(["private"] if row.get("private") else []),
            *([f"bots in {seconds(ms)}"] if isinstance(ms, int) else []),
            *([f"{watchers} watching"] if isinstance(watchers, int) and watchers else []),
            *([others] if others else []),
        ]
    )


def players(row: Row) -> str:
    """Return the players at a table; those whose seats are played by bots are marked."""
    return ", ".join(map(_marked, _sequence(row.get("players"))))


def _marked(player: Any) -> str:
    """Return the name of a player, followed by ``(bot)`` if a bot plays and its name does not say so.

    In a finished match, players who were absent at the end are marked ``(left)`` or ``(away)``.
    """
    ending = player.get("ending") if isinstance(player, Mapping) else None
    if isinstance(ending, str) and ending in _ENDINGS:
        return f"{plain(player)} ({_ENDINGS[ending]})"
    what, name = player.get("kind") if isinstance(player, Mapping) else None, plain(player)
    return f"{name} (bot)" if what in ("bot", "house") and "-bot" not in name else name


_ENDINGS: Final = {"left": "left", "absent": "away", "excused": "away"}


def results(row: Row) -> str:
    """Return the players of a match in the order of their places, each with their total."""
    names, totals, places = [_sequence(row.get(key)) for key in ("players", "totals", "places")]
    places = _sequence(row.get("ranks")) or places
    each = []
    for at, name in enumerate(names):
        came = places[at] if at < len(places) and isinstance(places[at], int) else len(names)
        each.append((came, f"{_marked(name)} {plain(totals[at]) if at < len(totals) else ''}".rstrip()))
    return ", ".join([text for _, text in sorted(each, key=lambda pair: pair[0])])


def full_card(row: Row) -> str:
    """Return a row's card, written out in words."""
    card = plain(row.get("card"))
    return f"the {card_words(card)}" if card in CARDS else card


def slammed(row: Row) -> str:
    """Return the discard that a claim was for, written like ``#12 KD``."""
    number = plain(row.get("discard_no"))
    return f"#{number} {plain(row.get('card'))}".rstrip() if number else plain(row.get("card"))


def claimant(row: Row) -> str:
    """Return the name of the player who slammed, with their seat."""
    name, seat = plain(row.get("name")), plain(row.get("seat"))
    return f"{name} ({seat})" if name and seat else name or seat


def _sequence(value: Any) -> Sequence[Any]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def _count(row: Row, key: str, thing: str) -> str:
    number = row.get(key)
    return counted(number, thing) if isinstance(number, int) else ""


_MADE: Final[Mapping[str, Callable[[Row], str]]] = {
    "ended": lambda row: _moment(row.get("ended")),
    "used": lambda row: _moment(row.get("used")),
    "issued": lambda row: _moment(row.get("issued")),
    "kind": lambda row: plain(row.get("kind")) + (", away" if row.get("present") is False else ""),
    "state": lambda row: "playing" if row.get("state") == "between" else plain(row.get("state")),
    "place": lambda row: (
        ordinal(row["place"]) if isinstance(row.get("place"), int) else plain(row.get("place"))
    ),
    "score": lambda row: _count(row, "score", "point"),
    "played": lambda row: _count(row, "matches", "match"),
    "left_early": lambda row: plain(row.get("forfeits") or None),
    "layout_words": lambda row: plain(row.get("layout")).replace("x", " by "),
    "reaction": lambda row: f"{row['reaction_ms']:.0f}" if isinstance(row.get("reaction_ms"), float) else "",
    "tie": lambda row: "by lot" if row.get("tied") is True else "",
    "current": lambda row: "this one" if row.get("current") else "",
    **{make.__name__: make for make in (idle, where, taken_seats, notes, players, results)},
    **{make.__name__: make for make in (full_card, slammed, claimant)},
}
