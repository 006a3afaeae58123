"""How a table is sent to one viewer: the engine's view of its hole is encoded, and decoded again by the client.

Invariants, for every viewer and every moment of a hole: only what is in the engine's view is written, and reading it
back gives the same view. The rules of the game are not here: the engine's ``evolve_view`` changes a view, and
``with_hole`` writes it.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

from msgspec import structs

from golfnet.engine.actions import Action, parse_action
from golfnet.engine.cards import (
    CARDS,
    SEAT_LETTERS,
    Position,
    Seat,
    parse_position,
    parse_seat,
    position_text,
    seat_letter,
)
from golfnet.engine.hole import Gift, Phase, Window, changed
from golfnet.engine.legality import Choices
from golfnet.engine.match import Match
from golfnet.engine.options import as_options
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View
from golfnet.protocol.replies.replies import Offer, SeatView, SlamView, TableView

Changes = dict[str, Any]
"""New values for some of the fields of a view or a seat."""


def view_to_wire(
    match: Match,
    seen: View | None,
    *,
    rules: RuleSet,
    you: Seat | None,
    seats: Iterable[SeatView],
    slam_ms: int,
    **others: Any,
) -> TableView:
    """Return the whole view; ``seen`` is None before the first deal, ``slam_ms`` the time left in an open window.

    ``others`` are fields that do not follow from the match; those in ``_UNUSED`` may be left out.
    """
    promised = match.next_deal or match.started
    fields = _UNUSED | others | (_NO_HOLE if seen is None else _written(seen, slam_ms))
    view = TableView(
        variant=rules.name,
        options=_options_of(rules),
        match=match.id,
        holes=rules.holes,
        target=rules.target,
        you=None if you is None else seat_letter(you),
        seats=tuple(seats),
        scores=match.scores,
        commitment="" if promised is None else promised.commitment,
        deal="" if promised is None else match.scheme,
        **fields,
    )
    view.__dict__["rules"] = rules
    return view


_UNUSED: Final[Changes] = dict(name="", actions=(), targets=(), clock=None, pause_ms=None, watchers=0)


_options_of = lru_cache(maxsize=128)(as_options)
"""Returns rules as the options of a view. The dictionary is cached and shared: do not change it."""


def seat_to_wire(match: Match, seen: View | None, seat: Seat, *, name: str, **others: Any) -> SeatView:
    """Return the wire form of an occupied seat, with the layout that the viewer sees if cards have been dealt.

    ``others`` are the fields that differ from those of a human who is there.
    """
    totals = match.totals
    fields = NEWCOMER | others | {"total": totals[seat] if seat < len(totals) else 0}
    if seen is not None and seat < len(seen.layouts):
        fields |= {"slots": seen.layouts[seat], "turns": seen.turns[seat]}
    return SeatView(seat=seat_letter(seat), name=name, **fields)


NEWCOMER: Final[Changes] = dict(
    kind="human", present=True, slots=(), total=0, turns=0, ready=False, host=False
)
"""The fields of the seat of a human who has just sat down."""


def view_from_wire(table: TableView) -> View | None:
    """Return the viewer's view of the hole in play, with choices; None if no hole is in play.

    Raise ``RuleError`` for rules that this version does not know.
    """
    seen = hole_of(table)
    if seen is None or seen.seat is None:
        return seen
    moved = () if seen.window is None else seen.window.moved
    return changed(seen, choices=choices_from_wire(table.offer, seen.seat, moved))


def choices_from_wire(offer: Offer, seat: Seat, moved: Collection[Position]) -> Choices:
    """Return the choices in an offer; cards at positions in ``moved`` may be targets of a power, but not of a slam."""
    actions = list[Action]()
    for line in offer.lines:
        with suppress(ValueError):  # an unknown line, or a verb whose arguments are not listed
            actions.append(parse_action(line, seat))
    targets = tuple(map(parse_position, offer.targets))
    return Choices(
        actions=tuple(actions),
        switchable=targets if "decline" in offer else (),
        slammable=tuple([at for at in targets if at not in moved]) if "slam" in offer else (),
    )


def hole_of(table: TableView) -> View | None:
    """Return the viewer's view of the hole in play, without choices; it is computed once and cached on the table."""
    kept = table.__dict__
    if _HOLE not in kept:
        kept[_HOLE] = _read(table) if table.state == "playing" else None
    seen: View | None = kept[_HOLE]
    return seen


