"""The real client in a real terminal against the real server: whole holes by keys, and a cable pulled in mid-turn."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import trio

from tests.e2e.service import service

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

ROOT = Path(__file__).parents[2]
SECONDS = 50.0
"""What any one thing on the screen may take on a busy machine."""


class Proxy:
    """Stands between client and server; its cable can be pulled, and stays out until it is plugged in again."""

    def __init__(self, port: int) -> None:
        self.port = 0
        self._server = port
        self._cables: set[trio.CancelScope] = set()
        self._is_out = False
        self.connections = 0

    async def run(self, task_status: trio.TaskStatus[None]) -> None:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listeners[0].socket.getsockname()[1]
        task_status.started()
        await trio.serve_listeners(self._carry, listeners)

    def pull(self) -> None:
        self._is_out = True
        for cable in self._cables:
            cable.cancel()

    def plug(self) -> None:
        self._is_out = False

    async def _carry(self, near: trio.SocketStream) -> None:
        if self._is_out:
            return
        self.connections += 1
        with trio.CancelScope() as cable, contextlib.suppress(OSError, trio.BrokenResourceError):
            self._cables.add(cable)
            async with (
                await trio.open_tcp_stream("127.0.0.1", self._server) as far,
                trio.open_nursery() as both,
            ):
                both.start_soon(self._pump, near, far, both.cancel_scope)
                both.start_soon(self._pump, far, near, both.cancel_scope)
        self._cables.discard(cable)

    @staticmethod
    async def _pump(one: trio.SocketStream, other: trio.SocketStream, scope: trio.CancelScope) -> None:
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async for data in one:
                await other.send_all(data)
        scope.cancel()


class Terminal:
    """A tmux pane with the client in it."""

    def __init__(self, tmux: str, socket: Path) -> None:
        self._tmux = [tmux, "-S", str(socket), "-f", "/dev/null"]

    def _run(self, *words: str) -> str:
        return subprocess.run([*self._tmux, *words], capture_output=True, text=True, check=True).stdout

    def start(self, command: str, *, state: Path, width: int = 80, height: int = 24) -> None:
        environment = [
            word
            for pair in (
                f"XDG_STATE_HOME={state}",
                f"PYTHONPATH={ROOT / 'client'}{os.pathsep}{ROOT}",
                "LC_ALL=C.UTF-8",
            )
            for word in ("-e", pair)
        ]
        line = f"{sys.executable} -m golfnet_client {command}; echo exit=$?; exec cat"
        size = ("-x", str(width), "-y", str(height))
        self._run("new-session", "-d", "-s", "client", *size, *environment, line)

    def keys(self, *keys: str) -> None:
        self._run("send-keys", "-t", "client", *keys)

    def type(self, text: str) -> None:
        self._run("send-keys", "-t", "client", "-l", text)

    def resize(self, width: int, height: int) -> None:
        self._run("resize-window", "-t", "client", "-x", str(width), "-y", str(height))

    def screen(self) -> str:
        """Return what stands there, keys and what they mean parted by one blank."""
        return re.sub(r"(?<=\S)  (?=\S)", " ", self._run("capture-pane", "-p", "-t", "client"))

    def stop(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], capture_output=True, check=False)

    async def until(self, *wanted: str) -> str:
        """Wait until one of the texts stands on the screen, and return the screen."""
        return await self._wait(lambda screen: any(text in screen for text in wanted), f"one of {wanted}")

    async def do(self, key: str) -> str:
        """Press a key, wait until something else can be done, and return the screen."""
        before = offers(await trio.to_thread.run_sync(self.screen))
        self.keys(key)
        return await self._wait(lambda screen: offers(screen) != before, f"an answer to {key}")

    async def _wait(self, is_there: Callable[[str], bool], what: str) -> str:
        screen = ""
        with trio.move_on_after(SECONDS):
            while True:
                # In a thread: the proxy must go on carrying meanwhile.
                screen = await trio.to_thread.run_sync(self.screen)
                if is_there(screen):
                    return screen
                await trio.sleep(0.05)
        raise AssertionError(f"{what} did not come up within {SECONDS} s; the screen was\n{screen}")


@contextlib.asynccontextmanager
async def at_a_table(tmux: str, where: Path, create: str) -> AsyncIterator[tuple[Terminal, Proxy]]:
    """Bring a client through a proxy to a table of its own with one bot, and start the match."""
    terminal = Terminal(tmux, where / "tmux")
    with service("--house-delay", "0.1") as running:
        async with trio.open_nursery() as nursery:
            proxy = Proxy(running.port)
            await nursery.start(proxy.run)
            try:
                terminal.start(f"127.0.0.1:{proxy.port}", state=where)
                await terminal.until("What is your name?")
                terminal.type("Ann")
                terminal.keys("Enter")
                await terminal.until("Go to the lobby")
                terminal.keys("Down", "Enter")
                await terminal.until("No table is open")
                terminal.type(f":create {create}")
                terminal.keys("Enter")
                await terminal.until("add a bot")
                terminal.keys("b")
                await terminal.until("-bot")
                terminal.keys("o")
                await terminal.until("hole 1")
                yield terminal, proxy
            finally:
                terminal.stop()
                nursery.cancel_scope.cancel()


CHIPS = ("d draw", "x discard", "p pass", "n no power", "k knock", "r rematch", "give", "space slam")
"""What can be done, as the line of keys says it; which card is chosen there changes with a key alone."""


def offers(screen: str) -> str:
    """Return what the lines of keys, the last above the command line, offer."""
    lines = " ".join([line[:100] for line in screen.rstrip("\n").splitlines()[-3:]])
    return ", ".join([chip for chip in CHIPS if chip in lines])


async def test_a_hole_of_six_card_by_keys_with_the_cable_pulled(
    tmp_path: Path, needs_tool: Callable[[str], str]
) -> None:
    tmux = needs_tool("tmux")
    create = "six-card seats=2 holes=1 clock=0 turn_cap=2"
    async with at_a_table(tmux, tmp_path, create) as (terminal, proxy):
        await terminal.until("Turn up 2")
        terminal.keys("1")
        await terminal.until("Turn up one")
        terminal.keys("2")
        await terminal.until("d draw")
        terminal.keys("d")
        await terminal.until("You hold")

        proxy.pull()
        await terminal.until("onnect")  # "Connection lost", or already "connecting"
        terminal.type(":say still here")
        await terminal.until(": say still here")
        proxy.plug()
        screen = await terminal.until("You hold")
        assert proxy.connections == 2
        assert ": say still here" in screen, "what was typed is kept"
        terminal.keys("Enter")
        await terminal.until("> Ann: still here")
        terminal.resize(160, 50)
        await terminal.do("3")
        await terminal.until("d draw")
        await terminal.do("d")
        await terminal.do("4")
        await terminal.until("r rematch")
        await terminal.until("wins with", "win with")
        terminal.keys("v")
        await terminal.until("best")
        terminal.keys("Escape")
        terminal.keys("C-c")
        await terminal.until("exit=0")


async def test_a_hole_of_cactus_by_keys(tmp_path: Path, needs_tool: Callable[[str], str]) -> None:
    tmux = needs_tool("tmux")
    create = "cactus seats=2 clock=0 slam_window=1 target=1 holes=1"
    async with at_a_table(tmux, tmp_path, create) as (terminal, proxy):
        await terminal.until("look at 3 4")
        terminal.keys("Enter")
        turns = 0
        for _ in range(80):
            keys = offers(
                await terminal.until("d draw", "x discard", "p pass", "n no power", "give", "r rematch")
            )
            if "r rematch" in keys:
                break
            if "n no power" in keys:
                await terminal.do("n")
            elif "p pass" in keys:
                await terminal.do("p")
            elif "x discard" in keys:
                if turns == 1:
                    proxy.pull()
                    await terminal.until("onnect")
                    proxy.plug()
                    await terminal.until("You hold")
                await terminal.do("x")
            elif "k knock" in keys and turns >= 1:
                terminal.keys("k")
                await terminal.until("No, go back")
                await terminal.do("k")
            elif "d draw" in keys:
                turns += 1
                await terminal.do("d")
        screen = await terminal.until("r rematch")
        assert "win" in screen
        assert proxy.connections == 2
        terminal.keys("C-d")
        await terminal.until("exit=0")


@pytest.mark.parametrize(("width", "height"), [(40, 15), (80, 24), (120, 40)])
async def test_from_the_ways_in_to_a_lesson_and_back(
    tmp_path: Path, needs_tool: Callable[[str], str], width: int, height: int
) -> None:
    terminal = Terminal(needs_tool("tmux"), tmp_path / "tmux")
    try:
        terminal.start("", state=tmp_path, width=width, height=height)
        await terminal.until("Play alone")
        terminal.keys("a")
        await terminal.until("address:")
        terminal.type("no address:x")
        terminal.keys("Enter")
        await terminal.until("Expected a server")
        terminal.keys("Escape")
        await terminal.until("Learn")
        terminal.keys("l")
        await terminal.until("multiples")
        terminal.keys("Enter")
        await terminal.until("Turn up two of your six")
        terminal.keys("1")
        await terminal.until("Turn up one more")
        terminal.keys("C-c")
        await terminal.until("cannot be continued", "not finished")
        terminal.keys("n")
        await terminal.until("Turn up one more")
        terminal.keys("Escape")
        await terminal.until("End the match")
        terminal.keys("y")
        await terminal.until("Play alone")
        terminal.keys("q")
        await terminal.until("exit=0")
    finally:
        terminal.stop()


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (["--version"], 0, "golfnet-client "),
        (["--help"], 0, "examples:"),
        (["host:port"], 2, "expected a server such as"),
        (["--solo", "bridge"], 2, "--solo takes a rule set, one of four-turn"),
        (["127.0.0.1:1"], 2, "needs a terminal"),
    ],
)
def test_manners(command: list[str], code: int, said: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "golfnet_client", *command],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env=os.environ
        | {"XDG_STATE_HOME": str(tmp_path), "PYTHONPATH": f"{ROOT / 'client'}{os.pathsep}{ROOT}"},
        check=False,
    )
    assert done.returncode == code
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
