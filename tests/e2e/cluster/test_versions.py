"""Rows of the matrix: two versions in one cluster, which change places under players who play on."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.e2e.cluster.judges import Judge
from tests.e2e.cluster.next_version import VERSION, make_next_version
from tests.e2e.cluster.nodes import Nodes
from tests.e2e.cluster.scene import Scene, codes, told
from tests.e2e.service import GOLFNET, PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.e2e.cluster.wires import Wires
    from tests.postgres import Engine


NUMBERS = "SELECT DISTINCT split_part(version, '+', 1) FROM node WHERE NOT gone"
"""The versions that run, without what tells builds of one apart."""


class Versions(Scene):
    """A scene with nodes of its own, of this version and the next."""

    def __init__(self, nodes: Nodes, later: dict[str, str]) -> None:
        super().__init__(nodes, Judge(nodes.history, is_verified=False))
        self.later = later
        """The environment of the next version."""

    def verify(self) -> None:
        """Let the next version verify the database."""
        verified = subprocess.run(
            [GOLFNET, "verify", "--database", self.nodes.url],
            env=os.environ | self.later,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.fixture
def versions(postgres: Engine, wires: Wires, tmp_path: Path) -> Iterator[Versions]:
    later = make_next_version(tmp_path / "later")
    with contextlib.closing(Nodes(postgres.new_url(), postgres.port, tmp_path, wires)) as nodes:
        nodes.be(2)
        scene = Versions(nodes, later)
        try:
            yield scene
        finally:
            scene.crowd.leave()
            nodes.tidy()
        scene.conclude()
        scene.verify()


def test_players_of_two_versions_share_tables_and_the_newer_one_inherits(versions: Versions) -> None:
    nodes = versions.nodes
    old, other = nodes.well
    new = nodes.start(env=versions.later)
    mine = versions.seat(old, new)
    versions.seat(new, other, old)
    assert {*nodes.history.rows(NUMBERS)} >= {(VERSION,)}
    since = time.monotonic()
    other.kill()
    old.kill()
    versions.comes_back(mine, since)
    versions.goes_on()


def test_nobody_is_dropped_while_each_node_is_replaced_by_one_of_the_next_version(versions: Versions) -> None:
    nodes = versions.nodes
    olds = nodes.well
    tables = [versions.seat(olds[0], olds[1]), versions.seat(olds[1], olds[0], olds[1])]
    players = [player for table in tables for player in table.players]
    began = time.monotonic()
    for old in olds:
        new = nodes.start(env=versions.later)
        here = [player for player in players if player.home is old]
        elsewhere = versions.kept(*(player for player in players if player.home is not old))
        since = time.monotonic()
        old.drain()
        assert old.wait() == 0
        versions.goes_on()
        assert versions.kept(*(player for player in players if player not in here)) == elsewhere
        assert not any(codes(connection, since, "bye") for connection in elsewhere)
        dropped = {
            each.said["name"]
            for connection in elsewhere
            for each in told(connection, since, "event")
            if each.said["event"] == "dropped"
        }
        assert dropped <= {player.name for player in here}
        assert all(nodes.history.owners()[table.name] != old.number for table in tables)
        seconds = time.monotonic() - since
        print(f"{old.name} gave way to {new.name} in {seconds:.2f} s; dropped: {dropped or 'nobody'}")
    assert nodes.history.rows(NUMBERS) == [(VERSION,)]
    print(f"two nodes were replaced in {time.monotonic() - began:.2f} s")
