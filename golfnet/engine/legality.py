"""Legal actions: each seat's choices, and the predicates that define them.

``refusals`` uses the same predicates to refuse everything else; a property test checks that the two agree.

Actions are immutable, so they and lists of them are cached. The caches are bounded, because layouts that grow and
shrink (C13, C15) can take any number of forms.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, starmap
from typing import Final, NamedTuple

from golfnet.engine import actions as do
from golfnet.engine.cards import Position, Seat, position_text
from golfnet.engine.fairdeal import lot_order
from golfnet.engine.hole import DONE, FLIP, HOLDING, OVER, START, Hole
from golfnet.engine.rules import FLIPS, FREE_STARTS, PEEKS, SlamMode, StartMode


class _Choices(NamedTuple):
    actions: tuple[do.Action, ...] = ()
    switchable: tuple[Position, ...] = ()
    slammable: tuple[Position, ...] = ()


class Choices(_Choices):
    """Everything a seat may do now: single actions, and the positions that may be switched or slammed."""

    _lines: tuple[Seat | None, tuple[str, ...]] | None = None
    """The lines last returned, after the seat that they are for, or None if they are the same for every seat."""

    def as_offer(self, seat: Seat) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the choices as command lines for the seat, and the targets of a ``switch`` or ``slam`` among them.

        If there are both, the targets are those that may follow either: a moved card may be switched, but not slammed.
        """
        lines = self.lines(seat) if self.actions else ()
        if not (self.switchable or self.slammable):
            return lines, ()
        targets = self.slammable or self.switchable
        pairs = ("switch",) if self.switchable and len(targets) >= 2 else ()
        slams = ("slam",) if self.slammable else ()
        return (*lines, *pairs, *slams), _targets(targets)

    def lines(self, seat: Seat) -> tuple[str, ...]:
        """Return the single actions as command lines for the seat; the last result is cached."""
        kept = self._lines
        if kept is None or (kept[0] is not None and kept[0] != seat):
            is_own = any([isinstance(action, do.Peek) for action in self.actions])
            kept = seat if is_own else None, tuple([do.action_text(action, seat) for action in self.actions])
            self._lines = kept
        return kept[1]


@lru_cache(maxsize=64)
def _targets(positions: tuple[Position, ...]) -> tuple[str, ...]:
    """Return positions as targets; cached, because they are the same for all seats at a table."""
    return tuple([position_text(at) for at in positions])


def choices(hole: Hole, seat: Seat) -> Choices:
    """Return what the seat may do now; ``switchable`` stands for all pairs of its positions."""
    stage, rules, layout = hole.stage, hole.rules, hole.layouts[seat]
    if stage is DONE:
        return _after_the_turn(hole, seat)
    if stage is START:
        return _start_choices(rules.start.mode, seat, start_slots(hole, seat), hole.owed[seat])
    if seat != hole.turn or stage is OVER:
        return _NOTHING
    if stage is HOLDING:
        return _placings(replaceable(hole, seat), hole.drawn is None or not hole.drawn.from_discard)
    if stage is FLIP:
        return _flips_or_pass(layout.face_down)
    return _turns(
        hole.can_draw,
        replaceable(hole, seat) if hole.discards else (),
        rules.knock and hole.closer is None,
        layout.face_down if rules.reveal else (),
    )


def legal_actions(hole: Hole, seat: Seat) -> tuple[do.Action, ...]:
    """Return every action that the seat may take now, including a switch for each pair of positions."""
    actions, switchable, slammable = choices(hole, seat)
    if switchable:
        actions += tuple(starmap(do.Switch, combinations(switchable, 2)))
    if hole.window is not None:
        actions += tuple([do.Slam(at, hole.window.discard_no) for at in slammable])
    return actions


def awaited(hole: Hole) -> tuple[Seat, ...]:
    """Return the seats that the hole is waiting for.

    In a slam window these are all seats that are not in ``passed``, unless a gift or a power comes first.
    """
    stage, gift, window = hole.stage, hole.gift, hole.window
    if stage is START:
        return tuple([Seat(seat) for seat, owed in enumerate(hole.owed) if owed])
    if stage is OVER or hole.turn is None:
        return ()
    if gift is not None:
        return (gift.seat,)
    if window is not None and not hole.power:
        return tuple([Seat(seat) for seat in hole.seats if not window.passed >> seat & 1])
    return (hole.turn,)


def choosers(hole: Hole) -> Sequence[Seat]:
    """Return the seats that have choices now."""
    return awaited(hole) if hole.window is None else tuple(map(Seat, hole.seats))


def default_action(hole: Hole, seat: Seat) -> do.Action | None:
    """Return the safe choice for a seat whose clock has run out (X12, X13), or None if it has no choice."""
    actions = choices(hole, seat).actions
    if not actions:
        return None
    if hole.stage is START:
        slots = start_slots(hole, seat)[: hole.owed[seat]]
        is_peek = hole.rules.start.mode in PEEKS
        return do.Peek(tuple(Position(seat, slot) for slot in slots)) if is_peek else do.Flip(slots)
    for safe in (_DRAW, _DISCARD, _DECLINE, _PASS):
        if safe in actions:
            return safe
    return next(action for action in actions if action != _TAKE)


