import random
from contextlib import closing
from pathlib import Path

import pytest
import trio

from golfnet.cli.main import main
from golfnet.server.accounts.accounts import hash_of
from golfnet.storage.sqlite import SqliteStore
from tests.e2e.service import Service
from tests.e2e.witness import Witness


def test_a_copy_made_during_play_is_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database, copy = tmp_path / "golfnet.db", tmp_path / "copy.db"
    server = Service("--db", str(database))
    try:
        host = trio.run(_play_and_copy, server.port, database, copy)
    finally:
        server.stop(kill=True)
    assert copy.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in copy.parent.glob("copy*")) == ["copy.db"]
    assert main(["verify", "--db", str(copy)]) == 0, capsys.readouterr().out
    with closing(SqliteStore(copy)) as restored:
        player = restored.player_by_token(hash_of(host.token))
        assert player is not None
        assert [table.table for table in restored.tables()] == [host.table]


async def _play_and_copy(port: int, database: Path, copy: Path) -> Witness:
    """Play for a while, make a copy in the middle, and return one of the players."""
    async with trio.open_nursery() as nursery:
        host, guest = (Witness(port, name, random.Random(3)) for name in ("Ann", "Bob"))
        nursery.start_soon(host.run, "create six-card seats=2 holes=18")
        with trio.fail_after(60):
            await host.is_seated.wait()
        nursery.start_soon(guest.run, f"join {host.table}")
        await trio.sleep(0.5)
        assert await trio.to_thread.run_sync(main, ["backup", "--db", str(database), str(copy)]) == 0
        nursery.cancel_scope.cancel()
    return host


def test_nothing_is_overwritten_and_no_partial_copy_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    SqliteStore(tmp_path / "golfnet.db").close()
    (tmp_path / "copy.db").write_text("mine")
    before = sorted(tmp_path.iterdir())
    for database, copy, told in [
        ("golfnet.db", "copy.db", "copy.db: it exists; name a file that does not."),
        ("none.db", "other.db", "none.db cannot be opened"),
        ("copy.db", "other.db", "copy.db is damaged (file is not a database)"),
        ("golfnet.db", "no-folder/copy.db", "no-folder/copy.db: No such file or directory."),
    ]:
        assert main(["backup", "--db", str(tmp_path / database), str(tmp_path / copy)]) == 1
        printed = capsys.readouterr()
        assert told in printed.err
        assert printed.out == ""
    assert (tmp_path / "copy.db").read_text() == "mine"
    assert sorted(tmp_path.iterdir()) == before


def test_the_database_is_the_one_named_in_the_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    SqliteStore(tmp_path / "golf.db").close()
    settings = tmp_path / "golfnet.toml"
    settings.write_text(f'db = "{tmp_path}/golf.db"\n')
    assert main(["backup", "--config", str(settings), str(tmp_path / "copy.db")]) == 0
    size = (tmp_path / "copy.db").stat().st_size
    assert capsys.readouterr().out == f"{tmp_path}/copy.db: {size:,} bytes\n"
    settings.write_text("dbb = 1\n")
    assert main(["backup", "--config", str(settings), str(tmp_path / "copy2.db")]) == 2


def test_a_damaged_database_is_not_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = tmp_path / "golfnet.db"
    SqliteStore(database).close()
    content = bytearray(database.read_bytes())
    content[4096 * 2 : 4096 * 2 + 200] = bytes(200)  # the header and the first cells of the third page
    database.write_bytes(content)
    assert main(["backup", "--db", str(database), str(tmp_path / "copy.db")]) == 1
    assert "is damaged" in capsys.readouterr().err
    assert not (tmp_path / "copy.db").exists()
