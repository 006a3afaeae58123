"""``golfnet bot``: what it accepts and refuses, and how its bots keep their seats; ``tests/e2e`` runs the program."""

import random

import pytest
import trio
from msgspec.structs import replace
from trio.testing import lockstep_stream_pair, memory_stream_pair, wait_all_tasks_blocked

from golfnet.bots.bot import LEVELS, BotPlayer
from golfnet.bots.levels import make_bot
from golfnet.cli.bot.command import MOST_WAITING
from golfnet.cli.bot.player import Task
from golfnet.connect import LONGEST_WAIT, Untrusted
from golfnet.engine.events import MatchStarted, Slammed
from golfnet.engine.rules import RuleSet
from golfnet.protocol.address import Address
from golfnet.protocol.replies import data
from golfnet.protocol.replies.replies import Notice, Ok, Ping
from tests.bots.samples import Watched
from tests.cli.bot.remote_bots import Later, RemoteBot
from tests.client import tables
from tests.server.house import House

pytestmark = pytest.mark.usefixtures("virtual_time")

HARMLESS = {"STALE", "TOO_LATE", "GIFT_OWED", "CARD_MOVED", "BAD_PHASE"}
"""Refusals that a bot may get although it plays by the rules, because another player was quicker."""


@pytest.mark.settings(seed=3, pause=3)
async def test_remote_bots_play_to_the_end(house: House) -> None:
    task = Task(rules="cactus", options=("seats=4", "target=12"), matches=1)
    witnesses: dict[str, Watched] = {}

    def bot(level: str) -> RemoteBot:
        def make(rules: RuleSet) -> BotPlayer:
            witnesses[level] = Watched(make_bot(level, rules, random.Random(level)))
            return witnesses[level]

        return RemoteBot(house.line, task, f"{level}-x", make=make, hurries=level == "hard")

    # Experts are slow, and differ only in their choices.
    levels = [each for each in LEVELS if each != "expert"]
    bots = [bot(level) for level in levels]
    for each in bots:
        house.nursery.start_soon(each.runner.run)
        await wait_all_tasks_blocked()
    (table,) = house.lobby.tables.values()
    await trio.sleep(3600)
    assert [(each.client.is_over, each.client.problem) for each in bots] == [(True, "")] * 4
    assert table.match.places is not None
    for level, each in zip(levels, bots, strict=True):
        assert {code for _, code in each.client.refusals} <= HARMLESS
        assert each.client.news[-1].startswith("Match m1 is over: place ")
        first = next(n for n, event in enumerate(each.client.played) if isinstance(event, MatchStarted))
        assert witnesses[level].observed == each.client.played[first:]
    assert any(isinstance(event, Slammed) for event in bots[0].client.played)


@pytest.mark.settings(seed=5, clock=0, pause=3)
async def test_a_bot_returns_to_its_seat_and_forgets_only_if_it_has_missed_events(house: House) -> None:
    made: list[Watched] = []

    def make(rules: RuleSet) -> BotPlayer:
        made.append(Watched(make_bot("hard", rules, random.Random(1))))
        return made[-1]

    bob = await house.program("Bob")
    await bob.done("create four-card-knock seats=2 holes=1")
    ann = RemoteBot(house.line, Task(table="t1", matches=1), make=make)
    house.nursery.start_soon(ann.runner.run)
    await wait_all_tasks_blocked()
    await bob.done("ready")
    await bob.done("peek 3 4")
    await ann.cut()
    await trio.sleep(2)
    await bob.poll()
    assert len(made) == 1, "nothing was missed, nothing is forgotten"
    assert bob.last("prompt")["actions"], "the bot has moved"
    ann.is_down = True
    await ann.cut()
    await bob.done("draw")
    await bob.done("discard")
    await trio.sleep(20)
    assert bob.events("dropped")
    ann.is_down = False
    await trio.sleep(LONGEST_WAIT + 1)
    await bob.poll()
    assert len(bob.events("returned")) == 2
    assert len(made) == 2, "it missed what happened in the meantime"
    assert bob.last("prompt")["actions"], "the bot has moved"
    assert any("trying again" in sentence for sentence in ann.client.news)


@pytest.mark.settings(seed=5)
async def test_a_bot_asked_to_leave_gives_up_its_seat_first(house: House) -> None:
    ann = RemoteBot(house.line, Task(rules="six-card", options=("seats=3",)))
    watcher = await house.program("Wim")
    house.nursery.start_soon(ann.runner.run)
    await wait_all_tasks_blocked()
    await watcher.done("watch t1")
    await trio.sleep(1)
    ann.runner.leave()
    await wait_all_tasks_blocked()
    await watcher.poll()
    (left,) = watcher.events("left")
    assert (left["name"], left["cause"]) == ("Ann", "left")
    assert not watcher.events("dropped")
    assert all(player.name != "Ann" for player in house.lobby.accounts)


TURN = (Ok(id=1), replace(tables.six_card(), actions=("draw",)), Ok(id=2, name="Ann", token="secret"))
"""Replies after which a bot thinks about its turn."""


async def test_a_server_with_another_protocol_is_reported(nursery: trio.Nursery) -> None:
    here, there = memory_stream_pair()
    ann = RemoteBot(lambda: here, Task())
    nursery.start_soon(there.send_all, b"SSH-2.0-OpenSSH\r\n")
    await ann.runner.run()
    assert ann.client.problem == "no golfnet server answers there, or it is not letting anybody in now"


async def test_a_bot_gives_up_if_a_different_server_answers() -> None:
    def meet() -> trio.abc.Stream:
        raise Untrusted(Address(host="golf", tls=True), "key:1", "key:2", "self-signed certificate")

    ann = RemoteBot(meet, Task())
    ann.client._was_in = True  # as if it reconnected in the middle of a match
    await ann.runner.run()
    assert len(ann.attempts) == 1
    assert ann.client.problem == (
        "tls://golf:7777 is not the same server: expected the key 1, found the key 2 (self-signed certificate)"
    )


async def test_pings_are_answered_while_a_bot_thinks(nursery: trio.Nursery) -> None:
    here, there = memory_stream_pair()
    later = Later()

    async def said() -> str:
        await wait_all_tasks_blocked()
        return bytes(await there.receive_some()).decode()

    nursery.start_soon(RemoteBot(lambda: here, Task(), level="hard", executor=later).runner.run)
    assert (await said()).endswith("2 name Ann\n")
    for reply in (*TURN, Ping(key="9f2c")):
        await there.send_all(data.encode(reply))
    assert (await said()).endswith("pong 9f2c\n")
    later.go_on()
    assert (await said()).endswith("draw at=40\n")


async def test_reading_pauses_if_a_server_floods_a_thinking_bot(nursery: trio.Nursery) -> None:
    here, there = lockstep_stream_pair()
    nursery.start_soon(RemoteBot(lambda: here, Task(), level="hard", executor=Later()).runner.run)
    sent = 0
    await there.receive_some()
    for reply in TURN:
        await there.send_all(data.encode(reply))
    with trio.move_on_after(60):
        while True:
            # Nothing is buffered: a notice is sent only when the one before it has been read.
            await wait_all_tasks_blocked()
            await there.send_all(data.encode(Notice(code="NEWS", text="x" * 1000)))
            sent += 1
    assert MOST_WAITING - 10 <= sent <= MOST_WAITING + 10
