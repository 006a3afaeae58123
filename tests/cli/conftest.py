"""``golfnet`` as a function, records for it, and a clean process for each test."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from golfnet.cli.main import main
from tests.storage.matches import record_of, rules_of


class Ran(NamedTuple):
    """The exit status of a command, and what it printed."""

    status: int
    out: str
    err: str


Golfnet = Callable[..., Ran]


@pytest.fixture
def golfnet(capsys: pytest.CaptureFixture[str]) -> Golfnet:
    """Return a function that runs ``golfnet`` with the given arguments."""

    def run(*words: object) -> Ran:
        try:
            status = main([str(word) for word in words])
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 1
        return Ran(status, *capsys.readouterr())

    return run


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """Return the path of a valid record of a match of two holes."""
    path = tmp_path / "match.jsonl"
    path.write_bytes(b"".join(record_of(rules_of("six-card", holes=2), seed=1)))
    return path


@pytest.fixture
def tampered(record: Path) -> Path:
    """Return the path of the same record with a wrong number of cards in the stock after the first draw."""
    lines = record.read_bytes().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if b'"drew"' in line)
    lines[at] = lines[at].replace(b'"stock":', b'"stock":1')
    path = record.with_name("tampered.jsonl")
    path.write_bytes(b"".join(lines))
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
