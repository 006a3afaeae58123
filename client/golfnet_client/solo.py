"""``--solo``: a server in the same process, with bots, needing no setup.

It listens on a free port of the loopback address, stores everything in memory, and stops with the client.
"""

from functools import partial
from itertools import cycle, islice
from typing import Final

import trio

from golfnet.protocol.address import Address
from golfnet.rulesets import catalogue
from golfnet.server.config import Config
from golfnet.server.serve import Running, serve
from golfnet.storage.sqlite import MemoryStore

LEVELS: Final = ("easy", "medium", "hard")
"""The levels of the bots, in the order in which they join."""

SOLO_NAME: Final = "Golfer"
"""The default name in a solo match, where it cannot clash with anybody else's."""


async def open_solo(nursery: trio.Nursery) -> Address:
    """Start the server in a nursery that closes with the client; return its address."""
    config = Config(
        host="127.0.0.1",
        port=0,
        telnet_port=-1,
        clock=0,
        pause=600,
        house_delay=1.2,  # so that people can follow what the bots do
        drain_time=0,
        # Only this client connects, and the commands that fill a table are sent all at once.
        commands_per_second=1000,
    )

    running: Running = await nursery.start(partial(serve, config, store=MemoryStore(), catalogue=catalogue()))
    host, port = running.plain[0]
    return Address(host=host, port=port)


def opening_lines(name: str, bots: int) -> tuple[str, ...]:
    """Return the command lines that open a table with bots and start the match."""
    rules = catalogue()[name.lower()]
    count = max(rules.seats.low, min(1 + bots, rules.seats.high)) - 1
    return (f"create {rules.name}", *[f"bot {level}" for level in islice(cycle(LEVELS), count)], "start")
