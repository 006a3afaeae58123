"""Nodes that the tests share: each test begins with three healthy ones, and starts those that are missing."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from tests.e2e.cluster.judges import Judge
from tests.e2e.cluster.nodes import Nodes
from tests.e2e.cluster.scene import Scene

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.postgres import PostgresServer


@pytest.fixture(scope="session")
def shared(
    postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Nodes, Judge]]:
    folder = tmp_path_factory.mktemp("nodes")
    with contextlib.closing(Nodes(postgres.new_url(), postgres.port, folder)) as nodes:
        yield nodes, Judge(nodes.history)


@pytest.fixture
def scene(shared: tuple[Nodes, Judge]) -> Iterator[Scene]:
    nodes, judge = shared
    nodes.be(3)
    with Scene(nodes, judge) as scene:
        yield scene
