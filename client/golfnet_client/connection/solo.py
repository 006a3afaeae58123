"""``--solo``: a server of one's own in the same process, with bots, and nothing else to set up.

It listens on a free port of the loopback address and keeps everything in memory; it ends with the client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.protocol.address import Address
from golfnet.rulesets import catalogue
from golfnet.server.config import Config
from golfnet.server.serve import Running, serve
from golfnet.storage.sqlite import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Mapping

    import trio

    from golfnet.engine.rules import RuleSet

LEVELS: Final = ("easy", "medium", "hard")
"""The bots' levels, in the order in which they sit down."""

USUAL_BOTS: Final = 3

BOT_SECONDS = 1.2
"""What a bot takes for each choice: long enough to see what it does."""


class NoSuchRules(Exception):
    """A name that is no rule set; says which there are."""


async def open_solo(nursery: trio.Nursery) -> Address:
    """Start the server in a nursery that ends with the client; return where it listens."""
    config = Config(
        host="127.0.0.1",
        port=0,
        telnet_port=-1,
        clock=0,
        pause=600,
        house_delay=BOT_SECONDS,
        drain_time=0,
        # The client alone speaks to it, and opens a full table in one breath.
        commands_per_second=1000,
    )

    async def run(task_status: trio.TaskStatus[Running]) -> None:
        await serve(config, store=MemoryStore(), catalogue=catalogue(), task_status=task_status)

    running: Running = await nursery.start(run)
    host, port = running.plain[0]
    return Address(host=host, port=port)


def rule_sets() -> Mapping[str, RuleSet]:
    """Return the rule sets that can be played alone."""
    return catalogue()


def rules_named(name: str) -> RuleSet:
    """Return a rule set by its name; raises ``NoSuchRules``."""
    rules = catalogue().get(name.lower())
    if rules is None:
        raise NoSuchRules(f"a rule set, one of {', '.join(catalogue())}; not {name!r}")
    return rules


def opening_lines(name: str, bots: int | None) -> tuple[str, ...]:
    """Return the command lines that open a table with bots and begin."""
    rules = rules_named(name)
    wanted = USUAL_BOTS if bots is None else bots
    count = max(rules.seats.low, min(1 + wanted, rules.seats.high)) - 1
    levels = [LEVELS[number % len(LEVELS)] for number in range(count)]
    return (f"create {rules.name}", *(f"bot {level}" for level in levels), "start")
