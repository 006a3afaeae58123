"""A server is killed in mid-turn, again and again: whatever a player was told still holds afterwards."""

import random
from pathlib import Path

import trio

from tests.e2e.served import served

KILLS = 4
"""Few, since each waits for a server to start, which takes seconds on a busy machine."""


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
