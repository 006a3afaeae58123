"""Slam windows at a whole table, in virtual time: what is judged when, in which order, and what everybody sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio

from golfnet.bots.player import BotPlayer
from golfnet.engine import fairdeal
from golfnet.engine.actions import Slam
from golfnet.engine.layout import Seat
from golfnet.engine.notation import parse_position
from golfnet.server.context.seating import ChairKind
from golfnet.server.session.session import Session
from golfnet.server.slams.windows import AFTER_A_SLAM
from tests.server.house import open_house
from tests.server.slamming import FOUR, THREE, slam_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trio.testing import MockClock

    from golfnet.storage.writes import Write

SEALED = pytest.mark.parametrize("mode", ["order", "lot"])

# The first discard of A is the 7 of clubs: A1, A3 and B4 are right.
SEVEN = "7C 5D QH QD"


# race: who was first


async def test_a_slam_gets_its_ok_at_once_and_is_judged_when_nobody_can_be_faster(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN, delays=(0, 0.02))
        await slam.discards()
        await slam.says("A", "slam 1", at=500)
        await slam.until(500)
        assert slam.story("A") == ["ok"], "B may have reacted faster, and its line be on its way"
        await slam.until(500 + 40 + 14.999)
        assert slam.story("A") == ["ok"]
        await slam.until(500 + 40 + 15)
        assert slam.story("A") == ["ok", "slammed A A1 hit"]


async def test_the_slower_link_wins_a_slam_that_it_deserved(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN, delays=(0, 0.04))
        await slam.discards()
        await slam.says("A", "slam 1", at=500)
        await slam.says("B", "slam 4", at=560)
        await slam.until(600)
        assert slam.story("A")[1:3] == ["slammed B B4 hit", "slammed A A1 late"], "480 against 500 ms"
        assert slam.story("A")[3:] == ["slam_closed", "turn B"], (
            "all have claimed, nobody can be late any more"
        )


async def test_but_no_more_than_100_ms_are_taken_off(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN, delays=(0, 0.15))
        await slam.discards()
        slam.sends("B", "slam 4", at=614)
        await slam.says("A", "slam 1", at=500)
        await slam.until(613.9)
        assert slam.story("A") == ["ok"]
        await slam.until(614.1)
        first, second, *_ = slam.story("A")[1:]
        assert {first.split()[1], second.split()[1]} == {"A", "B"}, "14 ms apart, the lot decides"
        await slam.until(900)
        log = slam.table.parts.windows.log
        log.hole_over(1)
        assert [row["tied"] for row in log.rows] == [True, False]
        assert {row["allowed_ms"] for row in log.rows} == {0.0, 100.0}


async def test_a_claim_after_the_decision_is_late_however_fast_it_was(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN, delays=(0, 0.2))
        await slam.discards()
        slam.sends("B", "slam 4", at=616)
        await slam.says("A", "slam 1", at=500)
        await slam.until(614)
        assert slam.story("A") == ["ok"]
        await slam.until(616)
        assert slam.story("A")[1:3] == ["slammed A A1 hit", "slammed B B4 late"]


async def test_nobody_waits_for_seats_that_have_passed_or_are_gone(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, delays=(0, 0.05, 0.05), absent="C")
        await slam.discards()
        await slam.says("B", "pass", at=300)
        await slam.says("A", "slam 1", at=400)
        await slam.until(400)
        assert slam.story("A")[:2] == ["passed B", "slammed A A1 hit"]
        assert slam.story("A")[-1] == "ok", "decided at once, so told before the ok"


async def test_c16_after_a_wrong_slam_the_next_right_one_succeeds_and_c21_each_wrong_one_costs(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN)
        await slam.discards()
        await slam.says("B", "slam 1", at=300)
        await slam.says("B", "slam 2", at=310)
        await slam.says("A", "slam 3", at=330)
        await slam.until(400)
        assert slam.story("A") == [
            *("slammed B B1 wrong", "penalty B", "slammed B B2 wrong", "penalty B"),
            *("ok", "slammed A A3 hit"),
        ]
        assert len(slam.hole.layouts[1]) == 6


async def test_equal_reactions_are_drawn_from_the_deal(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN)
        await slam.discards()
        await slam.says("A", "slam 1", at=500)
        await slam.says("B", "slam 4", at=514)
        await slam.until(600)
        first = "AB"[fairdeal.lot_order(slam.hole.deal.key, 1, (Seat(1), Seat(0)))[0]]
        judged = [word for word in slam.story("B") if "slammed" in word]
        assert judged[0].startswith(f"slammed {first}")
        assert [word.split()[-1] for word in judged] == ["hit", "late"]


# race: false starts


async def test_a_false_start_is_refused_and_that_seat_is_out_for_this_card(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock="7C 7D", layouts=FOUR.replace("7D", "8D"))
        await slam.discards()
        error = await slam.asks("B", "slam 3", at=119.9)
        assert (error["type"], error["code"], error["retry"]) == ("error", "FALSE_START", False)
        assert slam.story("A") == ["passed B"], "it has had its say"
        again = await slam.asks("B", "slam 3", at=1000)
        assert again["code"] == "FALSE_START"
        assert slam.seats["B"].last("prompt")["actions"] == []
        assert len(slam.hole.layouts[1]) == 4, "and pays nothing"
        assert (await slam.asks("A", "pass"))["type"] == "ok"
        await slam.discards("B")
        assert (await slam.asks("B", "slam 3", at=120))["type"] == "ok", "the next card is another"


async def test_the_round_trip_is_no_time_to_see_a_card_in(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock="7C 7D", layouts=FOUR.replace("7D", "8D"), delays=(0, 0.05))
        await slam.discards()
        error = await slam.asks("B", "slam 3", at=219.9)
        assert error["code"] == "FALSE_START", "119.9 ms after it came"
        assert (await slam.asks("A", "pass"))["type"] == "ok"
        await slam.discards("B")
        assert (await slam.asks("B", "slam 3", at=220))["type"] == "ok"


async def test_a_claim_for_a_discard_that_was_not_shown_yet_is_one(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN)
        await slam.seats["A"].done("draw")
        await slam.seats["A"].send("discard\nslam 1 #1")
        await slam.listen()
        assert slam.seats["A"].answers[-1]["code"] == "FALSE_START"


async def test_c20_without_a_number_the_last_discard_that_can_have_been_seen_is_meant(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock="7C 7D 8S", layouts=FOUR.replace("7D", "8D"), delays=(0, 0.04))
        await slam.discards()
        for seat in "AB":
            await slam.says(seat, "pass")
        await slam.says("B", "draw")
        await trio.sleep(1)
        await slam.seats["B"].send("discard")
        await trio.sleep(0.04)
        await slam.seats["B"].settle()
        slam.opened = trio.current_time()
        error = await slam.asks("B", "slam 4", at=59)
        assert error["code"] == "TOO_LATE", (
            "sent when B could not know of the second discard: meant for the first"
        )
        assert (await slam.asks("B", "slam 4 #1"))["code"] == "TOO_LATE"
        assert (await slam.asks("B", "slam 4 #3"))["code"] == "BAD_PHASE"
        assert len(slam.hole.layouts[1]) == 4, "none of which has cost anything"
        assert (await slam.asks("B", "slam A1", at=400))["type"] == "ok"
        await slam.until(600)
        assert slam.story("A")[-2:] == ["slammed B A1 hit", "clock B"]


async def test_c20_who_was_shown_a_window_means_it_however_quick_the_line_was_this_time(
    autojump_clock: MockClock,
) -> None:
    for delay, at in ((0.04, 61), (0.04, 80), (0.009, 0)):
        async with open_house() as house:
            layouts = FOUR.replace("7D", "8D")
            slam = await slam_table(house, stock="7C 7D 8S", layouts=layouts, delays=(0, delay))
            await slam.discards()
            for seat in "AB":
                await slam.says(seat, "pass")
            await slam.listen()
            assert (await slam.asks("B", "draw"))["type"] == "ok"
            await slam.seats["B"].send("discard")
            await trio.sleep(delay)
            await slam.seats["B"].settle()
            slam.opened = trio.current_time()
            if at == 0:  # in the same moment, as a program on this machine may do
                session = slam.table.seating.chairs[1].session  # type: ignore[union-attr]
                assert isinstance(session, Session)
                session.receive(b"9 slam 4\n", trio.current_time())
                await trio.sleep(2 * delay)
                await slam.listen()
                error = slam.seats["B"].answers[-1]
            else:
                error = await slam.asks("B", "slam 4", at=at)
            assert error["code"] == "FALSE_START", (delay, at)


async def test_what_the_engine_would_refuse_is_refused_at_once(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN)
        await slam.discards()
        assert (await slam.asks("B", "slam C1", at=500))["code"] == "BAD_SLOT"
        assert (await slam.asks("B", "slam 9", at=500))["code"] == "BAD_SLOT"
        assert "slammed" not in " ".join(slam.story("A"))


# race: the end of a window


async def test_c17_for_a_quarter_of_a_second_after_a_success_claims_are_late(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, delays=(0, 0.02))
        await slam.discards()
        await slam.says("A", "slam 1", at=500)
        hit = 500 + 40 + 15
        await slam.until(hit)
        assert slam.story() == ["ok", "slammed A A1 hit"]
        await slam.says("B", "slam 4", at=hit + 249)
        assert slam.story()[2:] == []
        await slam.until(hit + 249)
        assert slam.story()[2:] == ["slammed B B4 late"], "the right rank: no penalty"
        await slam.says("A", "slam 2", at=hit + 249)
        await slam.until(hit + 249)
        assert slam.story()[3:] == ["slammed A A2 late", "penalty A", "ok"], "judged at once"
        await slam.until(hit + 250)
        assert slam.story()[6:] == ["slam_closed", "turn B"]
        assert (await slam.asks("B", "slam 4"))["code"] == "TOO_LATE"


async def test_c17_the_quarter_of_a_second_begins_with_the_gift_and_c14_claims_before_it_are_judged_after_it(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock="7C 5D QH", delays=(0, 0.03, 0.03))
        await slam.discards()
        slam.sends("B", "slam A1", at=500)
        await slam.says("A", "slam 3", at=505)
        await slam.until(1500)
        assert slam.story("A") == ["ok", "slammed B A1 hit", "clock B"], "the rest waits for the gift"
        assert (await slam.asks("C", "slam 2", at=1600))["code"] == "GIFT_OWED"
        assert (await slam.asks("A", "pass"))["code"] == "GIFT_OWED"
        await slam.says("B", "give 1", at=2000)
        await slam.until(2000)
        assert slam.story("A")[4:] == ["gave B", "slammed A A3 late"]
        await slam.until(2249)
        assert (await slam.asks("A", "look"))["type"] == "ok"
        await slam.until(2249)
        assert "slam_closed" not in slam.story("A")
        await slam.until(2251)
        assert slam.story("A")[-2:] == ["slam_closed", "turn B"]
        assert AFTER_A_SLAM == 0.25


async def test_a_claim_for_a_card_that_moved_before_it_was_judged_is_void_and_its_owner_is_told(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(
            house, stock="JC 5D QH", layouts="JH 2C | 3S 4S\n7S 9C | 6S JD", delays=(0.05, 0)
        )
        await slam.discards()
        slam.sends("A", "switch 2 B4", at=505)
        await slam.says("B", "slam 4", at=500)
        await slam.until(700)
        assert slam.story("B") == ["ok", "switched A ['A2', 'B4']", "notice CARD_MOVED"]
        assert len(slam.hole.layouts[1]) == 4, "without penalty"


async def test_the_window_lasts_as_long_as_the_rule_set_says(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN, options="slam_window=5")
        await slam.discards()
        await slam.until(4999)
        assert slam.story() == []
        view = await _view(slam.seats["B"])
        assert (view["phase"], view["slam"]["ms"], view["slam"]["mode"]) == ("slam", 1, "race")
        await slam.until(5000)
        assert slam.story() == ["slam_closed", "turn B"]


async def test_a_claim_at_the_very_end_is_still_decided_in_its_time(autojump_clock: MockClock) -> None:
    for line, ending in (("slam 1", "slammed A A1 hit"), ("slam 2", "penalty A")):
        async with open_house() as house:
            slam = await slam_table(house, stock=SEVEN, delays=(0, 0.05))
            await slam.discards()
            await slam.says("A", line, at=2990)
            await slam.until(2990 + 114.999)
            assert slam.story() == ["ok"], "the window waits for the decision"
            await slam.until(2990 + 115)
            assert ending in slam.story()
            assert ("slam_closed" in slam.story()) == (line == "slam 2")
            await slam.until(2990 + 115 + 250)
            assert slam.story()[-2:] == ["slam_closed", "turn B"]


async def test_c19_when_every_seat_has_passed_the_window_is_closed(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN)
        await slam.discards()
        await slam.says("A", "pass", at=200)
        assert (await slam.asks("A", "pass"))["code"] == "BAD_PHASE", "once"
        await slam.says("B", "pass", at=400)
        await slam.listen()
        assert slam.story("B") == ["passed A", "passed B", "slam_closed", "turn B", "ok"]


async def test_passes_do_not_close_a_window_over_a_claim_that_is_not_decided(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN, delays=(0, 0.05))
        await slam.discards()
        await slam.says("A", "pass", at=200)
        slam.sends("B", "pass", at=520)
        await slam.says("A", "slam 1", at=500)
        await slam.until(520)
        assert slam.story("A") == [
            "passed A",
            "ok",
            "ok",
            "slammed A A1 hit",
            "passed B",
            "slam_closed",
            "turn B",
        ]


async def test_c19_before_scoring_there_is_a_last_window_after_the_last_discard(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN)
        await slam.says("A", "knock")
        await slam.discards("B")
        await slam.says("B", "slam 4", at=500)
        await slam.until(500 + 15 + 250)
        assert slam.story("A")[:2] == ["slammed B B4 hit", "slam_closed"]
        assert slam.story("A")[2].startswith("hole_ended")


async def test_a_turn_does_not_begin_while_the_power_is_open_and_not_before_the_window_closes(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock="JC 5D QH", options="slam_window=2")
        await slam.discards()
        view = await _view(slam.seats["B"])
        assert (view["phase"], view["turn"], view["clock"]) == ("power", "A", {"seat": "A", "ms": 60000})
        assert view["slam"]["ms"] == 2000
        await slam.until(2001)
        assert slam.story() == ["slam_closed"]
        assert (await _view(slam.seats["B"]))["slam"] is None
        await slam.says("A", "decline", at=2500)
        await slam.listen()
        assert slam.story("B")[-2:] == ["declined A", "turn B"]
        assert slam.story("A")[-1] == "ok"
        await slam.says("B", "take 1")
        await slam.listen()
        slam.opened = trio.current_time()
        assert "slam_opened" in slam.story("A"), "C11: a card swapped out opens a window too"


async def test_out_of_time_the_house_declines_the_power_and_gives_the_first_card(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock="JC 5D QH", layouts="JH 2C | 3S 4S\n7S 9C | 6S 7D")
        await slam.discards()
        await slam.says("B", "slam A1", at=500)
        await slam.until(10_000)
        assert slam.story("A") == ["slammed B A1 hit", "clock B"]
        view = await _view(slam.seats["A"])
        assert (view["phase"], view["owes"], view["clock"]["seat"]) == ("give", "B", "B")
        await slam.until(515 + 60_000)
        assert [word for word in slam.story("A") if "clock" not in word][-2:] == ["timed_out B", "gave B"]
        assert slam.hole.layouts[1][0] is None
        left = (await _view(slam.seats["B"]))["clock"]
        assert left == {"seat": "A", "ms": 59_500 - 15}, "the power's clock goes on where the gift stopped it"
        await slam.until(515 + 60_000 + 59_485)
        assert [word for word in slam.story("A") if "clock" not in word][-3:] == [
            *("timed_out A", "declined A", "turn B"),
        ]


# order and lot: sealed


@SEALED
async def test_claims_are_sealed_and_nothing_is_shown_before_all_have_had_their_say(
    mode: str, autojump_clock: MockClock
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, options=f"slam={mode}")
        await slam.discards()
        assert (await slam.asks("A", "slam 1", at=5))["type"] == "ok", "speed counts for nothing"
        assert (await slam.asks("C", "pass", at=900))["type"] == "ok"
        for seat in "ABC":
            assert [word for word in slam.story(seat) if word != "ok"] == []
        assert slam.seats["A"].last("prompt")["actions"] == []
        assert (await slam.asks("A", "slam 3"))["code"] == "BAD_PHASE"
        assert (await slam.asks("C", "slam 3"))["code"] == "BAD_PHASE", "C21: who passed may not claim"
        assert (await slam.asks("C", "pass"))["code"] == "BAD_PHASE"
        slam.forget()
        await slam.says("B", "slam 4", at=2000)
        await slam.listen()
        lot = fairdeal.lot_order(slam.hole.deal.key, 1, (Seat(1), Seat(2), Seat(0)))
        order = "BCA" if mode == "order" else "".join("ABC"[seat] for seat in lot)
        first, second = [seat for seat in order if seat != "C"]
        said = {"A": "A A1", "B": "B B4"}
        expected = {
            "C": "passed C",
            first: f"slammed {said[first]} hit",
            second: f"slammed {said[second]} late",
        }
        assert slam.story("C") == [*[expected[seat] for seat in order], "slam_closed", "turn B"]
        assert slam.story("B") == [*slam.story("C"), "ok"]


@SEALED
async def test_or_before_the_window_s_end_and_then_it_is_closed_at_once(
    mode: str, autojump_clock: MockClock
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, options=f"slam={mode} slam_window=4")
        await slam.discards()
        await slam.says("B", "slam 1", at=100)
        await slam.says("C", "slam A3", at=3900)
        await slam.until(3999)
        assert slam.story("A") == []
        await slam.until(4000)
        judged = [word for word in slam.story("A") if "slammed" in word or "closed" in word]
        if mode == "order":
            assert judged == ["slammed B B1 wrong", "slammed C A3 hit"]
        assert slam.hole.gift is not None
        await slam.says("C", "give 2", at=6000)
        await slam.listen()
        assert slam.story("A")[-2:] == ["slam_closed", "turn B"], "there is nobody to be late"


@SEALED
async def test_c14_the_rest_of_the_claims_is_judged_after_the_gift(
    mode: str, autojump_clock: MockClock
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, options=f"slam={mode}")
        await slam.discards()
        for seat, line in (("A", "slam B4"), ("B", "slam A1"), ("C", "slam A3")):
            await slam.says(seat, line, at=500)
        await slam.listen()
        judged = [word for word in slam.story("A") if word.startswith("slammed")]
        assert len(judged) == 1
        winner = judged[0].split()[1]
        await slam.says(winner, "give 2", at=900)
        await slam.listen()
        judged = [word for word in slam.story("A") if word.startswith("slammed")]
        assert [word.split()[-1] for word in judged] == ["hit", "late", "late"]
        assert slam.story(winner)[-3:] == ["slam_closed", "turn B", "ok"]


@SEALED
async def test_a_seat_that_may_use_a_power_keeps_it_after_its_say(
    mode: str, autojump_clock: MockClock
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock="JC 5D QH", options=f"slam={mode}")
        await slam.discards()
        await slam.says("A", "pass", at=500)
        await slam.listen()
        actions = slam.seats["A"].last("prompt")["actions"]
        assert "decline" in actions
        assert not {"pass", "slam"} & set(actions)


# who is there, and who is not


async def test_c19_a_seat_that_is_gone_passes_by_itself(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, absent="B")
        await slam.discards()
        assert not slam.story("A"), "with the discard, before the test began to listen"
        assert slam.hole.window is not None
        assert slam.hole.window.passed == 0b010
        await slam.says("A", "pass")
        await slam.seats["C"].drop()
        await slam.listen()
        assert slam.story("A")[-3:] == ["passed C", "slam_closed", "turn B"]


async def test_who_comes_back_while_the_window_is_open_may_slam(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, absent="B")
        await slam.discards()
        await slam.until(1000)
        back = await house.program()
        await back.done(f"resume {slam.seats['B'].token}")
        await back.poll()
        assert back.last("view")["slam"]["discard_no"] == 1
        assert (await back.ask("slam 4"))["code"] == "FALSE_START", "sooner than the view can be read"
        await slam.says("A", "slam 1", at=1300)
        await slam.until(1400)
        assert slam.story("A")[-1] == "slammed A A1 hit"


async def test_the_shown_discard_of_a_returned_player_is_in_its_view(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, absent="B")
        await slam.discards()
        back = await house.program()
        await back.done(f"resume {slam.seats['B'].token}")
        await slam.until(200)
        await back.done("slam 4")
        await slam.until(400)
        assert slam.story("A")[-1] == "slammed B B4 hit"


@pytest.mark.parametrize("absent", ["", "B"])
async def test_coming_back_does_not_shorten_a_reaction(absent: str, autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, delays=(0, 0, 0.04), absent=absent)
        await slam.discards()
        if not absent:
            await slam.seats["B"].drop()
        await slam.until(1000)
        back = await house.program()
        await back.done(f"resume {slam.seats['B'].token}")
        await slam.says("A", "slam 1", at=1190)
        await trio.sleep_until(slam.opened + 1.21)
        await back.done("slam 4")
        await slam.until(1400)
        assert [word for word in slam.story("C") if "slammed" in word] == [
            "slammed A A1 hit",
            "slammed B B4 late",
        ]


async def test_c19_bots_that_do_not_want_to_slam_pass_and_others_claim_through_the_arbiter(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock="7C 5D", delays=(0, 0.01))
        _put_bot(slam, "C", reaction=0.3, claim="B4")
        _put_bot(slam, "B", reaction=None, claim=None)
        await slam.discards()
        await slam.until(299)
        assert slam.story("A") == []
        await slam.until(300 + 15)
        assert slam.story("A")[0] == "slammed C B4 hit"
        assert slam.hole.gift is not None
        assert slam.hole.gift.seat == 2


async def test_a_person_faster_than_a_bot_wins_though_the_line_comes_later(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, delays=(0.05,))
        _put_bot(slam, "C", reaction=0.4, claim="B4")
        await slam.discards()
        await slam.says("A", "slam 1", at=480)
        await slam.until(480)
        judged = [word for word in slam.story("B") if "slammed" in word]
        assert judged == ["slammed A A1 hit", "slammed C B4 late"], "380 against 400 ms"


async def test_no_bot_is_faster_than_a_false_start_allows_and_it_claims_once(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN)
        bot = _put_bot(slam, "B", reaction=0.01, claim="B1")
        await slam.discards()
        await slam.until(100)
        assert slam.story("A") == []
        await slam.until(142)
        assert slam.story("A") == ["slammed B B1 wrong", "penalty B", "passed B"]
        assert bot.asked == 1
        await slam.says("A", "pass")
        await slam.listen()
        assert slam.story("A")[-3:] == ["slam_closed", "turn B", "ok"]


@SEALED
async def test_bots_seal_their_claims_like_everybody(mode: str, autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, options=f"slam={mode}")
        _put_bot(slam, "C", reaction=0.5, claim="B4")
        _put_bot(slam, "B", reaction=None, claim=None)
        await slam.discards()
        await slam.says("A", "pass", at=300)
        await slam.until(499)
        assert slam.story("B") == []
        await slam.until(500)
        assert "slammed C B4 hit" in slam.story("B")
        await slam.until(31_000)
        told = [word for word in slam.story("B") if word[:5] in ("passe", "slamm")]
        assert sorted(told) == ["passed A", "passed B", "slammed C B4 hit"], "the others after the gift"


async def test_what_a_power_left_of_its_clock_is_not_for_the_same_moment_of_the_next_match(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock="JC 5D QH", layouts="4H 2C | 3S 4S\n7S 9C | 6S 7D")
        dealt_anew = slam.table.match
        await slam.discards()
        await slam.until(40_000)
        assert (await _view(slam.seats["A"]))["clock"] == {"seat": "A", "ms": 20_000}
        await slam.says("A", "decline")
        slam.table.match = dealt_anew._replace(hole=None)
        slam.table.settle()
        slam.table.match = dealt_anew
        slam.table.settle()
        await slam.discards()
        assert (await _view(slam.seats["A"]))["clock"] == {"seat": "A", "ms": 60_000}


# disks, faults and restarts


async def test_the_window_and_reactions_begin_when_the_discard_was_shown(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN)
        await slam.seats["A"].done("draw")
        house.lobby.gate._log = SlowDisk(house.lobby.tables.services.timers.after, 0.4)
        await slam.seats["A"].send("discard")
        await slam.listen()
        slam.opened = trio.current_time()
        slam.forget()
        await slam.says("B", "slam 4 #1", at=350)
        await slam.until(399)
        assert slam.story("C") == []
        await slam.says("A", "slam 1", at=400 + 119.9)
        await slam.until(1000)
        for seat in "AB":
            assert slam.seats[seat].answers[-1].get("code") == "FALSE_START"
        await slam.says("C", "slam A1", at=400 + 2999)
        await slam.until(400 + 2999 + 500)
        assert slam.story("C")[-3:] == ["slammed C A1 hit", "clock C", "ok"]


async def test_claims_outlive_a_pause_of_the_tables(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, options="slam=order slam_window=3")
        _put_bot(slam, "C", reaction=1.0, claim="A3")
        await slam.discards()
        await slam.says("B", "slam 4", at=300)
        house.lobby.pause("the disk is full")
        await slam.until(20_000)
        assert not [word for word in slam.story("A") if "slam" in word]
        house.lobby.go_on()
        await slam.until(22_999)
        assert not [word for word in slam.story("A") if "slam" in word]
        await slam.until(23_000)
        judged = [word for word in slam.story("A") if "slam" in word]
        assert judged == ["slammed B B4 hit", "slammed C A3 late", "slam_closed"]


async def test_a_window_that_was_shown_only_after_a_pause_has_one_end(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN)
        await slam.seats["A"].done("draw")
        house.lobby.gate._log = SlowDisk(house.lobby.tables.services.timers.after, 0.4)
        await slam.seats["A"].send("discard")
        await slam.listen()
        slam.opened = trio.current_time()
        for _ in range(2):  # before the discard was shown, and while the window is open
            house.lobby.pause("the disk is full")
            house.lobby.go_on()
            await slam.until(1000)
        await slam.until(1000 + 2999)
        assert slam.hole.window is not None
        await slam.until(1000 + 3001)
        assert slam.hole.window is None


# what is kept of it


async def test_the_log_is_shown_after_the_hole_with_every_number(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN, delays=(0, 0.03))
        await slam.says("A", "knock")
        await slam.says("B", "draw")
        await trio.sleep(1)
        await slam.seats["B"].send("discard")
        await trio.sleep(0.03)
        await slam.seats["B"].settle()
        slam.opened = trio.current_time()
        slam.sends("B", "slam 4", at=520)
        await slam.says("A", "slam 1", at=500)
        await slam.until(600)
        assert slam.table.hole is None
        await slam.asks("A", "slam log")
        won, late = slam.seats["A"].last("rows")["rows"]
        assert won == {
            "hole": 1,
            "discard_no": 1,
            "card": "7C",
            "mode": "race",
            "place": 1,
            "seat": "B",
            "name": "Ben",
            "at": "B4",
            "result": "hit",
            "tied": False,
            "waited_ms": 520.0,
            "round_trip_ms": 60.0,
            "allowed_ms": 60.0,
            "jitter_ms": 0.0,
            "reaction_ms": 460.0,
            "margin_ms": 40.0,
        }
        assert (late["seat"], late["place"], late["result"], late["reaction_ms"]) == ("A", 2, "late", 500.0)
        totals = house.lobby.tables.services.slams
        assert (totals.windows, totals.results, totals.overtaken) == (1, {"hit": 1, "late": 1}, 1)
        assert totals.margins.counts == [0, 0, 0, 1, 0, 0, 0, 0, 0], "up to 60 ms"
        assert totals.wins.counts == [0, 0, 0, 1, 0, 0], "60 ms are in the bucket up to 100"
        assert totals.claims.counts == [1, 0, 0, 1, 0, 0]


async def test_the_log_is_not_shown_while_the_hole_is_played(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN)
        await slam.discards()
        await slam.says("A", "slam 1", at=500)
        await slam.until(2000)
        assert "slam_closed" in slam.story("A")
        assert (await slam.asks("B", "slam log"))["type"] == "ok"
        assert slam.seats["B"].last("rows")["rows"] == []


async def test_the_log_says_of_which_hole_it_is(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN, options="holes=3")
        await slam.discards()
        await slam.says("A", "slam 1", at=500)
        await slam.until(5000)
        ok = await slam.asks("A", "slam log")
        assert ok["note"] == "You can see the slams of hole 1 when it is over."
        await slam.says("B", "knock")
        await slam.discards("A")
        await slam.until(8000)
        assert slam.table.hole is None
        assert (await slam.asks("A", "slam log"))["note"] == "These are the slams of hole 1."
        await trio.sleep(20)
        ok = await slam.asks("A", "slam log")
        assert len(slam.seats["A"].last("rows")["rows"]) == 1
        assert ok["note"] == "These are the slams of hole 1; you can see those of hole 2 when it is over."


async def test_the_log_says_that_nobody_slammed(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN)
        ok = await slam.asks("A", "slam log")
        assert ok["note"] == "You can see the slams of hole 1 when it is over."
        await slam.says("A", "knock")
        await slam.discards("B")
        await slam.until(4000)
        assert (await slam.asks("A", "slam log"))["note"] == "There were no slams in hole 1."
        await slam.seats["A"].done("leave")
        await slam.asks("A", "create cactus")
        ok = await slam.asks("A", "slam log")
        assert ok["note"] == "You can see the slams of a hole when it is over."
        await slam.seats["A"].done("leave")
        await slam.asks("A", "create six-card")
        assert (await slam.asks("A", "slam log"))["note"] == "There are no slams in six-card."


async def test_a_race_is_over_when_every_seat_has_claimed_or_passed_but_not_before(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN)
        await slam.discards()
        await slam.says("B", "slam 1", at=300)
        await slam.says("A", "pass", at=400)
        await slam.until(2500)
        assert "slam_closed" not in slam.story("A"), "C has said nothing yet"
        await slam.says("C", "slam 2", at=2500)
        await slam.until(2516)
        assert slam.story("A")[-4:] == ["slammed C C2 wrong", "penalty C", "slam_closed", "turn B"]


async def test_false_starts_and_void_claims_are_in_the_log_too(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN)
        await slam.says("A", "knock")
        await slam.discards("B")
        await slam.says("B", "slam 4", at=50)
        await slam.says("A", "slam B4", at=500)
        await slam.says("A", "slam B4", at=600)
        await slam.listen()
        await slam.says("A", "give 1", at=700)
        await slam.until(3000)
        await slam.asks("A", "slam log")
        rows = slam.seats["A"].last("rows")["rows"]
        assert [(row["seat"], row["result"], row.get("waited_ms")) for row in rows] == [
            ("B", "false start", 50.0),
            ("A", "hit", 500.0),
        ]


async def _view(program: Any) -> dict[str, Any]:
    await program.done("look")
    return dict(program.last("view"))


class SlowDisk:
    """A journal that takes its time."""

    def __init__(self, after: Callable[[float, Callable[[], None]], object], seconds: float) -> None:
        self.after = after
        self.seconds = seconds

    def submit(self, writes: Sequence[Write], then: Callable[[], None]) -> None:
        """WindowAnswer a while later that the writes are durable."""
        self.after(self.seconds, then)


class Slammer:
    """A bot that wants one thing."""

    level = "medium"

    def __init__(self, reaction: float | None, claim: str | None) -> None:
        self._reaction = reaction
        self._claim = claim
        self.asked = 0

    def observe(self, event: object) -> None:
        """Remember nothing."""

    def reaction(self, view: object) -> float | None:
        """Return what it was made with."""
        self.asked += 1
        return self._reaction

    def claim(self, view: Any) -> Any:
        """Return the claim it was made with, while nobody has won."""
        if self._claim is None or view.window is None or view.window.won:
            return None
        return Slam(parse_position(self._claim), view.window.discard_no)

    def choose(self, view: Any) -> Any:
        """Return the first of the choices."""
        return view.choices.actions[0]

    def think(self, view: object) -> float:
        """Think long, so that the test has its say first."""
        return 30.0


def _put_bot(slam: Any, letter: str, *, reaction: float | None, claim: str | None) -> Slammer:
    """Let a bot play a seat."""
    bot = Slammer(reaction, claim)
    chair = slam.table.seating.chairs["ABC".index(letter)]
    chair.bot, chair.kind = BotPlayer(bot), ChairKind.BOT
    return bot


# pass hole: whoever has nothing to slam need not say so at every discard


async def test_nobody_waits_for_who_passes_in_the_whole_hole(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN)
        assert (await slam.asks("B", "pass hole"))["type"] == "ok"
        await slam.discards()
        await slam.says("A", "pass", at=500)
        await slam.until(500)
        assert slam.story("A") == ["passed A", "ok"]
        await slam.says("C", "pass", at=600)
        await slam.until(600)
        assert "slam_closed" in slam.story("C")
        assert slam.story("B")[:2] == ["passed A", "passed C"]


async def test_who_passes_in_the_whole_hole_may_slam_after_all_and_is_waited_for_again(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock="7C 8D QH QD")
        assert (await slam.asks("B", "pass hole"))["type"] == "ok"
        await slam.discards()
        await slam.says("A", "pass", at=500)
        await slam.until(500)
        assert (await slam.asks("B", "slam 4", at=600))["type"] == "ok"
        await slam.says("C", "pass", at=900)
        await slam.until(900)
        assert "slammed B B4 hit" in slam.story("C")
        await slam.until(2000)
        await slam.discards("B")
        await slam.says("A", "pass", at=500)
        await slam.says("C", "pass", at=600)
        await slam.until(600)
        assert "slam_closed" not in slam.story("C")


@SEALED
async def test_passes_of_the_whole_hole_are_sealed_too(autojump_clock: MockClock, mode: str) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, options=f"slam={mode}")
        for seat in "BC":
            assert (await slam.asks(seat, "pass hole"))["type"] == "ok"
        await slam.discards()
        assert slam.story("A") == []
        await slam.says("A", "pass", at=500)
        await slam.until(500)
        assert sorted(slam.story("C")[:4]) == ["passed A", "passed B", "passed C", "slam_closed"]


async def test_who_passes_in_the_whole_hole_is_asked_nothing(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN)
        await slam.asks("B", "pass hole")
        await slam.discards()
        table = slam.table
        assert not table.offers(Seat(1), "pass")
        assert table.view(Seat(1)).targets == ()
        assert table.offers(Seat(2), "pass")


@pytest.mark.parametrize(
    ("create", "line", "code"),
    [
        ("cactus slam=off", "pass hole", "NOT_IN_RULES"),
        ("four-turn", "pass hole", "NOT_IN_RULES"),
        ("cactus", "pass match", "BAD_ARGUMENT"),
    ],
)
async def test_what_passing_in_the_whole_hole_needs(
    autojump_clock: MockClock, create: str, line: str, code: str
) -> None:
    async with open_house() as house:
        ann, _ = await house.table(create, "Ann", "Bob")
        assert (await ann.ask(line))["code"] == code


async def test_the_next_hole_waits_for_everybody_again(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN)
        await slam.asks("B", "pass hole")
        windows = slam.table.parts.windows
        assert windows._passing
        windows.update(None)
        assert not windows._passing
