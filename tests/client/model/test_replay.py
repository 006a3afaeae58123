"""A replay shows every card, and ends as its match did."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from golfnet_client.model.model import Place
from golfnet_client.model.replay import LONGEST, MOST, Archive, BadReplay, Replay, replay_of
from golfnet_client.screens.table_screen import replay_keys
from golfnet_client.terminal.keys import press
from tests.client import tables
from tests.client.terminal.person import Person
from tests.storage.conftest import full_disk
from tests.storage.matches import record_of, rules_of


def record(variant: str, **changes: object) -> list[dict[str, Any]]:
    """Return the record of a match played at random."""
    return [json.loads(line) for line in record_of(rules_of(variant, **changes))]


def opened(lines: list[dict[str, Any]]) -> tuple[Person, Replay]:
    """Return a person who has just opened a replay, and the replay."""
    person = Person()
    person.client.open_replay(lines)
    assert person.client.replay is not None
    return person, person.client.replay


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
    person, replay = opened(record("six-card", holes=3))

    def pressed(*keys: str) -> tuple[int, str | None]:
        person.press(*keys)
        view = person.client.model.table
        assert view is not None
        return view.hole, view.phase

    assert pressed() == (1, "start"), "it begins with the first deal"
    assert pressed("n") == (2, "start")
    assert pressed("p") == (1, "start")
    for key in ("end", "right"):
        assert pressed(key) == (3, "over")
        assert replay.at == len(replay.views) - 1
    views = len(replay.views)
    assert f"hole 3, {views} of {views}" in person.screen
    person.press("q")
    assert person.client.model.place is Place.LOBBY


def test_the_players_own_table_takes_the_place_of_a_replay_and_a_watched_one_does_not() -> None:
    person, replay = opened(record("six-card", holes=2))
    model = person.client.model
    shown = model.focus
    person.press("space")
    person.client.receive(structs.replace(tables.six_card(), you=None))
    assert (model.place, model.focus) == (Place.REPLAY, shown)
    person.client.receive(structs.replace(tables.six_card(), table="t2"))
    assert (model.place, model.focus) == (Place.TABLE, "t2")
    person.wait(10)
    assert replay.at == 0, "it is closed"
    assert [*model.tables] == ["t1", "t2"]


def test_a_replay_plays_at_its_speed_pauses_and_jumps_to_a_clicked_step() -> None:
    person, replay = opened(record("six-card", holes=2))
    keys = {choice.key: choice.label for choice in replay_keys(replay)}
    assert keys["space"] == "play"
    assert "left" not in keys, "there is nothing earlier"
    press(person.client, "space")
    assert person.client.changes_in() == 1.0
    person.wait(3.5)
    assert replay.at == 3
    person.press("up")
    assert replay.speed == 2.0
    person.wait(1.6)
    assert replay.at in (6, 7)
    person.press("space")
    person.wait(10)
    assert not replay.is_playing
    assert replay.at in (6, 7), "it is paused"
    zones = person.client.picture(80, 23).zones
    bar = max((zone for zone in zones if zone.target.startswith("moment ")), key=lambda zone: zone.x)
    person.click(bar.target)
    assert replay.at == len(replay.views) - 1
    assert "wins" in person.screen
    press(person.client, "space")
    assert replay.at == 0, "at the end it starts over"
    person.wait(10_000)
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
    person = Person()
    person.client.open_replay(lines)
    assert person.client.model.place is Place.LOBBY
    assert "cannot be shown" in person.says()


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


def test_an_unwritable_directory_is_tolerated_and_a_full_disk_leaves_no_part_of_a_record(
    tmp_path: Path,
) -> None:
    Archive(Path(os.devnull) / "matches").keep(a_record("Golfer"))
    with full_disk():
        Archive(tmp_path).keep(a_record("Golfer"))
    assert list(tmp_path.iterdir()) == []
