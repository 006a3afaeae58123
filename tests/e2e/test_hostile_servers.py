"""Whole programs connected to hostile servers print no traceback, stay within limits, and can be stopped."""

import json
import os
import resource
import signal
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import pytest
import trio

from tests.e2e.service import GOLFNET

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


def memory_of(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * resource.getpagesize()


# Without -m exhaustive one pair is enough: the tests in tests/connect send programs all other hostile input.
TRIED = [
    pytest.param(
        program, name, marks=() if (program, name) == ("bot", "endless line") else pytest.mark.exhaustive
    )
    for program in PROGRAMS
    for name in HOSTILE
]


@pytest.mark.skipif(sys.platform != "linux", reason="it reads memory use from /proc")
@pytest.mark.parametrize(("program", "name"), TRIED)
async def test_a_hostile_server_does_no_harm(tmp_path: Path, program: str, name: str) -> None:
    first, forever = HOSTILE[name]
    calls, printed = list[trio.SocketStream](), tmp_path / "printed"

    async def read(stream: trio.SocketStream) -> None:
        """Read everything, so that the client never has to wait."""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            while await stream.receive_some():
                pass

    async def harm(stream: trio.SocketStream) -> None:
        calls.append(stream)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(read, stream)
            with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                await stream.send_all(first)
                while True:
                    await stream.send_all(forever)
            nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        (listener,) = await nursery.start(partial(trio.serve_tcp, harm, 0, host="127.0.0.1"))
        with printed.open("wb") as output:
            process = await trio.lowlevel.open_process(
                [*PROGRAMS[program], f"127.0.0.1:{listener.socket.getsockname()[1]}"],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)},
            )
        try:
            with trio.fail_after(50):
                while not calls and process.poll() is None:  # noqa: ASYNC110
                    await trio.sleep(0.05)
                await trio.sleep(SECONDS)
                used = memory_of(process.pid) if process.poll() is None else 0
                if process.poll() is None:
                    process.send_signal(signal.SIGINT)
                await process.wait()
        finally:
            process.kill()
        nursery.cancel_scope.cancel()
    assert used < MOST_BYTES
    assert len(calls) <= MOST_CALLS
    text = printed.read_bytes()
    assert b"Traceback" not in text, text[-2000:]
    assert process.returncode in (0, 1, 130, -signal.SIGINT), (process.returncode, text[-500:])
