from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from golfnet.storage.errors import StoreReason
from golfnet.storage.faults import os_error, store_error

PATH = Path("/srv/golf/golf.db")


@pytest.mark.parametrize(
    ("code", "reason", "advice"),
    [
        (sqlite3.SQLITE_FULL, StoreReason.FULL, "Make room"),
        (sqlite3.SQLITE_BUSY, StoreReason.LOCKED, "--db"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, StoreReason.LOCKED, "--db"),
        (sqlite3.SQLITE_LOCKED, StoreReason.LOCKED, "--db"),
        (sqlite3.SQLITE_READONLY, StoreReason.READ_ONLY, "write access"),
        (sqlite3.SQLITE_READONLY_DIRECTORY, StoreReason.READ_ONLY, "/srv/golf"),
        (sqlite3.SQLITE_PERM, StoreReason.READ_ONLY, "write access"),
        (sqlite3.SQLITE_CANTOPEN, StoreReason.UNREACHABLE, "/srv/golf exist"),
        (sqlite3.SQLITE_CORRUPT, StoreReason.DAMAGED, ".recover"),
        (sqlite3.SQLITE_CORRUPT_INDEX, StoreReason.DAMAGED, ".recover"),
        (sqlite3.SQLITE_NOTADB, StoreReason.DAMAGED, "last good copy"),
        (sqlite3.SQLITE_IOERR_FSYNC, StoreReason.FAULTY, "log"),
        (sqlite3.SQLITE_NOMEM, StoreReason.FAULTY, "log"),
    ],
)
def test_each_error_has_advice(code: int, reason: StoreReason, advice: str) -> None:
    error = sqlite3.OperationalError("the words of SQLite")
    error.sqlite_errorcode = code
    told = store_error(PATH, error)
    assert told.reason is reason
    assert advice in told.sentence
    assert str(PATH) in told.sentence
    assert "the words of SQLite" in told.sentence
    assert str(told) == told.sentence


def test_an_error_without_a_code_is_reported_too() -> None:
    assert store_error(PATH, sqlite3.OperationalError("odd")).reason is StoreReason.FAULTY


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ENOSPC, StoreReason.FULL),
        (errno.EDQUOT, StoreReason.FULL),
        (errno.EROFS, StoreReason.READ_ONLY),
        (errno.EACCES, StoreReason.READ_ONLY),
        (errno.ENOENT, StoreReason.UNREACHABLE),
        (errno.ENOTDIR, StoreReason.UNREACHABLE),
    ],
)
def test_errors_of_the_operating_system(number: int, reason: StoreReason) -> None:
    told = os_error(PATH, OSError(number, os.strerror(number)))
    assert told.reason is reason
    assert os.strerror(number) in told.sentence
