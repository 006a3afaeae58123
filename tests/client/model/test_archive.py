"""Matches played alone are kept, the latest first and not too many; what cannot be read is passed over."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from golfnet_client.model.archive import LONGEST, MOST, Archive

if TYPE_CHECKING:
    from pathlib import Path


def a_record(*seats: str) -> list[dict[str, Any]]:
    return [{"match": "m1", "variant": "cactus", "seats": list(seats)}, {"event": "dealt"}]


def test_what_is_kept_can_be_read_again(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "matches")
    assert archive.matches() == []
    archive.keep(a_record("Golfer", "easy-bot"), now=1_700_000_000)
    archive.keep(a_record("Golfer", "a", "b", "c", "d"), now=1_700_000_100)
    latest, first = archive.matches()
    assert latest.what == "cactus: Golfer, a, b, c and 1 more"
    assert first.what == "cactus: Golfer, easy-bot"
    assert first.when < latest.when
    assert archive.read(first.name) == a_record("Golfer", "easy-bot")


def test_there_are_not_too_many(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    for number in range(MOST + 3):
        archive.keep(a_record(f"p{number}"), now=1_700_000_000 + number)
    assert len(list(tmp_path.iterdir())) == MOST
    assert archive.matches()[0].what == f"cactus: p{MOST + 2}"
    assert archive.matches()[-1].what == "cactus: p3"


def test_what_is_no_record_is_passed_over(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.keep(a_record("Golfer"), now=1_700_000_000)
    for name, text in (
        ("20260101-000000-a.jsonl", ""),
        ("20260101-000000-b.jsonl", "[]"),
        ("20260101-000000-c.jsonl", json.dumps({"seats": 3})),
        ("x.jsonl", json.dumps(a_record("Golfer")[0])),
    ):
        (tmp_path / name).write_text(text)
    (tmp_path / "20260101-000000-d.jsonl").write_bytes(b"\xff" * 10)
    assert len(archive.matches()) == 1
    assert archive.read("20260101-000000-b.jsonl") == []
    assert archive.read("20260101-000000-d.jsonl") == []
    assert archive.read("nothing") == []
    (tmp_path / "big.jsonl").write_text("\n" * (LONGEST + 1))
    assert archive.read("big.jsonl") == []


def test_names_are_cleaned_and_a_place_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.keep(a_record("\x1b]0;evil"), now=1_700_000_000)
    assert "\x1b" not in archive.matches()[0].what
    (tmp_path / "file").touch()
    Archive(tmp_path / "file" / "below").keep(a_record("Golfer"))
