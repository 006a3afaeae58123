"""Nodes that the rows of the matrix share: each begins with three that are well, and starts what is missing."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from tests.e2e.cluster.judges import Judge
from tests.e2e.cluster.nodes import Nodes
from tests.e2e.cluster.scene import Scene

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.postgres import Engine


@pytest.fixture(scope="session")
def shared(postgres: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Nodes, Judge]]:
    folder = tmp_path_factory.mktemp("nodes")
    with contextlib.closing(Nodes(postgres.new_url(), postgres.port, folder)) as nodes:
        yield nodes, Judge(nodes.history)


@pytest.fixture
def scene(shared: tuple[Nodes, Judge]) -> Iterator[Scene]:
    nodes, judge = shared
    nodes.be(3)
    with Scene(nodes, judge) as scene:
        yield scene
