"""A server that lies: it sends the objects of a real match, with some changed, left out, repeated or out of order.

Every line conforms to the protocol or comes close to it, so that clients believe most of it, which random bytes never
achieve. A seed determines the lies, so that they can be repeated.
"""

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

from tests.server.house import choose_line, open_house

STEPS: Final = 60
"""Steps of the match that provides the objects."""

EXTREMES: Final[tuple[Any, ...]] = (
    *(0, 1, -1, 7, 2**31, -(2**63), 2**63 - 1, 10**30, 0.5, 1e308),
    *("", "A", "B", "Z", "?", "-", "7H", "?7H", "*", "t1", "t2", "m1", "x" * 3000, "\u202e\x1b[2J\n", "1e9"),
    *(None, True, False, [], {}, [[]], [None], ["7H"] * 300, {"seat": "A"}),
)
"""Values to replace others with."""


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
