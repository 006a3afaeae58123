"""Whole programs connected to hostile servers print no traceback, stay within limits, and can be stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
import trio

from tests.e2e.service import GOLFNET

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

MOST_BYTES: Final = 150 << 20
"""Maximum resident memory of a program; without a server it uses 30 to 60 MB."""

SECONDS: Final = 2.5
MOST_CALLS: Final = 6
"""Maximum connections in this time: one at once, three after 0.5, 1 and 2 seconds, and two for a busy machine."""

PROGRAMS: Final[dict[str, list[str]]] = {
    "bot": [str(GOLFNET), "bot", "--fast", "--connect"],
    "plain": [str(GOLFNET.with_name("golfnet-client")), "--plain", "--name", "Ann"],
}

WELCOME: Final = b'{"type":"ok","id":1}\n{"type":"ok","id":2,"name":"Ann","token":"secret"}\n'
"""The replies that log a program in: one to its greeting, and one to its name."""

ROW: Final = {"table": "t1", "variant": "cactus", "state": "open", "seats": 2, "taken": 1}
LIST: Final = json.dumps({"type": "rows", "kind": "tables", "rows": [ROW] * 50, "more": True}).encode()
DEEP: Final = b"".join(
    [opening * (16_000 // len(opening)) + b"\n" for opening in (b"[", b'{"type":', b'{"type":"rows","rows":')]
)

HOSTILE: Final = {
    "endless line": (WELCOME, b"x" * 65536),
    "endless lists": (WELCOME, LIST + b"\n"),
    "deep nesting": (WELCOME + b'{"type":"ok","id":7,"key":"' + b"[" * 100_000 + b'"}\n', DEEP),
}
"""What each server sends at first, and then again and again."""


class Hostile:
    """A server's port, and how many connections it has had."""

    def __init__(self, name: str) -> None:
        self._first, self._forever = HOSTILE[name]
        self.port = 0
        self.calls = 0

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[None]:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listener.socket.getsockname()[1]
        async with trio.open_nursery() as nursery:
            await nursery.start(trio.serve_listeners, self._harm, [listener])
            yield
            nursery.cancel_scope.cancel()

    async def _harm(self, stream: trio.SocketStream) -> None:
        self.calls += 1
        async with stream, trio.open_nursery() as nursery:
            nursery.start_soon(self._read, stream)
            with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                await stream.send_all(self._first)
                while True:
                    await stream.send_all(self._forever)
            nursery.cancel_scope.cancel()

    async def _read(self, stream: trio.SocketStream) -> None:
        """Read everything, so that the client never has to wait."""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            while await stream.receive_some():
                pass


def memory_of(process: int) -> int:
    """Return the resident memory of a process in bytes, or 0 if it has exited."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmRSS:")), 0)


# Without -m slow one pair is enough: the tests in tests/connect send programs all other hostile input.
TRIED = [
    pytest.param(program, name, marks=() if (program, name) == ("bot", "endless line") else pytest.mark.slow)
    for program in PROGRAMS
    for name in HOSTILE
]


@pytest.mark.skipif(sys.platform != "linux", reason="it reads memory use from /proc")
@pytest.mark.parametrize(("program", "name"), TRIED)
async def test_a_hostile_server_does_no_harm(tmp_path: Path, program: str, name: str) -> None:
    server = Hostile(name)
    async with server.serve():
        with (tmp_path / "printed").open("wb") as printed:
            process = await trio.lowlevel.open_process(
                [*PROGRAMS[program], f"127.0.0.1:{server.port}"],
                stdin=subprocess.PIPE,
                stdout=printed,
                stderr=subprocess.STDOUT,
                env={**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)},
            )
            try:
                with trio.fail_after(50):
                    while not server.calls and process.poll() is None:  # noqa: ASYNC110
                        await trio.sleep(0.05)
                    await trio.sleep(SECONDS)
                    used = memory_of(process.pid)
                    if process.poll() is None:
                        process.send_signal(signal.SIGINT)
                    await process.wait()
            finally:
                process.kill()
        assert used < MOST_BYTES
        assert server.calls <= MOST_CALLS
        text = (tmp_path / "printed").read_bytes()
        assert b"Traceback" not in text, text[-2000:]
        assert process.returncode in (0, 1, 130, -signal.SIGINT), (process.returncode, text[-500:])
