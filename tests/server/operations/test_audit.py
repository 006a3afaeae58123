"""The audit log: one object a line whatever was said, nothing rewritten, and nothing stopped by a bad disk."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.server.operations.audit import AuditLog

texts = st.text(max_size=6) | st.sampled_from(["a\nb", "\r\n", '"}\n{"', "\u2028", "\x00", "\ud800"])
operations = st.tuples(
    st.floats(0, 4e9), st.none() | st.integers(0, 2**32), st.lists(texts, max_size=3), st.none() | texts
)


@given(st.lists(operations, min_size=1, max_size=4))
def test_every_operation_is_one_line_that_reads_back_and_none_is_rewritten(
    done: list[tuple[float, int | None, list[str], str | None]],
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "audit.jsonl"
        for number, (now, uid, words, error) in enumerate(done, 1):
            before = path.read_bytes() if number > 1 else b""
            AuditLog(path).write(now=now, uid=uid, words=words, error=error)
            written = path.read_bytes()
            assert written.startswith(before)
            assert written.endswith(b"\n")
            assert written.count(b"\n") == number
        for line, (now, uid, words, error) in zip(written.splitlines(), done, strict=True):
            entry = json.loads(line)
            when = datetime.fromisoformat(entry.pop("time"))
            assert entry == {"uid": uid, "operation": words, "error": error}
            assert when.utcoffset() == timedelta(0)
            assert abs(when - datetime.fromtimestamp(now, UTC)) <= timedelta(milliseconds=1)


@pytest.mark.parametrize("has_file", [True, False])
def test_the_server_s_log_has_who_did_what_and_why_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, *, has_file: bool
) -> None:
    caplog.set_level(logging.INFO)
    audit = AuditLog(tmp_path / "audit.jsonl" if has_file else None)
    audit.write(now=0, uid=1000, words=["kick", "Ann"], error=None)
    audit.write(now=0, uid=None, words=["kick", "Bob"], error="There is no player with the name Bob.")
    assert caplog.messages == [
        "operator 1000: kick Ann",
        "operator None: kick Bob (There is no player with the name Bob.)",
    ]
    assert (tmp_path / "audit.jsonl").exists() == has_file


@pytest.mark.parametrize("in_the_way", ["folder", "missing"])
def test_what_cannot_be_written_is_an_error_in_the_log_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, in_the_way: str
) -> None:
    path = tmp_path if in_the_way == "folder" else tmp_path / "none" / "audit.jsonl"
    AuditLog(path).write(now=0, uid=0, words=["stop"], error=None)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert str(path) in caplog.messages[0]
