"""Programs that play at nodes, in a thread of their own, and what a test does with them and checks at the end."""

from __future__ import annotations

import random
import threading
import time
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Final, Self, TypeVar

import trio

from golfnet.storage.postgres import open_reads
from tests.e2e.cluster.nodes import until
from tests.e2e.told import Told
from tests.e2e.witness import Witness

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.cluster.nodes import Node, Nodes

T = TypeVar("T")

OPEN: Final = "create four-turn seats={} holes=1 pause=1 clock=20"
"""Matches so short that some begin and end in every test."""

_WITHOUT_NODE: Final = """
    SELECT number, owner, aside FROM live LEFT JOIN node ON node.id = owner
    WHERE aside IS NOT NULL OR owner IS NULL OR gone
"""


class Scene:
    """One test's players at nodes that other tests use too; what they were told is checked when it ends."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.chance = random.Random(1)
        self.players: list[Witness] = []
        self._told = Told()
        self._reads = open_reads(nodes.url)
        self._nursery: trio.Nursery
        self._token: trio.lowlevel.TrioToken
        self._has_begun = threading.Event()
        self._fault: BaseException | None = None
        self._thread = threading.Thread(target=self._play, daemon=True)

    def __enter__(self) -> Self:
        self._reads.numbers()  # so that it is connected before a newer version changes the schema
        self._thread.start()
        self._has_begun.wait()
        return self

    def __exit__(self, problem: object, *_: object) -> None:
        with ExitStack() as closes, closing(self._reads):
            closes.callback(self.nodes.tidy)
            closes.callback(self._thread.join)
            closes.callback(self._do, self._cancel)
            if problem is None:
                missing = self._do(lambda: self._told.missing(self._reads))
                assert missing == [], "\n".join(missing)
                self.until(lambda: not self.nodes.rows(_WITHOUT_NODE), "every table having a living node")

    def seat(self, owner: Node, *guests: Node) -> None:
        """Open a table at a node, for a host there and guests at other nodes, and wait until they play.

        The host starts no match before all have joined, since latecomers can hardly get in between two matches.
        """
        number = time.monotonic_ns() % 10**10
        host = self._player(f"h{number}", owner, OPEN.format(1 + len(guests)), is_patient=True)
        self.until(lambda: host.table, "opening a table")
        others = [
            self._player(f"g{at}x{number}", door, f"join {host.table}") for at, door in enumerate(guests)
        ]
        self.until(lambda: all([other.table for other in others]), f"sitting down at {host.table}")
        host.is_patient = False
        self.goes_on()

    def owner(self) -> tuple[Node, str]:
        """Return the node that owns one of the tables, chosen at random, and that table."""
        table = self.chance.choice(self.players).table
        number = self.nodes.owners()[table]
        return next(node for node in self.nodes.all if node.number == number), table

    def leave(self, node: Node) -> None:
        """Have the players at a node that no longer answers continue elsewhere."""
        for player in self.players:
            if player.port == node.port:
                self._do(player.disconnect)

    def goes_on(self) -> None:
        """Wait until every player has been told of five more events."""
        wanted = [(player, len(player.seen) + 5) for player in self.players]
        self.until(lambda: all([len(player.seen) >= count for player, count in wanted]), "playing on")

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Wait until a condition holds."""

        def holds() -> bool:
            if self._fault is not None:
                raise AssertionError("the players have stopped") from self._fault
            return bool(condition())

        until(holds, f"{what} ({', '.join([f'{each.name} at {each.port}' for each in self.players])})")

    def _player(self, name: str, door: Node, errand: str, *, is_patient: bool = False) -> Witness:
        chance = random.Random(self.chance.random())
        player = Witness(door.port, name, chance, self._told, doors=self._doors)
        player.is_patient = is_patient
        self.players.append(player)
        self._do(lambda: self._nursery.start_soon(player.run, errand))
        return player

    def _doors(self) -> list[int]:
        return [node.port for node in self.nodes.well]

    def _play(self) -> None:
        # A test takes longer than the watchdog allows a trio run; instead, each wait has its own time limit.
        run = getattr(trio.run, "__wrapped__", trio.run)
        try:
            run(self._wait)
        except BaseException as fault:
            self._fault = fault
            raise

    async def _wait(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        async with trio.open_nursery() as self._nursery:
            self._has_begun.set()
            await trio.sleep_forever()

    def _cancel(self) -> None:
        self._nursery.cancel_scope.cancel()

    def _do(self, call: Callable[[], T]) -> T:
        """Call a function in the thread of the players."""
        return trio.from_thread.run_sync(call, trio_token=self._token)
