"""``kill -9`` in mid-turn, again and again: whatever a player was told has happened is still so afterwards."""

import contextlib
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import trio

from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies.presence import TABLE_EVENTS
from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.store import Reads
from tests.e2e.service import GOLFNET, Service, free_port
from tests.e2e.witness import Witness

KILLS = 6
"""In each of the two runs below: each waits for a server to start, which takes seconds where others are busy."""
FLAGS = ("--commands-per-second", "100000", "--house-delay", "0.05")


@pytest.mark.parametrize("variants", [sorted(VARIANTS)[:3], sorted(VARIANTS)[3:]], ids="-".join)
async def test_nothing_that_anybody_saw_is_lost(tmp_path: Path, variants: list[str]) -> None:
    database = tmp_path / "golfnet.db"
    chance = random.Random(7)
    with contextlib.ExitStack() as running:

        def start(port: int) -> Service:
            server = Service("--db", str(database), *FLAGS, port=port)
            running.callback(server.stop, kill=True)
            return server

        witnesses = await _play_while_killed(variants, start, chance)
    with contextlib.closing(SqliteStore(database)) as store:
        compare_with_the_log(store, witnesses)
    checked = await trio.run_process(
        [GOLFNET, "verify", "--db", database], capture_stdout=True, capture_stderr=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


async def _play_while_killed(
    variants: list[str], start: Callable[[int], Service], chance: random.Random
) -> list[Witness]:
    """Play rule sets on a server that is killed and started again; return when each has ended a match."""
    server = start(free_port())
    witnesses: list[Witness] = []
    async with trio.open_nursery() as nursery:
        for variant in variants:
            host, guest = (Witness(server.port, f"{who}-{variant}", chance) for who in ("h", "g"))
            witnesses += [host, guest]
            nursery.start_soon(host.run, f"create {variant} seats=2 holes=2 slam_window=1 pause=1")
            with trio.fail_after(60):
                await host.is_seated.wait()
            nursery.start_soon(guest.run, f"join {host.table}")
        for _ in range(KILLS):
            await trio.sleep(chance.uniform(0.02, 0.4))
            os.kill(server.process.pid, signal.SIGKILL)
            await trio.to_thread.run_sync(server.stop)
            server = await trio.to_thread.run_sync(start, server.port)
        with trio.fail_after(60):
            async with trio.open_nursery() as finishing:
                for witness in witnesses:
                    finishing.start_soon(witness.finish)
        nursery.cancel_scope.cancel()
    assert await trio.to_thread.run_sync(server.stop) == 0
    return witnesses


def compare_with_the_log(store: Reads, witnesses: list[Witness]) -> None:
    """Compare what was seen with the logs, and with the records of matches that were over before a rematch."""
    logs = {log.table: {seq: msgspec.json.decode(body) for seq, body in log.events} for log in store.tables()}
    begins = {table: min(log) for table, log in logs.items()}
    for table, log in logs.items():
        for match in store.matches(table=table, limit=10_000):
            lines = [msgspec.json.decode(line) for line in store.record(match.id) or ()]
            log.update({line["seq"]: line for line in lines if "seq" in line and line["seq"] not in log})
    for witness in witnesses:
        assert witness.seen
        for seq, seen in witness.seen.items():
            table = seen["table"]
            if table in logs:
                if seq < begins[table] and seen["event"] in TABLE_EVENTS:
                    continue  # of a match before, of which the record is kept
                logged = logs[table][seq]
                told = {
                    key: value for key, value in seen.items() if key not in ("type", "table", "seq", "ms")
                }
                assert told.items() <= logged.items(), (seen, logged)
