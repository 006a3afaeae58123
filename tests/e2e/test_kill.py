"""A server is killed in mid-turn, or its database server stops: whatever a player was told still holds afterwards."""

import contextlib
import random
import signal
from pathlib import Path

import pytest
import trio

from golfnet.cli.main import main
from golfnet.storage.postgres.connections import PostgresReads
from tests.e2e.served import served
from tests.postgres import PostgresServer

KILLS = 4
"""Few, since each waits for a server to start, which takes seconds on a busy machine."""


@pytest.mark.slow
async def test_nothing_players_saw_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    database, chance = tmp_path / "golfnet.db", random.Random(7)
    async with served("--db", str(database), "--house-delay", "0.05") as run:
        for variant in ("cactus", "four-card-knock", "four-turn"):
            await run.open(f"{variant} holes=2 slam_window=1 pause=1")
        for _ in range(KILLS):
            await trio.sleep(chance.uniform(0.02, 0.4))
            await run.stop(kill=True)
            await run.start()
        await run.finish()
        assert await run.stop() == 0
    assert run.told.missing_in(database) == []
    assert all(player.seen for player in run.players)


@pytest.mark.slow
async def test_nothing_players_saw_is_lost_when_postgresql_or_the_server_stops(
    postgres: PostgresServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))  # for the files beside the database
    url = postgres.emptied_url()
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
    assert main(["verify", "--database", url]) == 0
    assert "failed 0 (" in capsys.readouterr().out
    assert main(["export", match, "--database", url]) == 0
    assert capsys.readouterr().out.startswith("{")
