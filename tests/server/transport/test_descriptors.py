"""Open files run out for players first, never for the operator."""

from __future__ import annotations

import contextlib
import json
import resource
import socket
import subprocess
import urllib.request
from collections import Counter
from typing import TYPE_CHECKING

import pytest
import trio

from golfnet.rulesets import catalogue
from golfnet.server.config import Config
from golfnet.server.serve import Running, serve
from golfnet.server.transport import descriptors
from golfnet.server.transport.descriptors import RESERVE, Descriptors
from golfnet.storage.sqlite_memory import MemoryStore
from tests.e2e.service import GOLFNET, PATIENCE, Talk

if TYPE_CHECKING:
    from pathlib import Path


def test_the_last_descriptors_are_not_for_connections(caplog: pytest.LogCaptureFixture) -> None:
    turned_away: Counter[str] = Counter()
    files = Descriptors(turned_away, limit=1024)
    assert files.allow(5)
    assert files.allow(1023 - RESERVE)
    assert not turned_away
    assert not files.allow(1024 - RESERVE)
    assert not files.allow(1023)
    assert turned_away == {"files": 2}
    assert "1024 files" in caplog.text


def test_without_a_limit_every_descriptor_may_be_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    unlimited = resource.RLIM_INFINITY, resource.RLIM_INFINITY
    monkeypatch.setattr(resource, "getrlimit", lambda which: unlimited)
    assert Descriptors(Counter()).allow(10_000_000)


@pytest.mark.parametrize(
    ("soft", "hard", "connections", "raised", "fit"),
    [
        (1024, 524_288, 20_000, 20_096, 20_000),
        (1024, 4096, 20_000, 4096, 4000),
        (1024, resource.RLIM_INFINITY, 20_000, 20_096, 20_000),
        (65_536, 65_536, 20_000, None, 20_000),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, 20_000, None, 20_000),
        (1024, 1024, 100, None, 100),
        (64, 64, 100, 64, 0),
    ],
)
def test_the_soft_limit_is_raised_to_what_connections_need(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, connections: int, raised: int | None, fit: int
) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: asked.append(limits))
    assert descriptors.raise_limit(connections) == fit
    assert asked == ([] if raised is None else [(raised, hard)])


def test_a_limit_that_may_not_be_raised_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(*limits: object) -> None:
        raise PermissionError

    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 4096))
    monkeypatch.setattr(resource, "setrlimit", forbid)
    assert descriptors.raise_limit(20_000) == 1024 - 96


@pytest.mark.parametrize("has_hub", [True, False])
async def test_a_connection_with_one_of_the_last_descriptors_is_closed(
    monkeypatch: pytest.MonkeyPatch, has_hub: bool
) -> None:
    monkeypatch.setattr("golfnet.server.transport.hub.Hub.is_supported", lambda: has_hub)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (RESERVE, RESERVE))
    config = Config(port=0, telnet_port=-1, drain_time=0)
    async with trio.open_nursery() as nursery:

        async def run(task_status: trio.TaskStatus[Running]) -> None:
            await serve(config, store=MemoryStore(), catalogue=catalogue(), task_status=task_status)

        running = await nursery.start(run)
        async with await trio.open_tcp_stream(*running.plain[0]) as stream:
            with trio.fail_after(PATIENCE):
                answer = b""
                with contextlib.suppress(trio.BrokenResourceError):
                    async for data in stream:
                        answer += bytes(data)
        assert b"golfnet" not in answer
        assert running.lobby.counters.turned_away == {"files": 1}
        running.stop.set()


LIMIT = 110


def test_operators_and_metrics_are_answered_when_files_run_out(tmp_path: Path) -> None:
    metrics = free_port()
    command = f"ulimit -n {LIMIT} && exec {GOLFNET} serve --port 0 --telnet-port -1 --drain-time 0"
    server = Talk(
        "bash", "-c", f"{command} --db {tmp_path}/golf.db --metrics-port {metrics} --connections 1000"
    )
    with contextlib.ExitStack() as crowd:
        crowd.callback(server.close)
        port = int(server.wait_for(r"nc 127\.0\.0\.1 (\d+)").group(1))
        for _ in range(LIMIT + 40):
            last = crowd.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE))
        while last.recv(4096):  # they are let in, or turned away, in order
            pass
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
            f"http://127.0.0.1:{metrics}/metrics", timeout=PATIENCE
        ) as reply:
            told = reply.read().decode()
        assert float(told.split('golfnet_turned_away_total{reason="files"} ')[1].split()[0]) > 40
        asked = subprocess.run(
            [GOLFNET, "admin", "status", "--json", "--db", f"{tmp_path}/golf.db"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        )
        assert LIMIT - RESERVE - 30 < json.loads(asked.stdout)["connections"] < LIMIT - RESERVE
        log = server.drain().decode()
        assert log.count("turned away") == 1
        assert log.count("cannot open enough files for 1000 connections") == 1
        assert "Traceback" not in log


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])
