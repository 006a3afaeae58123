"""Returning and lending: the same decision again, many drops, players who stall, and seats played for somebody else."""

from random import Random

import pytest
import trio

from golfnet.engine.cards import Seat
from golfnet.server.table.membership import RETURNS_FORGIVEN
from golfnet.server.table.seating import Chair, ChairKind
from golfnet.storage.writes import SeatEnding
from tests.server.house import House, Program, all_done, play_at_random


async def at_a_turn(house: House, create: str = "six-card seats=2") -> tuple[Program, Program]:
    """Return two players at a table who have chosen their first cards, the first one to move."""
    first, second = await house.table(create, "Ann", "Bob")
    is_peeking = first.last("prompt")["actions"][0].startswith("peek")
    await all_done((first, second), "peek 3 4" if is_peeking else "flip 1 2")
    return (first, second) if first.last("prompt")["actions"] else (second, first)


async def test_a_dropped_player_returns_to_the_same_decision_and_held_card(house: House) -> None:
    first, second = await at_a_turn(house)
    await first.done("draw")
    card = first.events("drew")[-1]["card"]
    before = first.last("prompt")
    await first.drop()
    back = await house.resumed(first)
    assert [thing["type"] for thing in back.objects] == ["welcome", "ok", "view", "prompt", "ok"]
    view = back.last("view")
    assert view["drawn"] == card
    assert (view["phase"], view["actions"]) == ("holding", before["actions"])
    assert back.last("prompt")["actions"] == before["actions"]
    assert back.last("ok")["table"] == "t1"
    assert second.events()[-1]["event"] == "returned"
    assert second.events()[-1]["seq"] == view["seq"]
    await back.done("swap 3")
    assert back.events()[0]["seq"] == view["seq"] + 1


async def test_a_second_connection_takes_over_the_player_but_watches_no_table(house: House) -> None:
    first, second = await at_a_turn(house)
    watcher = await house.resumed(await house.program("Eve", "watch t1"))
    assert (await watcher.ask("look"))["code"] == "NOT_SEATED"
    back = await house.resumed(first)
    assert first.is_closed
    assert first.objects[-1]["code"] == "TAKEN_OVER"
    assert not second.events("dropped")
    assert not [event for event in second.events("left") if event["seat"]]
    await back.done("draw")
    assert not watcher.events()


async def test_after_the_third_drop_in_a_match_the_house_plays_at_once(house: House) -> None:
    ann, bob = await house.table("six-card seats=2 holes=1 clock=0", "Ann", "Bob")
    for _ in range(2):
        await bob.drop()
        bob = await house.resumed(bob)
    await play_at_random([ann, bob], Random(1))
    await all_done((ann, bob), "rematch")
    for _ in range(3):
        await bob.drop()
        bob = await house.resumed(bob)
    assert [event["grace_ms"] for event in ann.events("dropped")] == [120_000] * 4 + [0]
    assert len(ann.events("house_plays")) == 1
    assert [seat["kind"] for seat in bob.last("view")["seats"]] == ["human", "human"]


# --- players who keep others waiting


async def play(ann: Program) -> None:
    await ann.poll()
    if actions := ann.last("prompt")["actions"]:
        await ann.ask(actions[0])


def chair_of(house: House) -> Chair:
    chair = house.lobby.tables["t1"].seating.at(Seat(1))
    assert chair is not None
    return chair


@pytest.mark.settings(grace=60)
@pytest.mark.parametrize("trick", ["ready", "resume"])
async def test_taking_a_seat_back_often_keeps_nobody_waiting_forever(house: House, trick: str) -> None:
    ann, bob = await house.table("six-card seats=2 holes=3 clock=10 pause=5 turn_cap=40", "Ann", "Bob")
    table, waited = house.lobby.tables["t1"], 0
    while not ann.events("hole_ended"):
        await play(ann)
        clock, is_here = table.broadcast.view(None).clock, chair_of(house).kind is ChairKind.HUMAN
        waited += clock is not None and clock.seat == "B" and is_here
        await trio.sleep(1)
        if chair_of(house).kind is ChairKind.HUMAN:
            continue
        if trick == "ready":
            await bob.ask("ready")
        else:
            await bob.drop()
            bob = await house.resumed(bob)
    assert waited <= (3 + RETURNS_FORGIVEN) * 10 + 10
    if trick == "ready":
        assert len(ann.events("returned")) == RETURNS_FORGIVEN
        until_the_end = bob.objects[: bob.objects.index(bob.events("hole_ended")[-1])]
        prompts = [thing for thing in until_the_end if thing["type"] == "prompt"]
        assert "ready" not in prompts[-1]["actions"]
    assert table.broadcast.view(None).pause_ms is not None
    await bob.done("ready")
    assert chair_of(house).kind is ChairKind.HUMAN, "the seat can be taken back again between holes"


async def test_playing_resets_the_counts_of_timeouts_and_returns(house: House) -> None:
    ann, bob = await house.table("multiples seats=2 holes=3 clock=10 pause=5", "Ann", "Bob")
    chair = chair_of(house)
    chair.timeouts, chair.returns = 2, 3
    while not bob.last("prompt")["actions"]:
        await play(ann)
        await bob.poll()
    for line in ("knock", "draw at=1", "say hm"):
        await bob.ask(line)
        assert (chair.timeouts, chair.returns) == (2, 3)
    await bob.done(bob.last("prompt")["actions"][0])
    assert (chair.timeouts, chair.returns) == (0, 0)


# --- somebody plays for a player who is away


LINE = "four-turn seats=2 clock=0"


async def lent(house: House) -> tuple[Program, Program, Program]:
    """Let Ann, the host, seat Cid for Bob, who is away; return all three."""
    bob, ann = await at_a_turn(house, LINE)
    await bob.drop()
    cid = await house.program("Cid")
    await ann.done("seat B Cid")
    await cid.done("join t1")
    return ann, bob, cid


async def test_a_match_in_a_lent_seat_counts_only_for_the_owner(house: House) -> None:
    store = house.lobby.store
    ann, bob, cid = await lent(house)
    await play_at_random([ann, cid], Random(1))
    (match,) = store.matches()
    owner, stranger = store.player_by_name("Bob"), store.player_by_name("Cid")
    assert owner is not None
    assert stranger is not None
    assert (match.seats[1].player, match.seats[1].ending) == (owner.id, SeatEnding.ABSENT)
    assert not store.matches(player=stranger.id)
    await ann.done("rematch")
    assert [each["name"] for each in ann.last("view")["seats"]] == ["Ann", "Cid"]
    again = await house.program()
    assert "table" not in await again.done(f"resume {bob.token}")


async def test_a_seat_left_for_good_can_be_lent_but_is_free_in_the_next_match(house: House) -> None:
    ann, bob = await house.table(LINE, "Ann", "Bob")
    await bob.done("leave")
    await ann.done("seat B Bob")
    await bob.done("join t1", "leave")
    await play_at_random([ann], Random(1))
    (match,) = house.lobby.store.matches()
    assert match.seats[1].ending is SeatEnding.LEFT, "a player who has left does not get the seat back"
    await ann.done("rematch")
    assert [each["name"] for each in ann.last("view")["seats"]] == ["Ann"]
