"""Slam arbitration in numbers, at the exact boundaries of the protocol page; and the log, one row for each claim."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, strategies as st

from golfnet.engine import fairdeal
from golfnet.engine.cards import Position, Seat
from golfnet.engine.rules import SlamMode
from golfnet.server.budget import SlamTotals
from golfnet.server.session.roundtrip import ALLOWED, UNMEASURED, Link
from golfnet.server.table import arbiter
from golfnet.server.table.arbiter import Claim, JudgedClaim, Race, SlamLog, WindowKey, make_arbiter
from tests.server.house import House
from tests.server.slamming import open_window, slam_table

A, B, C, D = map(Seat, range(4))
AT = Position(A, 1)
SHOWN = 1_000_000
KEY = bytes(range(32))
MS = 1000


def link(round_trip: int, jitter: int = 0) -> Link:
    """Return a link with a round trip in milliseconds."""
    return Link(round_trip * MS, jitter * MS)


def after(milliseconds: float) -> int:
    """Return the time the given number of milliseconds after the card was shown."""
    return SHOWN + round(milliseconds * MS)


def order(judge: arbiter.Arbiter, now: int = 10 * SHOWN) -> list[Seat]:
    """Return the seats whose claims are judged, in order."""
    said = []
    while (say := judge.next(now)) is not None:
        said.append(say)
    return [say.seat for say in said if isinstance(say, Claim)]


def race(links: Mapping[Seat, Link] | None = None, *, lot: Sequence[Seat] = (D, C, B, A)) -> Race:
    """Return a race between the seats in ``lot``, all of which were shown the card at ``SHOWN``."""
    judge = Race(lot=tuple(lot))
    for seat in sorted(lot):
        judge.show(seat, SHOWN, (links or {}).get(seat, Link()))
    return judge


TIMES = st.integers(0, 10**12)


@given(shown=TIMES, waited=TIMES, round_trip=st.none() | TIMES)
def test_a_reaction_is_the_wait_minus_at_most_100_ms(shown: int, waited: int, round_trip: int | None) -> None:
    claim = Claim(B, AT, shown, Link(round_trip), shown + waited)
    assert (claim.waited, claim.reaction) == (waited, waited - min(round_trip or 0, 100 * MS))


@pytest.mark.parametrize(
    ("links", "claims", "due"),
    [
        ({A: link(5), B: link(400)}, {A: 500}, 495 + 100 + 15),
        ({B: link(400, jitter=500)}, {A: 500}, 500 + 115),  # at most the cap plus 15 ms
        ({B: link(400, jitter=500)}, {A: 500, C: 560}, 500 + 115),  # from the first claim to arrive
        ({B: link(90), C: link(90)}, {A: 500, B: 530}, 440 + 90 + 15),  # a faster claim shortens the wait
        ({A: link(80)}, {A: 500}, 420 + 15),  # B and C, without a round trip, would have claimed long ago
    ],
)
def test_decisions_wait_for_faster_claims(links: dict[Seat, Link], claims: dict[Seat, int], due: int) -> None:
    judge = race(links, lot=(A, B, C))
    for seat, arrived in claims.items():
        judge.claim(seat, AT, after(arrived))
    assert judge.due() == after(due)


def test_seats_that_have_claimed_or_passed_or_not_been_shown_the_card_are_not_awaited() -> None:
    judge = Race(lot=(A, B, C, D))
    judge.show(A, SHOWN)
    for seat in (B, C):
        judge.show(seat, SHOWN, link(100))
    judge.pass_by(C)
    judge.claim(A, AT, after(500))
    judge.claim(B, AT, after(590))
    assert judge.due() == 0


def test_after_a_wrong_claim_the_next_claim_waits_for_claims_that_may_be_faster() -> None:
    judge = race({C: link(100)}, lot=(A, B, C))
    judge.claim(A, AT, after(500))
    judge.claim(B, AT, after(590))
    assert order(judge, after(500) + arbiter.DECISION) == [A]
    assert judge.due() == after(590) + arbiter.DECISION, "C may have been faster than B, but not than A"
    judge.claim(C, AT, after(650))
    assert order(judge) == [C, B]


@pytest.mark.parametrize(
    ("jitter", "width"), [(0, 15_000), (14_999, 15_000), (15_001, 15_001), (30_000, 30_000), (90_000, 30_000)]
)
@pytest.mark.parametrize("unsteady", [A, B])
def test_reactions_tie_up_to_15_ms_or_30_on_unsteady_links(jitter: int, width: int, unsteady: Seat) -> None:
    for apart, is_tied, expected in ((0, True, B), (width, True, B), (width + 1, False, A)):
        judge = race({unsteady: Link(None, jitter)}, lot=(B, A))
        judge.claim(A, AT, after(500))
        judge.claim(B, AT, after(500) + apart)
        answers = [judge.next(10 * SHOWN), judge.next(10 * SHOWN)]
        assert [isinstance(answer, Claim) and answer.tied for answer in answers] == [is_tied, False]
        assert isinstance(answers[0], Claim)
        assert answers[0].seat == expected


def test_ties_are_decided_by_lot_from_the_deal_key() -> None:
    clockwise = (B, C, D, A)
    for number in range(1, 30):
        judge = make_arbiter(WindowKey(1, number, "7H", SlamMode.RACE), discarder=A, seats=4, key=KEY)
        for seat in clockwise:
            judge.show(seat, SHOWN)
            judge.claim(seat, AT, after(500))
        assert tuple(order(judge)) == fairdeal.lot_order(KEY, number, clockwise)


def test_only_claims_close_to_the_fastest_tie() -> None:
    judge = race(lot=(C, B, A))
    for seat, arrived in ((A, 500), (B, 514), (C, 528)):
        judge.claim(seat, AT, after(arrived))
    assert order(judge) == [B, A, C], "B ties with A, and C with B, but C does not tie with A"


@given(seed=st.integers(0, 2**32))
def test_the_order_in_which_claims_are_processed_does_not_affect_their_judging(seed: int) -> None:
    chance = random.Random(seed)
    seats = [Seat(seat) for seat in range(chance.randint(2, 6))]
    links = {seat: Link(chance.randrange(200_000), chance.randrange(40_000)) for seat in seats}
    claims = [(seat, after(chance.uniform(220, 360))) for seat in seats]
    orders = []
    for _ in range(4):
        chance.shuffle(claims)
        judge = race(links, lot=tuple(seats))
        for seat, arrived in claims:
            judge.claim(seat, AT, arrived)
        orders.append(order(judge))
    assert orders.count(orders[0]) == 4


@pytest.mark.parametrize(("round_trip", "counted"), [(0, 0), (60, 60), (100, 100), (400, 100)])
def test_a_claim_within_120_ms_of_seeing_the_card_is_a_false_start(round_trip: int, counted: int) -> None:
    assert arbiter.SHORTEST_REACTION == 120 * MS
    judge = race({B: link(round_trip)})
    with pytest.raises(arbiter.FalseStart) as refused:
        judge.claim(B, AT, after(counted + 120) - 1)
    assert refused.value.claim is not None
    assert refused.value.claim.waited == (counted + 120) * MS - 1
    assert race({B: link(round_trip)}).claim(B, AT, after(counted + 120)).reaction == 120 * MS


@given(
    least=st.integers(0, 150_000),
    varies=st.integers(0, 60_000),
    this_time=st.integers(0, 60_000),
    reacted=st.integers(arbiter.SHORTEST_REACTION, 400_000),
)
def test_an_unusually_fast_connection_never_causes_an_honest_player_a_false_start(
    least: int, varies: int, this_time: int, reacted: int
) -> None:
    line = Link(least + varies, varies, least)
    claim = race({B: line}).claim(B, AT, SHOWN + least + this_time + reacted)
    assert claim.seat == B, "a connection that is faster than usual this time costs nothing"


def test_sealed_answers_from_before_a_restart_are_not_asked_for_again() -> None:
    judge = make_arbiter(WindowKey(1, 3, "7H", SlamMode.ORDER), discarder=A, seats=3, key=KEY, answered=[B])
    assert not judge.may_claim(B)
    judge.pass_by(A)
    judge.pass_by(C)
    assert [judge.next(0), judge.next(0), judge.next(0)] == [C, A, None]


@pytest.mark.parametrize(("discarder", "expected"), [(A, [B, C, D, A]), (D, [A, B, C, D])])
def test_sealed_claims_are_judged_clockwise_from_the_discarder(discarder: Seat, expected: list[Seat]) -> None:
    judge = make_arbiter(WindowKey(1, 12, "7H", SlamMode.ORDER), discarder=discarder, seats=4, key=KEY)
    for seat in (D, A, C, B):
        judge.show(seat, SHOWN)
        assert judge.claim(seat, AT, after(seat)).waited == seat * MS, "for the log"
    assert order(judge) == expected


# --- the log: every claim is counted once, and shown only after its hole


RACE = WindowKey(1, 4, "7H", SlamMode.RACE)

links = st.builds(
    Link,
    st.none() | st.integers(0, 300_000),
    st.integers(0, 50_000),
    st.none() | st.integers(0, 300_000),
    st.sampled_from([30_000, ALLOWED]),
) | st.just(UNMEASURED)
seats = st.sampled_from([A, B, C])
positions = st.builds(Position, seats, st.integers(1, 6))


@st.composite
def entries(draw: st.DrawFn, result: str | None = None) -> JudgedClaim:
    seat, at, link, shown = draw(seats), draw(positions), draw(links), draw(st.integers(0, 10**9))
    waited = draw(st.integers(0, 4_000_000))
    chosen = result or draw(st.sampled_from(["wrong", arbiter.LATE, arbiter.VOID, arbiter.FALSE_START]))
    has_claim = chosen != arbiter.FALSE_START or draw(st.booleans())
    claim = Claim(seat, at, shown, link, shown + waited, draw(st.booleans())) if has_claim else None
    return JudgedClaim(seat, "ABC"[seat], at, chosen, claim)


@st.composite
def windows(draw: st.DrawFn) -> list[JudgedClaim]:
    """Generate the claims of a window, at most one of which succeeds."""
    judged = draw(st.lists(entries(), max_size=3))
    if draw(st.booleans()):
        judged.insert(draw(st.integers(0, len(judged))), draw(entries(arbiter.HIT)))
    return judged


def log_of(*played: list[JudgedClaim]) -> tuple[SlamLog, SlamTotals]:
    """Return the log of a hole in play with finished windows, and its counters."""
    totals = SlamTotals()
    log = SlamLog(totals)
    for number, judged in enumerate(played, 1):
        for entry in judged:
            log.add(entry)
        log.window_over(WindowKey(RACE.hole, number, RACE.card, RACE.mode))
    return log, totals


@given(st.lists(windows(), max_size=3))
def test_claims_are_counted_and_shown_as_judged_but_after_the_hole(played: list[list[JudgedClaim]]) -> None:
    log, totals = log_of(*played)
    assert log.rows == []
    log.hole_over(1)
    expected = [
        (number, place, entry.name, entry.result, entry.claim is not None and entry.claim.tied)
        for number, judged in enumerate(played, 1)
        for place, entry in enumerate(judged, 1)
    ]
    keys = ("discard_no", "place", "name", "result", "tied")
    assert [tuple(row[key] for key in keys) for row in log.rows] == expected
    judged = [entry for window in played for entry in window]
    assert totals.windows == len(played)
    assert totals.results == Counter(entry.result for entry in judged)
    measured = [entry for entry in judged if entry.claim and entry.claim.link.round_trip is not None]
    assert sum(totals.claims.counts) == len(measured)
    assert sum(totals.wins.counts) == sum(entry.result == arbiter.HIT for entry in measured)
    assert all(won <= made for won, made in zip(totals.wins.counts, totals.claims.counts, strict=True))
    assert totals.drawn <= totals.results.get(arbiter.HIT, 0)
    assert totals.overtaken <= sum(totals.margins.counts) <= totals.results.get(arbiter.HIT, 0)


@given(windows())
def test_the_margin_is_the_winners_lead_over_the_next_beaten_claim(judged: list[JudgedClaim]) -> None:
    log, totals = log_of(judged)
    log.hole_over(1)
    for row, entry in zip(log.rows, judged, strict=True):
        won = entry.claim
        if entry.result != arbiter.HIT or won is None:
            assert "margin_ms" not in row
            continue
        beaten = [
            each.claim
            for each in judged
            if each.claim is not None
            and each.seat != won.seat
            and (each.result == arbiter.LATE or (each.result == arbiter.VOID and each.at == won.at))
        ]
        leads = [(claim.reaction - won.reaction) / 1000 for claim in beaten]
        assert row["margin_ms"] == (pytest.approx(min(leads), abs=0.1) if leads else None)
        assert sum(totals.margins.counts) == bool(leads)
        assert totals.margins.total == pytest.approx(max(min(leads, default=0), 0), abs=0.1)
        assert totals.overtaken == any(claim.arrived < won.arrived for claim in beaten)


# --- as players see it


async def test_players_see_the_slam_log_with_all_numbers_after_the_hole(house: House) -> None:
    slam = await slam_table(house, delays=(0, 0.03))
    await slam.says("A", "knock")
    await slam.opens("B")
    slam.sends("B", "slam 4", at=520)
    await slam.says("A", "slam 1", at=500)
    await slam.until(600)
    assert slam.table.hole is None
    await slam.asks("A", "slam log")
    won, late = slam.seats["A"].last("rows")["rows"]
    assert won == {
        **{"hole": 1, "discard_no": 1, "card": "7C", "mode": "race", "place": 1, "seat": "B", "name": "Ben"},
        **{"at": "B4", "result": "hit", "tied": False, "waited_ms": 520.0, "round_trip_ms": 60.0},
        **{"allowed_ms": 60.0, "jitter_ms": 0.0, "reaction_ms": 460.0, "margin_ms": 40.0},
    }
    assert (late["seat"], late["place"], late["result"], late["reaction_ms"]) == ("A", 2, "late", 500.0)
    totals = house.lobby.tables.slams
    assert (totals.windows, totals.results, totals.overtaken) == (1, {"hit": 1, "late": 1}, 1)
    assert totals.margins.counts == [0, 0, 0, 1, 0, 0, 0, 0, 0], "up to 60 ms"
    assert totals.wins.counts == [0, 0, 0, 1, 0, 0], "60 ms are in the bucket up to 100"
    assert totals.claims.counts == [1, 0, 0, 1, 0, 0]


async def test_the_note_says_which_hole_the_log_is_about(house: House) -> None:
    slam = await open_window(house, options="holes=2")
    await slam.says("A", "slam 1", at=500)
    await slam.until(5000)
    ok = await slam.asks("A", "slam log")
    assert ok["note"] == "You can see the slams of hole 1 when it is over."
    await slam.says("B", "knock")
    await slam.discards("A")
    await slam.until(8000)
    assert (await slam.asks("A", "slam log"))["note"] == "These are the slams of hole 1."
    log = slam.table.windows.log
    assert log.note(2) == "These are the slams of hole 1; you can see those of hole 2 when it is over."
    log.hole_over(2)
    assert (log.rows, log.note(None)) == ([], "There were no slams in hole 2.")
    assert SlamLog(SlamTotals()).note(None) == "You can see the slams of a hole when it is over."
    bob = await house.program("Bob", "create six-card")
    assert (await bob.ask("slam log"))["note"] == "There are no slams in six-card."
