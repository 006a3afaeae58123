"""A player's clock starts only when the player has been shown what to decide."""

import trio

from tests.server.held_journal import HeldJournal
from tests.server.house import House


async def test_a_clock_starts_when_its_player_has_been_shown_what_to_decide(
    house: House, held_journal: HeldJournal
) -> None:
    ann, bob = await house.table("six-card seats=2 clock=40", "Ann", "Bob")
    await ann.done("flip 1 2")
    held_journal.is_open = False
    await bob.send("flip 1 2")
    await trio.sleep(30)
    held_journal.go_on()
    assert (await bob.look())["clock"] == {"seat": "B", "ms": 40_000}
    await trio.sleep(1)
    assert (await bob.look())["clock"] == {"seat": "B", "ms": 39_000}
