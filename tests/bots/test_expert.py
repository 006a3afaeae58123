"""The level ``expert``: when playouts overrule ``hard``, how long they may take, and how much can be gained."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from golfnet.bots import expert
from golfnet.bots.arena import Matchup, play_bound, play_with
from golfnet.bots.bot import Mean
from golfnet.bots.expert import LONGEST, SAVED, SHARE, ExpertBot, PlayoutBot, ThinkingTime, close_actions
from golfnet.bots.hard import HardBot
from golfnet.bots.seat_knowledge import Memory, SeatKnowledge
from golfnet.engine.actions import Action
from golfnet.engine.cards import Seat
from golfnet.engine.hole import Hole
from golfnet.engine.options import override
from golfnet.engine.views import mask, view
from golfnet.rulesets import catalogue
from tests.bots.samples import Sample, samples
from tests.engine.random_play import Replay, cards_on_the_table

CATALOGUE = catalogue()
RULES = CATALOGUE["cactus"].for_seats(2)


def positions(bot: ExpertBot) -> Iterator[tuple[Sample, Action, list[Action]]]:
    """Yield the choices of seat 0 outside slam windows: the action of ``hard``, and actions almost as good."""
    hard = HardBot(RULES, Random(1))
    for sample in samples(RULES, 2, "expert", observers=[[bot, hard], []]):
        if sample.seat != 0 or not sample.may_act or sample.view.window is not None:
            continue
        first = hard.choose(sample.view)
        assert first is not None
        yield sample, first, [action for action in close_actions(hard, sample.view) if action != first]


def test_the_action_with_the_best_playouts_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = ExpertBot(RULES, Random(1))
    changed = 0
    for sample, first, others in positions(bot):
        for best in (first, *others):
            monkeypatch.setattr(
                expert, "playout", lambda *given, best=best: (0 if given[-1] == best else 10, 5)
            )
            assert bot.choose(sample.view) == best
        changed += len(others)
    assert changed > 3


def test_an_action_is_dropped_when_it_could_win_only_by_luck(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = ExpertBot(RULES, Random(1))
    played: Counter[Action] = Counter()

    def a_little_better(_hole: Hole, _players: object, _seat: Seat, action: Action) -> tuple[int, ...]:
        played[action] += 1
        return (5, 0) if action == first else (3 if played[action] % 3 else 8, 0)

    monkeypatch.setattr(expert, "playout", a_little_better)
    monkeypatch.setattr(expert, "WORLDS", 32)
    monkeypatch.setattr(expert, "FEW", 6)
    for sample, first, others in positions(bot):
        played.clear()
        assert bot.choose(sample.view) == first
        assert played == (dict.fromkeys((first, *others), 6) if others else {})


@pytest.mark.parametrize("is_late", [False, True])
def test_an_expert_plays_like_hard_if_it_has_no_time_or_joined_during_the_hole(
    monkeypatch: pytest.MonkeyPatch, is_late: bool
) -> None:
    monkeypatch.setattr(expert, "playout", None)  # must not be called
    observing = ExpertBot(RULES, Random(1), limit := ThinkingTime(clock=lambda: 0.0))
    bot = ExpertBot(RULES, Random(1)) if is_late else observing
    limit.spend(SAVED)
    compared = 0
    for sample, first, others in positions(observing):
        if is_late:
            bot.memory = sample.memory
        assert bot.choose(sample.view) == first
        compared += len(others)
    assert compared


def test_thinking_time_is_a_share_of_the_time_passed_and_is_saved_up_to_a_limit() -> None:
    now = 100.0
    limit = ThinkingTime(clock=lambda: now)
    assert limit.seconds() == LONGEST
    limit.spend(SAVED + 1)
    assert limit.seconds() == pytest.approx(-1)
    now += 1.2 / SHARE
    assert limit.seconds() == pytest.approx(0.2)
    now += 1000 / SHARE
    limit.seconds()
    limit.spend(SAVED - 0.1)
    assert limit.seconds() == pytest.approx(0.1)


@pytest.mark.parametrize("name", ["cactus", "six-card"])
def test_a_bot_in_a_playout_remembers_what_the_real_bot_remembers(name: str) -> None:
    rules = CATALOGUE[name].for_seats(3)
    bots = [HardBot(rules, Random(seat)) for seat in range(3)]
    for sample in samples(rules, 3, f"playout/{name}", observers=[[bot] for bot in bots]):
        bot = bots[sample.seat]
        values = bot.unit_values(SeatKnowledge(sample.view, bot.memory))
        other = PlayoutBot(bot.memory, sample.hole, sample.seat, Random(1), values)
        assert other.memory.known == bot.memory.known
        assert other.choose(sample.view) == bot.choose(sample.view)


# --- deals of the unseen cards


@settings(max_examples=settings().max_examples // 2)
@given(st.sampled_from(list(CATALOGUE)), st.integers(2, 4), st.integers(0, 2**32))
def test_random_deals_agree_with_everything_the_seat_has_seen(name: str, seats: int, seed: int) -> None:
    chance = Random(seed)
    replay = Replay(CATALOGUE[name], seats, chance)
    until, seat = chance.choice(replay.asked)
    events, hole = replay.played(until)
    shown = [mask(event, seat) for event in events]
    memory = Memory(replay.rules, Random(1), 1.0)
    for event in shown:
        memory.observe(event)
    seen = view(hole, seat)
    world = expert.SeenHole(seen, shown).world(SeatKnowledge(seen, memory), chance)
    assert view(world, seat) == seen
    assert cards_on_the_table(world) == cards_on_the_table(hole)
    assert len(world.stock) == len(hole.stock)
    assert world.discards == hole.discards


# --- against hard


SHORT = override(CATALOGUE["four-turn"], {"turns": "2"})


def hard_players(name: str, seats: int) -> Matchup:
    return Matchup(CATALOGUE[name].for_seats(seats), ("hard",) * seats, 1)


def test_a_clairvoyant_is_better_than_hard() -> None:
    measured, lead = hard_players("cactus", 2), Mean()
    for number in range(4):
        mine, theirs = play_with(measured, number)
        better, worse = play_with(measured, number, clairvoyant=Seat(0))
        lead.add((mine - theirs) - (better - worse))
    assert lead.mean > lead.error


def test_a_result_is_reproducible_and_an_expert_that_plays_like_hard_gains_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured = Matchup(SHORT.for_seats(2), ("hard", "hard"), 3)
    assert play_bound((measured, 5)) == play_bound((measured, 5))
    monkeypatch.setattr(expert, "FEW", expert.WORLDS + 1)
    *_, expert_gain, expert_lead = play_bound((measured, 4))
    assert expert_gain == expert_lead == 0
