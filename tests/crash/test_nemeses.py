"""While people play, their server is suspended, or runs out of file descriptors or memory."""

import os
import resource
import signal
from pathlib import Path

import trio

from tests.crash.conftest import played
from tests.server.test_serve import calling


def memory_of(process: int) -> int:
    """Return how many bytes of address space a process uses."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[0])
    return pages * resource.getpagesize()


async def test_a_suspended_process_continues_where_it_stopped(fast_folder: Path) -> None:
    async with played(fast_folder / "golf.db") as run:
        for seconds in (0.05, 3.5):
            os.kill(run.process, signal.SIGSTOP)
            await trio.sleep(seconds)
            os.kill(run.process, signal.SIGCONT)
            await run.all_act()
    assert not any("PAUSED" in player.notices for player in run.players), (
        "a disk that was not used did not hang"
    )


async def test_play_continues_while_files_cannot_be_opened(fast_folder: Path) -> None:
    """The limit is lowered to the files already open, so that not even reserved descriptors can be used."""
    async with played(fast_folder / "golf.db") as run:
        _, hard = resource.prlimit(run.process, resource.RLIMIT_NOFILE)
        used = len(os.listdir(f"/proc/{run.process}/fd"))
        resource.prlimit(run.process, resource.RLIMIT_NOFILE, (used, hard))
        crowd = [await trio.open_tcp_stream("127.0.0.1", run.server.port) for _ in range(12)]
        await trio.to_thread.run_sync(run.server.wait_for, "cannot accept connections")
        resource.prlimit(run.process, resource.RLIMIT_NOFILE, (hard, hard))
        for stream in crowd:
            with trio.fail_after(30):
                assert b"golfnet" in await stream.receive_some()
            await stream.aclose()
        await run.all_act()
    assert run.server.printed.count("cannot accept connections") < 5


async def test_play_continues_without_enough_memory_to_hash_or_check_a_password(fast_folder: Path) -> None:
    async with played(fast_folder / "golf.db") as run:
        used = memory_of(run.process)
        resource.prlimit(run.process, resource.RLIMIT_AS, (used + (40 << 20), resource.RLIM_INFINITY))
        async with calling(("127.0.0.1", run.server.port), "name Ann") as ann:
            for line in (b"register secretsecret\n", b"login Nobody secretsecret\n"):
                await ann.send(line)
                await ann.until(b"RATE_LIMITED The server is busy")
            await run.all_act()
            resource.prlimit(
                run.process, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            )
            await ann.send(line)
            await ann.until(b"LOGIN_FAILED")
    assert run.server.printed.count("a password cannot be hashed: Memory allocation error") == 2
