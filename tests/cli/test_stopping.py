"""A stop does not wait for a hanging disk, and says what it gave up on."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from golfnet.storage.sqlite_reads import SqliteReads

ROOT = Path(__file__).parents[2]

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


def play_and_stop(server: subprocess.Popen[str], *, hangs: bool) -> str:
    """Open a table, stop the server when the table is stored or the disk hangs, and return what the player was told."""
    assert server.stdout is not None
    found = next(filter(None, (re.search(r"nc 127\.0\.0\.1 (\d+)", line) for line in server.stdout)))
    with (
        socket.create_connection(("127.0.0.1", int(found.group(1))), 30) as sock,
        sock.makefile("rw") as lines,
    ):

        def ask(line: str, answer: str) -> str:
            lines.write(f"{line}\n")
            lines.flush()
            return answer and next(reply for reply in lines if answer in reply)

        told = ask("hello 1\nname Ann", '"token"')
        told += ask("1 create four-turn seats=2", "" if hangs else '"id":1')
        if hangs:
            next(line for line in server.stdout if "it hangs" in line)
        server.send_signal(signal.SIGTERM)
        return told + lines.read()


@pytest.mark.parametrize(
    ("table", "close", "status", "words"),
    [
        ("event", "pass", 3, ("submissions may not be stored", "could not be closed")),
        ("match", "time.sleep(600)", 0, ("could not be closed",)),
    ],
    ids=["write", "close"],
)
def test_a_stop_gives_up_on_a_hanging_disk(
    tmp_path: Path, table: str, close: str, status: int, words: tuple[str, ...]
) -> None:
    database = tmp_path / "golf.db"
    code = textwrap.dedent(HANGING).replace("{table}", table).replace("{close}", close)
    with subprocess.Popen(
        [sys.executable, "-c", code, database],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            told = play_and_stop(server, hangs=status == 3)
            _, log = server.communicate(timeout=30)
        finally:
            server.kill()
    assert server.returncode == status, log
    for each in ("submissions may not be stored", "could not be closed"):
        assert (each in log) is (each in words), log
    with closing(SqliteReads(database)) as reads:
        assert reads.player_by_name("Ann"), "a token that was given out is stored"
        assert list(reads.tables()) or '"table":"t1"' not in told, "a table that was announced is stored"
