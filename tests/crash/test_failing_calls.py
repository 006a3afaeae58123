"""Each disk call fails in turn: nothing that players were told is lost, and a message says why."""

from __future__ import annotations

import errno
import random
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.crash import failing_store
from tests.crash.played import played
from tests.crash.shim import CHANGES, FOREVER, Kind, Shim
from tests.e2e.service import GOLFNET

if TYPE_CHECKING:
    from pathlib import Path

# A store without a server.


def calls_failed(library: Path, folder: Path, *, error: int, times: int, kinds: Kind, step: int) -> int:
    """Use a store while one call after another fails; return how many were tried."""
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


def test_a_store_refuses_and_recovers_whichever_write_or_sync_fails_once(
    shim_library: Path, fast_folder: Path
) -> None:
    tried = calls_failed(shim_library, fast_folder, error=errno.EIO, times=1, kinds=CHANGES, step=1)
    assert tried > 200


def test_a_store_refuses_until_there_is_room_again(shim_library: Path, fast_folder: Path) -> None:
    tried = calls_failed(shim_library, fast_folder, error=errno.ENOSPC, times=FOREVER, kinds=CHANGES, step=4)
    assert tried > 50


def test_a_store_refuses_and_recovers_when_reads_fail(shim_library: Path, fast_folder: Path) -> None:
    tried = calls_failed(shim_library, fast_folder, error=errno.EIO, times=2, kinds=Kind.READ, step=4)
    assert tried > 40


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [CHANGES, Kind.READ, CHANGES | Kind.READ], ids=["changes", "reads", "all"])
@pytest.mark.parametrize("times", [1, 2, 5, FOREVER])
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC, errno.EMFILE], ids=errno.errorcode.get)
def test_a_store_recovers_whatever_fails(
    shim_library: Path, fast_folder: Path, error: int, times: int, kinds: Kind
) -> None:
    assert calls_failed(shim_library, fast_folder, error=error, times=times, kinds=kinds, step=1) > 100


# A server that starts and stops.


def start_and_stop(library: Path, folder: Path, number: int, error: int, times: int) -> tuple[int, str, int]:
    """Start and stop a server with a failing call; number 0 is the first call during the stop.

    Return its exit status, what it printed, and how many calls failed.
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
    """Check that a server either opened and stopped, or exited with the reason, but never with a traceback."""
    assert "Traceback" not in printed, printed
    if "is open" in printed:
        assert status in (0, 3), printed
    else:
        assert status == 2, printed
        assert re.search(r"^golfnet serve: .* database .*state", printed, re.MULTILINE), printed


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


# Matches on a server.


async def fail_and_recover(library: Path, folder: Path, seed: int, faults: int) -> None:
    """Make calls fail while people play; every other time, kill the server before they stop failing."""
    chance, shim = random.Random(seed), Shim(library, folder / "disk")
    async with played(shim.folder / "golf.db", shim.environment) as run:
        for number in range(1, faults + 1):
            kinds = chance.choice([CHANGES, Kind.SYNC, Kind.WRITE])
            shim.control.fail(chance.randrange(1, 30), chance.choice([errno.EIO, errno.ENOSPC]), kinds=kinds)
            await run.all_pause(number)
            if number % 2:
                shim.control.heal()
            else:
                await run.stop(kill=True)
                shim.control.heal()
                await run.start()
            await run.all_act()
    assert run.told.copies > 100


async def test_play_pauses_while_a_disk_fails_and_continues_afterwards(
    shim_library: Path, fast_folder: Path
) -> None:
    await fail_and_recover(shim_library, fast_folder, seed=1, faults=4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
async def test_play_pauses_whatever_fails(shim_library: Path, fast_folder: Path, seed: int) -> None:
    await fail_and_recover(shim_library, fast_folder, seed, faults=12)
