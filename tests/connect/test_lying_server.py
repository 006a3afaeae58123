"""A server that lies to the screen and to the bot: whatever it sends, they keep drawing and playing."""

import random
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from golfnet.cli.bot.client import BotClient
from golfnet.cli.bot.player import Task
from golfnet.protocol.conversation import (
    Conversation,
    ConversationEvent,
    Entered,
    Greeted,
    NotUnderstood,
    TokenIssued,
)
from golfnet.protocol.witness import Witness
from golfnet.server.table.bots import make_bot_player, run_inline
from golfnet_client.model.model import Model, Place
from golfnet_client.terminal.client import Client
from tests.client.terminal.person import NoWay
from tests.client.terminal.test_any_keys import KEYS
from tests.connect.lying_server import lies, real_objects

VARIANTS = ("cactus", "four-turn", "multiples", "six-card")
SIZES = ((80, 23), (40, 14), (160, 49))


@cache
def told_of(variant: str) -> Sequence[dict[str, Any]]:
    return trio.run(partial(real_objects, variant, 3), clock=MockClock(autojump_threshold=0))


def heard(variant: str, chance: random.Random) -> Iterator[tuple[Conversation, ConversationEvent]]:
    """Yield the events that a player receives from a lying server, each with its conversation."""
    talk = Conversation(client="test/1", name="Ann")
    talk.start_connection()
    talk.outgoing()
    for line in lies(told_of(variant), chance):
        for event in talk.receive(line):
            yield talk, event
        talk.outgoing()


def show(variant: str, seed: int) -> None:
    """Show everything on the screen while somebody presses keys."""
    chance, time = random.Random(seed), 100.0
    client = Client(Model(), send=lambda line: None, now=lambda: time)
    client.ways, client.model.place = NoWay(), Place.LOBBY
    client.model.linked("connected", time, 0)
    for _, event in heard(variant, chance):
        if isinstance(event, Greeted | Entered | TokenIssued | NotUnderstood):
            continue
        time += 0.3
        client.heard(event)
        if chance.random() < 0.05:
            client.press(chance.choice(KEYS))
            canvas = client.picture(*chance.choice(SIZES))
            assert all(line.isprintable() for line in canvas.lines())
            assert client.title.isprintable()


def play(variant: str, seed: int) -> None:
    """Have a bot act on everything it is told; whenever it gives up, it is made to continue."""
    chance, time = random.Random(seed), 100.0
    level = chance.choice(["easy", "medium", "hard"])
    client = BotClient(
        Task(),
        ("Ann",),
        lambda rules: make_bot_player(level, rules, chance),
        hurries=True,
        witness=Witness(entropy=chance.randbytes),
    )
    for talk, event in heard(variant, chance):
        if isinstance(event, Entered):
            client.on_entered()
        elif not isinstance(event, Greeted | TokenIssued | NotUnderstood):
            client.on_reply(event, time)
        time += 0.1
        client._is_over = client._is_leaving = False
        client.news.clear()
        if client.due <= time and (line := client.act(time, run_inline)) is not None:
            talk.send(line)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_screen_shows_whatever_a_server_sends(variant: str) -> None:
    for seed in range(3):
        show(variant, seed)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_bot_keeps_playing_whatever_a_server_sends(variant: str) -> None:
    for seed in range(6):
        play(variant, seed)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("first", range(100, 700, 50))
def test_nothing_a_server_sends_crashes_a_program(variant: str, first: int) -> None:
    for seed in range(first, first + 50):
        show(variant, seed)
        play(variant, seed)
