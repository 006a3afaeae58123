"""The n-th call to the disk fails, for one n after the other: nothing told is lost, and a sentence says why."""

from __future__ import annotations

import errno
import os
import random
import re
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import pytest
import trio

from tests.crash import failing_store
from tests.crash.player import Player
from tests.crash.shim import CHANGES, FOREVER, Kind, Shim
from tests.crash.told import Told
from tests.e2e.service import GOLFNET, Service

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

FLAGS: Final = ("--commands-per-second", "100000", "--house-delay", "0", "--drain-time", "0")


# A store alone.


def calls_failed(library: Path, folder: Path, *, error: int, times: int, kinds: Kind, step: int) -> int:
    """Use a store with one call after another failing; return how many were tried."""
    shim = Shim(library, folder / "disk")
    words = (shim.folder, shim.control.path, error, times, step, 1, int(kinds))
    result = subprocess.run(
        [sys.executable, "-m", failing_store.__name__, *map(str, words)],
        env=shim.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return int(result.stdout)


def test_a_store_refuses_and_goes_on_whichever_write_or_sync_fails_once(
    shim_library: Path, fast_folder: Path
) -> None:
    tried = calls_failed(shim_library, fast_folder, error=errno.EIO, times=1, kinds=CHANGES, step=1)
    assert tried > 200


def test_a_store_refuses_until_there_is_room_again(shim_library: Path, fast_folder: Path) -> None:
    tried = calls_failed(shim_library, fast_folder, error=errno.ENOSPC, times=FOREVER, kinds=CHANGES, step=4)
    assert tried > 50


def test_a_store_refuses_what_it_cannot_read(shim_library: Path, fast_folder: Path) -> None:
    tried = calls_failed(shim_library, fast_folder, error=errno.EIO, times=2, kinds=Kind.READ, step=4)
    assert tried > 40


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [CHANGES, Kind.READ, CHANGES | Kind.READ], ids=["changes", "reads", "all"])
@pytest.mark.parametrize("times", [1, 2, 5, FOREVER])
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC, errno.EMFILE], ids=errno.errorcode.get)
def test_a_store_goes_on_whatever_fails(
    shim_library: Path, fast_folder: Path, error: int, times: int, kinds: Kind
) -> None:
    assert calls_failed(shim_library, fast_folder, error=error, times=times, kinds=kinds, step=1) > 100


# A server that starts and stops.


def start_and_stop(library: Path, folder: Path, number: int, error: int, times: int) -> tuple[int, str, int]:
    """Start a server of which a call fails, with 0 the first of its stop, and stop it.

    Return its exit status, what it printed, and how many calls have failed.
    """
    shim = Shim(library, folder / f"disk-{number}")
    if number:
        shim.control.fail(number, error, times=times, kinds=CHANGES | Kind.READ)
    ports = ("--port", "0", "--telnet-port", "-1")
    with subprocess.Popen(
        [GOLFNET, "serve", *ports, "--db", shim.folder / "state" / "golf.db"],
        env=shim.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        assert server.stdout is not None
        printed = server.stdout.readline()
        if "is open" in printed:
            if not number:
                shim.control.fail(1, error, times=times)
            server.send_signal(signal.SIGTERM)
        printed += server.communicate(timeout=60)[0]
    return server.returncode, printed, shim.control.failed


def judge_start(status: int, printed: str) -> None:
    """Either it is open and stops, or it ends with the reason; never with a traceback."""
    assert "Traceback" not in printed, printed
    if "is open" in printed:
        assert status in (0, 3), printed
    else:
        assert status == 2, printed
        assert re.search(r"^golfnet serve: The database .*state", printed, re.MULTILINE), printed


@pytest.mark.parametrize(("number", "error", "times"), [(9, errno.ENOSPC, FOREVER), (0, errno.EIO, FOREVER)])
def test_a_server_starts_and_stops_or_says_why_it_cannot(
    shim_library: Path, fast_folder: Path, number: int, error: int, times: int
) -> None:
    status, printed, failed = start_and_stop(shim_library, fast_folder, number, error, times)
    assert failed
    judge_start(status, printed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1, 9))
