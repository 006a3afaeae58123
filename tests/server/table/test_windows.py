"""Slam windows at a table, in virtual time: who was first, false starts, when a window ends, and what interrupts it."""

import pytest
import trio
from trio.testing import MockClock

from golfnet.engine import fairdeal
from golfnet.engine.cards import Seat
from golfnet.server.session.session import Session
from golfnet.server.table.windows import Windows
from tests.engine.drawing import FOUR, THREE
from tests.server.conftest import HeldJournal
from tests.server.house import House, open_house
from tests.server.slamming import SlamTable, open_window, put_bot, slam_table

# who was first


async def test_c16_c21_a_correct_slam_succeeds_after_wrong_slams_which_all_cost_a_card(house: House) -> None:
    slam = await open_window(house, THREE)
    await slam.says("B", "slam 1", at=300)
    await slam.says("B", "slam 2", at=310)
    await slam.says("A", "slam 3", at=330)
    assert await slam.timed(until=400) == [
        *("315 slammed B B1 wrong", "315 penalty B", "325 slammed B B2 wrong", "325 penalty B"),
        *("330 ok", "345 slammed A A3 hit"),
    ]


# false starts


async def test_a_false_start_is_refused_and_the_seat_is_out_for_this_card(house: House) -> None:
    slam = await open_window(house, stock="7C 7D", layouts=FOUR.replace("7D", "8D"))
    error = await slam.asks("B", "slam 3", at=119.9)
    assert (error["type"], error["code"], error["retry"]) == ("error", "FALSE_START", False)
    assert slam.story("A") == ["passed B"], "the seat has given its answer"
    assert (await slam.asks("B", "slam 3", at=1000))["code"] == "FALSE_START"
    assert slam.seats["B"].last("prompt")["actions"] == []
    assert len(slam.hole.layouts[1]) == 4, "a false start costs nothing"
    assert (await slam.asks("A", "pass"))["type"] == "ok"
    await slam.discards("B")
    assert (await slam.asks("B", "slam 3", at=120))["type"] == "ok", "it may claim the next card"


async def test_c20_a_slam_without_a_number_means_the_last_discard_that_could_be_seen(house: House) -> None:
    slam = await open_window(house, stock="7C 7D 8S", layouts=FOUR.replace("7D", "8D"), delays=(0, 0.04))
    for seat in "AB":
        await slam.says(seat, "pass")
    await slam.opens("B")
    error = await slam.asks("B", "slam 4", at=59)
    assert error["code"] == "TOO_LATE", "sent before B can have seen the second discard: meant for the first"
    assert (await slam.asks("B", "slam 4 #1"))["code"] == "TOO_LATE"
    assert (await slam.asks("B", "slam 4 #3"))["code"] == "BAD_PHASE"
    assert len(slam.hole.layouts[1]) == 4, "none of these has cost anything"
    assert (await slam.asks("B", "slam A1", at=400))["type"] == "ok"
    await slam.until(600)
    assert slam.story("A")[-2:] == ["slammed B A1 hit", "clock B"]


async def test_c20_a_slam_sent_after_a_window_was_shown_is_for_that_window(autojump_clock: MockClock) -> None:
    for delay, at in ((0.04, 61), (0.04, 80), (0.009, 0)):
        async with open_house() as house:
            layouts = FOUR.replace("7D", "8D")
            slam = await open_window(house, stock="7C 7D 8S", layouts=layouts, delays=(0, delay))
            for seat in "AB":
                await slam.says(seat, "pass")
            await slam.opens("B")
            if at:
                error = await slam.asks("B", "slam 4", at=at)
            else:  # the slam arrives at the moment of the discard, as from a program on this machine
                session = slam.table.seating.chairs[1].session  # type: ignore[union-attr]
                assert isinstance(session, Session)
                session.receive(b"9 slam 4\n", trio.current_time())
                await trio.sleep(2 * delay)
                await slam.listen()
                error = slam.seats["B"].answers[-1]
            assert error["code"] == "FALSE_START", (delay, at)


# the end of a window


async def test_c17_claims_within_a_quarter_second_of_a_success_are_late(house: House) -> None:
    slam = await open_window(house, THREE, delays=(0, 0.02))
    await slam.says("A", "slam 1", at=500)
    await slam.says("B", "slam 4", at=555 + 249)
    await slam.says("A", "slam 2", at=555 + 249)
    assert await slam.timed(until=1000) == [
        "500 ok",
        "555 slammed A A1 hit",  # until then, B may be faster: 40 ms there and back, and 15 ms for a tie
        "804 slammed B B4 late",  # the right rank, so no penalty
        *("804 slammed A A2 late", "804 penalty A", "804 ok", "805 slam_closed", "805 turn B"),
    ]
    assert (await slam.asks("B", "slam 4"))["code"] == "TOO_LATE"


