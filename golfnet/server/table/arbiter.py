"""Who was first: the order in which the claims of one slam window are judged.

There is no clock in here: times come in as whole microseconds of one clock, so that every boundary is exact. What
stays true: the place of a claim follows from what the server measured of it and from the deal's key, never from the
order in which two lines happened to be processed, and never from anything a peer says about its own times.

In a race each claim waits until no slower link can still turn out faster; sealed claims wait for everybody, or for
the end of the window. Whoever drives an arbiter takes one say after the other from ``next`` and lets the engine judge
it; while a gift is owed it takes none (C14).
"""

from collections.abc import Iterable
from typing import Final, Protocol

from msgspec import Struct

from golfnet.engine import fairdeal
from golfnet.engine.layout import Position, Seat
from golfnet.engine.rules import SlamMode
from golfnet.server.session.roundtrip import ALLOWED, UNMEASURED, Link


class Claim(Struct, frozen=True):
    """A slam of the card at ``at``; ``shown``: when the discard was written to the seat, ``arrived``: when the claim
    came in.
    """

    seat: Seat
    at: Position
    shown: int
    link: Link
    arrived: int

    @property
    def waited(self) -> int:
        """The time from the card's way out to the claim's way in."""
        return self.arrived - self.shown

    @property
    def reaction(self) -> int:
        """How long the seat took, its link's allowance taken off."""
        return self.waited - self.link.allowance


class WindowAnswer(Struct, frozen=True):
    """What a seat says in a window, in the order of judging: a claim, or None for a pass.

    ``tied``: the lot put it before or behind another claim that was just as fast.
    """

    seat: Seat
    claim: Claim | None = None
    tied: bool = False


class FalseStart(Exception):
    """A claim faster than anybody is; the seat is out for this card.

    ``claim`` is None where the discard had not been shown to the seat at all.
    """

    def __init__(self, claim: Claim | None) -> None:
        super().__init__("faster than anybody is")
        self.claim = claim


TIE: Final = 15_000
"""Reactions no further apart are equal: people do not differ by less from one card to the next, and clocks of
operating systems, keyboards and screens add as much."""

MOST_JITTER: Final = 30_000
"""The widest tie that an unsteady link can ask for: a peer can make its own link unsteady."""

FALSE_START: Final = 120_000
"""Nobody sees a card, knows it and sends a line in less; what comes sooner was sent before the card was seen."""

DECISION: Final = ALLOWED + TIE
"""The longest time that a first claim waits for a faster one."""


class Arbiter(Protocol):
    """Orders what the seats say in one window.

    ``is_won`` is set by the driver once a claim succeeded: what comes then is late anyway (C17).
    """

    is_won: bool

    @property
    def is_complete(self) -> bool:
        """Whether every seat has claimed or passed: there is nobody to wait for."""

    def is_waited_for(self, seat: Seat) -> bool:
        """Tell whether the seat has neither claimed nor passed."""

    def show(self, seat: Seat, at: int, link: Link = UNMEASURED) -> None:
        """Note when the discard was written to a seat; only the first time counts."""

    def may_claim(self, seat: Seat) -> bool:
        """Tell whether a claim of the seat would be taken."""

    def may_pass(self, seat: Seat) -> bool:
        """Tell whether the seat has not passed, or had its say, already."""

    def claim(self, seat: Seat, at: Position, arrived: int) -> Claim:
        """Take a claim that the rules allow at this moment; raises ``FalseStart``."""

    def pass_by(self, seat: Seat) -> None:
        """Take a pass."""

    def end(self) -> None:
        """Hear that the window's time is up."""

    def due(self) -> int | None:
        """Return when ``next`` will have something, 0 for at once, None while it waits for nothing but more says."""

    def next(self, now: int) -> WindowAnswer | None:
        """Return and forget the next say that is ready to be judged at ``now``."""


def arbiter(
    mode: SlamMode, *, discard_no: int, discarder: Seat, seats: int, key: bytes, spoken: Iterable[Seat] = ()
) -> Arbiter:
    """Return the arbiter for a window; ``key`` is the deal's, ``spoken`` are seats that have had their say before."""
    clockwise = tuple([Seat((discarder + 1 + n) % seats) for n in range(seats)])
    drawn = fairdeal.lot_order(key, discard_no, clockwise)
    if mode is SlamMode.RACE:
        return Race(lot=drawn, passed=spoken)
    return SealedArbiter(order=drawn if mode is SlamMode.LOT else clockwise, spoken=spoken)


