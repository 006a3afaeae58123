"""A clock starts when the decision that it is for has been shown."""

import trio

from tests.server.held_journal import HeldJournal
from tests.server.house import House


async def test_a_clock_starts_when_the_decision_it_is_for_has_been_shown(
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
