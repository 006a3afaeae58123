"""Two nodes: what players of different ones say to each other, and that a name and its token are good at both."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

import pytest

from tests.e2e.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.e2e.cluster.scene import Scene

    Connect = Callable[[int], Program]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Connect a program without a name."""
    with contextlib.ExitStack() as connected:

        def connect(port: int) -> Program:
            program = connected.enter_context(contextlib.closing(Program(port)))
            program.ask("hello 1")
            return program

        yield connect


def test_players_of_two_nodes_share_a_table_and_talk(scene: Scene, connect: Connect) -> None:
    first, second, _ = scene.nodes.well
    ann, ben = connect(first.port), connect(second.port)
    name = f"Ann{time.monotonic_ns() % 10**9}"
    ann.ask(f"name {name}")
    ben.ask(f"name Ben{time.monotonic_ns() % 10**9}")
    table = ann.ask("create four-turn seats=2 clock=0")["table"]
    assert ben.ask(f"join {table}")["table"] == table
    ben.ask("ready")
    ann.ask("ready")
    ben.wait_for(type="prompt")
    ben.ask("peek 3 4")
    ann.wait_for(type="event", event="peeked", seat="B")
    ben.ask(f"tell {name} hello")
    assert ann.wait_for(type="chat")["text"] == "hello"
    for player in (ann, ben):
        player.ask("leave")


def test_a_name_of_one_node_is_taken_at_the_other_and_its_token_works_there(
    scene: Scene, connect: Connect
) -> None:
    first, second, _ = scene.nodes.well
    ann, other = connect(first.port), connect(second.port)
    name = f"Ann{time.monotonic_ns() % 10**9}"
    ann.token = ann.ask(f"name {name}")["token"]
    code = "PAUSED"
    while code == "PAUSED":  # on a busy machine a node may not be sure of itself for a moment
        other.sock.sendall(f"7 name {name}\n".encode())
        code = other.wait_for(id=7)["code"]
    assert code == "NAME_TAKEN"
    assert other.ask(f"resume {ann.token}")["name"] == name
    assert ann.wait_for(type="bye")["code"] == "TAKEN_OVER"
