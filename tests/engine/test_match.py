"""A match: the order of its log, the commitments to its deals, and which steps are allowed when."""

from collections.abc import Callable

import pytest

from golfnet.engine import fairdeal, match
from golfnet.engine.actions import Draw
from golfnet.engine.cards import Seat
from golfnet.engine.errors import IllegalAction, Refusal
from golfnet.engine.events import Committed, Dealt, HoleStarted, MatchStarted
from golfnet.engine.fairdeal import Scheme
from golfnet.engine.variants import VARIANTS
from tests.engine.drawing import NAMES, SEED, Played, begun, only, rules

OTHER = bytes(32)


def test_the_seed_is_committed_to_before_the_cuts_and_revealed_at_the_end() -> None:
    played = begun(rules("four-turn", holes=2), seats=2)
    committed, started = only(Committed, played.log), only(HoleStarted, played.log)
    begins = only(MatchStarted, played.log)
    assert begins.options == played.match.rules == rules("four-turn", holes=2).for_seats(2)
    assert (begins.variant, committed.match, committed.hole, committed.seed) == ("four-turn", "m1", 1, SEED)
    assert committed.commitment == started.commitment == fairdeal.commitment("m1", 1, SEED, Scheme.V1)
    assert started.context == fairdeal.context(
        match="m1", hole=1, variant="four-turn", seats=NAMES[:2], deck=VARIANTS["four-turn"].deck_for(2)
    )
    played.plays_to_end()
    assert (played.ended.seed, played.ended.cuts) == (SEED, ("", ""))
    second = played.deals(OTHER)
    assert only(Committed, second).commitment == fairdeal.commitment("m1", 2, OTHER, Scheme.V1)
    assert only(HoleStarted, second).hole == 2


CUT = "0123456789abcdef"


@pytest.mark.parametrize(
    ("scheme", "cuts", "seals", "unrevealed"),
    [
        (Scheme.V1, ("", "seven"), None, None),
        (Scheme.V2, (CUT, ""), tuple(fairdeal.seal("m1", 1, name, CUT) for name in NAMES[:2]), (Seat(1),)),
    ],
)
def test_the_deal_follows_from_seed_and_cuts_and_names_seats_that_withheld_a_sealed_cut(
    scheme: Scheme, cuts: tuple[str, ...], seals: tuple[str, ...] | None, unrevealed: tuple[Seat, ...] | None
) -> None:
    _, state = match.commit(_started(), SEED, scheme)
    events, state = match.deal(state, cuts, seals or ())
    started = only(HoleStarted, events)
    assert (started.seals, started.unrevealed) == (seals, unrevealed)
    key = fairdeal.deal_key(SEED, started.context, cuts, scheme)
    assert only(Dealt, events).deck == fairdeal.shuffled(key, VARIANTS["four-turn"].deck_for(2))
    assert state.hole is not None
    assert (state.hole.deal.seals, state.hole.deal.key) == (seals, key)


def test_a_cut_that_does_not_match_its_seal_and_a_seal_under_the_first_scheme_are_refused() -> None:
    _, sealed = match.commit(_started(), SEED)
    seals = (fairdeal.seal("m1", 1, NAMES[0], CUT), None)
    assert (
        refusal(sealed, lambda state: match.deal(state, ("another text", ""), seals)) is Refusal.CUT_MISMATCH
    )
    _, unsealed = match.commit(_started(), SEED, Scheme.V1)
    assert refusal(unsealed, lambda state: match.deal(state, ("", ""), ("00" * 32, None)))


FRESH = match.Match("m1")


def _committed(state: match.Match) -> match.Match:
    return match.commit(state, SEED)[1]


def _started() -> match.Match:
    return match.start(FRESH, VARIANTS["four-turn"], NAMES[:2])[1]


def _playing(holes: int = 1) -> Played:
    return begun(rules("four-turn", holes=holes), seats=2)


def _ended(holes: int) -> match.Match:
    played = _playing(holes)
    played.plays_to_end()
    return played.match


STATES: dict[str, tuple[match.Match, set[str]]] = {
    "fresh": (FRESH, {"commit", "start"}),
    "committed": (_committed(FRESH), {"start"}),
    "started": (_started(), {"commit", "abandon"}),
    "both": (_committed(_started()), {"deal", "abandon"}),
    "playing": (_playing().match, {"abandon"}),
    "between": (_ended(2), {"commit", "abandon"}),
    "committed between": (_committed(_ended(2)), {"deal", "abandon"}),
    "over": (_ended(1), set()),
    "abandoned": (match.abandon(_playing().match)[1], set()),
    "abandoned between": (match.abandon(_ended(2))[1], set()),
}


STEPS: dict[str, Callable[[match.Match], match.Step]] = {
    "commit": lambda state: match.commit(state, OTHER),
    "start": lambda state: match.start(state, VARIANTS["cactus"], NAMES[:3]),
    "deal": lambda state: match.deal(state, ("", "")),
    "act": lambda state: match.act(state, Seat(0), Draw()),
    "close": match.close_window,
    "abandon": match.abandon,
}


@pytest.mark.parametrize("name", STATES)
def test_each_step_of_a_match_is_allowed_only_in_certain_states(name: str) -> None:
    state, allowed = STATES[name]
    for step, take in STEPS.items():
        assert refusal(state, take) is (None if step in allowed else Refusal.BAD_PHASE)
    assert state.is_playing is (name == "playing")
    assert match.is_decided(state) is (name == "over")


def refusal(state: match.Match, step: Callable[[match.Match], match.Step]) -> Refusal | None:
    try:
        step(state)
    except IllegalAction as refused:
        return refused.refusal
    return None


def test_the_deal_takes_exactly_one_cut_per_seat() -> None:
    for cuts in ((), ("",), ("", "", "")):
        with pytest.raises(ValueError, match="cut"):
            match.deal(STATES["both"][0], cuts)
