"""A replay shows every card, and ends as its match did."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from golfnet_client.model.model import Model, Place
from golfnet_client.model.replay import LONGEST, MOST, Archive, BadReplay, replay_of
from golfnet_client.screens.table_screen import replay_keys
from golfnet_client.terminal.client import Client
from tests.storage.conftest import full_disk
from tests.storage.matches import record_of, rules_of


def record(variant: str, **changes: object) -> list[dict[str, Any]]:
    """Return the record of a match played at random."""
    return [json.loads(line) for line in record_of(rules_of(variant, **changes))]


def a_client(now: Callable[[], float] = lambda: 0.0) -> Client:
    return Client(Model(), send=lambda line: None, now=now)


@pytest.mark.parametrize(
    ("variant", "changes"),
    [("six-card", {"holes": 2}), ("cactus", {"holes": 2, "target": None}), ("multiples", {"turn_cap": 5})],
)
def test_a_replay_ends_like_its_match(variant: str, changes: dict[str, object]) -> None:
    lines = record(variant, **changes)
    replay = replay_of(lines)
    last = replay.views[-1]
    assert [seat.total for seat in last.seats] == lines[-1]["totals"]
    assert last.state == "finished"
    hidden = [slot for view in replay.views for seat in view.seats for slot in seat.slots if slot == "?"]
    assert hidden == [], "a record hides nothing"


def test_a_replay_can_be_stepped_back_and_forth() -> None:
    client = a_client()
    model = client.model
    replay = client.replay = replay_of(record("six-card", holes=3))
    replay.show(model)
    assert model.table is not None
    assert model.table.phase == "start", "it begins with the first deal"
    client.press("n")
    assert model.table is not None
    assert model.table.hole == 2
    assert model.table.phase == "start"
    client.press("p")
    assert model.table.hole == 1
    client.press("end")
    assert model.table.state == "finished"
    client.press("right")
    assert replay.at == len(replay.views) - 1
    views = len(replay.views)
    assert f"hole 3, {views} of {views}" in "\n".join(client.picture(80, 23).lines())
    model.name = "Ann"
    client.press("q")
    assert model.place is Place.LOBBY


def test_a_replay_plays_at_its_speed_pauses_and_jumps_to_a_clicked_step() -> None:
    now = 100.0
    client = a_client(lambda: now)
    client.open_replay(record("six-card", holes=2))
    replay = client.replay
    assert replay is not None
    keys = {choice.key: choice.label for choice in replay_keys(replay)}
    assert keys["space"] == "play"
    assert "left" not in keys, "there is nothing earlier"
    client.press("space")
    assert client.changes_in() == 1.0
    now += 3.5
    client.picture(80, 23)
    assert replay.at == 3
    client.press("up")
    assert replay.speed == 2.0
    now += 1.6
    client.picture(80, 23)
    assert replay.at in (6, 7)
    client.press("space")
    now += 10
    client.picture(80, 23)
    assert not replay.is_playing
    assert replay.at in (6, 7), "it is paused"
    canvas = client.picture(80, 23)
    last = max(zone.x for zone in canvas.zones if zone.target.startswith("moment "))
    bar = next(zone for zone in canvas.zones if zone.target.startswith("moment ") and zone.x == last)
    client.click(bar.x, bar.y)
    assert replay.at == len(replay.views) - 1
    assert "wins" in "\n".join(client.picture(80, 23).lines())
    client.press("space")
    assert replay.at == 0, "at the end it starts over"
    now += 10_000
    client.picture(80, 23)
    assert (replay.at, replay.is_playing) == (len(replay.views) - 1, False)


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [{}],
        [{"seats": 3}],
        [{"match": "m1", "seats": ["A"], "variant": "x", "options": {}}, {"event": "no"}],
    ],
)
def test_an_invalid_record_is_refused(lines: list[dict[str, Any]]) -> None:
    with pytest.raises(BadReplay):
        replay_of(lines)
    client = a_client()
    client.open_replay(lines)
    assert client.model.place is Place.HOME
    assert client.model.news is not None
    assert "cannot be shown" in client.model.news.text


def a_record(*seats: str) -> list[dict[str, Any]]:
    return [{"match": "m1", "variant": "cactus", "seats": list(seats)}, {"event": "dealt"}]


def test_stored_matches_can_be_read_again(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "matches")
    assert archive.matches() == []
    archive.keep(a_record("Golfer", "easy-bot"), now=1_700_000_000)
    archive.keep(a_record("\x1b]0;evil", "a", "b", "c", "d"), now=1_700_000_100)
    latest, first = archive.matches()
    assert latest.what == "cactus: , a, b, c and 1 more", "names are cleaned"
    assert first.what == "cactus: Golfer, easy-bot"
    assert first.when < latest.when
    assert archive.read(first.name) == a_record("Golfer", "easy-bot")


def test_the_number_of_stored_matches_is_limited(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    for number in range(MOST + 3):
        archive.keep(a_record(f"p{number}"), now=1_700_000_000 + number)
    assert len(list(tmp_path.iterdir())) == MOST
    assert archive.matches()[0].what == f"cactus: p{MOST + 2}"
    assert archive.matches()[-1].what == "cactus: p3"


def test_an_invalid_record_is_skipped(tmp_path: Path) -> None:
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


def test_an_unwritable_directory_is_tolerated(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    Archive(tmp_path / "file" / "below").keep(a_record("Golfer"))


def test_a_full_disk_leaves_no_part_of_a_record(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    with full_disk():
        archive.keep(a_record("Golfer"))
    assert list(tmp_path.iterdir()) == []
