"""What an operator does at one node, for players and tables of any; and all nodes at a glance."""

from __future__ import annotations

import contextlib
import subprocess
import time
from typing import TYPE_CHECKING

from tests.e2e.cluster.nodes import until
from tests.e2e.program import Program
from tests.e2e.service import GOLFNET, PATIENCE

if TYPE_CHECKING:
    from tests.e2e.cluster.scene import Scene


def run(*words: str) -> tuple[int, str]:
    """Return the exit status and the output of a command."""
    done = subprocess.run([GOLFNET, *words], capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stdout


def test_an_operator_reaches_everybody_from_any_node(scene: Scene) -> None:
    first, second, _ = scene.nodes.well

    def operate(*words: str) -> tuple[int, str]:
        return run("admin", "--admin-socket", second.admin_socket, *words)

    with contextlib.closing(Program(first.port)) as ann:
        ann.ask("hello 1")
        name = f"Ann{time.monotonic_ns() % 10**9}"
        ann.ask(f"name {name}")
        table = ann.ask("create four-turn seats=2 clock=0")["table"]
        assert operate("announce", "Tea is ready")[0] == 0
        assert ann.wait_for(type="notice", code="ANNOUNCEMENT")["text"] == "Tea is ready"
        until(lambda: table in operate("tables")[1], "a list that is a second old")
        status, closed = operate("close", table)
        assert (status, closed.splitlines()[0]) == (0, f"closed: {table}")
        status, kicked = operate("kick", name)
        assert (status, kicked.splitlines()[0]) == (0, f"kicked: {name}")
        assert ann.wait_for(type="bye")["code"] == "KICKED"


def test_a_node_that_is_killed_is_seen_at_a_glance(scene: Scene) -> None:
    first = scene.nodes.well[0]

    def look() -> tuple[int, str]:
        return run("cluster", "--database", scene.nodes.url)

    status, screen = look()
    assert status == 0, screen
    assert screen.startswith("golfnet cluster: all is well")
    first.kill()
    until(lambda: "without a word" in look()[1], "a node that is seen to be gone")
