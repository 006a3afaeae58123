import random
import socket
import subprocess
import sys
from pathlib import Path

import trio

from tests.e2e.service import GOLFNET, Service
from tests.e2e.test_kill import Witness

BACKUP = Path(__file__).parents[2] / "deploy" / "backup.py"


def backup(database: Path, copy: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, BACKUP, database, copy], capture_output=True, text=True)


def test_a_copy_made_while_people_play_is_whole_and_serves(tmp_path: Path) -> None:
    database, copy = tmp_path / "golfnet.db", tmp_path / "copy.db"
    server = Service("--db", str(database))
    try:
        host = trio.run(_play_and_copy, server.port, database, copy)
    finally:
        server.stop()
    _is_whole(copy)
    restored = Service("--db", str(copy))
    try:
        with socket.create_connection(("127.0.0.1", restored.port), 10) as sock, sock.makefile("rw") as lines:
            lines.write(f"hello 1\nresume {host.token}\n")
            lines.flush()
            assert any(f'"table":"{host.table}"' in line for line in lines)
    finally:
        restored.stop()


async def _play_and_copy(port: int, database: Path, copy: Path) -> Witness:
    """Play for a while, copy in the middle of it, and return one of the players."""
    async with trio.open_nursery() as nursery:
        host, guest = (Witness(port, name, random.Random(3)) for name in ("Ann", "Bob"))
        nursery.start_soon(host.run, "create six-card seats=2 holes=18")
        with trio.fail_after(60):
            await host.is_seated.wait()
        nursery.start_soon(guest.run, f"join {host.table}")
        await trio.sleep(0.5)
        made = await trio.to_thread.run_sync(backup, database, copy)
        assert (made.returncode, made.stderr) == (0, "")
        nursery.cancel_scope.cancel()
    return host


def _is_whole(copy: Path) -> None:
    assert copy.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in copy.parent.glob("copy*")) == ["copy.db"]
    checked = subprocess.run([GOLFNET, "verify", "--db", copy], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


def test_nothing_is_written_over_and_nothing_half_done_is_left(tmp_path: Path) -> None:
    (tmp_path / "copy.db").write_text("mine")
    refused = backup(tmp_path / "golfnet.db", tmp_path / "copy.db")
    assert refused.returncode == 1
    assert "exists; name a file that does not" in refused.stderr
    assert (tmp_path / "copy.db").read_text() == "mine"
    missing = backup(tmp_path / "none.db", tmp_path / "other.db")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db"]
