"""Limits on descriptors, the kernel's arrival times on real sockets, and what it reports about round trips."""

import resource
import socket
import struct
import sys
import time
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from golfnet.server.net.kernel import (
    RESERVE,
    KernelRoundTrip,
    kernel_round_trip,
    may_keep,
    raise_limit,
    receive_stamped,
    stamp_arrivals,
)


def test_the_last_descriptors_below_the_limit_are_reserved(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    turned_away: Counter[str] = Counter()
    for limit, number, may in (
        *((1024, 5, True), (1024, 1023 - RESERVE, True), (1024, 1024 - RESERVE, False), (1024, 1023, False)),
        (resource.RLIM_INFINITY, 10_000_000, True),
    ):
        monkeypatch.setattr(resource, "getrlimit", lambda which, limit=limit: (limit, limit))
        assert may_keep(turned_away, number) is may
    assert turned_away == {"files": 2}
    assert "1024 files" in caplog.text


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
    assert raise_limit(connections) == fit
    assert asked == ([] if raised is None else [(raised, hard)])


def test_a_limit_that_cannot_be_raised_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 4096))
    monkeypatch.setattr(resource, "setrlimit", Mock(side_effect=PermissionError))
    assert raise_limit(20_000) == 1024 - 96


# --- arrival times


Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()) as near,
        listener.accept()[0] as far,
    ):
        assert stamp_arrivals(far)
        # The kernel starts time stamping a moment after the first socket has requested it.
        deadline = time.monotonic() + 60
        near.send(b"x")
        while not far.recvmsg(10, 64)[1]:
            assert time.monotonic() < deadline
            near.send(b"x")
        yield near, far


@pytest.mark.parametrize(("shift", "seems"), [(0.09, 0.09), (-3600, 0), (3600, 0)])
def test_the_age_of_bytes_counts_from_their_arrival_unless_the_clock_was_changed(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, shift: float, seems: float
) -> None:
    near, far = pair
    near.send(b"slam 3\n")
    later = time.time_ns() + round(shift * 1e9)
    monkeypatch.setattr(time, "time_ns", lambda: later)
    data, age = receive_stamped(far, 100)
    assert data == b"slam 3\n"
    assert age == pytest.approx(seems, abs=0.02 if seems else 0)


def test_bytes_without_a_time_stamp_count_as_just_arrived() -> None:
    near, far = socket.socketpair()
    with near, far:
        near.send(b"slam 3\n")
        assert receive_stamped(far, 100) == (b"slam 3\n", 0.0)


def test_end_of_input_and_an_empty_socket_behave_as_usual(pair: Pair) -> None:
    near, far = pair
    far.setblocking(False)
    with pytest.raises(BlockingIOError):
        receive_stamped(far, 100)
    near.close()
    far.setblocking(True)
    assert receive_stamped(far, 100)[0] == b""


# --- round trips

TCP_INFO = 11


def info(*, smoothed: int, smallest: int, delivered: int) -> bytes:
    """Return Linux's ``tcp_info``, as defined in linux/tcp.h, with a later kernel's fields at its end."""
    return struct.pack("=68xI76xI40xI44x", smoothed, smallest, delivered)


KNOWN = info(smoothed=48_000, smallest=41_000, delivered=7)


@pytest.mark.parametrize(
    ("platform", "of", "reported"),
    [
        pytest.param("linux", KNOWN, KernelRoundTrip(0.041, 0.048, 7), id="measured"),
        pytest.param("linux", info(smoothed=0, smallest=41_000, delivered=0), None, id="no average"),
        pytest.param("linux", info(smoothed=48_000, smallest=0, delivered=0), None, id="no minimum"),
        pytest.param(
            "linux", info(smoothed=48_000, smallest=0xFFFFFFFF, delivered=0), None, id="unknown minimum"
        ),
        pytest.param("linux", KNOWN[:192], None, id="older kernel"),
        *[pytest.param(other, KNOWN, None, id=other) for other in ("freebsd14", "darwin", "win32")],
    ],
)
def test_the_round_trip_is_what_linux_has_measured(
    monkeypatch: pytest.MonkeyPatch, platform: str, of: bytes, reported: KernelRoundTrip | None
) -> None:
    known = {(socket.IPPROTO_TCP, TCP_INFO): of}
    monkeypatch.setattr(sys, "platform", platform)
    sock: Any = SimpleNamespace(getsockopt=lambda level, option, size: known[level, option][:size])
    assert kernel_round_trip(sock) == reported


def test_a_closed_or_non_tcp_socket_reports_nothing() -> None:
    left, right = socket.socketpair()
    with left, right:
        assert kernel_round_trip(left) is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux reports this")
def test_the_figures_of_a_real_connection_are_plausible() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        peer, _ = server.accept()
        with client, peer:
            for _ in range(5):
                peer.sendall(b"x")
                assert client.recv(1) == b"x"
                client.sendall(b"y")
                assert peer.recv(1) == b"y"
            figures = kernel_round_trip(peer)
    assert figures is not None
    assert 0 < figures.smallest <= figures.smoothed < 1
    assert figures.delivered >= 5
