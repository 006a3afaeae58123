"""``golfnet backup``: it makes a complete copy or none, even while a server is using the database."""

import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import trio

from golfnet.server.accounts.accounts import hash_of
from golfnet.storage.sqlite import SqliteStore
from tests.cli.conftest import Golfnet, Ran
from tests.e2e.service import service
from tests.e2e.witness import Witness


def test_a_copy_made_during_play_is_complete(tmp_path: Path, golfnet: Golfnet) -> None:
    database, copy = tmp_path / "golfnet.db", tmp_path / "copy.db"
    with service("--db", str(database)) as server:
        host = trio.run(_play, server.port, lambda: golfnet("backup", "--db", database, copy))
    assert copy.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in copy.parent.glob("copy*")) == ["copy.db"]
    assert golfnet("verify", "--db", copy).status == 0
    with closing(SqliteStore(copy)) as restored:
        player = restored.player_by_token(hash_of(host.token))
        assert player is not None
        assert [table.table for table in restored.tables()] == [host.table]


async def _play(port: int, make_copy: Callable[[], Ran]) -> Witness:
    """Play for a while, make a copy in the middle, and return one of the players."""
    async with trio.open_nursery() as nursery:
        host, guest = (Witness(port, name, random.Random(3)) for name in ("Ann", "Bob"))
        nursery.start_soon(host.run, "create six-card seats=2 holes=18")
        with trio.fail_after(60):
            await host.is_seated.wait()
        nursery.start_soon(guest.run, f"join {host.table}")
        await trio.sleep(0.5)
        assert (await trio.to_thread.run_sync(make_copy)).status == 0
        nursery.cancel_scope.cancel()
    return host


def test_nothing_is_overwritten_and_no_partial_copy_is_left(tmp_path: Path, golfnet: Golfnet) -> None:
    for name in ("golfnet.db", "damaged.db"):
        SqliteStore(tmp_path / name).close()
    content = bytearray((tmp_path / "damaged.db").read_bytes())
    content[4096 * 2 : 4096 * 2 + 200] = bytes(200)  # destroy the third page's header and first cells
    (tmp_path / "damaged.db").write_bytes(content)
    (tmp_path / "copy.db").write_text("mine")
    before = {*tmp_path.iterdir()}
    for database, copy, told in [
        ("golfnet.db", "copy.db", "copy.db: that file exists; name a new one."),
        ("none.db", "other.db", "none.db cannot be opened"),
        ("copy.db", "other.db", "copy.db is damaged (file is not a database)"),
        ("damaged.db", "other.db", "is damaged"),
        ("golfnet.db", "no-folder/copy.db", "no-folder/copy.db: No such file or directory."),
    ]:
        status, out, err = golfnet("backup", "--db", tmp_path / database, tmp_path / copy)
        assert (status, out) == (1, "")
        assert told in err
    assert (tmp_path / "copy.db").read_text() == "mine"
    assert {*tmp_path.iterdir()} == before


def test_the_database_is_the_one_named_in_the_settings(tmp_path: Path, golfnet: Golfnet) -> None:
    SqliteStore(tmp_path / "golf.db").close()
    settings, copy = tmp_path / "golfnet.toml", tmp_path / "copy.db"
    settings.write_text(f'db = "{tmp_path}/golf.db"\n')
    ran = golfnet("backup", "--config", settings, copy)
    assert ran == (0, f"{copy}: {copy.stat().st_size:,} bytes\n", "")
