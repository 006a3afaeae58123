"""What a host may and may not do to others: nobody loses a seat during a match."""

import trio

from golfnet.server.table.gallery import BAN_SECONDS
from golfnet.server.table.hosts import HOST_WAITED_FOR
from tests.server.house import House, Program


async def test_only_the_host_can_hand_over_hosting(house: House) -> None:
    ann, bob = await house.opened("four-turn seats=3", "Ann", "Bob")
    for line in ("bot", "kick A", "kick Ann", "host B", "start"):
        assert (await bob.ask(line))["code"] == "NOT_HOST"
    await ann.done("host bob")
    assert ann.events("host")[-1]["name"] == "Bob"
    await bob.done("host A")
    await ann.done("host B")
    await bob.done("bot")
    assert (await ann.ask("kick B"))["code"] == "NOT_HOST"


async def test_the_host_can_kick_and_hand_over_to_only_others_at_the_table(house: House) -> None:
    ann, _ = await house.opened("four-turn seats=3", "Ann", "Bob")
    await house.program("Eve")
    for whom in ("C", "Z", "9", "Eve", ".", ""):
        for verb in ("host", "kick"):
            assert (await ann.ask(f"{verb} {whom}".rstrip()))["code"] == "BAD_ARGUMENT"
    for whom in ("A", "Ann"):
        assert (await ann.ask(f"kick {whom}"))["code"] == "BAD_ARGUMENT"


async def test_another_player_becomes_the_host_when_the_host_disappears(house: House) -> None:
    ann, bob, cid = await house.opened("four-turn seats=3", "Ann", "Bob", "Cid")
    await bob.drop()
    await ann.done("leave")
    assert cid.events("host")[-1]["name"] == "Cid"


# --- kicking players


async def test_a_kicked_player_cannot_rejoin_for_a_while(house: House) -> None:
    ann, bob = await house.opened("four-turn seats=3", "Ann", "Bob")
    await ann.done("kick B")
    for line in ("join t1", "watch t1"):
        refusal = await bob.ask(line)
        assert refusal["code"] == "NOT_AVAILABLE"
        assert refusal["message"] == "The host of t1 has removed you. You can come back in 5 minutes."
    await bob.done("seek four-turn seats=3")
    assert bob.last("view")["table"] == "t2"
    await bob.done("leave")
    await trio.sleep(BAN_SECONDS + 1)
    await bob.done("join t1")
    await ann.done("bot")
    await ann.done("kick C")
    await ann.done("bot")  # a bot may take the seat at once, unlike a player who was kicked


async def test_a_player_kicked_while_away_may_rejoin(house: House) -> None:
    """The host may have needed the seat, and have nothing against the player."""
    ann, bob = await house.opened("four-turn seats=2", "Ann", "Bob")
    await bob.drop()
    await ann.done("kick B")
    again = await house.resumed(bob)
    await again.done("join t1")


async def test_nobody_can_be_kicked_from_a_seat_during_a_match(house: House) -> None:
    ann, _ = await house.opened("four-turn seats=3 holes=2 pause=10 clock=5", "Ann", "Bob")
    await ann.done("bot")
    await trio.sleep(6)
    states = set()
    while (state := (await ann.look())["state"]) != "finished":
        states.add(state)
        for whom in ("B", "Bob", "C"):
            refusal = await ann.ask(f"kick {whom}")
            assert (refusal["code"], refusal["retry"]) == ("BAD_PHASE", True)
            assert "help clock" in refusal["message"]
        await trio.sleep(9)
    assert states == {"playing", "between"}
    assert not ann.events("left")
    for whom in ("Bob", "C"):
        await ann.done(f"kick {whom}")
        assert ann.events("left")[-1]["cause"] == "kicked"


# --- kicking watchers


async def test_a_watcher_can_be_kicked_even_during_a_match_and_is_told(house: House) -> None:
    ann, _ = await house.table("four-turn seats=2 clock=0", "Ann", "Bob")
    eve = await house.program("Eve", "watch t1")
    await ann.done("kick EVE")
    for program in (ann, eve):
        left = program.events("left")[-1]
        assert (left["seat"], left["name"], left["cause"]) == (None, "Eve", "kicked")
    notice = eve.last("notice")
    assert (notice["code"], notice["text"]) == (
        "SENT_AWAY",
        "The host of t1 has removed you. You can come back in 5 minutes.",
    )
    seen = len(eve.events())
    await ann.done("peek 3 4")
    assert len(eve.events()) == seen
    assert (await eve.ask("watch t1"))["code"] == "NOT_AVAILABLE"
    assert (await eve.ask("look"))["code"] == "NOT_SEATED"
    await trio.sleep(BAN_SECONDS + 1)
    await eve.done("watch t1")


def waits(program: Program) -> list[int]:
    """Return the announced waits for a host, in seconds."""
    return [
        thing["ms"] // 1000
        for thing in program.objects
        if thing["type"] == "notice" and thing["code"] == "HOST_AWAY"
    ]


async def test_a_host_who_returns_in_time_stays_the_host(house: House) -> None:
    ann, bob = await house.opened("multiples", "Ann", "Bob")
    await ann.drop()
    await trio.sleep(HOST_WAITED_FOR - 1)
    await house.resumed(ann)
    await trio.sleep(HOST_WAITED_FOR)
    assert not bob.events("host")


async def test_a_player_who_joins_when_nobody_is_present_becomes_the_host(house: House) -> None:
    [ann], bob = await house.opened("multiples", "Ann"), await house.program("Bob")
    await ann.drop()
    await trio.sleep(2 * HOST_WAITED_FOR)
    await bob.done("join t1")
    assert waits(bob) == [HOST_WAITED_FOR]
    await trio.sleep(HOST_WAITED_FOR + 0.1)
    assert bob.events("host")[-1]["name"] == "Bob"


async def test_the_host_is_not_replaced_during_a_match(house: House) -> None:
    ann, bob = await house.table("multiples clock=0", "Ann", "Bob")
    await ann.drop()
    await trio.sleep(2 * HOST_WAITED_FOR)
    assert not waits(bob)
    assert not bob.events("host")
