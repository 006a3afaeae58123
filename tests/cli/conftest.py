"""What a command does to its process is undone, so that the next test begins with a clean process."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from tests.storage.matches import record_of, rules_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """Return the path of a valid record of a match of two holes."""
    path = tmp_path / "match.jsonl"
    path.write_bytes(b"".join(record_of(rules_of("six-card", holes=2), seed=1)))
    return path


@pytest.fixture(autouse=True)
def quiet_logs() -> Iterator[None]:
    """Restore the loggers, whose levels and handlers ``serve`` changes for the whole process."""
    loggers = logging.getLogger(), logging.getLogger("golfnet")
    before = [(logger, logger.level, [*logger.handlers]) for logger in loggers]
    yield
    for logger, level, handlers in before:
        logger.setLevel(level)
        logger.handlers[:] = handlers
