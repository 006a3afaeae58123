"""Seats played by bots or by the house: when they choose and slam, and when a choice is dropped."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
import trio

from golfnet.bots.bot import LEVELS, BotChoice, BotPlayer, Work
from golfnet.engine.actions import Action, Draw, Slam
from golfnet.engine.cards import Position, Seat
from golfnet.engine.views import View
from golfnet.server.table.seating import ChairKind
from golfnet.server.table.table import Table
from golfnet.server.table.turns import run_inline, thread_executor
from golfnet.server.table.windows import QUICKEST
from tests.engine.drawing import THREE
from tests.engine.scenes import in_phase
from tests.server.house import House, Program
from tests.server.slamming import WishfulBot, put_bot, slam_table
from tests.server.table.test_membership import at_a_turn

Thoughts = list[tuple[Work, Callable[[BotChoice], None]]]


@pytest.fixture
def thoughts(house: House) -> Thoughts:
    """Collect the calculations that bots would run in threads; ``run_inline(*thoughts.pop())`` runs one."""
    thoughts = Thoughts()
    house.lobby.tables.executor = lambda *thought: thoughts.append(thought)
    return thoughts


async def against(house: House, level: str = "hard") -> tuple[Program, Table]:
    """Return a program at a table with a bot, both of which still have to choose their first cards."""
    [ann] = await house.opened("six-card seats=2 clock=0", "Ann")
    await ann.done(f"bot {level}", "start")
    return ann, house.lobby.tables["t1"]


async def test_bots_choose_their_first_cards_at_the_same_time(house: House) -> None:
    """Nine bots keep nobody waiting much longer than one bot does (X12)."""
    waits = []
    for bots in (1, 9):
        lines = ("create six-card-final seats=10 clock=0", *["bot medium"] * bots, "start")
        ann = await house.program(f"Ann{bots}", *lines)
        begun = trio.current_time()
        await ann.done("flip 1 2")
        while not ann.events("turn"):
            await trio.sleep(0.1)
            await ann.poll()
        waits.append(trio.current_time() - begun)
        await ann.done("leave")
    assert waits[1] < 3 * waits[0] + 1


@pytest.mark.parametrize(("made_after", "played_after"), [(0, 10), (1000, 0)], ids=["in advance", "late"])
async def test_a_choice_is_played_after_the_thinking_time_or_once_it_is_made(
    house: House, thoughts: Thoughts, made_after: float, played_after: float
) -> None:
    ann, table = await against(house)
    before = table.hole_seq
    await trio.sleep(made_after)
    await ann.done("say are you asleep?")
    assert (table.hole_seq, len(thoughts)) == (before, 1)
    run_inline(*thoughts.pop())
    assert (table.hole_seq == before) == bool(played_after)
    await trio.sleep(played_after)
    assert table.hole_seq > before


@pytest.mark.parametrize("is_paused", [False, True])
async def test_a_choice_is_reconsidered_if_something_happens_or_play_was_paused(
    house: House, thoughts: Thoughts, *, is_paused: bool
) -> None:
    ann, table = await against(house)
    if is_paused:
        house.lobby.pause("the disk is full")
        await trio.sleep(100)
        house.lobby.resume()
    else:
        await ann.done("flip 1 2")  # the bot is thinking about its own first cards at the same time
    run_inline(*thoughts.pop())
    before = table.hole_seq
    await trio.sleep(100)
    assert (table.hole_seq, len(thoughts)) == (before, 1)
    run_inline(*thoughts.pop())
    await trio.sleep(100)
    assert table.hole_seq > before


async def test_a_choice_made_after_the_table_closed_changes_nothing(house: House, thoughts: Thoughts) -> None:
    ann, table = await against(house)
    await ann.done("leave")
    assert table.is_closed
    seq = table.seq
    run_inline(*thoughts.pop())
    await trio.sleep(100)
    assert (table.seq, list(house.lobby.tables)) == (seq, [])


@pytest.mark.parametrize("in_vain", [False, True])
async def test_a_bot_that_fails_closes_only_its_own_table(
    house: House,
    thoughts: Thoughts,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    *,
    in_vain: bool,
) -> None:
    ann, table = await against(house)
    await house.opened("six-card seats=2", "Bob")

    def fail(view: View) -> Action | None:
        raise LookupError("no idea")

    bot = table.seating.chair(Seat(1)).bot
    assert bot is not None
    monkeypatch.setattr(bot._bot, "choose", fail)
    if in_vain:
        await ann.done("flip 1 2")
    run_inline(*thoughts.pop())
    await ann.settle()
    assert list(house.lobby.tables) == ["t2"]
    assert "fault" in ann.events("closed")[-1]["reason"]
    assert "no idea" in caplog.text


async def test_bots_of_quick_levels_think_without_a_thread(house: House, thoughts: Thoughts) -> None:
    ann, table = await against(house, "medium")
    await ann.done("flip 1 2")
    await trio.sleep(100)
    assert thoughts == []
    assert table.hole is not None
    assert not any(table.hole.owed)


@pytest.mark.settings(grace=10, clock=600, house_delay=3.0, house_level="medium")
async def test_the_house_plays_at_its_own_pace_and_hands_the_seat_back(house: House) -> None:
    first, _ = await at_a_turn(house)
    table = house.lobby.tables["t1"]
    before = table.hole_seq
    await first.drop()
    await trio.sleep(10.1 + 2.8)
    assert table.hole_seq == before
    await trio.sleep(0.2)
    assert table.hole_seq > before
    await house.resumed(first)
    assert [chair.bot for chair in table.seating] == [None, None]


@pytest.mark.settings(grace=10, clock=0, house_level="hard")
async def test_the_houses_choice_is_dropped_when_the_owner_returns(house: House, thoughts: Thoughts) -> None:
    first, _ = await at_a_turn(house)
    before = house.lobby.tables["t1"].hole_seq
    await first.drop()
    await trio.sleep(100)
    back = await house.resumed(first)
    run_inline(*thoughts.pop())
    await trio.sleep(100)
    assert house.lobby.tables["t1"].hole_seq == before
    assert "draw" in back.last("prompt")["actions"]


@pytest.mark.settings(grace=10, clock=0, house_level="hard")
async def test_a_late_choice_is_not_played_by_the_next_seat(house: House, thoughts: Thoughts) -> None:
    first, second = await at_a_turn(house)
    await first.drop()
    await trio.sleep(10.5)  # the house is thinking
    await (await house.resumed(first)).done("draw", "swap 1")
    await second.drop()
    await trio.sleep(100)
    late, due = thoughts
    before = house.lobby.tables["t1"].hole_seq
    run_inline(*late)
    await trio.sleep(100)
    assert house.lobby.tables["t1"].hole_seq == before
    run_inline(*due)
    assert house.lobby.tables["t1"].hole_seq > before


# --- slams of seats without a person


@pytest.mark.parametrize(("mode", "reaction"), [("race", 0.0), ("race", -1.0), ("race", 1.0), ("order", 0.0)])
async def test_a_bot_claims_once_and_never_too_early(mode: str, reaction: float, house: House) -> None:
    assert QUICKEST > 0.12, "sooner, it would be a false start"
    slam = await slam_table(house, THREE, options=f"slam={mode}")
    bot = put_bot(slam, "C", reaction=reaction, claim="A3")
    await slam.discards()
    for seat in "AB":
        await slam.says(seat, "pass", at=50)
    told = await slam.timed(until=2000)
    due = 1000 * max(reaction, QUICKEST)
    assert [word for word in told if "slammed" in word] == [f"{due:g} slammed C A3 hit"]
    assert bot.asked == [2], "once"


@pytest.mark.parametrize("kind", [ChairKind.BOT, ChairKind.HOUSE])
async def test_only_seats_that_will_not_answer_pass_automatically(kind: ChairKind, house: House) -> None:
    slam = await slam_table(house, THREE)
    for seat, reaction in (("B", None), ("C", 2.0)):
        put_bot(slam, seat, reaction=reaction, claim="1")
        slam.table.seating.chairs["ABC".index(seat)].kind = kind  # type: ignore[union-attr]
    await slam.opens()
    await slam.until(1000)
    assert slam.hole.window is not None
    assert slam.hole.window.passed == 0b010
    await slam.seats["A"].drop()
    assert slam.hole.window.passed == 0b011
    await slam.until(2000)
    assert "slammed C C1 wrong" in slam.story("B")


async def test_bots_pass_if_another_claim_succeeds_before_theirs(house: House) -> None:
    slam = await slam_table(house, THREE)
    for seat, reaction in (("B", 0.3), ("C", 2.0)):
        put_bot(slam, seat, reaction=reaction, claim=f"{seat}4")
    await slam.discards()
    told = await slam.timed(until=2500)
    assert told[:3] == ["315 slammed B B4 hit", "315 passed B", "315 passed C"]
    assert "slammed C" not in str(told)


async def test_a_bots_claim_that_the_rules_no_longer_allow_is_not_a_fault(house: House) -> None:
    slam = await slam_table(house, THREE)
    put_bot(slam, "C", reaction=1.0, claim="9")
    await slam.discards()
    assert await slam.timed(until=3500) == ["1000 passed C", "3000 slam_closed", "3000 turn B"]


# --- bots that think in threads


def test_while_a_bot_thinks_it_does_not_slam_and_events_wait_in_order() -> None:
    bot, seen = WishfulBot(0.5, "1"), in_phase("window").view("A")
    mind = BotPlayer(bot)
    events: list[Any] = ["one", "two", "three", "four"]
    mind.observe(events[0])
    assert (mind.reaction(seen), mind.claim(seen)) == (0.5, Slam(Position(Seat(0), 1), 1))
    mind.submit(seen, lambda work, then: None, lambda choice: None)
    for event in events[1:3]:
        mind.observe(event)
    assert (mind.is_busy, mind.reaction(seen), mind.claim(seen)) == (True, None, None)
    assert bot.observed == events[:1]
    mind.resume()
    mind.observe(events[3])
    assert bot.observed == events
    assert not mind.is_busy


async def test_the_server_keeps_running_while_threads_think_and_gets_their_choices_and_faults() -> None:
    heard, made = threading.Event(), list[BotChoice]()

    def fail() -> BotChoice:
        return BotChoice(fault=LookupError("the bot failed"))

    def think() -> BotChoice:
        assert heard.wait(timeout=60)
        return BotChoice(Draw())

    async with trio.open_nursery() as nursery:
        threads = thread_executor(nursery.start_soon)
        for work in (fail, think):
            threads(work, made.append)
        await trio.testing.wait_all_tasks_blocked(0.01)
        heard.set()
    failed, succeeded = sorted(made, key=lambda choice: choice.fault is None)
    with pytest.raises(LookupError, match="the bot failed"):
        failed.result()
    assert succeeded == BotChoice(Draw())


async def test_a_stopping_server_does_not_wait_for_thinking_bots() -> None:
    release, made = threading.Event(), list[BotChoice]()

    def wait() -> BotChoice:
        release.wait(timeout=100)
        return BotChoice()

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            thread_executor(nursery.start_soon)(wait, made.append)
            await trio.testing.wait_all_tasks_blocked(0.01)
            nursery.cancel_scope.cancel()
    release.set()
    assert not made


# --- whole matches


@pytest.mark.parametrize("rules", ["six-card-final", "cactus"])
async def test_a_bot_of_each_level_plays_a_match_to_the_end(house: House, rules: str) -> None:
    """The host has to be a person, but does nothing after starting the match, so the house plays that seat."""
    [ann] = await house.opened(f"{rules} seats=6 clock=15 pause=3 holes=2", "Ann")
    await ann.done(*[f"bot {level}" for level in LEVELS], "start")
    await trio.sleep(10_000)
    [over] = ann.events("match_ended")
    assert len(ann.events("hole_ended")) == 2
    assert {event["seat"] for event in ann.events("turn")} == set("ABCDEF")
    assert "abandoned" not in {event["reason"] for event in ann.events("hole_ended")}
    assert len(over["totals"]) == 6
