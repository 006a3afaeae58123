"""A real server on a real PostgreSQL: both are stopped during play, and nothing players were told is lost."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest
import trio

from golfnet.storage.postgres.reads import PostgresReads
from tests.e2e.served import served
from tests.e2e.service import GOLFNET, PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.postgres import PostgresServer


@pytest.fixture
def url(postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))  # for the files beside the database
    return postgres.emptied_url()


def golfnet(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([GOLFNET, *words], capture_output=True, text=True, timeout=PATIENCE)


async def test_nothing_players_saw_is_lost_when_postgresql_or_the_server_stops(
    postgres: PostgresServer, url: str
) -> None:
    async with served("--database", url) as run:
        await run.open("four-turn holes=1 slam_window=1 pause=1")
        await trio.sleep(0.3)
        await trio.to_thread.run_sync(postgres.stop, signal.SIGQUIT)
        await trio.to_thread.run_sync(run.server.wait_for, "the journal is waiting")
        await trio.to_thread.run_sync(postgres.start)
        await trio.to_thread.run_sync(run.server.wait_for, "the journal continues")
        await run.stop(kill=True)
        await run.start()
        await run.finish()
        assert "did not report that it stopped; waiting 3 seconds" in run.server.printed
        assert await run.stop() == 0
    with contextlib.closing(PostgresReads(url)) as reads:
        assert run.told.missing(reads) == []
        match = reads.matches(limit=1)[0].id
    checked = golfnet("verify", "--database", url)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "failed 0 (" in checked.stdout
    exported = golfnet("export", match, "--database", url)
    assert exported.stdout.startswith("{"), exported.stderr
