"""A real server on a real PostgreSQL: both are stopped in the middle of play, and nothing that was told is lost."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
from typing import TYPE_CHECKING

import pytest
import trio

from golfnet.storage.postgres.reads import PostgresReads
from tests.e2e.service import GOLFNET, PATIENCE, Service, free_port
from tests.e2e.test_kill import FLAGS, compare_with_the_log
from tests.e2e.witness import Witness

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.postgres import Engine


@pytest.fixture
def url(postgres: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))  # for the files beside the database
    return postgres.emptied_url()


@pytest.fixture
def services() -> Iterator[contextlib.ExitStack]:
    with contextlib.ExitStack() as running:
        yield running


def start(running: contextlib.ExitStack, url: str, *flags: str, port: int = 0) -> Service:
    server = Service("--database", url, "--drain-time", "0", *FLAGS, *flags, port=port)
    running.callback(server.stop, kill=True)
    return server


def golfnet(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([GOLFNET, *words], capture_output=True, text=True, timeout=PATIENCE)


async def test_nothing_that_anybody_saw_is_lost_when_engine_or_server_stop(
    postgres: Engine, url: str, services: contextlib.ExitStack
) -> None:
    witnesses = await _play_while_stopped(postgres, url, services)
    with contextlib.closing(PostgresReads(url)) as reads:
        compare_with_the_log(reads, witnesses)
        match = reads.matches(limit=1)[0].id
    checked = golfnet("verify", "--database", url)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "failed 0 (" in checked.stdout
    exported = golfnet("export", match, "--database", url)
    assert exported.stdout.startswith("{"), exported.stderr


async def _play_while_stopped(postgres: Engine, url: str, services: contextlib.ExitStack) -> list[Witness]:
    """Play while the engine is stopped and started, then the server is killed; return when a match has ended."""
    port, chance = free_port(), random.Random(11)
    server = await trio.to_thread.run_sync(lambda: start(services, url, port=port))
    host, guest = (Witness(server.port, name, chance) for name in ("Ann", "Bob"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(host.run, "create four-turn seats=2 holes=1 slam_window=1 pause=1")
        with trio.fail_after(PATIENCE):
            await host.is_seated.wait()
        nursery.start_soon(guest.run, f"join {host.table}")
        await trio.sleep(0.3)
        await trio.to_thread.run_sync(postgres.stop, signal.SIGQUIT)
        await trio.to_thread.run_sync(server.wait_for, "the journal waits")
        await trio.to_thread.run_sync(postgres.start)
        await trio.to_thread.run_sync(server.wait_for, "the journal goes on")
        os.kill(server.process.pid, signal.SIGKILL)
        await trio.to_thread.run_sync(server.stop)
        server = await trio.to_thread.run_sync(lambda: start(services, url, port=port))
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as finishing:
                for witness in (host, guest):
                    finishing.start_soon(witness.finish)
        nursery.cancel_scope.cancel()
    assert "did not say that it stopped; waiting 3 seconds" in server.printed
    assert await trio.to_thread.run_sync(server.stop) == 0
    return [host, guest]


def test_a_second_server_is_refused_and_takes_over_where_the_first_hangs(
    url: str, tmp_path: Path, services: contextlib.ExitStack
) -> None:
    first = start(services, url)
    other = ("--admin-socket", str(tmp_path / "other"))
    refused = golfnet("serve", "--port", "0", "--telnet-port", "-1", "--database", url, *other)
    assert refused.returncode == 2
    assert f"Another server (process {first.process.pid} on" in refused.stderr

    def program(port: int, *lines: str) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
        services.enter_context(connection)
        connection.sendall("".join(f"{line}\n" for line in lines).encode())
        return connection

    ann = program(first.port, "hello 1", "name Ann", "1 create four-turn seats=2")
    said = _until(ann, b'"id":1,"table":"t1"')
    token = said.split(b'"token":"')[1].split(b'"')[0].decode()
    os.kill(first.process.pid, signal.SIGSTOP)
    second = start(services, url, *other)
    again = program(second.port, "hello 1", f"resume {token}")
    _until(again, b'"type":"view"')
    os.kill(first.process.pid, signal.SIGCONT)
    assert first.process.wait(PATIENCE) == 75
    assert b'"code":"SHUTDOWN"' in _until(ann, b'"type":"bye"')
    assert "has taken over the database" in first.printed
    assert second.stop() == 0


def _until(connection: socket.socket, part: bytes) -> bytes:
    """Read until a part has come, and a line behind it."""
    read = b""
    while part not in read or not read.endswith(b"\n"):
        data = connection.recv(65536)
        assert data, read
        read += data
    return read
