"""Nodes: ``golfnet serve --cluster`` processes on one database, each with its own wire to the database server.

Invariants: ``close`` stops every process that was started.
"""

import contextlib
import os
import signal
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg
import trio

from tests.e2e.cluster.wires import Wire
from tests.e2e.service import PATIENCE, Service

FENCED: Final = 75

_FLAGS: Final = (
    *("--commands-per-second", "100000", "--house-delay", "0.05"),
    *("--cluster-lease", "2"),  # on a busy machine even a healthy node can be silent for a second
    *("--drain-time", "2"),  # play must continue elsewhere within this time
)


@dataclass(eq=False)
class Node:
    """One process, which reaches the database server through the wire ``database``."""

    service: Service
    number: int
    database: Wire
    is_well: bool = True
    """Whether the node should keep running: nothing has been done to it that may make it exit."""

    def signal(self, how: signal.Signals) -> None:
        """Send the node a signal that ends it, sooner or later."""
        self.is_well = False
        self.service.process.send_signal(how)


class Nodes:
    """Nodes on the database at ``url``, whose server listens on ``port``."""

    def __init__(self, url: str, port: int, folder: Path, *, tls: tuple[Path, ...] = ()) -> None:
        self.url = url
        self.tls = tls
        """The files that nodes are given for TLS between them."""
        self.all: list[Node] = []
        self._port = port
        self._folder = folder
        self._secret = folder / "secret"
        self._secret.write_text("a long enough secret that all nodes share\n")
        self._secret.chmod(0o600)
        self._running = contextlib.ExitStack()
        self.close = self._running.close

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            return connection.execute(sql.encode()).fetchall()

    def owners(self) -> dict[str, int | None]:
        rows = self.rows("SELECT number, owner FROM live WHERE aside IS NULL")
        return {f"t{number}": owner for number, owner in rows}

    def gone(self) -> frozenset[int]:
        return frozenset([node for (node,) in self.rows("SELECT id FROM node WHERE gone")])

    def start(self, *, env: Mapping[str, str] | None = None) -> Node:
        database = self._running.enter_context(contextlib.closing(Wire(self._port)))
        service = Service(
            *("--cluster", "--cluster-secret", str(self._secret), *_FLAGS),
            *("--database", self.url.replace(f":{self._port}", f":{database.port}")),
            *("--admin-socket", str(self._folder / f"{database.port}.socket")),
            *(("--cluster-tls", *map(str, self.tls)) if self.tls else ()),
            env=os.environ | {"XDG_STATE_HOME": str(self._folder / f"{database.port}")} | dict(env or {}),
        )
        self._running.callback(service.stop, kill=True)
        who = f"process {service.process.pid} on %"
        ((number,),) = self.rows(f"SELECT id FROM node WHERE name LIKE '{who}' AND NOT gone")
        node = Node(service, number, database)
        self.all.append(node)
        return node

    def start_together(self, count: int) -> None:
        with ThreadPoolExecutor() as starting:
            list(starting.map(lambda _: self.start(), range(count)))


async def until(condition: Callable[[], object], what: str) -> None:
    """Wait until a condition outside this process holds."""
    with trio.move_on_after(PATIENCE):
        while not condition():  # noqa: ASYNC110 -- another process sets no event
            await trio.sleep(0.02)
        return
    raise AssertionError(f"{what}: did not happen in {PATIENCE} s")
