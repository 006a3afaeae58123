"""What is kept of a match: everybody's total and place, whose each seat was, and whether it counts for a ladder."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golfnet.engine import match as matches
from golfnet.engine.errors import RuleError
from golfnet.engine.options import FIELDS, as_options, differing, override
from golfnet.engine.variants import VARIANTS
from golfnet.server.results import finish
from golfnet.server.seating import Chair, Kind, Seating
from golfnet.storage.writes import MatchResult, PlayerKind, SeatKind
from tests.engine.drawing import NAMES
from tests.engine.random_play import play_match
from tests.engine.strategies import option_text, rule_sets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from golfnet.engine.match import Match
    from golfnet.engine.rules import RuleSet
    from golfnet.server.player import Player
    from golfnet.server.table import Table

LONGER_WIDER_OR_LUCKIER = {"seats", "decks", "holes", "target", "dealer"}
ENDED = 1_800_000_000.5


def a_chair(name: str, kind: Kind = Kind.HUMAN, owner: PlayerKind | None = PlayerKind.GUEST) -> Chair:
    player = None if owner is None else SimpleNamespace(id=f"p-{name}", kind=owner, session=None)
    return Chair(name=name, kind=kind, player=cast("Player | None", player))


def kept(
    match: Match, rules: RuleSet, chairs: Sequence[Chair], catalogue: Mapping[str, RuleSet] = VARIANTS
) -> MatchResult:
    """Return what is kept of a table's match."""
    table = SimpleNamespace(id="t7", match=match, rules=rules, seating=Seating(chairs), started_at=ENDED - 60)
    return finish(cast("Table", table), catalogue, ENDED).match


def over(rules: RuleSet) -> Match:
    """Return a match that ended before its first deal, by any rules."""
    return matches.abandon(matches.start(matches.Match("m1"), rules, NAMES[: rules.seats.low])[1])[1]


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("seats", [2, 4])
def test_every_seat_has_its_total_and_its_place_in_seat_order(name: str, seats: int) -> None:
    rules = override(VARIANTS[name], {"holes": 2})
    *_, last = play_match(rules, seats, Random(1))
    match = last.after
    result = kept(match, rules, [a_chair(each) for each in NAMES[:seats]])
    assert (result.id, result.table, result.variant) == ("m1", "t7", name)
    assert (result.started, result.ended, result.finished) == (ENDED - 60, ENDED, True)
    assert tuple(seat.name for seat in result.seats) == NAMES[:seats]
    totals = [seat.total for seat in result.seats]
    assert totals == [sum(scores) for scores in zip(*match.scores, strict=True)]
    assert [seat.place for seat in result.seats] == [
        1 + sum(other < total for other in totals) for total in totals
    ]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_match_that_is_broken_off_is_not_finished_and_its_hole_counts_for_nobody(seed: int) -> None:
    rules = override(VARIANTS["four-turn"], {"holes": 2})
    _, *begun, _ = play_match(rules, 2, Random(seed))
    for step in begun:
        scores = step.after.scores
        result = kept(matches.abandon(step.after)[1], rules, [a_chair(name) for name in NAMES[:2]])
        assert not result.finished
        assert [seat.total for seat in result.seats] == [
            sum(own) for own in zip((0, 0), *scores, strict=True)
        ]


@given(rule_sets())
def test_options_are_the_rules_as_played(rules: RuleSet) -> None:
    match = over(rules)
    result = kept(match, rules, [a_chair(name) for name in match.names])
    assert match.rules is not None
    assert msgspec.json.decode(result.options) == as_options(match.rules)


# --- whose a seat was


@given(st.sampled_from(list(Kind)), st.none() | st.sampled_from(list(PlayerKind)))
def test_a_seat_is_its_owner_s_whoever_played_it_at_the_end(kind: Kind, owner: PlayerKind | None) -> None:
    rules = VARIANTS["four-turn"]
    chairs = [a_chair("Ann"), a_chair("Ben", kind, owner)]
    _, seat = kept(over(rules), rules, chairs).seats
    if owner is not None:
        assert (seat.player, seat.kind) == ("p-Ben", SeatKind(owner.value))
    else:
        assert seat.player is None
        assert seat.kind is (SeatKind.BOT if kind is Kind.BOT else SeatKind.HOUSE)


# --- what counts for a ladder


def is_rated(rules: RuleSet, catalogue: Mapping[str, RuleSet] = VARIANTS) -> bool:
    match = over(rules)
    return kept(match, rules, [a_chair(name) for name in match.names], catalogue).rated


@pytest.mark.parametrize("name", VARIANTS)
def test_every_rule_set_as_it_is_counts_and_one_that_nobody_knows_does_not(name: str) -> None:
    assert is_rated(VARIANTS[name])
    assert not is_rated(VARIANTS[name], {})


@given(rule_sets())
def test_a_match_counts_unless_something_else_than_its_length_width_or_luck_was_changed(
    rules: RuleSet,
) -> None:
    changed = {word.split("=")[0] for word in differing(rules, VARIANTS[rules.name]).split()}
    assert is_rated(rules) == (changed <= LONGER_WIDER_OR_LUCKIER)


@pytest.mark.parametrize("option", FIELDS)
@given(st.sampled_from(list(VARIANTS.values())), st.data())
@settings(max_examples=20)
def test_and_so_does_each_option_alone(option: str, base: RuleSet, data: st.DataObject) -> None:
    try:
        rules = override(base, {option: data.draw(option_text(option))})
    except RuleError:
        return
    changed = {word.split("=")[0] for word in differing(rules, base).split()}
    assert is_rated(rules) == (changed <= LONGER_WIDER_OR_LUCKIER)
