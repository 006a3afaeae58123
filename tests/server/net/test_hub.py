"""The hub alone: floods, faults, too many peers, and turns for everybody."""

import contextlib
import errno
import itertools
import json
import os
import resource
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import trio
from trio.testing import MockClock

from golfnet.server.budget import CHUNK
from golfnet.server.net import hub
from golfnet.server.net.hub import HubTransport
from golfnet.server.net.kernel import RESERVE
from golfnet.server.net.transport import LINGER_BYTES, TOO_MANY
from tests.e2e.service import GOLFNET, PATIENCE, Talk, free_port, printed
from tests.server.listeners import House, by_hub, receive, until
from tests.server.operations.test_metrics import fetch, samples
from tests.server.test_serve import calling, served


@pytest.fixture
async def hub_house() -> AsyncIterator[House]:
    async with by_hub() as house:
        yield house


async def test_a_flood_is_read_in_chunks_and_other_peers_get_turns_in_between(hub_house: House) -> None:
    flooder, flooding = await hub_house.connect()
    sock, session = await hub_house.connect()
    order: list[str] = []
    flooding.do = lambda data: order.append("flood")
    session.do = lambda data: order.append("line")
    # Both are in the kernel's buffers before the hub runs again, as there is no checkpoint in between.
    sent = os.write(flooder.fileno(), b"x" * 16 * CHUNK)
    assert sent >= 4 * CHUNK
    os.write(sock.fileno(), b"line")
    await until(lambda: len(flooding.text) == sent)
    assert "line" in order[:2]
    assert max(len(each) for each in flooding.heard if isinstance(each, bytes)) <= CHUNK


async def test_a_peer_beyond_the_connection_limit_is_told_so_and_not_counted(hub_house: House) -> None:
    hub_house.refuses = True
    stream = await trio.open_tcp_stream("127.0.0.1", hub_house.port)
    async with stream:
        assert await stream.receive_some() == TOO_MANY
        assert await stream.receive_some() == b""
    assert hub_house.sessions == []
    assert hub_house.ended == []


