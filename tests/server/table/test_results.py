"""What is stored about a match, and what leaving a rated one means: last place, with the scores as played."""

import math
import random
from collections.abc import Sequence
from functools import cache
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from hypothesis import given, settings, strategies as st

from golfnet.engine import match as matches
from golfnet.engine.cards import Seat
from golfnet.engine.errors import RuleError
from golfnet.engine.match import Match
from golfnet.engine.options import FIELDS, differing, override
from golfnet.engine.rules import RuleSet
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies.presence import Cause, Ending
from golfnet.server.table.seating import Chair, ChairKind, Seating
from golfnet.server.table.setup import RATED_CLOCK, forfeits
from golfnet.server.table.table import Table
from golfnet.server.tables import finish
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.writes import FORFEITED, MatchResult, PlayerKind, SeatEnding, SeatKind
from tests.engine.drawing import NAMES
from tests.engine.naive import naive_places
from tests.engine.random_play import play_match
from tests.engine.strategies import option_text
from tests.server.house import House, Program, open_house, play_at_random
from tests.storage.rows import rating as stored_rating

LONGER_WIDER_OR_LUCKIER = {"seats", "decks", "holes", "target", "dealer"}
ENDED = 1_800_000_000.5


def a_chair(
    name: str, kind: ChairKind = ChairKind.HUMAN, owner: PlayerKind | None = PlayerKind.GUEST
) -> Chair:
    player: Any = SimpleNamespace(id=f"p-{name}", kind=owner, session=None)
    return Chair(name=name, kind=kind, player=None if owner is None else player)


def a_table(match: Match, chairs: Sequence[Chair] = (), clock: int = 60) -> Table:
    """Return a table with a match, by default one of guests."""
    assert match.rules is not None
    table = SimpleNamespace(
        **{"id": "t7", "match": match, "rules": match.rules},
        starting=SimpleNamespace(started_at=ENDED - 60),
        lobby=SimpleNamespace(catalogue=VARIANTS, wall_clock=lambda: ENDED),
        seating=Seating(chairs or [a_chair(name) for name in match.names]),
        setup=SimpleNamespace(clock=clock),
        is_running=match.places is None,
    )
    return cast("Table", table)


def kept(match: Match, chairs: Sequence[Chair] = (), clock: int = 60) -> MatchResult:
    return finish(a_table(match, chairs, clock)).match


def begun(rules: RuleSet) -> Match:
    return matches.start(matches.Match("m1"), rules, NAMES[: rules.seats.low])[1]


def over(rules: RuleSet) -> Match:
    return matches.abandon(begun(rules))[1]


@cache
def played(rules: RuleSet, seats: int) -> Match:
    *_, last = play_match(rules, seats, Random(1))
    return last.after


@pytest.mark.parametrize(("name", "seats"), [("four-turn", 2), ("six-card", 4)])
def test_totals_and_places_are_stored_in_seat_order(name: str, seats: int) -> None:
    match = played(override(VARIANTS[name], {"holes": 2}), seats)
    result = kept(match)
    assert (result.id, result.table, result.variant) == ("m1", "t7", name)
    assert (result.started, result.ended, result.finished) == (ENDED - 60, ENDED, True)
    assert tuple(seat.name for seat in result.seats) == NAMES[:seats]
    totals = [seat.total for seat in result.seats]
    assert totals == [sum(scores) for scores in zip(*match.scores, strict=True)]
    assert [seat.place for seat in result.seats] == naive_places(totals)


def test_an_abandoned_match_is_unfinished_and_its_hole_does_not_count() -> None:
    _, *steps, _ = play_match(override(VARIANTS["four-turn"], {"holes": 2}), 2, Random(1))
    for step in steps:
        result = kept(matches.abandon(step.after)[1])
        assert not result.finished
        totals = [sum(own) for own in zip((0, 0), *step.after.scores, strict=True)]
        assert [seat.total for seat in result.seats] == totals


# --- whose seat it was


