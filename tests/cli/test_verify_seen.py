"""``golfnet verify --seen``: a consistent record is refused if it differs from what a player was shown."""

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
import trio
import trio.testing

from golfnet.storage.files import MOST_BYTES, MOST_FILES, SeenFiles
from golfnet.storage.sqlite import MemoryStore
from tests.cli.conftest import Golfnet, Ran
from tests.server.house import open_house
from tests.server.test_witness import cheat
from tests.server.witnesses import Careful, careful_table, play, ready

Verify = Callable[[list[bytes], list[bytes]], Ran]


class Played(NamedTuple):
    """A record, what one player kept from the match, and the problems that this player has noted."""

    record: list[bytes]
    kept: list[bytes]
    problems: list[str]


@pytest.fixture
def verify(golfnet: Golfnet, tmp_path: Path) -> Verify:
    """Return a function that verifies a consistent record against what a player kept."""

    def run(record: list[bytes], kept: list[bytes]) -> Ran:
        (tmp_path / "record").write_bytes(b"".join(record))
        (tmp_path / "seen").write_bytes(b"".join(line + b"\n" for line in kept))
        assert golfnet("verify", tmp_path / "record").status == 0
        return golfnet("verify", tmp_path / "record", "--seen", tmp_path / "seen")

    return run


async def _play(create: str) -> Played:
    store = MemoryStore()
    async with open_house(store=store) as house:
        ann, bob = await careful_table(house, f"{create} seats=3", "Ann", "Bob")
        cid = Careful(await house.program("Cid"), seals=False)
        await cid.program.done("join t1")
        await cid.program.done("cut in the open")
        players = [ann, bob, cid]
        await ready(players)
        await ann.come_back(house)
        await play(players, random.Random(2))
        return Played(list(store.record("m1") or ()), ann.kept["m1"], ann.witness.problems)


def played(create: str) -> Played:
    return trio.run(_play, create, clock=trio.testing.MockClock(autojump_threshold=0))


@cache
def honest() -> Played:
    return played("cactus holes=2 recall=always")


@pytest.mark.parametrize("create", ["four-turn holes=2", "cactus holes=2 slam=lot"])
def test_an_honest_record_contains_what_was_seen(verify: Verify, create: str) -> None:
    game = played(create)
    assert game.problems == []
    ran = verify(game.record, game.kept)
    assert ran.status == 0
    assert "and 2 sealed deals match what was fixed before" in ran.out


@pytest.mark.parametrize("how", ["another open text", "own text left out"])
def test_cuts_chosen_after_others_were_revealed_are_found_by_comparison(
    verify: Verify, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    cheat(monkeypatch, how)
    game = played("four-turn holes=1")
    assert game.problems
    # The player noted no problem, so the record must show it.
    ran = verify(game.record, [line for line in game.kept if b'"problem"' not in line])
    assert ran.status == 1
    assert re.search(r"seen: WRONG: what was seen is not the match in .*record: line ", ran.out)


def test_a_match_made_up_afterwards_is_refused(verify: Verify) -> None:
    other = played("cactus holes=2 recall=always slam=order")
    assert verify(other.record, honest().kept).status == 1


@pytest.mark.parametrize("key", ["event", "view", "commitment", "deal", "seals", "text"])
def test_every_kind_of_line_is_kept_and_compared(verify: Verify, key: str) -> None:
    record, kept, _ = honest()
    at, fields = next((at, line) for at, line in enumerate(map(msgspec.json.decode, kept)) if key in line)
    changes = {
        "event": {"commitment": "0f" * 32} if fields.get("event") == "committed" else {"seq": 99_999},
        "view": {"view": fields.get("view", {}) | {"stock": 1}},
        "commitment": {"commitment": "0f" * 32},
        "deal": {"deal": "another scheme"},
        "seals": {"seals": ["0f" * 32, None, None]},
        "text": {"text": "another text of my own"},
    }[key]
    changed = [*kept[:at], msgspec.json.encode(fields | changes), *kept[at + 1 :]]
    assert verify(record, changed).status == 1


@pytest.mark.parametrize("seq", [0, 99_999])
def test_a_view_from_a_moment_without_a_hole_is_refused(verify: Verify, seq: int) -> None:
    record, kept, _ = honest()
    at, view = next(
        (at, line["view"]) for at, line in enumerate(map(msgspec.json.decode, kept)) if "view" in line
    )
    ran = verify(record, [*kept[:at], msgspec.json.encode({"view": view | {"seq": seq}})])
    assert ran.status == 1
    assert "a moment during a hole in the record" in ran.out


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (b"", 2),
        (b"no json", 2),
        (b'{"format":"golfnet-record/1","match":"m1"}', 2),
        (b'{"format":"golfnet-seen/1","match":"m7","name":"Ann"}', 2),
        (b'{"format":"golfnet-seen/1","match":"m1","name":"Eve"}', 1),
        (b'{"format":"golfnet-seen/1","match":"m1","name":"Ann"}\n{"view":7}', 1),
        (b'{"format":"golfnet-seen/1","match":"m1","name":"Ann"}\n{"problem":"Hole 1: something."}', 1),
        (b'{"format":"golfnet-seen/1","match":"m1","name":"Ann"}\n{"seals":[null],"cuts":[],"hole":1}', 1),
        (b'{"format":"golfnet-seen/1","match":"m1","name":"Ann"}\n{"later":"and unknown"}', 0),
    ],
)
def test_an_invalid_file_or_a_noted_problem_is_reported(verify: Verify, line: bytes, status: int) -> None:
    assert verify(honest().record, [line]).status == status


# --- the files


def test_files_stay_in_their_folder_whatever_the_server_sends(tmp_path: Path) -> None:
    directory = tmp_path / "golfnet" / "seen"
    files = SeenFiles(directory, "../../[::1]:7777")
    files.keep("../../../etc/passwd\n", b"{}")
    files.keep("m1", b"1")
    files.keep("m1", b"2")
    assert files.path is not None
    assert files.path.read_bytes() == b"1\n2\n"
    assert {path.parent for path in tmp_path.rglob("*.jsonl")} == {tmp_path / "golfnet" / "seen"}
    assert files.path.stat().st_mode & 0o777 == 0o600
    assert directory.stat().st_mode & 0o777 == 0o700


def test_no_server_can_fill_the_disk(tmp_path: Path) -> None:
    files, other = SeenFiles(tmp_path, "a"), SeenFiles(tmp_path, "b")
    other.keep("m1", b"{}")
    for number in range(MOST_FILES + 20):
        files.keep(f"m{number}", b"{}")
    assert len(list(tmp_path.glob("a-*"))) == MOST_FILES
    assert len(list(tmp_path.glob("b-*"))) == 1
    for _ in range(3):
        files.keep("long", b"x" * (MOST_BYTES // 2))
    assert files.path is not None
    assert files.path.stat().st_size <= MOST_BYTES


def test_an_unwritable_directory_is_tolerated(tmp_path: Path) -> None:
    (tmp_path / "golfnet").write_text("a file")
    files = SeenFiles(tmp_path / "golfnet" / "seen", "a")
    files.keep("m1", b"{}")
    assert files.path is None