def start_slots(hole: Hole, seat: Seat) -> tuple[int, ...]:
    """Return the slots from which the seat can still make its start choices (X12)."""
    rules = hole.rules
    first = 1 if rules.start.mode in FREE_STARTS else rules.slots - rules.start.cards + 1
    layout = hole.layouts[seat]
    return tuple(
        [
            slot
            for slot in range(first, rules.slots + 1)
            if (card := layout[slot - 1]) is not None and not card.known >> seat & 1
        ]
    )


def replaceable(hole: Hole, seat: Seat) -> tuple[int, ...]:
    """Return the slots where the seat may place a drawn card: any with a card or, with ``lock``, face-down ones."""
    layout = hole.layouts[seat]
    return layout.face_down if hole.rules.lock else layout.occupied


def switchable(hole: Hole) -> tuple[Position, ...]:
    """Return the positions of all face-down cards on the table (C6)."""
    return _positions(tuple([layout.face_down for layout in hole.layouts]))


def slammable(hole: Hole) -> tuple[Position, ...]:
    """Return the positions whose cards may be slammed in the open window: face down and not moved since (C11)."""
    if hole.window is None:
        return ()
    moved = hole.window.moved
    return tuple([at for at in switchable(hole) if at not in moved]) if moved else switchable(hole)


_NOTHING = Choices()
_RACE: Final = SlamMode.RACE
_DRAW, _TAKE, _DISCARD, _KNOCK, _PASS, _DECLINE = (
    do.Draw(),
    do.Take(),
    do.Discard(),
    do.Knock(),
    do.Pass(),
    do.Decline(),
)


_KEPT: Final = 4096
"""The size of most caches. While layouts do not grow, there are fewer possible entries than this. A list takes about a
kilobyte.
"""

_RECENT: Final = 512
"""The size of the caches for lists of all positions at a table: every seat reads a list once, then it is obsolete."""


@lru_cache(_KEPT)
def _placings(slots: tuple[int, ...], may_discard: bool) -> Choices:
    swaps = [do.Swap(slot) for slot in slots]
    return Choices((_DISCARD, *swaps) if may_discard else (*swaps,))


@lru_cache(_KEPT)
def _flips_or_pass(slots: tuple[int, ...]) -> Choices:
    return Choices((*[do.Flip((slot,)) for slot in slots], _PASS))


@lru_cache(_KEPT)
def _turns(may_draw: bool, takes: tuple[int, ...], may_knock: bool, reveals: tuple[int, ...]) -> Choices:
    draw = (_DRAW,) if may_draw else ()
    take = (_TAKE, *[do.Take(slot) for slot in takes]) if takes else ()
    knock = (_KNOCK,) if may_knock else ()
    return Choices((*draw, *take, *knock, *[do.Flip((slot,)) for slot in reveals]))


@lru_cache(_KEPT)
def _start_choices(mode: StartMode, seat: Seat, slots: tuple[int, ...], most: int) -> Choices:
    subsets = [some for count in range(1, most + 1) for some in combinations(slots, count)]
    if mode in FLIPS:
        return Choices(tuple([do.Flip(some) for some in subsets]))
    return Choices(tuple([do.Peek(tuple([Position(seat, slot) for slot in some])) for some in subsets]))


@lru_cache(_RECENT)
def _positions(slots: tuple[tuple[int, ...], ...]) -> tuple[Position, ...]:
    return tuple([Position(Seat(seat), slot) for seat, own in enumerate(slots) for slot in own])


def _after_the_turn(hole: Hole, seat: Seat) -> Choices:
    if hole.gift is not None:
        slots = hole.layouts[seat].occupied if seat == hole.gift.seat else ()
        return Choices(tuple([do.Give(slot) for slot in slots]))
    actions: tuple[do.Action, ...] = ()
    targets: tuple[Position, ...] = ()
    if hole.power and seat == hole.turn:
        targets = switchable(hole)
        actions = (*[do.Peek((at,)) for at in targets], _DECLINE)
    if hole.window is None:
        return Choices(actions, targets)
    if not hole.window.passed >> seat & 1:
        actions = (*actions, _PASS)
    elif hole.rules.slam is not _RACE:
        return Choices(actions, targets)
    return Choices(actions, targets, slammable(hole))


def claim_order(hole: Hole) -> tuple[Seat, ...]:
    """Return all seats in the order in which their claims are judged; empty if no window is open."""
    if hole.turn is None or hole.window is None:
        return ()
    seats = len(hole.layouts)
    clockwise = tuple(Seat((hole.turn + step) % seats) for step in range(1, seats + 1))
    if hole.rules.slam is SlamMode.LOT:
        return lot_order(hole.deal.key, hole.window.discard_no, clockwise)
    return clockwise