@given(st.sampled_from(ChairKind), st.none() | st.sampled_from(PlayerKind), st.sampled_from(SeatEnding))
def test_a_seat_belongs_to_its_owner_even_if_gone_whoever_played_it_at_the_end(
    kind: ChairKind, owner: PlayerKind | None, ending: SeatEnding
) -> None:
    chair = a_chair("Ben", kind, owner)
    if ending is not SeatEnding.PLAYED:
        chair.mark_gone(ENDED, ending)
    if ending is SeatEnding.LEFT:
        chair.player = None
    _, seat = kept(over(VARIANTS["four-turn"]), [a_chair("Ann"), chair]).seats
    bot = SeatKind.BOT if kind is ChairKind.BOT else SeatKind.HOUSE
    assert (seat.player, seat.kind) == ((None, bot) if owner is None else ("p-Ben", SeatKind(owner.value)))
    assert seat.ending is (SeatEnding.PLAYED if owner is None else ending)


# --- who ranks before whom

endings = st.none() | st.tuples(st.sampled_from(SeatEnding), st.integers(0, 3))


@given(st.lists(endings, min_size=2, max_size=6))
def test_leavers_rank_behind_others_and_the_earliest_last(gone: list[tuple[SeatEnding, int] | None]) -> None:
    chairs = [a_chair(name) for name in NAMES[: len(gone)]]
    for chair, how in zip(chairs, gone, strict=True):
        if how is not None:
            chair.mark_gone(how[1], how[0])
    match = played(VARIANTS["four-turn"], len(gone))
    seats = kept(match, chairs).seats
    assert tuple(seat.place for seat in seats) == match.places
    since = {seat.name: chair.gone.since for seat, chair in zip(seats, chairs, strict=True) if chair.gone}
    for one in seats:
        assert one.rank == 1 + sum(other.rank < one.rank for other in seats)
        for other in seats:
            forfeits = one.ending in FORFEITED, other.ending in FORFEITED
            if forfeits == (False, False):
                assert (one.rank < other.rank) == (one.place < other.place)
            elif forfeits == (True, True):
                assert (one.rank < other.rank) == (since[one.name] > since[other.name])
            else:
                assert (one.rank < other.rank) == forfeits[1]


def test_a_player_who_was_absent_before_leaving_counts_as_gone_since_then() -> None:
    chair = a_chair("Ann")
    chair.mark_gone(5.0)
    chair.mark_gone(9.0, SeatEnding.LEFT)
    assert chair.gone is not None
    assert (chair.gone.ending, chair.gone.since) == (SeatEnding.LEFT, 5)
    chair.begin_match()
    assert chair.gone is None


@pytest.mark.parametrize(
    ("clock", "others", "costs"),
    [(60, ["guest"], True), (0, ["guest"], False), (60, ["account"], False), (60, [], False)],
)
def test_leaving_costs_rating_if_somebody_alike_plays_on(clock: int, others: list[str], costs: bool) -> None:
    chairs = [a_chair("Ann"), *[a_chair(f"Ben {kind}", owner=PlayerKind(kind)) for kind in others]]
    rules, ann = VARIANTS["four-turn"], chairs[0].player
    assert ann is not None
    assert forfeits(a_table(begun(rules), chairs, clock), ann) is costs
    assert not forfeits(a_table(over(rules), chairs, clock), ann)
    for chair in chairs[1:]:
        chair.mark_gone(1.0)
    assert not forfeits(a_table(begun(rules), chairs, clock), ann)


# --- which matches are rated


@pytest.mark.parametrize("clock", [0, 1, RATED_CLOCK, RATED_CLOCK + 1])
def test_a_match_is_rated_only_with_a_clock_within_the_limit(clock: int) -> None:
    assert kept(over(VARIANTS["six-card"]), clock=clock).rated is (clock in (1, RATED_CLOCK))


def test_matches_with_unchanged_rules_are_rated_and_those_with_unknown_rules_are_not() -> None:
    for rules in VARIANTS.values():
        assert kept(over(rules)).rated
        table = a_table(over(rules))
        table.lobby.catalogue = {}
        assert not finish(table).match.rated


