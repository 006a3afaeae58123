"""One server on real sockets of this machine, from listening to the last goodbye."""

import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from golfnet.rulesets import catalogue
from golfnet.server.config import Config
from golfnet.server.joining import LinkPort, NodeSetup
from golfnet.server.journal import writer as journal_writer
from golfnet.server.net.listeners import PortKind
from golfnet.server.net.tls import Certificate
from golfnet.server.operations.status import status_of
from golfnet.server.serve import Running, serve
from golfnet.storage import results
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.sqlite import MemoryStore, SqliteStore
from golfnet.storage.store import Store
from golfnet.storage.writes import SavePlayer
from tests.server.journal.conftest import ThreadedStore
from tests.server.shared_directory import FakeBus, FakeDirectory, SharedState
from tests.storage.rows import player

FENCED = StoreError(StoreReason.FENCED, "Another server has it.")


class Caller:
    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.read = b""

    async def send(self, lines: bytes) -> None:
        await self.stream.send_all(lines)

    async def until(self, part: bytes) -> bytes:
        """Read until ``part`` arrives; return everything up to its end."""
        with trio.fail_after(60):
            while part not in self.read:
                data = await self.stream.receive_some()
                assert data, self.read
                self.read += bytes(data)
        end = self.read.index(part) + len(part)
        read, self.read = self.read[:end], self.read[end:]
        return read

    async def rest(self) -> bytes:
        """Read until the server closes the connection, and close it, too."""
        with trio.fail_after(60), suppress(trio.BrokenResourceError):
            async for data in self.stream:
                self.read += bytes(data)
        await self.stream.aclose()
        return self.read


@asynccontextmanager
async def served(
    store: Store | None = None,
    *,
    signals: bool = False,
    certificate: Certificate | None = None,
    node: NodeSetup | None = None,
    **settings: Any,
) -> AsyncIterator[Running]:
    """Serve on free ports until the block ends."""
    config = Config(**{"port": 0, "telnet_port": -1, "drain_time": 0} | settings)
    start = partial(
        serve,
        config,
        store=MemoryStore() if store is None else store,
        catalogue=catalogue(),
        certificate=certificate,
        node=node,
        handle_signals=signals,
    )
    async with trio.open_nursery() as nursery:
        running: Running = await nursery.start(start)
        yield running
        running.stop.set()


@asynccontextmanager
async def calling(address: tuple[str, int], *lines: str) -> AsyncIterator[Caller]:
    async with await trio.open_tcp_stream(*address) as stream:
        caller = Caller(stream)
        for line in lines:
            await stream.send_all(line.encode() + b"\n")
        yield caller


@asynccontextmanager
async def hosting(store: Store, **settings: Any) -> AsyncIterator[tuple[Running, Caller]]:
    """Serve, with Ann at a table and the answers to her lines already read."""
    async with (
        served(store, **settings) as running,
        calling(running.plain[0], "hello 1", "name Ann", "1 create four-turn seats=3") as ann,
    ):
        await ann.until(b'"id":1,"table":"t1","seq":3}')
        yield running, ann


async def test_a_server_serves_plain_lines_and_telnet_and_stops_gracefully() -> None:
    store = MemoryStore()
    async with served(store, telnet_port=0) as running:
        async with calling(running.plain[0], "hello 1", "name Ann", "create four-turn seats=2") as ann:
            await ann.until(b'"type":"ok","table":"t1","seq":3}')
            async with calling(running.addresses[PortKind.TELNET][0]) as bob:
                assert b"\xff\xfd" in await bob.until(b"golfnet")
                running.stop.set()
                assert b"is stopping" in await bob.rest()
            said = (await ann.rest()).decode()
        assert said.index("SHUTTING_DOWN") < said.index('"type":"bye","code":"SHUTDOWN"')
    async with served(store) as running:
        assert list(running.lobby.tables) == ["t1"]


async def test_a_starting_server_deletes_long_gone_guests() -> None:
    store = MemoryStore()
    store.write([SavePlayer(player(1, seen=0.0))])
    async with served(store):
        pass
    assert store.player("p1") is None


