"""The clairvoyant and ``expert`` against ``hard``: what they achieve, and that the same seed gives the same result."""

import pytest

from golfnet.bots import expert
from golfnet.bots.arena import Matchup
from golfnet.bots.bound import Bound, play_bound, play_with, table_row
from golfnet.bots.contest import Mean
from golfnet.engine.layout import Seat
from golfnet.engine.options import override
from golfnet.rulesets import catalogue

CATALOGUE = catalogue()
SHORT = override(CATALOGUE["four-turn"], {"turns": "2"})


def setting(name: str, seats: int) -> Matchup:
    return Matchup(CATALOGUE[name].for_seats(seats), ("hard",) * seats, 1)


@pytest.mark.parametrize(("name", "deals"), [("four-turn", 6), ("cactus", 4)])
def test_a_clairvoyant_is_better_than_hard(name: str, deals: int) -> None:
    measured, lead = setting(name, 2), Mean()
    for number in range(deals):
        mine, theirs = play_with(measured, number)
        better, worse = play_with(measured, number, clairvoyant=Seat(0))
        lead.add((mine - theirs) - (better - worse))
    assert lead.mean > lead.error


def test_a_deal_with_the_same_seed_ends_the_same() -> None:
    measured = Matchup(SHORT.for_seats(2), ("hard", "hard"), 3)
    assert play_bound((measured, 5)) == play_bound((measured, 5))


def test_an_expert_that_never_changes_a_choice_gains_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expert, "FEW", expert.WORLDS + 1)
    bound = play_bound((Matchup(SHORT.for_seats(2), ("hard", "hard"), 1), 4))
    assert bound.expert_gain == bound.expert_lead == 0


def test_a_row_shows_means_over_deals_with_their_errors() -> None:
    bounds = [Bound(*[float(value)] * 5) for value in (1, 3)]
    row = table_row(setting("cactus", 4), bounds).split()
    assert row[:3] == ["cactus", "4", "8"]
    assert row[3:] == ["2.00", "±", "1.00"] * 5
