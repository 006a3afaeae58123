import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from golfnet.server.transport import systemd
from golfnet.server.transport.systemd import BadHandover, Notifier, handed_sockets


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(str(tmp_path / "notify"))
        sock.setblocking(False)
        yield sock


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[socket.socket]]:
    """Two listening sockets and one that is none, at descriptors in a row, as a service manager leaves them."""
    made = [socket.socket(socket.AF_INET, socket.SOCK_STREAM) for _ in range(3)]
    first = 200
    copies = []
    for number, sock in enumerate(made):
        if number < 2:
            sock.bind(("127.0.0.1", 0))
            sock.listen()
        os.dup2(sock.fileno(), first + number)
        copies.append(first + number)
    monkeypatch.setattr(systemd, "_FIRST_HANDED", first)
    yield made
    for sock in made:
        sock.close()
    for copy in copies:
        with contextlib.suppress(OSError):
            os.close(copy)


def names_of(handed: dict[str, list[socket.socket]]) -> dict[str, list[tuple[str, int]]]:
    names = {kind: [sock.getsockname() for sock in sockets] for kind, sockets in handed.items()}
    for sockets in handed.values():
        for sock in sockets:
            assert not sock.get_inheritable()
            sock.close()
    return names


def test_sockets_are_taken_by_the_names_of_their_doors(passed: list[socket.socket]) -> None:
    environ = {"LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "golfnet.socket:telnet", "HOME": "/"}
    handed = names_of(handed_sockets(environ, 7))
    assert handed == {"plain": [passed[0].getsockname()], "telnet": [passed[1].getsockname()]}
    assert environ == {"HOME": "/"}  # so that no child takes them for its own


def test_sockets_without_names_are_plain(passed: list[socket.socket]) -> None:
    handed = names_of(handed_sockets({"LISTEN_PID": "7", "LISTEN_FDS": "2"}, 7))
    assert handed == {"plain": [sock.getsockname() for sock in passed[:2]]}


def test_sockets_for_another_process_are_left_alone(passed: list[socket.socket]) -> None:
    assert handed_sockets({"LISTEN_PID": "8", "LISTEN_FDS": "2"}, 7) == {}
    assert handed_sockets({}, 7) == {}


def test_a_name_that_is_no_door_is_refused(passed: list[socket.socket]) -> None:
    environ = {"LISTEN_PID": "7", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "http"}
    with pytest.raises(BadHandover, match=r"'http' was handed over; expected .* plain, telnet, tls, proxy"):
        handed_sockets(environ, 7)


@pytest.mark.filterwarnings("ignore:unclosed <socket")  # the two good ones: the process ends there
def test_a_socket_that_does_not_listen_is_refused(passed: list[socket.socket]) -> None:
    environ = {"LISTEN_PID": "7", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "plain:telnet:tls"}
    with pytest.raises(BadHandover, match=r"descriptor 202 \(tls\): expected a listening TCP socket"):
        handed_sockets(environ, 7)


def test_the_manager_is_told_of_readiness_and_of_the_stop(manager: socket.socket) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": manager.getsockname()}, 7)
    notifier.ready("open on port 7777")
    assert manager.recv(200) == b"READY=1\nSTATUS=open on port 7777"
    notifier.stopping()
    assert manager.recv(200) == b"STOPPING=1"


def test_an_abstract_address_is_understood() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("\0golfnet-test-notify")
        manager.setblocking(False)
        Notifier({"NOTIFY_SOCKET": "@golfnet-test-notify"}, 7).stopping()
        assert manager.recv(200) == b"STOPPING=1"


def test_without_a_manager_or_with_one_that_is_gone_nothing_happens(tmp_path: Path) -> None:
    for environ in ({}, {"NOTIFY_SOCKET": str(tmp_path / "gone")}):
        notifier = Notifier(environ, 7)
        notifier.ready("")
        assert notifier.watchdog_seconds is None


async def test_the_watchdog_hears_of_us_three_times_in_its_patience(
    manager: socket.socket, autojump_clock: trio.testing.MockClock
) -> None:
    notifier = Notifier(
        {"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"}, 7
    )
    with trio.move_on_after(29):
        await notifier.keep_alive()
    heard = [manager.recv(100) for _ in range(3)]
    assert heard == [b"WATCHDOG=1"] * 3
    with pytest.raises(BlockingIOError):
        manager.recv(100)


@pytest.mark.parametrize(
    "environ", [{}, {"WATCHDOG_USEC": "1000", "WATCHDOG_PID": "8"}, {"WATCHDOG_USEC": "x"}]
)
async def test_no_sign_of_life_is_given_where_none_is_wanted(environ: dict[str, str]) -> None:
    notifier = Notifier(environ, 7)
    assert notifier.watchdog_seconds is None
    await notifier.keep_alive()