def with_hole(table: TableView, seen: View, slam_ms: int, **others: Any) -> TableView:
    """Return the table with ``seen`` as its hole, and with ``others`` as new values of other fields.

    ``slam_ms`` is the time left in an open slam window.
    """
    seats = [
        seat
        if seat.slots == slots and seat.turns == turns
        else structs.replace(seat, slots=slots, turns=turns)
        for seat, slots, turns in zip(table.seats, seen.layouts, seen.turns, strict=True)
    ]
    folded = structs.replace(table, **_written(seen, slam_ms) | {"seats": tuple(seats)} | others)
    folded.__dict__.update({_HOLE: seen, "rules": seen.rules})
    return folded


_HOLE: Final = "hole_view"
"""A key in a table's ``__dict__``: not a field, so comparing tables ignores it."""


# --- one table of fields, for both directions


_FIELDS: Final[list[tuple[str, str, Any, Any]]] = [
    (name, "reshuffles" if name == "reshuffles_left" else name, write, read)
    for write, read, *names in (
        (None, None, "hole", "owed", "stock", "discard_no", "discard_count", "reshuffles_left", "power"),
        (SEAT_LETTERS.__getitem__, parse_seat, "dealer", "leader", "turn", "holding", "closer"),
        (attrgetter("text"), CARDS.__getitem__, "discard", "beneath", "drawn"),
        (str, Phase, "phase"),
    )
    for name in names
]
"""The fields of a view, their names on the wire, and what writes and reads their values; None is null on the wire."""

_NO_HOLE: Final[Changes] = {
    **dict.fromkeys([*[wire_name for _, wire_name, *_ in _FIELDS], "owes", "gift_to", "slam"]),
    **dict.fromkeys(["hole", "stock", "discard_no", "discard_count", "reshuffles"], 0),
    "power": False,
    "owed": (),
}
"""The fields of the hole before the first deal."""


def _written(seen: View, slam_ms: int) -> Changes:
    """Return the wire fields of a view, except those that belong to seats."""
    gift = seen.gift
    fields: Changes = {
        "owes": None if gift is None else seat_letter(gift.seat),
        "gift_to": None if gift is None else position_text(gift.to),
        "slam": _slam(seen, slam_ms),
    }
    for name, wire_name, write, _ in _FIELDS:
        value = getattr(seen, name)
        fields[wire_name] = value if value is None or write is None else write(value)
    return fields


def _slam(seen: View, ms: int) -> SlamView | None:
    window = seen.window
    return window and SlamView(
        discard_no=window.discard_no,
        card=window.card.text,
        ms=ms,
        mode=seen.rules.slam.value,
        won=window.won,
        passed=bool(window.passed),
        moved=tuple([position_text(at) for at in sorted(window.moved)]),
    )


def _read(table: TableView) -> View | None:
    if table.phase is None or table.dealer is None or table.leader is None:
        return None
    fields: Changes = {}
    for name, wire_name, _, read in _FIELDS:
        value = getattr(table, wire_name)
        fields[name] = value if value is None or read is None else read(value)
    owes, to, slam = table.owes, table.gift_to, table.slam
    seat = None if table.you is None else parse_seat(table.you)
    return View(
        rules=table.rules,
        seat=seat,
        commitment=table.commitment,
        totals=table.totals,
        turns=tuple([each.turns for each in table.seats]),
        layouts=tuple([each.slots for each in table.seats]),
        gift=None if owes is None or to is None else Gift(parse_seat(owes), parse_position(to)),
        window=None if slam is None else _window(slam, seat),
        ended=None,
        choices=Choices(),
        **fields,
    )


def _window(slam: SlamView, seat: Seat | None) -> Window:
    return Window(
        discard_no=slam.discard_no,
        card=CARDS[slam.card],
        won=slam.won,
        passed=1 << seat if slam.passed and seat is not None else 0,
        moved=frozenset(map(parse_position, slam.moved)),
    )