@pytest.mark.parametrize(("error", "times"), [(errno.EIO, 1), (errno.ENOSPC, FOREVER)])
def test_a_server_starts_and_stops_or_says_why_it_cannot_whatever_fails(
    shim_library: Path, fast_folder: Path, first: int, error: int, times: int
) -> None:
    number, failed = first, 1
    while failed:
        status, printed, failed = start_and_stop(shim_library, fast_folder, number, error, times)
        judge_start(status, printed)
        number += 8
    assert number > 100


# A served match.


class Disturbed:
    """A server under the shim with two tables of players, started again on the same port as often as it is killed."""

    def __init__(self, shim: Shim, nursery: trio.Nursery) -> None:
        self.shim = shim
        self.database = shim.folder / "golf.db"
        self.told = Told()
        self.players: list[Player] = []
        self.server = self._start(0)
        self._nursery = nursery

    def _start(self, port: int) -> Service:
        return Service("--db", str(self.database), *FLAGS, port=port, env=self.shim.environment)

    async def seat(self) -> None:
        """Seat four players, who play for as long as the test takes."""
        chance = random.Random(3)
        for variant in ("four-turn", "six-card"):
            host, guest = (
                Player(self.server.port, f"{who}-{variant}", chance, self.told) for who in ("h", "g")
            )
            self._nursery.start_soon(host.run, f"create {variant} seats=2 holes=1 pause=0")
            with trio.fail_after(30):
                await host.is_seated.wait()
            self._nursery.start_soon(guest.run, f"join {host.table}")
            self.players += [host, guest]

    async def all_act(self) -> None:
        """Wait until play goes on at both tables."""
        for player in self.players:
            await player.acts()

    async def kill(self) -> None:
        """End the server without a warning, and start it again."""
        os.kill(self.server.process.pid, signal.SIGKILL)
        await trio.to_thread.run_sync(self.server.stop)
        self.shim.control.heal()
        self.server = await trio.to_thread.run_sync(self._start, self.server.port)


@asynccontextmanager
async def disturbed(library: Path, folder: Path) -> AsyncIterator[Disturbed]:
    """Run a server with players; at the end nothing that they were told is missing, and nothing went wrong."""
    async with trio.open_nursery() as nursery:
        run = Disturbed(Shim(library, folder / "disk"), nursery)
        try:
            await run.seat()
            yield run
            await run.all_act()
            nursery.cancel_scope.cancel()
        finally:
            run.shim.control.heal()
            with trio.CancelScope(shield=True):
                status = await trio.to_thread.run_sync(run.server.stop)
    assert status == 0
    assert "Traceback" not in run.server.printed
    assert run.told.missing_in(run.database) == []


async def fail_and_go_on(run: Disturbed, seed: int, faults: int) -> None:
    """Let calls fail under people who play; every other time the server is killed while they do."""
    chance = random.Random(seed)
    for number in range(faults):
        pauses = [player.notices.count("PAUSED") for player in run.players]
        kinds = chance.choice([CHANGES, Kind.SYNC, Kind.WRITE])
        run.shim.control.fail(chance.randrange(1, 30), chance.choice([errno.EIO, errno.ENOSPC]), kinds=kinds)
        for player, before in zip(run.players, pauses, strict=True):
            await player.is_told("PAUSED", before + 1)
        told = run.told.copies
        await trio.sleep(0.1)
        assert run.told.copies == told, "told of something while nothing could be stored"
        if number % 2:
            await run.kill()
        else:
            run.shim.control.heal()
        await run.all_act()


async def test_play_is_paused_while_a_disk_fails_and_goes_on_after(
    shim_library: Path, fast_folder: Path
) -> None:
    async with disturbed(shim_library, fast_folder) as run:
        await fail_and_go_on(run, seed=1, faults=4)
    assert run.told.copies > 100


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
async def test_play_is_paused_whatever_fails(shim_library: Path, fast_folder: Path, seed: int) -> None:
    async with disturbed(shim_library, fast_folder) as run:
        await fail_and_go_on(run, seed, faults=12)