async def test_c14_c17_a_gift_starts_the_quarter_second_and_earlier_claims_are_judged(house: House) -> None:
    slam = await open_window(house, THREE, stock="7C 5D QH", delays=(0, 0.03, 0.03))
    slam.sends("B", "slam A1", at=500)
    await slam.says("A", "slam 3", at=505)
    assert (await slam.asks("C", "slam 2", at=1600))["code"] == "GIFT_OWED"
    assert (await slam.asks("A", "pass"))["code"] == "GIFT_OWED"
    await slam.says("B", "give 1", at=2000)
    told = [word for word in await slam.timed(until=2500) if "GIFT_OWED" not in word]
    assert told == [
        *("505 ok", "515 slammed B A1 hit", "515 clock B"),
        *("2000 gave B", "2000 slammed A A3 late", "2250 slam_closed", "2250 turn B"),
    ]


async def test_a_claim_for_a_card_that_has_moved_is_void_and_the_claimant_is_told(house: House) -> None:
    slam = await open_window(house, "JH 2C | 3S 4S\n7S 9C | 6S JD", stock="JC 5D QH", delays=(0.05, 0))
    slam.sends("A", "switch 2 B4", at=505)
    await slam.says("B", "slam 4", at=500)
    told = await slam.timed("B", until=700)
    assert told == ["500 ok", "505 switched A ['A2', 'B4']", "615 notice CARD_MOVED"], "there is no penalty"


async def test_a_claim_at_the_very_end_of_a_window_waits_for_its_decision(autojump_clock: MockClock) -> None:
    for line, judged, closed in (
        ("slam 1", ["3105 slammed A A1 hit"], 3355),
        ("slam 2", ["3105 slammed A A2 wrong", "3105 penalty A"], 3105),
    ):
        async with open_house() as house:
            slam = await open_window(house, delays=(0, 0.05))
            await slam.says("A", line, at=2990)
            told = await slam.timed(until=4000)
            assert told == ["2990 ok", *judged, f"{closed} slam_closed", f"{closed} turn B"]


async def test_c19_when_every_seat_has_passed_the_window_is_closed(house: House) -> None:
    slam = await open_window(house)
    await slam.says("A", "pass", at=200)
    assert (await slam.asks("A", "pass"))["code"] == "BAD_PHASE", "once"
    await slam.says("B", "pass", at=400)
    told = await slam.timed("B", until=500)
    assert told == ["200 passed A", "400 passed B", "400 slam_closed", "400 turn B", "400 ok"]


async def test_a_turn_begins_only_after_the_power_is_used_and_the_window_closed(house: House) -> None:
    slam = await open_window(house, stock="JC 5D QH", options="slam_window=2")
    view = await slam.seats["B"].look()
    assert (view["phase"], view["turn"], view["clock"]) == ("power", "A", {"seat": "A", "ms": 60000})
    assert view["slam"]["ms"] == 2000
    await slam.says("A", "decline", at=2500)
    assert await slam.timed(until=2600) == ["2000 slam_closed", "2500 declined A", "2500 turn B", "2500 ok"]
    await slam.says("B", "take 1")
    await slam.listen()
    assert "slam_opened" in slam.story("A"), "C11: a card swapped out also opens a window"


async def test_when_time_runs_out_the_house_declines_the_power_and_gives_the_first_card(house: House) -> None:
    slam = await open_window(house, stock="JC 5D QH", layouts="JH 2C | 3S 4S\n7S 9C | 6S 7D")
    await slam.says("B", "slam A1", at=500)
    await slam.until(10_000)
    view = await slam.seats["A"].look()
    assert (view["phase"], view["owes"], view["clock"]["seat"]) == ("give", "B", "B")
    told = [word for word in await slam.timed(until=130_000) if "ok" not in word and "clock" not in word]
    assert told == [
        *("515 slammed B A1 hit", "60515 timed_out B", "60515 gave B", "60765 slam_closed"),
        *("120000 timed_out A", "120000 declined A", "120000 turn B"),  # the gift stopped the power's clock
    ]
    assert slam.hole.layouts[1][0] is None


# a window that is resumed


