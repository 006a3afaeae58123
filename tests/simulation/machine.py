"""The machine of a world's servers: its clock, threads, sockets, entropy and randomness, all virtual.

``Machine.installed`` replaces the real ones while a world runs. Invariants: golfnet then reads no real clock, starts no
thread, opens no file or socket and uses no real randomness. If it did, the hash of a world's trace would differ
between runs, and a test compares these hashes.
"""

import contextlib
import hashlib
import logging
import random
import secrets
import selectors
import socket
from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

import trio
import trio._core._run as trio_scheduler

from golfnet.server import joining, serve as serving
from golfnet.server.accounts import passwords
from golfnet.server.journal import journal
from golfnet.server.links import link_end
from golfnet.server.links.link_end import dial
from golfnet.server.lobby import Lobby
from golfnet.server.net import entrance, hub
from golfnet.server.session import traffic
from tests.simulation import network
from tests.simulation.loop import REPLACED, VirtualClock, pass_time
from tests.simulation.processes import PROCESS, Token, VirtualQueue, VirtualThread, run_in_thread

_PERF_TICK: Final = 0.00005
"""How far ``perf_counter`` advances per call, so that the loop's time budgets run out after a fixed number of calls."""


class Machine:
    def __init__(self, seed: str) -> None:
        self.clock = VirtualClock()
        self.chance = random.Random(f"{seed} machine")
        self.threads: list[VirtualThread] = []
        self.late_answers: tuple[float, ...] = ()
        """Possible delays of a worker thread's result; empty for no delay."""
        self._perf = 0.0

    def token_bytes(self, count: int | None = None) -> bytes:
        return self.chance.randbytes(32 if count is None else count)

    def perf_counter(self) -> float:
        self._perf += _PERF_TICK
        return self._perf

    async def run_in_thread(
        self, work: Callable[..., Any], *args: Any, limiter: Any = None, abandon_on_cancel: bool = False
    ) -> Any:
        """Replace ``trio.to_thread.run_sync``: the work is done some time later."""
        thread = getattr(work, "__self__", None)
        if isinstance(thread, VirtualThread):
            with trio.move_on_after(args[0]):
                await thread.ended.wait()
            return None
        return await run_in_thread(self, partial(work, *args), limiter, is_patient=not abandon_on_cancel)

    def thread_of(self, store: object) -> VirtualThread | None:
        return next((thread for thread in self.threads if thread.store is store), None)

    def _lobby(self, **given: Any) -> Lobby:
        return Lobby(**given, entropy=self.token_bytes, wall_clock=self.clock.wall)

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Replace everything that golfnet needs from a machine."""
        state = random.getstate()
        random.seed(self.chance.random())
        network.reset_numbers()
        replaced: list[tuple[object, str, object]] = [
            *REPLACED,
            (secrets, "token_bytes", self.token_bytes),
            (selectors, "DefaultSelector", network.Selector),
            (trio, "sleep", partial(pass_time, self.clock)),
            (trio.lowlevel, "current_trio_token", partial(Token, trio.lowlevel.current_trio_token)),
            (trio.lowlevel, "wait_readable", network.wait_readable),
            (trio.to_thread, "run_sync", self.run_in_thread),
            (trio_scheduler, "_ALLOW_DETERMINISTIC_SCHEDULING", True),
            (trio_scheduler, "_r", random.Random(self.chance.random())),
            (journal, "SimpleQueue", VirtualQueue),
            (journal, "threading", SimpleNamespace(Thread=partial(VirtualThread, self))),
            (passwords, "_with_library", lambda work: work(_LIBRARY)),
            (entrance, "socket", SimpleNamespace(**{**vars(socket), "socket": lambda fileno: fileno})),
            (trio, "open_tcp_stream", _open_tcp_stream),
            (link_end, "socket", SimpleNamespace(socket=lambda fileno: fileno)),
            (joining, "dial", _dial),
            (serving, "open_all", _open_all),
            (serving, "where", lambda _: ()),
            (serving, "Lobby", self._lobby),
            *((module, "perf_counter", self.perf_counter) for module in (journal, traffic, hub)),
        ]
        logger = logging.getLogger("golfnet")
        level, propagates = logger.level, logger.propagate
        logger.setLevel(logging.ERROR)
        logger.propagate = False
        try:
            with contextlib.ExitStack() as stack:
                for where, name, replacement in replaced:
                    stack.enter_context(patch.object(where, name, replacement))
                yield
        finally:
            random.setstate(state)
            logger.setLevel(level)
            logger.propagate = propagates


async def _open_tcp_stream(host: str, port: int) -> object:
    """Replace ``trio.open_tcp_stream`` between nodes."""
    process: Any = PROCESS.get()
    return await process.dial(int(host.rpartition(".")[2]))


async def _dial(opener: Any, context: None, host: str, port: int) -> object:
    """Dial as the hub's process, since the task that dials is started from outside the processes."""
    PROCESS.set(opener.hub.selector.process)
    return await dial(opener, context, host, port)


async def _open_all(*_: object) -> object:
    process: Any = PROCESS.get()
    return process.open_doors()


def _hash_password(password: str) -> str:
    """Return a cheap hash of a password; argon2 would take longer than a whole world."""
    return hashlib.sha256(password.encode()).hexdigest()


_LIBRARY: Final = SimpleNamespace(
    PasswordHasher=lambda **_: SimpleNamespace(
        hash=_hash_password, verify=lambda hashed, password: hashed == _hash_password(password)
    )
)
"""Replaces the hashing library."""
