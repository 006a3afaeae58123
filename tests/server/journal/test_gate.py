"""Disk before players: nothing is shown to anybody until it is durable, and everything is shown once it is."""

from functools import partial
from typing import Any

import pytest
import trio

from golfnet.server.journal.journal import DurabilityGate
from golfnet.server.operations.status import status_of
from golfnet.server.table.turns import TurnClocks
from golfnet.storage.sqlite import MemoryStore
from tests.server.conftest import HeldJournal
from tests.server.house import House, Program, all_done, poll_all


class Line:
    """Stand-in for a session whose replies are waiting for tickets."""

    def __init__(self, *tickets: int) -> None:
        self.tickets = list(tickets)
        self.released: list[int] = []

    def release(self, durable: int) -> int:
        self.released.append(durable)
        self.tickets = [ticket for ticket in self.tickets if ticket > durable]
        return self.tickets[0] if self.tickets else 0


def test_sessions_and_callbacks_wait_until_what_they_need_is_stored_or_refused() -> None:
    held_journal = HeldJournal(MemoryStore(), is_open=False)
    gate: Any = DurabilityGate(held_journal.submit)
    line, later, said = Line(1, 2), Line(4), list[int]()
    assert [gate.submit([]) for _ in range(4)] == [1, 2, 3, 4]
    gate.hold(line, 1)
    gate.hold(later, 4)
    for ticket in (4, 2, 1):
        gate.once_shown(ticket, partial(said.append, ticket))
    assert (line.released, said) == ([], [])
    held_journal.store_waiting(1)
    assert (line.released, later.released, said) == ([1], [], [1])
    del held_journal._waiting[0]  # as if the store had refused it
    held_journal.store_waiting(1)
    assert (line.released, later.released, said) == ([1, 3], [], [1, 2])
    held_journal.store_waiting()
    gate.once_shown(1, partial(said.append, 1))
    assert (line.released, later.released, said) == ([1, 3], [4], [1, 2, 4, 1])
    assert gate.durable == 4


def test_stored_events_are_announced_only_by_a_node_sure_of_its_lease() -> None:
    held_journal, is_sure, shown = HeldJournal(MemoryStore()), [False], list[int]()
    held_journal.is_open = False
    gate: Any = DurabilityGate(held_journal.submit, lambda: is_sure[0])
    line = Line(2)
    for _ in range(3):
        ticket = gate.submit([])
        gate.once_shown(ticket, partial(shown.append, ticket))
    gate.hold(line, 2)
    held_journal.store_waiting(2)
    assert (gate.durable, line.released, shown) == (0, [], [])
    is_sure[0] = True
    gate.release()
    assert (gate.durable, line.released, shown) == (2, [2], [1, 2])
    held_journal.store_waiting()
    assert shown == [1, 2, 3]


async def at_a_turn(programs: list[Program]) -> tuple[Program, Program]:
    """Return the program whose turn it is, and the other one, after both have read all output."""
    await all_done(programs, "flip 1 2")
    await poll_all(programs)
    first, second = programs
    return (first, second) if first.last("prompt")["actions"] else (second, first)


@pytest.mark.usefixtures("each_transport")
async def test_a_goodbye_waits_for_the_journal_but_a_takeover_does_not(
    house: House, held_journal: HeldJournal
) -> None:
    player, _ = await at_a_turn(await house.table("six-card seats=2", "Ann", "Bob"))
    held_journal.is_open = False
    await player.send("draw")
    again = await house.program()
    await again.send(f"resume {player.token}")
    assert await player.poll() == []
    held_journal.go_on()
    assert [thing.get("event", thing["type"]) for thing in await player.poll()][-1] == "bye"
    assert "drew" in [event["event"] for event in player.events()]
    await again.poll()
    assert again.last("view")["drawn"] == player.events("drew")[-1]["card"]


@pytest.mark.parametrize("state", ["open", "playing", "between"])
async def test_tables_pause_and_lose_nothing(house: House, held_journal: HeldJournal, state: str) -> None:
    ann, bob = await house.opened("four-turn seats=2 holes=2 clock=20", "Ann", "Bob")
    if state != "open":
        await ann.done("ready")
        await bob.done("ready")
    table = house.lobby.tables["t1"]
    for _ in range(600):
        if table.state.value != state:
            await trio.sleep(1)
    await ann.poll()
    held_journal.is_open = False
    house.lobby.pause("the disk of /srv/golf.db is full")
    house.lobby.pause("the disk of /srv/golf.db is broken")
    await ann.poll()
    [notice] = ann.notices("PAUSED")  # players are not told the new reason, which is for the operator
    assert "Nothing is lost" in notice["text"]
    assert "/srv" not in notice["text"]
    assert status_of(house.lobby).pause_reason == "the disk of /srv/golf.db is broken"
    assert await ann.codes("peek 3 4", "ready", "cut seven", "leave", "who") == ["PAUSED"] * 4 + ["ok"]
    seq = table.seq
    await trio.sleep(1000)
    assert table.seq == seq
    held_journal.go_on()
    house.lobby.resume()
    await ann.poll()
    assert ann.notices("RESUMED")
    assert status_of(house.lobby).pause_reason == ""
    await trio.sleep(60)
    assert table.seq > seq
    await ann.done("look")
    numbers = [event["seq"] for event in ann.events()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert not [thing for thing in ann.objects if thing.get("code") == "INTERNAL"]


async def test_a_player_returning_in_a_pause_is_notified_and_logged_in_once_it_ends(
    house: House, held_journal: HeldJournal
) -> None:
    ann, bob = await house.table("four-turn seats=2 clock=0", "Ann", "Bob")
    held_journal.is_open = False
    house.lobby.pause("the disk is full")
    await ann.drop()
    assert not bob.events("dropped")
    peer = await house.connect()
    greeting = (await peer.take()).decode()
    assert "Play is paused" in greeting
    assert greeting.count("\r\n") <= 3
    await peer.send(f"hello 1\nresume {ann.token}")
    assert b'"view"' not in await peer.take()
    held_journal.go_on()
    house.lobby.resume()
    assert b'"view"' in await peer.take()
    await bob.poll()
    assert bob.events("dropped")
    assert bob.events("returned")


async def test_a_person_returning_in_a_pause_is_answered_at_once(
    house: House, held_journal: HeldJournal
) -> None:
    ann, _ = await house.table("four-turn seats=2 clock=0", "Ann", "Bob")
    held_journal.is_open = False
    house.lobby.pause("the disk is full")
    await ann.drop()
    peer = await house.connect()
    await peer.take()
    await peer.send(f"resume {ann.token}")
    assert await peer.take() == b"= You are Ann.\r\n"
    held_journal.go_on()
    house.lobby.resume()
    assert b"t1, four-turn" in await peer.take()


async def test_a_fault_in_a_callback_after_output_is_shown_closes_only_one_table(
    house: House, held_journal: HeldJournal, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(clocks: TurnClocks) -> None:
        raise ZeroDivisionError

    player, _ = await at_a_turn(await house.table("six-card seats=2 clock=20", "Ann", "Bob"))
    held_journal.is_open = False
    for line in ("draw", "discard", "pass"):
        await player.send(line)
    await player.settle()
    monkeypatch.setattr(TurnClocks, "_count_down", broken)
    held_journal.go_on()
    assert not house.lobby.tables
    await player.poll()
    assert player.events("closed")
    await player.done("ping")


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
