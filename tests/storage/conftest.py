"""A store on the disk, for the tests of what every store must do; one in memory differs in little (``test_memory``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from golfnet.storage.sqlite import Durability, SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from golfnet.storage.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = SqliteStore(tmp_path / "golf.db", Durability.NORMAL)
    yield store
    store.close()
