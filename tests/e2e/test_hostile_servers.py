"""Whole programs connected to hostile servers print no traceback, stay within limits, and can be stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
import trio

from tests.e2e.hostile_servers import HOSTILE, hostile_server
from tests.e2e.service import GOLFNET

MOST_BYTES: Final = 150 << 20
"""Maximum resident memory of a program; without a server it uses 30 to 60 MB."""

SECONDS: Final = 2.5
MOST_CALLS: Final = 6
"""Maximum connections in this time: one at once, three after 0.5, 1 and 2 seconds, and two for a busy machine."""

PROGRAMS: dict[str, list[str]] = {
    "bot": [str(GOLFNET), "bot", "--fast", "--connect"],
    "plain": [str(GOLFNET.with_name("golfnet-client")), "--plain", "--name", "Ann"],
}
PROGRAMS |= {f"tls-{name}": words for name, words in PROGRAMS.items()}
SAMPLE: Final = {"bot": "closes_at_once", "plain": "deep_nesting"}


def memory_of(process: int) -> int:
    """Return the resident memory of a process in bytes, or 0 if it has exited."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmRSS:")), 0)


async def judge(name: str, program: str, home: Path) -> None:
    """Connect a program to a server for a few seconds, and check how it behaves."""
    async with hostile_server(name) as server:
        scheme = "tls://" if program.startswith("tls") else ""
        address = f"{scheme}127.0.0.1:{server.port}"
        with (home / "printed").open("wb") as printed:
            process = await trio.lowlevel.open_process(
                [*PROGRAMS[program], address],
                stdin=subprocess.PIPE,
                stdout=printed,
                stderr=subprocess.STDOUT,
                env={**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home)},
            )
            try:
                with trio.fail_after(50):
                    while not server.count and process.poll() is None:  # noqa: ASYNC110
                        await trio.sleep(0.05)
                    await trio.sleep(SECONDS)
                    used = memory_of(process.pid)
                    if process.poll() is None:
                        process.send_signal(signal.SIGINT)
                    await process.wait()
            finally:
                process.kill()
        assert used < MOST_BYTES
        assert server.count <= MOST_CALLS
        text = (home / "printed").read_bytes()
        assert b"Traceback" not in text, text[-2000:]
        assert process.returncode in (0, 1, 130, -signal.SIGINT), (process.returncode, text[-500:])


@pytest.mark.skipif(sys.platform != "linux", reason="it reads memory use from /proc")
@pytest.mark.parametrize("program", SAMPLE)
async def test_a_hostile_server_does_no_harm(tmp_path: Path, program: str) -> None:
    await judge(SAMPLE[program], program, tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="it reads memory use from /proc")
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("name", HOSTILE)
async def test_no_hostile_server_harms_any_program(tmp_path: Path, name: str, program: str) -> None:
    await judge(name, program, tmp_path)
