"""Views, events and prompts: an offered action is never refused, and any other action always is."""

import random
from itertools import pairwise

import pytest

from golfnet.protocol.replies.schema import schema
from tests.protocol.fitting import misfit_of_line
from tests.server.house import House, Program, all_done, open_house, play_at_random

SCHEMA = schema()
NAMES = ("Ann", "Bob", "Cid")


def followed(viewer: Program) -> dict[int, str]:
    """Return a viewer's events by number; check that none is missing, and that other objects have the latest number."""
    numbered = [thing for thing in viewer.objects if "seq" in thing]
    for before, thing in pairwise(numbered):
        assert thing["seq"] - before["seq"] == (thing["type"] == "event")
    return {event["seq"]: event["event"] for event in viewer.events()}


@pytest.mark.parametrize(
    ("create", "seats"),
    [
        ("four-turn", 3),
        ("cactus target=12", 3),
        ("six-card-final holes=2 jokers=2", 3),
        ("four-card-knock holes=3 recall=always", 3),
        ("multiples holes=2 reveal=on", 2),
        ("cactus target=12 slam=order", 3),
    ],
)
async def test_an_offered_action_is_never_refused(autojump_clock: object, create: str, seats: int) -> None:
    """Event numbers have no gaps and are the same for all; each ``ok`` has the last one; everything fits the schema."""
    async with open_house(seed=len(create)) as house:
        programs = await house.table(create, *NAMES[:seats])
        watcher = await house.program("Eve", "watch t1")
        await play_at_random(programs, random.Random(len(create)))
        for viewer in (*programs, watcher):
            assert not [misfit for thing in viewer.objects if (misfit := misfit_of_line(thing, SCHEMA))]
            assert not [thing for thing in viewer.objects if thing["type"] == "error"]
            assert followed(viewer).items() <= followed(programs[0]).items()
        assert not house.lobby.gate.is_stuck


PLAY_LINES = (
    *("draw", "take", "knock", "discard", "pass", "decline"),
    *(f"{verb} {slot}" for verb in ("take", "swap", "flip", "peek", "give") for slot in range(1, 8)),
    *(f"{verb} {a} {b}" for verb in ("peek", "flip") for a in (1, 3, 6) for b in (1, 2, 4)),
    *(f"peek {seat}{slot}" for seat in "AB" for slot in (1, 4)),
)


@pytest.mark.settings(seed=3)
@pytest.mark.parametrize(
    "create", ["six-card holes=1", "six-card-final holes=1", "four-card-knock holes=1", "cactus target=40"]
)
async def test_the_last_prompt_agrees_with_a_fresh_view_and_offers_all_that_is_allowed(
    house: House, create: str
) -> None:
    """A prompt is sent whenever a seat's possible actions change; other actions are refused and change nothing."""
    programs, chance = await house.table(f"{create} seats=2", "Ann", "Bob"), random.Random(7)

    async def compare() -> None:
        for program in programs:
            offered, view = program.last("prompt"), await program.look()
            assert (offered["actions"], offered["targets"]) == (view["actions"], view["targets"])
            if "slam" in offered["actions"]:
                continue
            allowed = [plain(action, view["you"]) for action in offered["actions"]]
            for line in chance.sample(PLAY_LINES, 20):
                if plain(line, view["you"]) not in allowed:
                    assert (await program.ask(line))["type"] == "error", (line, offered)
            assert (await program.look())["seq"] == view["seq"]

    await play_at_random(programs, random.Random(7), compare)


def plain(line: str, you: str) -> list[str]:
    """Return an action's verb and its sorted positions, those of the seat ``you`` as mere slots."""
    verb, *words = line.split()
    return [verb, *sorted(word.removeprefix(you) for word in words)]


async def test_a_command_is_stale_if_play_has_continued_since_the_event_it_names(house: House) -> None:
    first, second = await house.table("six-card seats=2", "Ann", "Bob")
    await all_done((first, second), "flip 1 2")
    seq = second.events()[-1]["seq"]
    player = second if second.last("prompt")["actions"] else first
    await house.program("Eve", "watch t1")  # an event at the table, but not in play
    before = await player.done(f"draw at={seq}")
    assert before["seq"] > seq + 1
    assert (await player.ask(f"discard at={seq}"))["code"] == "STALE"
    await player.done(f"discard at={before['seq']}")
