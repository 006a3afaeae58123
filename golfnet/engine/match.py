"""A match: a series of holes between the same seats, with the commitments that make its deals fair.

Each function here returns the events of one step; ``evolve`` folds them. The order in a match's log is: committed
(hole 1), match_started, then for each hole hole_started … hole_ended and, unless it was the last, committed for the
next; match_ended comes last. Seeds come from outside; everything else follows from them and from the seats' actions.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any, Final, NamedTuple

from golfnet.engine import events as ev, fairdeal, hole as holes, play
from golfnet.engine.actions import Action
from golfnet.engine.cards import Seat
from golfnet.engine.errors import IllegalAction, Refusal
from golfnet.engine.hole import Deal, Hole, changed
from golfnet.engine.rules import MAX_HOLES, FirstDealer, Leader, RuleSet
from golfnet.engine.scoring import places


class Match(NamedTuple):
    """The whole state of a match, including hidden cards and the next seed.

    ``rules`` is None and ``names`` are empty until the match starts; ``scores`` are those of the finished holes;
    ``hole`` is the current or the last one; ``next_deal`` is the commitment to the next hole; ``places`` is set when
    the match is over.
    """

    id: str
    rules: RuleSet | None = None
    names: tuple[str, ...] = ()
    totals: tuple[int, ...] = ()
    scores: tuple[tuple[int, ...], ...] = ()
    hole: Hole | None = None
    started: ev.HoleStarted | None = None
    next_deal: ev.Committed | None = None
    places: tuple[int, ...] | None = None

    @property
    def is_playing(self) -> bool:
        """Whether a hole is in play."""
        return self.hole is not None and self.hole.ended is None

    @property
    def scheme(self) -> fairdeal.Scheme:
        """How the next hole will be dealt or, if it is not committed yet, how the last one was."""
        if self.next_deal is not None:
            return self.next_deal.deal
        return (
            fairdeal.Scheme.V1 if self.started is None or self.started.seals is None else fairdeal.Scheme.V2
        )


Step = tuple[tuple[ev.Event, ...], Match]
"""Events in order, and the match after them."""


def commit(match: Match, seed: bytes, scheme: fairdeal.Scheme = fairdeal.Scheme.V2) -> Step:
    """Fix the next hole's seed (32 random bytes) before anyone cuts, or raise ``IllegalAction``.

    A commitment is final; ``scheme`` is how the hole will be dealt.
    """
    if match.places is not None or match.is_playing or match.next_deal is not None:
        raise IllegalAction(
            Refusal.BAD_PHASE, "A hole's seed is fixed once, before the match or after the last hole."
        )
    number = len(match.scores) + 1
    promise = fairdeal.commitment(match.id, number, seed, scheme)
    return _after(
        match, ev.Committed(match=match.id, hole=number, commitment=promise, seed=seed, deal=scheme)
    )


def start(match: Match, rules: RuleSet, names: tuple[str, ...]) -> Step:
    """Start a match with the rules for this number of players, or raise ``RuleError`` or ``IllegalAction``."""
    if match.rules is not None:
        raise IllegalAction(Refusal.BAD_PHASE, "A match starts once.")
    played = rules.for_seats(len(names))
    return _after(match, ev.MatchStarted(match=match.id, variant=rules.name, options=played, seats=names))


def deal(match: Match, cuts: tuple[str, ...], seals: tuple[str | None, ...] = ()) -> Step:
    """Deal the next hole from its committed seed and a cut by each seat, perhaps empty, or raise ``IllegalAction``.

    ``seals`` has a seal or None for each seat, and is empty if nobody sealed a cut. A cut that does not match its seal
    is refused with ``CUT_MISMATCH``; a seal without a cut means that its text was not revealed.
    """
    rules, promised = match.rules, match.next_deal
    if rules is None or promised is None or match.places is not None:
        raise IllegalAction(
            Refusal.BAD_PHASE, "The next hole is dealt when the match is running and the last hole is over."
        )
    if len(cuts) != len(match.names):
        raise ValueError(f"{len(match.names)} cuts, one per seat, not {len(cuts)}")
    sealed = _checked_seals(match, promised, cuts, seals)
    deck = rules.deck_for(len(match.names))
    context = fairdeal.context(
        match=match.id, hole=promised.hole, variant=rules.name, seats=match.names, deck=deck
    )
    key = fairdeal.deal_key(promised.seed, context, cuts, promised.deal)
    dealer = _dealer(match, rules, key)
    started = ev.HoleStarted(
        hole=promised.hole,
        dealer=dealer,
        leader=_leader(match, rules, dealer),
        commitment=promised.commitment,
        cuts=cuts,
        context=context,
        seals=sealed,
        unrevealed=None
        if sealed is None
        else tuple([Seat(seat) for seat, seal in enumerate(sealed) if seal is not None and not cuts[seat]]),
    )
    seats = len(match.names)
    order = fairdeal.shuffled(key, deck)
    dealt_cards = rules.slots * seats
    dealt = ev.Dealt(
        stock=len(order) - dealt_cards - rules.upcard,
        discard=order[dealt_cards] if rules.upcard else None,
        discard_no=int(rules.upcard),
        deck=order,
    )
    beginning, match = _after(match, started, dealt)
    following, match = _continued(match, *play.advance(hole_in_play(match)))
    return (*beginning, *following), match


def act(match: Match, seat: Seat, action: Action) -> Step:
    """Apply a seat's action to the hole in play, or raise ``IllegalAction``."""
    return _continued(match, *play.decide(hole_in_play(match), seat, action))


def close_window(match: Match) -> Step:
    """Close the open slam window (C19), or raise ``IllegalAction``."""
    return _continued(match, *play.close_window(hole_in_play(match)))


