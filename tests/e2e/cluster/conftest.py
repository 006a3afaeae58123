"""Nodes that the tests share: each test begins with three healthy ones, and starts those that are missing."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from tests.e2e.cluster.nodes import Nodes
from tests.e2e.cluster.scene import Scene

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.postgres import PostgresServer


@pytest.fixture(scope="session")
def shared(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    with contextlib.closing(
        Nodes(postgres.new_url(), postgres.port, tmp_path_factory.mktemp("nodes"))
    ) as nodes:
        yield nodes


@pytest.fixture
def scene(shared: Nodes) -> Iterator[Scene]:
    shared.be(3)
    with Scene(shared) as scene:
        yield scene
