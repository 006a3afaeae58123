"""A stop does not wait for a hanging disk, and says what it gave up on."""

import signal
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from golfnet.storage.sqlite_files import SqliteReads
from tests.e2e.program import Program
from tests.e2e.service import Talk

HANGING = """
    import sqlite3, sys, time
    from golfnet.cli import main, serve as command
    from golfnet.server import serve
    from golfnet.server.journal import journal
    from golfnet.storage import sqlite

    class Hanging(sqlite.SqliteStore):
        # A statement that does not return: SQLite's own lock on the connection is held, as in a write that hangs.
        def _open_writer(self):
            writer = super()._open_writer()
            writer.create_function("hang", 0, lambda: print("it hangs", flush=True) or time.sleep(600))
            writer.execute("CREATE TEMP TRIGGER hanging BEFORE INSERT ON main.{table} BEGIN SELECT hang(); END")
            return writer

        def close(self):
            {close}
            super().close()

    command.SqliteStore = Hanging
    command.CLOSE_SECONDS = journal.LAST_SECONDS = serve.LAST_WRITES_SECONDS = 0.1
    sys.exit(main.main(["serve", "--port", "0", "--telnet-port", "-1", "--drain-time", "0", "--db", sys.argv[1]]))
    """


def play_and_stop(server: Talk, *, hangs: bool) -> bool:
    """Stop the server once a new table is stored, or while the disk hangs; return whether the table was announced."""
    with Program(int(server.wait_for(r"nc 127\.0\.0\.1 (\d+)").group(1))) as ann:
        for line in ("hello 1", "name Ann"):
            ann.ask(line)
        if hangs:
            ann.sock.sendall(b"9 create four-turn seats=2\n")
            server.wait_for("it hangs")
        else:
            ann.ask("create four-turn seats=2")
        server.process.send_signal(signal.SIGTERM)
        rest = ann._lines.read()
    return b'"table":"t1"' in rest or any(told.get("table") == "t1" for told in ann.objects)


@pytest.mark.parametrize(
    ("table", "close", "status"),
    [("event", "pass", 3), ("match", "time.sleep(600)", 0)],
    ids=["write", "close"],
)
def test_a_stop_gives_up_on_a_hanging_disk(tmp_path: Path, table: str, close: str, status: int) -> None:
    database = tmp_path / "golf.db"
    code = textwrap.dedent(HANGING).replace("{table}", table).replace("{close}", close)
    with closing(Talk(sys.executable, "-c", code, str(database))) as server:
        is_announced = play_and_stop(server, hangs=status == 3)
        log = server.rest().decode()
    assert server.process.returncode == status, log
    assert ("submissions may not be stored" in log) is (status == 3), log
    assert "could not be closed" in log
    with closing(SqliteReads(database)) as reads:
        assert reads.player_by_name("Ann"), "a token that was given out is stored"
        assert list(reads.tables()) or not is_announced, "a table that was announced is stored"
