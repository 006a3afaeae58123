"""Anybody may type anything at any time: every line is answered, no table fails, no event number is skipped."""

import random

import pytest
import trio

from golfnet.protocol.commands.catalog import COMMANDS
from tests.server.house import Program, open_house

NAMES = ("Ann", "Bob", "Cid", "Dan")
_WORDS = """
t1 t2 A B C 1 2 3 4 5 B1 A2 C3 #1 #9 at=3 at=400 easy four-turn cactus six-card seats=2 seats=3 holes=2 clock=5 pause=0
pause=1 slam=order slam=lot Ann Bob off m1 recall=always width 60 \x1b[2J \u202e =
"""
WORDS = _WORDS.split()
_USUAL = """
ready, start, rematch, look, draw, discard, pass, knock, decline, leave, unwatch, watch t1, watch t2, join t1, join t2,
create four-turn seats=2 clock=5 pause=1, create cactus seats=3 clock=5 target=9, seek six-card holes=1 clock=5,
seek cactus clock=5, bot easy, cut x, say hi
"""
USUAL = [line.strip() for line in _USUAL.split(",")]
NOT_HERE = frozenset(("quit", "login", "register", "passwd", "logout", "telnet"))


def some_line(program: Program, chance: random.Random) -> str:
    """Return an offered line, a common one, or anything."""
    kind = chance.random()
    prompts = [thing for thing in program.objects[-40:] if thing["type"] == "prompt"]
    if kind < 0.5 and prompts and prompts[-1]["actions"]:
        line = chance.choice(prompts[-1]["actions"])
        targets = prompts[-1]["targets"]
        return f"{line} {' '.join(chance.sample(targets, 2 if line == 'switch' else 1))}" if targets else line
    if kind < 0.75:
        return chance.choice(USUAL)
    verb = chance.choice(sorted(COMMANDS.keys() - NOT_HERE))
    return " ".join([verb, *chance.choices(WORDS, k=chance.randrange(4))])


@pytest.mark.parametrize("seed", range(6))
async def test_any_line_at_any_time_is_answered_without_a_fault(
    autojump_clock: object, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    chance = random.Random(seed)
    async with open_house(seed=seed, grace=20) as house:
        programs = await house.programs(*NAMES)
        for number in range(1, 500):
            place = chance.randrange(len(programs))
            program = programs[place]
            if chance.random() < 0.02:
                await program.drop()
                await trio.sleep(chance.choice((0, 5, 30)))
                programs[place] = program = await house.resumed(program)
            if chance.random() < 0.1:
                await trio.sleep(chance.choice((0.1, 0.5, 4, 6)))
            await program.poll()
            line = some_line(program, chance)
            await program.send(f"{number} {line}")
            said = await program.poll()
            answers = [
                thing for thing in said if thing["type"] in ("ok", "error") and thing.get("id") == number
            ]
            assert len(answers) == (line.split()[0] != "pong"), line
            assert [one.get("code") for one in answers] != ["INTERNAL"], line
        for program in programs:
            await program.poll()
            assert_no_gap(program)
        assert len(house.lobby.tables) <= len(NAMES)
        assert not [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")]


def assert_no_gap(program: Program) -> None:
    """Check that after each view, a table's events are numbered consecutively."""
    last: dict[str, int] = {}
    for thing in program.objects:
        if thing["type"] == "view":
            last[thing["table"]] = thing["seq"]
        elif thing["type"] == "event" and thing["table"] in last:
            assert thing["seq"] == last[thing["table"]] + 1, thing
            last[thing["table"]] = thing["seq"]
