"""A server that lies to the screen and to the bot: whatever it sends, they keep drawing and playing.

It sends the objects of a real match, with some changed, left out, repeated or out of order. Every line conforms to the
protocol or nearly does, so clients accept most lines, whereas they would reject random bytes. A seed determines the
lies, so that they can be repeated.
"""

import json
import random
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any, Final

import pytest
import trio
from trio.testing import MockClock

from golfnet.cli.bot.player import Task
from golfnet.protocol.conversation import (
    Conversation,
    ConversationEvent,
    Entered,
    Greeted,
    NotUnderstood,
    TokenIssued,
)
from golfnet.server.table.turns import run_inline
from golfnet_client.model.model import Place
from golfnet_client.terminal.keys import click, press
from golfnet_client.terminal.menus import home_menu
from tests.cli.bot.remote_bots import RecordingClient
from tests.client.terminal.person import Person
from tests.server.house import choose_line, open_house

VARIANTS = ("cactus", "four-turn", "multiples", "six-card")
SIZES = ((80, 23), (40, 14), (20, 5), (160, 49))


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


KEYS = (
    *"abcdefghijklmnopqrstuvwxyz0123456789:'?!/Z",
    *("up", "down", "left", "right", "enter", "escape", "space", "tab", "pageup", "pagedown", "home", "end"),
    *("delete", "§", "²", "f1"),
)
TYPED = ("", "draw", "name Bob", "seek cactus", ":", "\udce9", "join t1", "golf.example.org")


def show(variant: str, seed: int) -> None:
    """Show everything on the screen while somebody presses keys, clicks and types, and the connection breaks."""
    chance, person = random.Random(seed), Person()
    client = person.client
    client.model.place = chance.choice([Place.HOME, Place.WELCOME, Place.LOBBY])
    if chance.random() < 0.5:
        client.remembered.keep_welcomed()
    if client.model.place is Place.HOME:
        client.menu = home_menu(client)
    for _, event in heard(variant, chance):
        if isinstance(event, Greeted | Entered | TokenIssued | NotUnderstood):
            continue
        person.time += 0.3
        client.receive(event)
        for _ in range(chance.choice((0, 0, 0, 1, 4))):  # several keys may come before the next picture
            press(client, chance.choice(KEYS))
        if chance.random() < 0.1:
            click(client, chance.randrange(80), chance.randrange(23))
            client.typed(chance.choice(TYPED))
            client.model.linked(*chance.choice((("lost", person.time, 4.0), ("connected", person.time, 0.0))))
        if chance.random() < 0.2:
            size = chance.choice(SIZES)
            canvas = client.picture(*size)
            assert (canvas.width, canvas.height) == size
            assert all(line.isprintable() for line in canvas.lines())
            assert client.label
            assert client.title.isprintable()


def play(variant: str, seed: int) -> None:
    """Have a bot act on everything it receives; whenever it gives up, make it continue."""
    chance, time = random.Random(seed), 100.0
    level = chance.choice(["easy", "medium", "hard"])
    client = RecordingClient(Task(), f"Bot{seed}", level=level, seals=True)
    for talk, event in heard(variant, chance):
        client.receive(event, time)
        time += 0.1
        client.is_over = client._is_leaving = False
        client.news.clear()
        if client.due <= time and (line := client.act(time, run_inline)) is not None:
            talk.send(line)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_screen_is_drawn_whatever_a_server_sends_and_a_person_types(variant: str) -> None:
    for seed in range(6):
        show(variant, seed)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_bot_keeps_playing_whatever_a_server_sends(variant: str) -> None:
    for seed in range(3):
        play(variant, seed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("first", range(100, 700, 50))
def test_nothing_a_server_sends_crashes_a_program(variant: str, first: int) -> None:
    for seed in range(first, first + 50):
        show(variant, seed)
        play(variant, seed)


STEPS: Final = 60
"""How many steps of a real match the objects are taken from."""

EXTREMES: Final[tuple[Any, ...]] = (
    *(0, 1, -1, 7, 2**31, -(2**63), 2**63 - 1, 10**30, 0.5, 1e308),
    *("", "A", "B", "Z", "?", "-", "7H", "?7H", "*", "t1", "t2", "m1", "x" * 3000, "\u202e\x1b[2J\n", "1e9"),
    *(None, True, False, [], {}, [[]], [None], ["7H"] * 300, {"seat": "A"}),
)
"""Values that replace real ones."""


async def real_objects(variant: str, seed: int) -> list[dict[str, Any]]:
    """Return the objects that a table's host receives in the first steps of a match, including lists."""
    chance, told = random.Random(seed), []
    async with open_house(seed=seed, clock=0, pause=0) as house:
        ann, bob = await house.program("Ann"), await house.program("Bob")
        await ann.done(f"create {variant} seats=2 slam_window=1")
        await bob.done("join t1")
        lists = ("who", "tables", "variants", "history", "top", "stats")
        for line in (*lists, "rules cactus", "help", "cut seven"):
            await ann.send(line)
        for player in (ann, bob):
            await player.send("ready")
        for _ in range(STEPS):
            for player in (ann, bob):
                objects = await player.poll()
                told += objects if player is ann else []
                prompts = [each for each in objects if each["type"] == "prompt" and each["actions"]]
                if prompts:
                    await player.send(choose_line(prompts[-1], chance))
    return told


def lies(objects: Sequence[dict[str, Any]], chance: random.Random) -> Iterator[bytes]:
    """Yield the lines of a server that sends most of the objects unchanged."""
    for told in objects:
        said = [told]
        kind = chance.random()
        if kind < 0.05:
            said = []
        elif kind < 0.1:
            said = [told, told]
        elif kind < 0.15:
            said = [chance.choice(objects)]
        elif kind < 0.35:
            said = [changed(told, objects, chance)]
        yield from (json.dumps(each).encode() + b"\n" for each in said)


def changed(value: Any, objects: Sequence[dict[str, Any]], chance: random.Random) -> Any:
    """Return a JSON value with one change in it, at any depth."""
    if isinstance(value, dict) and value and chance.random() < 0.95:
        key = chance.choice([*value])
        if chance.random() < 0.1:
            return {each: value[each] for each in value if each != key}
        others = [each[key] for each in objects if key in each]
        new = (
            chance.choice(others)
            if others and chance.random() < 0.3
            else changed(value[key], objects, chance)
        )
        return value | {key: new}
    if isinstance(value, list) and value and chance.random() < 0.8:
        place = chance.randrange(len(value))
        if chance.random() < 0.3:
            return value[:place] + value[place + 1 :] * chance.randrange(3)
        return [*value[:place], changed(value[place], objects, chance), *value[place + 1 :]]
    return chance.choice(EXTREMES)