def abandon(match: Match) -> Step:
    """Abandon a running match, or raise ``IllegalAction``; the hole in play does not count, and totals stay (X18)."""
    if match.rules is None or match.places is not None:
        raise IllegalAction(Refusal.BAD_PHASE, "Only a running match can be abandoned.")
    if not match.is_playing:
        return _ended(match)
    events, hole = play.abandon(hole_in_play(match))
    return _ended(changed(match, hole=hole), events)


def evolve(match: Match, event: ev.Event) -> Match:
    """Return the match after one event of its log."""
    change = _EVOLVE.get(type(event))
    if change is not None:
        return change(match, event)
    return changed(match, hole=holes.evolve(hole_in_play(match), event))


def is_decided(match: Match) -> bool:
    """Return whether the match is over: all holes are finished, or a total has reached the target (C10, G5, X15)."""
    rules, played = match.rules, len(match.scores)
    return rules is not None and (
        played >= (rules.holes or MAX_HOLES)
        or (rules.target is not None and played > 0 and max(match.totals) >= rules.target)
    )


OVER: Final = "The match is over. Type rematch to play another."
"""The answer to an action after the match has ended."""


def hole_in_play(match: Match) -> Hole:
    """Return the hole in play, or raise an ``IllegalAction`` that says what comes next."""
    if match.hole is not None and match.hole.ended is None:
        return match.hole
    if match.places is not None:
        raise IllegalAction(Refusal.BAD_PHASE, OVER)
    if match.rules is None:
        raise IllegalAction(Refusal.BAD_PHASE, "The match has not begun yet. Type ready when you are.")
    raise IllegalAction(Refusal.BAD_PHASE, "No hole is being played now. Wait for the next deal.")


def _after(match: Match, *events: ev.Event) -> Step:
    return events, reduce(evolve, events, match)


def _continued(match: Match, events: tuple[ev.Event, ...], hole: Hole) -> Step:
    """Put a hole folded by ``play`` into the match, and end the match if it is decided."""
    match = changed(match, hole=hole)
    if hole.ended is None:
        return events, match
    match = _hole_ended(match, hole.ended)
    return _ended(match, events) if is_decided(match) else (events, match)


def _ended(match: Match, events: tuple[ev.Event, ...] = ()) -> Step:
    over = ev.MatchEnded(match=match.id, totals=match.totals, places=places(match.totals))
    return (*events, over), evolve(match, over)


def _checked_seals(
    match: Match, promised: ev.Committed, cuts: tuple[str, ...], seals: tuple[str | None, ...]
) -> tuple[str | None, ...] | None:
    """Return the seals of a deal, one per seat (None in the first scheme), or raise ``IllegalAction``."""
    if promised.deal is fairdeal.Scheme.V1:
        if any(seals):
            raise IllegalAction(Refusal.BAD_PHASE, "This hole was announced without seals.")
        return None
    sealed = seals or (None,) * len(cuts)
    for name, cut, seal in zip(match.names, cuts, sealed, strict=True):
        if seal is not None and cut and fairdeal.seal(match.id, promised.hole, name, cut) != seal:
            raise IllegalAction(Refusal.CUT_MISMATCH, f"The cut of {name} does not match its seal.")
    return sealed


def _dealer(match: Match, rules: RuleSet, key: bytes) -> Seat:
    """Return the dealer: for hole 1 seat A or a seat drawn by lot, later the next seat clockwise (X5, X17)."""
    if match.started is not None:
        return Seat((match.started.dealer + 1) % len(match.names))
    return Seat(fairdeal.random_dealer(key, len(match.names)) if rules.dealer is FirstDealer.RANDOM else 0)


def _leader(match: Match, rules: RuleSet, dealer: Seat) -> Seat:
    """Return the seat with the first turn: on the dealer's left (X5), or according to C5."""
    seats = len(match.names)
    if rules.leader is Leader.LEFT:
        return Seat((dealer + 1) % seats)
    if match.started is None:
        return dealer
    last, most = match.started.leader, max(match.totals)
    return Seat(
        next(seat % seats for seat in range(last, last + seats) if match.totals[seat % seats] == most)
    )


def _match_started(match: Match, event: ev.MatchStarted) -> Match:
    return changed(match, rules=event.options, names=event.seats, totals=(0,) * len(event.seats))


def _dealt(match: Match, event: ev.Dealt) -> Match:
    rules, started, promised = match.rules, match.started, match.next_deal
    if rules is None or started is None or promised is None:
        raise LookupError("dealt before match_started, committed and hole_started")
    the_deal = Deal(
        hole=started.hole,
        dealer=started.dealer,
        leader=started.leader,
        commitment=started.commitment,
        totals=match.totals,
        seed=promised.seed,
        cuts=started.cuts,
        key=fairdeal.deal_key(promised.seed, started.context, started.cuts, promised.deal),
        seals=started.seals,
    )
    return changed(match, hole=holes.dealt(rules, the_deal, event.deck), next_deal=None)


def _hole_ended(match: Match, event: ev.HoleEnded) -> Match:
    if match.hole is not None and match.hole.ended is None:
        match = changed(match, hole=holes.evolve(match.hole, event))
    if event.scores is None:  # X18
        return match
    return changed(match, totals=event.totals, scores=(*match.scores, event.scores))


_EVOLVE: Final[dict[type[ev.Event], Callable[[Match, Any], Match]]] = {
    ev.Committed: lambda match, event: changed(match, next_deal=event),
    ev.MatchStarted: _match_started,
    ev.HoleStarted: lambda match, event: changed(match, started=event),
    ev.Dealt: _dealt,
    ev.HoleEnded: _hole_ended,
    ev.MatchEnded: lambda match, event: changed(match, places=event.places),
}
