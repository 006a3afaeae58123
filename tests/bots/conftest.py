"""Keeps the tests of all levels quick."""

import pytest

from golfnet.bots import expert


@pytest.fixture(autouse=True)
def few_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the playouts of ``expert`` to two deals."""
    monkeypatch.setattr(expert, "WORLDS", 2)
    monkeypatch.setattr(expert, "FEW", 2)