@pytest.mark.parametrize(
    ("layouts", "before", "claim", "judged"),
    [
        (THREE, ("A", "slam 1"), ("B", "slam 4"), "150 slammed B B4 late"),
        (FOUR, ("B", "pass"), ("A", "slam 1"), "150 slammed A A1 hit"),
    ],
)
async def test_a_resumed_window_stays_won_and_does_not_wait_again_for_seats_that_have_passed(
    house: House, layouts: str, before: tuple[str, str], claim: tuple[str, str], judged: str
) -> None:
    slam = await open_window(house, layouts)
    await slam.says(*before, at=500)
    await slam.until(600)
    slam.table.pause()
    slam.table.windows = Windows(slam.table)  # made from the stored state of the window
    slam.table.settle()
    for seat in slam.seats:
        await slam.says(seat, "look")
    slam.opened = trio.current_time()
    slam.forget()
    await slam.says(*claim, at=150)
    assert judged in await slam.timed(until=160)


# --- windows interrupted by a slow disk, a pause, or reconnecting seats


async def test_all_times_start_when_the_discard_is_shown(house: House, held_journal: HeldJournal) -> None:
    slam = await unshown_discard(house, held_journal, THREE)
    assert slam.table.windows.remaining_ms == 3000
    await slam.says("B", "slam 4 #1", at=350)
    await slam.until(400)
    assert slam.story("C") == []
    held_journal.go_on()
    await slam.says("A", "slam 1", at=400 + 119.9)
    await slam.until(1000)
    for seat in "AB":
        assert slam.seats[seat].answers[-1].get("code") == "FALSE_START"
    await slam.says("C", "slam A1", at=400 + 2999)
    assert (await slam.timed("C", until=3600))[-3:] == ["3399 slammed C A1 hit", "3399 clock C", "3399 ok"]


async def test_claims_survive_a_pause(house: House) -> None:
    slam = await slam_table(house, THREE, options="slam=order slam_window=3")
    put_bot(slam, "C", reaction=1.0, claim="A3")
    await slam.discards()
    await slam.says("B", "slam 4", at=300)
    house.lobby.pause("the disk is full")
    await slam.until(20_000)
    house.lobby.resume()
    judged = [word for word in await slam.timed(until=24_000) if "slam" in word]
    assert judged == ["23000 slammed B B4 hit", "23000 slammed C A3 late", "23000 slam_closed"]


async def test_a_window_shown_after_a_pause_closes_once(house: House, held_journal: HeldJournal) -> None:
    slam = await unshown_discard(house, held_journal)
    for _ in range(2):  # the first pause is before the discard is shown, the second while the window is open
        house.lobby.pause("the disk is full")
        house.lobby.resume()
        held_journal.go_on()
        await slam.until(1000)
    assert [word for word in await slam.timed(until=9000) if "closed" in word] == ["4000 slam_closed"]


async def unshown_discard(house: House, journal: HeldJournal, *layouts: str) -> SlamTable:
    """Let A discard while the disk is too slow for anybody to be shown the card."""
    slam = await slam_table(house, *layouts)
    await slam.seats["A"].done("draw")
    journal.is_open = False
    await slam.seats["A"].send("discard")
    await slam.listen()
    slam.opened = trio.current_time()
    slam.forget()
    return slam


async def test_a_player_who_reconnects_cannot_slam_sooner_than_a_person_can_read_a_view(house: House) -> None:
    slam = await open_window(house, THREE, absent="B")
    await slam.until(1000)
    back = await house.resumed(slam.seats["B"])
    assert back.last("view")["slam"]["discard_no"] == 1
    assert (await back.ask("slam 4"))["code"] == "FALSE_START"


@pytest.mark.parametrize("absent", ["", "B"])
async def test_reconnecting_does_not_shorten_a_reaction(absent: str, house: House) -> None:
    slam = await open_window(house, THREE, delays=(0, 0, 0.04), absent=absent)
    if not absent:
        await slam.seats["B"].drop()
    await slam.until(1000)
    back = await house.resumed(slam.seats["B"])
    await slam.says("A", "slam 1", at=1190)
    await trio.sleep_until(slam.opened + 1.21)
    await back.done("slam 4")
    await slam.until(1400)
    slams = [word for word in slam.story("C") if "slammed" in word]
    assert slams == ["slammed A A1 hit", "slammed B B4 late"]


async def test_a_powers_remaining_clock_does_not_carry_over_to_the_next_match(house: House) -> None:
    slam = await slam_table(house, stock="JC 5D QH", layouts="4H 2C | 3S 4S\n7S 9C | 6S 7D")
    dealt_anew = slam.table.match
    await slam.discards()
    await slam.until(40_000)
    assert (await slam.seats["A"].look())["clock"] == {"seat": "A", "ms": 20_000}
    await slam.says("A", "decline")
    slam.table.set_match(dealt_anew._replace(hole=None))
    slam.table.settle()
    slam.table.set_match(dealt_anew)
    slam.table.settle()
    await slam.discards()
    assert (await slam.seats["A"].look())["clock"] == {"seat": "A", "ms": 60_000}


# --- windows whose claims are shown only once everybody has answered