async def test_a_server_out_of_file_descriptors_accepts_connections_again_after_a_moment(
    monkeypatch: pytest.MonkeyPatch,
    hub_house: House,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    failure = Mock(side_effect=OSError(errno.EMFILE, "too many open files"))
    accepts: Iterator[Callable[..., Any]] = itertools.chain([failure], itertools.repeat(socket.socket.accept))
    monkeypatch.setattr(socket.socket, "accept", lambda sock: next(accepts)(sock))
    stream = await trio.open_tcp_stream("127.0.0.1", hub_house.port)
    async with stream:
        await trio.sleep(0.09)
        assert hub_house.sessions == []
        await trio.sleep(0.02)
        await until(lambda: hub_house.sessions)
    assert "too many open files" in caplog.text


async def test_urgent_bytes_stay_in_the_stream(hub_house: House) -> None:
    sock, session = await hub_house.connect()
    await sock.send(b"a")
    await sock.send(b"\xf2", socket.MSG_OOB)
    await sock.send(b"b")
    await until(lambda: session.text == b"a\xf2b")


async def test_peers_sending_after_goodbye_are_cut_off(hub_house: House, autojump_clock: MockClock) -> None:
    sock, session = await hub_house.connect()
    session.do = lambda data: session.transport.close()
    sent = 0
    while not hub_house.ended and sent < 100 * LINGER_BYTES:
        with contextlib.suppress(OSError):
            sent += await sock.send(b"x" * 65536)
    assert sent < 10 * LINGER_BYTES


async def test_slow_peers_let_other_tasks_run(hub_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn ends when its time is up, however few peers were served; here each read takes that long."""
    pairs = [await hub_house.connect() for _ in range(5)]
    order: list[str] = []
    monkeypatch.setattr(hub, "perf_counter", itertools.count(0.0).__next__)
    for _, session in pairs:
        session.do = lambda data: order.append("peer")
    for sock, _ in pairs:
        await sock.send(b"x")
        order.append("other")
    while order.count("peer") < 5:
        order.append("other")
        await trio.lowlevel.checkpoint()
    runs = [len(list(run)) for what, run in itertools.groupby(order) if what == "peer"]
    assert max(runs) <= 2, "two peers may have a turn between two turns of this task"


@pytest.mark.parametrize(("seconds_each", "stored"), [(0.0, [5]), (1.0, [1, 1, 1, 1, 1])])
async def test_writes_caused_in_one_turn_are_stored_together(
    monkeypatch: pytest.MonkeyPatch, seconds_each: float, stored: list[int]
) -> None:
    """In the first case, one turn serves five peers; in the second case, each of five turns serves one peer."""
    commits: list[list[bytes]] = []

    class Gathering(contextlib.nullcontext[None]):
        def __enter__(self) -> None:
            commits.append([])

    async with by_hub(around=Gathering()) as house:
        pairs = [await house.connect() for _ in range(5)]
        monkeypatch.setattr(hub, "perf_counter", itertools.count(0.0, seconds_each).__next__)
        for sock, session in pairs:
            session.do = lambda data: commits[-1].append(data)
            os.write(sock.fileno(), b"x")  # without a checkpoint, so that all peers wait
        await until(lambda: sum(map(len, commits)) == 5)
    assert [len(together) for together in commits if together] == stored


def note_sending(monkeypatch: pytest.MonkeyPatch, steps: list[str]) -> None:
    """Record when the hub sends a peer's output."""
    settle = HubTransport.settle

    def noted(transport: HubTransport) -> None:
        steps.append("send")
        settle(transport)

    monkeypatch.setattr(HubTransport, "settle", noted)


async def test_output_of_peers_served_together_is_sent_together(
    hub_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "SENT_TOGETHER", 2)
    pairs = [await hub_house.connect() for _ in range(5)]
    steps: list[str] = []

    def answer(write: Callable[[bytes], None], data: bytes) -> None:
        steps.append("read")
        write(data)

    note_sending(monkeypatch, steps)
    for sock, session in pairs:
        session.do = partial(answer, session.transport.write)
        os.write(sock.fileno(), b"x")  # without a checkpoint, so that one round serves them all
    for sock, _ in pairs:
        assert await receive(sock, 1) == b"x"
    assert steps == ["read", "read", "send", "send"] * 2 + ["read", "send"]


async def test_output_to_many_is_spread_over_turns(hub_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "SENT_AT_ONCE", 2)
    pairs = [await hub_house.connect() for _ in range(7)]
    sent: list[str] = []
    note_sending(monkeypatch, sent)
    for _, session in pairs:
        session.transport.write(b"to all")
    turns = [0]
    while len(sent) < 7:
        await trio.lowlevel.checkpoint()
        turns.append(len(sent))
    for sock, _ in pairs:
        assert await receive(sock, 6) == b"to all"
    assert max(after - before for before, after in itertools.pairwise(turns)) <= 4


@pytest.mark.parametrize("has_hub", [True, False])
async def test_a_connection_on_a_reserved_file_is_closed(
    monkeypatch: pytest.MonkeyPatch, has_hub: bool
) -> None:
    monkeypatch.setattr("golfnet.server.net.hub.Hub.is_supported", lambda: has_hub)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (RESERVE, RESERVE))
    async with served() as running, calling(running.plain[0]) as caller:
        assert b"golfnet" not in await caller.rest()
        assert running.lobby.counters.turned_away == {"files": 1}


LIMIT = 110


def test_operators_and_metrics_are_answered_when_descriptors_run_out(tmp_path: Path) -> None:
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
        # Connections are accepted or turned away in order, so this waits for all of them.
        while last.recv(4096):
            pass
        _, told = fetch(f"http://127.0.0.1:{metrics}/metrics")
        assert samples(told)["golfnet_turned_away_total reason=files"] > 40
        status = json.loads(printed(GOLFNET, "admin", "status", "--json", "--db", f"{tmp_path}/golf.db"))
        assert LIMIT - RESERVE - 30 < status["connections"] < LIMIT - RESERVE
        server.wait_for("turned away")
        log = server.drain().decode()
        assert log.count("turned away") == 1
        assert log.count("cannot open enough files for 1000 connections") == 1
        assert "Traceback" not in log
