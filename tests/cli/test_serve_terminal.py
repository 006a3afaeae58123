"""A server started from a terminal: what the operator sees, and how it stops."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from golfnet.storage.sqlite_files import SqliteReads
from tests.cli.terminal import INTERRUPT, Terminal
from tests.e2e.service import GOLFNET, Talk, free_port


@contextmanager
def server(*flags: str, **environ: str) -> Iterator[tuple[Terminal, int]]:
    """Run a server in a terminal; yield the terminal and the plain port."""
    command = [str(GOLFNET), "serve", "--port", str(free_port()), "--telnet-port", str(free_port()), *flags]
    with Terminal(*command, environ=environ) as terminal:
        port = int(terminal.wait_for(r"nc \S+ (\d+)").group(1))
        terminal.wait_for("Nobody is here yet")
        yield terminal, port


def ann_at(port: int) -> closing[Talk]:
    """Connect somebody named Ann."""
    talk = Talk("nc", "127.0.0.1", str(port))
    talk.say("name Ann", "You are Ann")
    return closing(talk)


def test_output_fits_one_screen_and_ctrl_c_waits_for_the_players_unless_pressed_twice(tmp_path: Path) -> None:
    with (
        server("--db", str(tmp_path / "golf.db"), "--drain-time", "600") as (terminal, port),
        ann_at(port) as ann,
    ):
        terminal.wait_for("1 here: Ann")
        ann.say("create six-card seats=2", "t1")
        terminal.wait_for("t1 six-card, 1 of 2 seats taken")
        ann.say("bot", "medium-bot")
        ann.say("ready", "Hole 1")
        terminal.wait_for("t1 six-card, hole 1 of 9")
        assert len(terminal.rows) <= 24, "the line is redrawn in place"
        assert max(map(len, terminal.rows)) <= 80
        terminal.type(INTERRUPT)
        terminal.wait_for(
            r"Stopping: waiting up to 600 seconds for 1 player\. Ctrl-C again stops at once\.\r\n"
        )
        terminal.wait_for(r"5\d\d s left\. 1 here: Ann")
        ann.wait_for("The server will stop soon")
        assert terminal.process.poll() is None
        terminal.type(INTERRUPT)
        assert terminal.end() == 0
        assert terminal.rows[-2] == "Stopped; matches continue at the next start."


def test_a_server_without_players_stops_at_once() -> None:
    with server("--memory", "--drain-time", "600") as (terminal, port):
        with ann_at(port):
            terminal.wait_for("1 here: Ann")
        terminal.wait_for(r"(?s)1 here: Ann.*Nobody is here yet")
        terminal.type(INTERRUPT)
        assert terminal.end() == 0
        assert "Stopping" not in terminal.output
        assert terminal.rows[-2] == "Stopped."


def test_a_closed_window_stops_the_server(tmp_path: Path) -> None:
    database = tmp_path / "golf.db"
    with server("--db", str(database), "--drain-time", "0") as (terminal, port), ann_at(port) as ann:
        ann.say("create six-card seats=2", "t1")
        terminal.close()
        ann.wait_for("The server is stopping")
        assert terminal.end() == 0
    with closing(SqliteReads(database)) as reads:
        assert list(reads.tables()), "the table will be there at the next start"


def test_a_server_started_with_nohup_survives_the_window(tmp_path: Path) -> None:
    log = tmp_path / "log"
    port = free_port()
    line = f"nohup {GOLFNET} serve --memory --port {port} --telnet-port -1 --drain-time 0 >{log} 2>&1 </dev/null &"
    with Terminal("sh", "-c", f"{line} echo process $!; wait") as terminal:
        process = int(terminal.wait_for(r"process (\d+)").group(1))
        deadline = time.monotonic() + 60
        while f"nc 127.0.0.1 {port}" not in (log.read_text() if log.exists() else ""):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        terminal.close()
        with ann_at(port) as ann:
            time.sleep(0.3)
            ann.say("version", "golfnet")
            os.kill(process, signal.SIGTERM)
            ann.wait_for("The server is stopping")