@pytest.mark.parametrize("mode", ["order", "lot"])
async def test_sealed_claims_are_not_shown_before_everybody_has_answered(mode: str, house: House) -> None:
    slam = await open_window(house, THREE, options=f"slam={mode}")
    lot = fairdeal.lot_order(slam.hole.deal.key, 1, (Seat(1), Seat(2), Seat(0)))
    assert (await slam.asks("A", "slam 1", at=5))["type"] == "ok", "speed does not count"
    assert (await slam.asks("C", "pass", at=900))["type"] == "ok"
    assert slam.seats["A"].last("prompt")["actions"] == []
    for seat, line in (("A", "slam 3"), ("C", "slam 3"), ("C", "pass")):
        assert (await slam.asks(seat, line))["code"] == "BAD_PHASE", "C21: one answer each"
    await slam.says("B", "slam 4", at=2000)
    order = "BCA" if mode == "order" else "".join("ABC"[seat] for seat in lot)
    first, second = [seat for seat in order if seat != "C"]
    said = {"A": "A A1", "B": "B B4"}
    judged = {"C": "passed C", first: f"slammed {said[first]} hit", second: f"slammed {said[second]} late"}
    expected = [f"2000 {what}" for what in (*[judged[seat] for seat in order], "slam_closed", "turn B", "ok")]
    assert await slam.timed("B", until=2500) == expected


async def test_sealed_claims_are_judged_when_time_is_up_and_then_the_window_closes(house: House) -> None:
    slam = await open_window(house, THREE, options="slam=order slam_window=4")
    await slam.says("B", "slam 1", at=100)
    await slam.says("C", "slam A3", at=3900)
    await slam.says("C", "give 2", at=6000)
    assert await slam.timed(until=7000) == [
        *("4000 slammed B B1 wrong", "4000 penalty B", "4000 slammed C A3 hit", "4000 clock C"),
        *("6000 gave C", "6000 slam_closed", "6000 turn B"),  # nobody can be late
    ]


async def test_a_seat_keeps_its_power_after_claiming_or_passing(house: House) -> None:
    slam = await open_window(house, stock="JC 5D QH", options="slam=order")
    await slam.says("A", "pass", at=500)
    await slam.listen()
    actions = slam.seats["A"].last("prompt")["actions"]
    assert "decline" in actions
    assert not {"pass", "slam"} & set(actions)


# pass hole: players with nothing to slam need not pass at every discard


async def test_a_player_passing_for_the_whole_hole_is_not_awaited_but_may_slam(house: House) -> None:
    slam = await slam_table(house, THREE)
    assert (await slam.asks("B", "pass hole"))["type"] == "ok"
    await slam.discards()
    assert [slam.table.broadcast.view(Seat(seat)).actions for seat in (1, 2)] == [("slam",), ("pass", "slam")]
    await slam.says("A", "pass", at=500)
    await slam.says("C", "pass", at=600)
    assert (await slam.timed("B", until=700))[:3] == ["500 passed A", "600 passed C", "600 passed B"]


async def test_a_player_passing_for_the_whole_hole_may_still_slam_and_is_awaited_again(house: House) -> None:
    slam = await slam_table(house, THREE, stock="7C 8D QH QD")
    await slam.asks("B", "pass hole")
    await slam.discards()
    await slam.says("A", "pass", at=500)
    assert (await slam.asks("B", "slam 4", at=600))["type"] == "ok"
    await slam.says("C", "pass", at=900)
    assert "615 slammed B B4 hit" in await slam.timed("C", until=2000)
    await slam.discards("B")
    await slam.says("A", "pass", at=500)
    await slam.says("C", "pass", at=600)
    assert "slam_closed" not in str(await slam.timed("C", until=700))


async def test_passes_for_the_whole_hole_are_also_sealed(house: House) -> None:
    slam = await slam_table(house, THREE, options="slam=order")
    for seat in "BC":
        await slam.asks(seat, "pass hole")
    await slam.discards()
    await slam.says("A", "pass", at=500)
    told = await slam.timed("C", until=500)
    assert told[:4] == ["500 passed B", "500 passed C", "500 passed A", "500 slam_closed"]


async def test_passing_for_the_whole_hole_ends_with_the_hole(house: House) -> None:
    slam = await slam_table(house, stock="7C 8D QH QD", leader="B", options="holes=2 pause=1")
    await slam.asks("B", "pass hole")
    await slam.seats["B"].done("knock")
    await slam.discards("A")
    await slam.says("A", "pass")
    await slam.until(100)
    assert slam.table.state.value == "between", "nobody waits for B in this hole"
    await trio.sleep(2)
    assert slam.table.state.value == "playing"
    assert not slam.table.windows._passing
