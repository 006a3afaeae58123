"""What tables need of the server around them, handed down in the open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from golfnet.bots.bot import Bot
from golfnet.server.clock import Timers
from golfnet.server.config import Config
from golfnet.server.gate import Gate
from golfnet.server.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The server, seen from a table.

    ``entropy(n)`` gives n bytes of outside chance for seeds, ``wall_clock`` unix seconds for records, ``make_bot``
    makes a bot of a level.
    """

    config: Config
    timers: Timers
    gate: Gate
    entropy: Callable[[int], bytes]
    make_bot: Callable[[str], Bot]
    wall_clock: Callable[[], float]
    row_of: Callable[[Table], bytes]
    next_match: Callable[[], str]
    match_finished: Callable[[Table], None]
    table_closed: Callable[[Table], None]
