"""What tables need of the server around them, handed down in the open."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.bots.player import BotPlayer, Executor
    from golfnet.engine.rules import RuleSet
    from golfnet.server.clock import Timers
    from golfnet.server.config import Config
    from golfnet.server.counters import SlamTotals
    from golfnet.server.journal.gate import DurabilityGate


class Services(NamedTuple):
    """The server, seen from a table.

    ``entropy(n)`` gives n bytes of outside chance for seeds, ``wall_clock`` unix seconds for records, ``make_bot``
    makes a bot of a level for rules as played, ``executor`` runs the slow choices of bots.
    """

    config: Config
    timers: Timers
    gate: DurabilityGate
    entropy: Callable[[int], bytes]
    make_bot: Callable[[str, RuleSet], BotPlayer]
    executor: Executor
    wall_clock: Callable[[], float]
    slams: SlamTotals
