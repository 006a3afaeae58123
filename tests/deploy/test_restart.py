"""SIGTERM and a new start in the middle of many matches: no match is lost, and everybody comes back by themselves."""

import contextlib
import random
import signal
from functools import partial
from pathlib import Path

import trio

from golfnet.storage.sqlite_reads import SqliteReads
from tests.e2e.service import GOLFNET, Service, free_port
from tests.e2e.witness import Witness

TABLES = 8
RESTARTS = 2
FLAGS = ("--commands-per-second", "100000", "--house-delay", "0.05", "--drain-time", "1")


async def test_a_restart_under_load_loses_no_match(tmp_path: Path) -> None:
    database = tmp_path / "golfnet.db"
    chance = random.Random(11)
    with contextlib.ExitStack() as running:

        def start(port: int) -> Service:
            server = Service("--db", str(database), *FLAGS, port=port)
            running.callback(server.stop, kill=True)
            return server

        server = start(free_port())
        witnesses: list[Witness] = []
        tables = []
        async with trio.open_nursery() as nursery:
            for number in range(TABLES):
                host, guest = (Witness(server.port, f"{who}{number}", chance) for who in ("ann", "bob"))
                witnesses += [host, guest]
                nursery.start_soon(host.run, "create six-card seats=2 holes=9 pause=1")
                with trio.fail_after(60):
                    await host.is_seated.wait()
                tables.append(host.table)
                nursery.start_soon(guest.run, f"join {host.table}")
            for _ in range(RESTARTS):
                await trio.sleep(0.8)
                server.process.send_signal(signal.SIGTERM)
                assert await trio.to_thread.run_sync(partial(server.process.wait, 60)) == 0
                server = await trio.to_thread.run_sync(start, server.port)
                seen = [len(witness.seen) for witness in witnesses]
                with trio.fail_after(60):  # until each of them has come back and hears of new events
                    while any(len(w.seen) <= n for w, n in zip(witnesses, seen, strict=True)):  # noqa: ASYNC110 - nothing else tells
                        await trio.sleep(0.05)
            with trio.fail_after(60):
                async with trio.open_nursery() as finishing:
                    for witness in witnesses:
                        finishing.start_soon(witness.finish)
            nursery.cancel_scope.cancel()
        assert await trio.to_thread.run_sync(server.stop) == 0
    with contextlib.closing(SqliteReads(database)) as reads:
        for table in tables:
            assert [match for match in reads.matches(table=table) if match.finished]
    checked = await trio.run_process(
        [GOLFNET, "verify", "--db", database], capture_stdout=True, capture_stderr=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
