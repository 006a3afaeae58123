"""The kernel's arrival times, on real sockets of this machine."""

import socket
import sys
import time
from collections.abc import Iterator

import pytest

from golfnet.server.net.hub_transport import receive_stamped, stamp_arrivals

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux stamps arrivals")

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


def test_bytes_are_delivered_with_the_time_since_they_arrived(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    near, far = pair
    near.send(b"slam 3\n")
    later = time.time_ns() + 90_000_000
    monkeypatch.setattr(time, "time_ns", lambda: later)
    data, age = receive_stamped(far, 100)
    assert data == b"slam 3\n"
    assert age == pytest.approx(0.09, abs=0.02)


@pytest.mark.parametrize("shift", [-3600, 3600])
def test_a_clock_change_after_arrival_does_not_age_bytes(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, shift: int
) -> None:
    near, far = pair
    near.send(b"slam 3\n")
    wrong = time.time_ns() + shift * 1_000_000_000
    monkeypatch.setattr(time, "time_ns", lambda: wrong)
    assert receive_stamped(far, 100) == (b"slam 3\n", 0.0)


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
