"""Each disk call fails in turn: nothing that players were told is lost, and a message says why."""

import errno
import random
import re
import signal
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.crash import failing_store
from tests.crash.conftest import played
from tests.crash.shim import CHANGES, FOREVER, Kind, Shim
from tests.e2e.service import GOLFNET, Talk, printed

# A store without a server.

EVERY = [
    pytest.param(error, times, kinds, 1, 100, marks=pytest.mark.exhaustive)
    for error in (errno.EIO, errno.ENOSPC, errno.EMFILE)
    for times in (1, 2, 5, FOREVER)
    for kinds in (CHANGES, Kind.READ, CHANGES | Kind.READ)
]


@pytest.mark.parametrize(
    ("error", "times", "kinds", "step", "least"),
    [
        pytest.param(errno.EIO, 1, CHANGES, 1, 200, id="any write or sync fails once"),
        pytest.param(errno.ENOSPC, FOREVER, CHANGES, 4, 50, id="the disk is full"),
        pytest.param(errno.EIO, 2, Kind.READ, 4, 40, id="reads fail"),
        *EVERY,
    ],
)
def test_a_store_refuses_while_calls_fail_and_recovers_afterwards(
    shim_library: Path, fast_folder: Path, error: int, times: int, kinds: Kind, step: int, least: int
) -> None:
    shim = Shim(shim_library, fast_folder / "disk")
    words = (shim.folder, shim.control.path, error, times, step, 1, int(kinds))
    program = (sys.executable, "-m", failing_store.__name__)
    assert int(printed(*program, *map(str, words), env=shim.environment)) > least, (
        "so many calls failed, one after another"
    )


# A server that starts and stops.


def start_and_stop(library: Path, folder: Path, number: int, error: int, times: int) -> int:
    """Start and stop a server while calls fail, and return how many failed.

    ``number`` is the first call that fails; 0 is the first during the stop. The server must open and stop, or say why.
    """
    shim = Shim(library, folder / f"disk-{number}")
    if number:
        shim.control.fail(number, error, times=times, kinds=CHANGES | Kind.READ)
    database = shim.folder / "state" / "golf.db"
    command = (str(GOLFNET), "serve", "--port", "0", "--telnet-port", "-1", "--db", str(database))
    with closing(Talk(*command, env=shim.environment)) as server:
        is_open = b"is open" in server.wait_for(r"^golfnet.*\n").group()
        if is_open:
            if not number:
                shim.control.fail(1, error, times=times)
            server.process.send_signal(signal.SIGTERM)
        printed = server.rest().decode()
    assert "Traceback" not in printed, printed
    if is_open:
        assert server.process.returncode in (0, 3), printed
    else:
        assert server.process.returncode == 2, printed
        assert re.search(r"^golfnet serve: .* database .*state", printed, re.MULTILINE), printed
    return shim.control.failed


@pytest.mark.parametrize(("number", "error", "times"), [(9, errno.ENOSPC, FOREVER), (0, errno.EIO, FOREVER)])
def test_a_server_starts_and_stops_or_says_why_it_cannot(
    shim_library: Path, fast_folder: Path, number: int, error: int, times: int
) -> None:
    assert start_and_stop(shim_library, fast_folder, number, error, times)


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(1, 9))
@pytest.mark.parametrize(("error", "times"), [(errno.EIO, 1), (errno.ENOSPC, FOREVER)])
def test_a_server_starts_and_stops_or_says_why_it_cannot_whatever_fails(
    shim_library: Path, fast_folder: Path, first: int, error: int, times: int
) -> None:
    number = first
    while start_and_stop(shim_library, fast_folder, number, error, times):
        number += 8
    assert number > 92


# Matches on a server.


@pytest.mark.parametrize(
    ("seed", "faults"),
    [(1, 4), *[pytest.param(seed, 12, marks=pytest.mark.exhaustive) for seed in range(2, 12)]],
)
async def test_play_pauses_while_a_disk_fails_and_continues_afterwards(
    shim_library: Path, fast_folder: Path, seed: int, faults: int
) -> None:
    """At every second failure, the server is killed before the disk works again."""
    chance, shim = random.Random(seed), Shim(shim_library, fast_folder / "disk")
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
