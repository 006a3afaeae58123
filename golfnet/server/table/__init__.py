"""One table and its match: ``table.Table``, and the parts that do its work."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from golfnet.server.clock import NO_TIMER

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.bots.player import BotPlayer, Executor
    from golfnet.engine.rules import RuleSet
    from golfnet.server.budget import SlamTotals
    from golfnet.server.clock import Timers
    from golfnet.server.config import Config
    from golfnet.server.journal.journal import DurabilityGate
    from golfnet.server.table.table import Table
    from golfnet.storage.writes import CloseTable, SetAside


class Part:
    """A part of a table; most have one timer, which the next update sets again after ``stop``."""

    _timer = NO_TIMER

    def __init__(self, table: Table) -> None:
        self._table = table

    def stop(self) -> None:
        """Cancel the timers; the next update sets them again."""
        self._timer.cancel()


class Services(NamedTuple):
    """What a table needs from the server.

    ``entropy(n)`` returns n random bytes for seeds, ``wall_clock`` returns Unix seconds, ``make_bot`` makes a bot of a
    given level for the rules as played, ``executor`` computes slow bots' choices. ``next_match`` returns a unique match
    id; ``match_finished`` stores the result of a match, ``table_ended`` removes a table and stores how it ended.
    """

    config: Config
    timers: Timers
    gate: DurabilityGate
    entropy: Callable[[int], bytes]
    make_bot: Callable[[str, RuleSet], BotPlayer]
    executor: Executor
    wall_clock: Callable[[], float]
    slams: SlamTotals
    next_match: Callable[[], str]
    match_finished: Callable[[Table], None]
    table_ended: Callable[[Table, CloseTable | SetAside], None]