async def test_modules_for_the_end_of_a_match_are_loaded_in_advance(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = trio.Event()
    monkeypatch.setattr("golfnet.server.serve.LOAD_SECONDS", 0.0)
    monkeypatch.setattr(results, "rating_model", lambda: trio.from_thread.run_sync(loaded.set))
    async with served():
        with trio.fail_after(60):
            await loaded.wait()


async def test_the_first_signal_stops_gracefully_and_the_second_at_once() -> None:
    """With ten minutes to drain and somebody connected, only a second signal stops the server now."""
    with trio.fail_after(60):
        async with (
            served(signals=True, drain_time=600) as running,
            calling(running.plain[0], "hello 1", "name Ann") as ann,
        ):
            await ann.until(b'"token"')
            os.kill(os.getpid(), signal.SIGTERM)
            await ann.until(b"SHUTTING_DOWN")
            await ann.send(b"ping still\n")
            await ann.until(b"still")
            os.kill(os.getpid(), signal.SIGTERM)
            await ann.rest()


async def test_connections_send_without_delay() -> None:
    """The server turns off Nagle's algorithm, so no line waits until the previous one has been acknowledged."""
    async with served(commands_per_second=1000) as running, calling(running.plain[0], "hello 1") as ann:
        await ann.until(b'{"type":"ok"}')
        took = []
        for _ in range(3):  # a busy machine may be slow once, but waiting lines are slow every time
            began = trio.current_time()
            for number in range(50):
                await ann.send(b"pin")
                await ann.send(b"g %d\n" % number)
                await ann.until(b'"key":"%d"' % number)
            took.append(trio.current_time() - began)
            if took[-1] < 1.5:
                break
        assert min(took) < 1.5  # it would take 40 ms per line if lines waited


async def test_a_database_moved_away_pauses_idle_tables_until_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(journal_writer, "PROBE_SECONDS", 0.01)
    path = tmp_path / "golf.db"
    with closing(SqliteStore(path)) as store:
        async with hosting(store) as (running, ann):
            path.rename(tmp_path / "away")
            await ann.until(b'"code":"PAUSED"')
            assert str(tmp_path).encode() not in await ann.until(b"}\n")
            assert str(path) in status_of(running.lobby).pause_reason
            assert str(path) in caplog.text
            await ann.send(b"2 cut seven\n")
            assert b'"code":"PAUSED"' in await ann.until(b'"id":2') + await ann.until(b"}\n")
            (tmp_path / "away").rename(path)
            await ann.until(b'"code":"RESUMED"')
            await ann.send(b"3 cut seven\n")
            assert b'"event":"cut"' in await ann.until(b'"id":3')


class SeveredBus(FakeBus):
    """A bus whose connection to the database is lost when a test says so."""

    def listen(self, receive: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        self.lost = lost


async def test_a_node_that_loses_its_connections_says_nothing_about_its_tables() -> None:
    store, state, sock = ThreadedStore(), SharedState(MemoryStore()), trio.socket.socket()
    bus = SeveredBus(state, 1)
    await sock.bind(("127.0.0.1", 0))
    sock.listen()
    port = LinkPort(listener=trio.SocketListener(sock), address="127.0.0.1:1")
    node = NodeSetup(directory=FakeDirectory(state, 1), bus=bus, secret="a secret", port=port, lease=600.0)
    async with hosting(store, node=node) as (_, ann):
        store.failing = StoreError(StoreReason.UNREACHABLE, "The database server cannot be reached.")
        bus.lost()
        await ann.until(b'"code":"PAUSED"')
        await ann.send(b"2 look\n3 ping\n")
        assert b'"code":"PAUSED"' in await ann.until(b'"id":2') + await ann.until(b"}\n")
        assert b'"type":"view"' not in await ann.until(b'"id":3')
        store.failing = None
        await ann.until(b'"code":"RESUMED"')
        await ann.send(b"4 look\n")
        await ann.until(b'"type":"view"')


async def test_after_a_takeover_everybody_is_disconnected_and_told_nothing_that_was_not_stored() -> None:
    store = ThreadedStore()
    async with hosting(store, drain_time=600) as (running, ann), calling(running.plain[0], "name Bob") as bob:
        await bob.until(b"Bob")
        store.failing = store.gone = FENCED
        await ann.send(b"2 cut seven\n3 ping\n")
        said = await ann.rest()
        assert b'"type":"bye","code":"SHUTDOWN"' in said
        assert b'"event":"cut"' not in said
        assert b'"id":2' not in said
        assert b"resume TOKEN" in b" ".join((await bob.rest()).split())
        with trio.fail_after(60):
            await running.over.wait()
        assert running.journal.is_fenced
        assert running.journal.unstored >= 1
    assert store.refused == 1, "a store taken over by another server is not retried"


@pytest.mark.parametrize("state", ["idle", "failing", "stopping"])
async def test_a_takeover_is_noticed_in_every_state(monkeypatch: pytest.MonkeyPatch, state: str) -> None:
    monkeypatch.setattr(journal_writer, "PROBE_SECONDS", 0.01)
    store = ThreadedStore()
    async with hosting(store, drain_time=600) as (running, ann):
        if state != "idle":
            store.failing = store.gone = StoreError(StoreReason.UNREACHABLE, "It is away.")
            await ann.send(b"2 cut seven\n")
            await ann.until(b'"code":"PAUSED"')
        if state == "stopping":
            running.stop.set()
            await trio.testing.wait_all_tasks_blocked()
            assert running.lobby.is_draining
        store.failing = store.gone = FENCED
        said = await ann.rest()
        assert b'"code":"SHUTDOWN"' in said
        assert b'"event":"cut"' not in said
        with trio.fail_after(60):
            await running.over.wait()
    assert next(store.tables()).events[-1].seq == 3
