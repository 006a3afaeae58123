"""The slam log: every claim is one row, counted once, and shown only after its hole."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.engine.layout import Position, Seat
from golfnet.engine.rules import SlamMode
from golfnet.server.budget import SlamTotals
from golfnet.server.session.roundtrip import ALLOWED, UNMEASURED, Link
from golfnet.server.table.arbiter import FALSE_START, HIT, LATE, VOID, Claim, JudgedClaim, SlamLog, WindowKey
from tests.server.house import House
from tests.server.slamming import open_window, slam_table

A, B, C = Seat(0), Seat(1), Seat(2)
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
    chosen = draw(st.sampled_from(["wrong", LATE, VOID, FALSE_START])) if result is None else result
    has_claim = chosen != FALSE_START or draw(st.booleans())
    claim = Claim(seat, at, shown, link, shown + waited, draw(st.booleans())) if has_claim else None
    return JudgedClaim(seat, "ABC"[seat], at, chosen, claim)


@st.composite
def windows(draw: st.DrawFn) -> list[JudgedClaim]:
    """Generate the claims of a window, at most one of which succeeds."""
    judged = draw(st.lists(entries(), max_size=3))
    if draw(st.booleans()):
        judged.insert(draw(st.integers(0, len(judged))), draw(entries(HIT)))
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
def test_claims_are_counted_and_shown_in_the_order_of_judging_but_only_after_the_hole(
    played: list[list[JudgedClaim]],
) -> None:
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
    assert sum(totals.wins.counts) == sum(entry.result == HIT for entry in measured)
    assert all(won <= made for won, made in zip(totals.wins.counts, totals.claims.counts, strict=True))
    assert totals.drawn <= totals.results.get(HIT, 0)
    assert totals.overtaken <= sum(totals.margins.counts) <= totals.results.get(HIT, 0)


@given(windows())
def test_the_margin_is_the_winners_lead_over_the_next_beaten_claim(judged: list[JudgedClaim]) -> None:
    log, totals = log_of(judged)
    log.hole_over(1)
    for row, entry in zip(log.rows, judged, strict=True):
        won = entry.claim
        if entry.result != HIT or won is None:
            assert "margin_ms" not in row
            continue
        beaten = [
            each.claim
            for each in judged
            if each.claim is not None
            and each.seat != won.seat
            and (each.result == LATE or (each.result == VOID and each.at == won.at))
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
