"""Joining, leaving and returning: seats, hosts, watchers, drops, grace periods, and who plays meanwhile."""

from random import Random

import pytest
import trio

from tests.server.house import House, Program, play_at_random


def seats(program: Program) -> list[tuple[str, str, str, bool]]:
    return [(s["seat"], s["name"], s["kind"], s["present"]) for s in program.last("view")["seats"]]


async def at_a_turn(house: House, create: str = "six-card seats=2") -> tuple[Program, Program]:
    """Return two players at a table who have chosen their first cards, the first one to move."""
    first, second = await house.table(create, "Ann", "Bob")
    is_peeking = first.last("prompt")["actions"][0].startswith("peek")
    for program in (first, second):
        await program.done("peek 3 4" if is_peeking else "flip 1 2")
    return (first, second) if first.last("prompt")["actions"] else (second, first)


# --- returning


async def test_a_dropped_player_returns_to_the_same_decision_and_held_card(house: House) -> None:
    first, second = await at_a_turn(house)
    await first.done("draw")
    card = first.events("drew")[-1]["card"]
    before = first.last("prompt")
    await first.drop()
    dropped = second.events("dropped")[-1]
    assert (dropped["cause"], dropped["grace_ms"]) == ("lost", 120_000)
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
    bye = first.objects[-1]
    assert (bye["type"], bye["code"]) == ("bye", "TAKEN_OVER")
    assert not second.events("dropped")
    assert not [event for event in second.events("left") if event["seat"]]
    await back.done("draw")
    assert not watcher.events()


@pytest.mark.settings(grace=30, clock=600)
async def test_after_the_grace_period_the_house_plays_until_the_owner_returns(house: House) -> None:
    first, second = await at_a_turn(house)
    await first.drop()
    await trio.sleep(29)
    await second.done("look")
    assert [kind for *_, kind, _ in seats(second)] == ["human", "human"]
    await trio.sleep(3)
    assert second.events("house_plays")[-1]["cause"] == "grace"
    assert second.events("drew") or second.events("took")  # the house has played for the first player
    await second.done("look")
    assert {(kind, present) for *_, kind, present in seats(second)} == {("human", True), ("house", False)}
    back = await house.resumed(first)
    await second.done("look")
    assert {kind for *_, kind, _ in seats(second)} == {"human"}
    assert second.events("returned")
    for program in (second, back):
        while offered := program.last("prompt")["actions"]:
            await program.done(offered[0])
    assert back.last("prompt")["actions"] or second.last("prompt")["actions"]


async def test_after_the_third_drop_in_a_match_the_house_plays_at_once(house: House) -> None:
    ann, bob = await house.table("six-card seats=2 holes=1 clock=0", "Ann", "Bob")
    for _ in range(2):
        await bob.drop()
        bob = await house.resumed(bob)
    await play_at_random([ann, bob], Random(1))
    for program in (ann, bob):
        await program.done("rematch")
    for _ in range(3):
        await bob.drop()
        bob = await house.resumed(bob)
    assert [event["grace_ms"] for event in ann.events("dropped")] == [120_000] * 4 + [0]
    assert len(ann.events("house_plays")) == 1
    assert ("human", True) in [(kind, there) for *_, kind, there in seats(bob)]


async def test_a_table_everybody_has_left_is_closed_and_its_match_kept(house: House) -> None:
    first, second = await at_a_turn(house)
    watcher = await house.program("Eve", "watch t1")
    await first.done("leave")
    await second.done("leave")
    ended = watcher.events("hole_ended")[-1]
    assert (ended["reason"], ended["scores"]) == ("abandoned", None)
    assert [event["event"] for event in watcher.events()[-2:]] == ["match_ended", "closed"]
    assert not house.lobby.tables
    assert (await watcher.rows("history t1"))[0]["finished"] is False
    await watcher.done("record m1")


@pytest.mark.settings(grace=30)
async def test_players_away_at_the_end_of_a_match_do_not_hold_the_table_forever(house: House) -> None:
    first, second = await house.table("four-turn seats=2", "Ann", "Bob")
    await first.drop()
    await second.drop()
    await trio.sleep(600)
    assert not house.lobby.tables
    assert not list(house.lobby.accounts)


# --- seats and watchers


async def test_noplay_keeps_two_players_apart_however_the_name_was_written(house: House) -> None:
    ann, bob, cid = await house.programs("Ann", "Bob", "Cid")
    await ann.done("noplay BOB")
    await ann.done("create four-turn seats=2")
    assert (await bob.ask("join t1"))["code"] == "NOT_AVAILABLE"
    await bob.done("seek four-turn")
    assert bob.last("view")["table"] == "t2"
    await cid.done("seek four-turn")
    assert cid.last("view")["table"] == "t1"
    await ann.done("leave")
    await cid.done("leave")
    await ann.done("noplay bob off")
    await ann.done("seek four-turn")
    assert ann.last("view")["table"] == "t2"