@pytest.mark.parametrize("option", FIELDS)
@given(st.sampled_from(list(VARIANTS.values())), st.data())
@settings(max_examples=8)
def test_some_changed_options_leave_a_match_rated(option: str, base: RuleSet, data: st.DataObject) -> None:
    try:
        rules = override(base, {option: data.draw(option_text(option))})
    except RuleError:
        return
    changed = {word.split("=")[0] for word in differing(rules, base).split()}
    assert kept(over(rules)).rated == (changed <= LONGER_WIDER_OR_LUCKIER)


# --- leaving, absence and restarts in whole matches


ONE_HOLE = "six-card holes=1 clock=20"
GRACE = 30


async def play_on(*programs: Program) -> None:
    await play_at_random([*programs], random.Random(1))


UNRATED = -math.inf


def rating(house: House, name: str) -> float:
    player = house.lobby.store.player_by_name(name)
    assert player is not None
    found = stored_rating(house.lobby.store, player.id, "six-card", PlayerKind.GUEST)
    return UNRATED if found is None else found.mu


async def history(program: Program) -> dict[str, Any]:
    [row] = await program.rows("history t1")
    return dict(row)


async def test_a_player_who_leaves_ranks_last_and_the_one_who_stays_wins(house: House) -> None:
    ann, bob = await house.table(ONE_HOLE, "Ann", "Bob")
    await ann.done("leave")
    await play_on(bob)
    assert rating(house, "Bob") > 25 > rating(house, "Ann")
    row = await history(bob)
    assert row["ranks"] == [2, 1]
    endings = [(player["kind"], player["ending"]) for player in row["players"]]
    assert endings == [("house", "left"), ("guest", "played")]
    # What players are sent still has the totals and places as played.
    ended = bob.events("match_ended")[0]
    assert (row["totals"], row["places"]) == (ended["totals"], ended["places"])
    assert (await bob.rows("stats Ann"))[0] == {
        **{"name": "Ann", "variant": "six-card", "matches": 1, "wins": 0},
        **{"forfeits": 1, "best": None, "average": None},
    }
    eve = await house.person("Eve")
    assert "Ann (left)" in await eve.say("history t1")


async def test_a_match_ended_by_the_operator_is_not_rated(house: House) -> None:
    ann, _, _ = await house.table(ONE_HOLE, "Ann", "Bob", "Cid")
    await ann.done("leave")
    house.lobby.tables["t1"].close(Ending.OPERATOR)
    assert [rating(house, name) for name in ("Ann", "Bob", "Cid")] == [UNRATED] * 3


@pytest.mark.settings(house_delay=10, clock=20)
async def test_a_player_who_plays_the_last_action_was_present_at_the_end(house: House) -> None:
    """The house plays the seat, but its owner acts before the house does, and so ends the match."""
    ann, bob = await house.table("four-turn holes=1", "Ann", "Bob")
    table = house.lobby.tables["t1"]
    table.membership.house_takes_over(table.seating.chair(Seat(0)), Cause.IDLE)
    table.settle()
    await bob.poll()
    await play_on(ann, bob)
    row = await history(bob)
    assert [player["ending"] for player in row["players"]] == ["played", "played"]


@pytest.mark.usefixtures("virtual_time")
@pytest.mark.parametrize("ending", ["played", "excused", "absent"])
async def test_absence_after_a_restart_is_excused_unless_players_return_without_playing(ending: str) -> None:
    store = MemoryStore()
    async with open_house(store=store, grace=GRACE) as house:
        ann, bob, cid = await house.table(ONE_HOLE, "Ann", "Bob", "Cid")
        await cid.done("leave")
    async with open_house(store=store, grace=GRACE) as house:
        programs = [await house.resumed(bob)]
        if ending != "excused":
            programs.append(await house.resumed(ann))
        if ending == "absent":
            programs.pop()
        await trio.sleep(GRACE + 1)
        await play_on(*programs)
        row = await history(programs[0])
        assert [player["ending"] for player in row["players"]] == [ending, "played", "left"]
        assert row["ranks"][2] == 3
        assert (rating(house, "Ann") == UNRATED) is (ending == "excused")
        assert rating(house, "Bob") > rating(house, "Cid") > UNRATED
