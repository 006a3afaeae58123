"""Returning: to the same decision, over a second connection, and after several drops in one match."""

from random import Random

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