class Race:
    """The fastest is judged first; who is equally fast, in the order of ``lot``."""

    def __init__(self, *, lot: tuple[Seat, ...], passed: Iterable[Seat] = ()) -> None:
        self.is_won = False
        self._lot = {seat: place for place, seat in enumerate(lot)}
        self._shown: dict[Seat, tuple[int, Link]] = {}
        self._seen: dict[Seat, int] = {}
        self._claims: list[Claim] = []
        self._claimed: set[Seat] = set()
        self._passing: list[Seat] = []
        self._passed = set(passed)
        self._out: set[Seat] = set()

    @property
    def is_complete(self) -> bool:
        """Whether every seat has claimed or passed, so that the window need not wait for another attempt."""
        return not any([self.is_waited_for(seat) for seat in self._lot])

    def is_waited_for(self, seat: Seat) -> bool:
        """Tell whether the seat has neither claimed nor passed."""
        return seat not in self._passed and seat not in self._claimed

    def show(self, seat: Seat, at: int, link: Link = UNMEASURED) -> None:
        """Note when the discard was written to a seat; only the first time counts, or coming back would help.

        A seat that was gone, and so has passed, comes back to a card that the others have long seen: its reactions
        are counted from when they did.
        """
        if seat not in self._seen:
            since = min(self._seen.values(), default=at) if seat in self._passed else at
            self._seen[seat] = at
            self._shown[seat] = since, link

    def may_claim(self, seat: Seat) -> bool:
        """Tell whether the seat is not out; it may claim again, and after a pass (C21)."""
        return seat not in self._out

    def may_pass(self, seat: Seat) -> bool:
        """Tell whether the seat has not passed yet."""
        return seat not in self._passed

    def claim(self, seat: Seat, at: Position, arrived: int) -> Claim:
        """Take a claim; raises ``FalseStart``, and then the seat is out and passes."""
        claim = Claim(seat, at, *self._shown[seat], arrived) if seat in self._shown else None
        if claim is None or seat in self._out or self._is_false_start(claim):
            self._out.add(seat)
            if seat not in self._passed:
                self.pass_by(seat)
            raise FalseStart(claim)
        self._claims.append(claim)
        self._claimed.add(seat)
        return claim

    def pass_by(self, seat: Seat) -> None:
        """Take a pass; claims that came before it are judged first."""
        self._passed.add(seat)
        self._passing.append(seat)

    def end(self) -> None:
        """Go on as before: claims that have come are decided in their time."""

    def due(self) -> int | None:
        """Return when the first of the claims that wait can be judged."""
        if not self._claims:
            return 0 if self._passing else None
        if self.is_won:
            return 0
        best = self._best()
        first = min([claim.arrived for claim in self._claims])
        latest = max([self._too_late(seat, best) for seat in self._rivals()], default=0)
        return min(latest, first + DECISION)

    def next(self, now: int) -> WindowAnswer | None:
        """Return the fastest claim once none can be faster, passes when no claim waits."""
        due = self.due()
        if due is None or due > now:
            return None
        if not self._claims:
            return WindowAnswer(self._passing.pop(0))
        best = self._best()
        equal = [
            claim for claim in self._claims if claim.reaction - best.reaction <= _tie(claim.link, best.link)
        ]
        chosen = min(equal, key=lambda claim: (self._lot[claim.seat], claim.arrived))
        self._claims.remove(chosen)
        return WindowAnswer(chosen.seat, chosen, any(claim.seat != chosen.seat for claim in equal))

    def _is_false_start(self, claim: Claim) -> bool:
        """Tell whether the seat cannot have seen the card, whatever its line took this time.

        The least that the line has taken lately is taken off, not what it takes as a rule: whoever is quick is not
        out because a line that varies was quick as well.
        """
        since_seen = claim.arrived - self._seen[claim.seat]
        return since_seen - claim.link.least_allowance < FALSE_START

    def _best(self) -> Claim:
        return min(self._claims, key=lambda claim: (claim.reaction, self._lot[claim.seat]))

    def _rivals(self) -> list[Seat]:
        """Return the seats of which a faster claim may still be on its way."""
        waiting = {claim.seat for claim in self._claims}
        return [seat for seat in self._shown if seat not in waiting and seat not in self._passed]

    def _too_late(self, seat: Seat, best: Claim) -> int:
        """Return the last moment at which a claim of the seat would be as fast as the best."""
        shown, link = self._shown[seat]
        return shown + best.reaction + link.allowance + _tie(link, best.link)


class SealedArbiter:
    """Claims and passes stay secret until all have had their say, then they are judged in a given order."""

    def __init__(self, *, order: tuple[Seat, ...], spoken: Iterable[Seat] = ()) -> None:
        self.is_won = False
        self._order = order
        self._shown: dict[Seat, tuple[int, Link]] = {}
        self._spoken = set(spoken)
        self._says: dict[Seat, WindowAnswer] = {}
        self._open = False

    @property
    def is_complete(self) -> bool:
        """Whether every seat has had its say."""
        return self._spoken.issuperset(self._order)

    def is_waited_for(self, seat: Seat) -> bool:
        """Tell whether the seat has its one say still before it."""
        return not self._open and seat not in self._spoken

    def show(self, seat: Seat, at: int, link: Link = UNMEASURED) -> None:
        """Note when the discard was written to a seat, for the log alone: speed counts for nothing here."""
        self._shown.setdefault(seat, (at, link))

    def may_claim(self, seat: Seat) -> bool:
        """Tell whether the seat has its one say still before it (C21)."""
        return self.is_waited_for(seat)

    def may_pass(self, seat: Seat) -> bool:
        """Tell whether the seat has its one say still before it."""
        return self.is_waited_for(seat)

    def claim(self, seat: Seat, at: Position, arrived: int) -> Claim:
        """Take the seat's one claim."""
        claim = Claim(seat, at, *self._shown.get(seat, (arrived, UNMEASURED)), arrived)
        self._take(WindowAnswer(seat, claim))
        return claim

    def pass_by(self, seat: Seat) -> None:
        """Take a pass, to be told with the claims."""
        self._take(WindowAnswer(seat))

    def end(self) -> None:
        """Open the seals; who has said nothing has nothing to say."""
        self._open = True

    def due(self) -> int | None:
        """Return 0 once the seals are open."""
        return 0 if self._open and self._says else None

    def next(self, now: int) -> WindowAnswer | None:
        """Return the next say in order once the seals are open."""
        if not self._open:
            return None
        return next((self._says.pop(seat) for seat in self._order if seat in self._says), None)

    def _take(self, say: WindowAnswer) -> None:
        self._says[say.seat] = say
        self._spoken.add(say.seat)
        self._open = self._open or self.is_complete


def _tie(one: Link, other: Link) -> int:
    """Return how far apart two reactions still are equal: unsteady links cannot be told apart more finely."""
    return max(TIE, min(max(one.jitter, other.jitter), MOST_JITTER))
