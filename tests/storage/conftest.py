"""Each test that asks for a store runs once for every kind of store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from golfnet.storage.memory import MemoryStore
from golfnet.storage.sqlite import Durability, SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from golfnet.storage.store import Store


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store: Store = (
        MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "golf.db", Durability.NORMAL)
    )
    yield store
    store.close()
