import contextlib
import errno
import os
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import trio

from golfnet.server.config import Config
from golfnet.server.net import listeners
from golfnet.server.net.listeners import (
    BadHandover,
    CannotListen,
    Notifier,
    PortKind,
    can_share,
    handed_sockets,
    keep_ports,
    open_all,
    open_port,
    where,
)
from tests.e2e.service import free_port


async def close(listeners: list[trio.SocketListener]) -> None:
    for listener in listeners:
        await listener.aclose()


@pytest.mark.parametrize(
    ("hosts", "found"),
    [(("127.0.0.1", "127.0.0.2", "::1"), {"127.0.0.1", "127.0.0.2", "::1"}), (("*",), {"0.0.0.0", "::"})],
)
async def test_a_free_port_is_the_same_on_all_addresses(hosts: tuple[str, ...], found: set[str]) -> None:
    """An asterisk means all addresses, IPv4 and IPv6."""
    listeners = await open_port(hosts, 0)
    places = where(listeners)
    assert {host for host, _ in places} == found
    [port] = {port for _, port in places}
    for address in ("127.0.0.1", "::1"):
        stream = await trio.open_tcp_stream(address, port)
        await stream.aclose()
    await close(listeners)


async def test_a_port_in_use_is_named_in_the_error() -> None:
    first = await open_port(("127.0.0.1",), 0)
    port = where(first)[0][1]
    with pytest.raises(CannotListen) as caught:
        await open_port(("127.0.0.2", "127.0.0.1"), port)
    assert caught.value.errno == errno.EADDRINUSE
    assert str(caught.value).startswith(
        f"cannot listen on 127.0.0.1, port {port}: Address already in use. Another program"
    )
    again = await open_port(("127.0.0.2",), port)  # the failed attempt left no socket open
    await close(first + again)


@pytest.mark.parametrize(
    ("host", "problem"),
    [
        ("nowhere.invalid", r"nowhere\.invalid: there is no such address\. Choose an address of this"),
        ("192.0.2.250", r"192\.0\.2\.250, port 0: Cannot assign.* --host"),
    ],
)
async def test_a_nonexistent_address_is_named_in_the_error(host: str, problem: str) -> None:
    with pytest.raises(CannotListen, match=f"cannot listen on {problem}"):
        await open_port((host,), 0)


async def test_a_socket_from_the_service_manager_replaces_a_setting() -> None:
    handed = socket.create_server(("127.0.0.1", 0))
    name = handed.getsockname()
    opened = await open_all(Config(port=0, telnet_port=-1), {"plain": [handed]})
    assert where(opened[PortKind.PLAIN]) == (name,)
    assert opened[PortKind.TELNET] == opened[PortKind.TLS] == opened[PortKind.PROXY] == []
    await close(opened[PortKind.PLAIN])


async def test_ports_open_together_or_not_at_all() -> None:
    taken, port = await open_port(("127.0.0.1",), 0), free_port()
    with pytest.raises(CannotListen):
        await open_all(Config(port=port, telnet_port=where(taken)[0][1]), {})
    await close(taken + await open_port(("127.0.0.1",), port))


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[socket.socket]]:
    """Yield three sockets at consecutive descriptors, as a service manager passes them; the third is not listening."""
    monkeypatch.setattr(listeners, "_FIRST_HANDED", 200)
    made = [*[socket.create_server(("127.0.0.1", 0)) for _ in range(2)], socket.socket()]
    for descriptor, sock in enumerate(made, 200):
        os.dup2(sock.fileno(), descriptor)
    yield made
    for descriptor, sock in enumerate(made, 200):
        sock.close()
        with contextlib.suppress(OSError):
            os.close(descriptor)


@pytest.mark.parametrize(
    ("names", "kinds"),
    [({"LISTEN_FDNAMES": "golfnet.socket:telnet"}, ("plain", "telnet")), ({}, ("plain", "plain"))],
    ids=["with names", "without names"],
)
def test_sockets_are_assigned_by_name_and_not_inherited(
    passed: list[socket.socket], names: dict[str, str], kinds: tuple[str, ...]
) -> None:
    environ = {"LISTEN_PID": "7", "LISTEN_FDS": "2", "HOME": "/"} | names
    found = []
    for kind, sockets in handed_sockets(environ, 7).items():
        for sock in sockets:
            assert not sock.get_inheritable()
            found.append((kind, sock.getsockname()))
            sock.close()
    assert found == [(kind, sock.getsockname()) for kind, sock in zip(kinds, passed, strict=False)]
    assert environ == {"HOME": "/"}  # the variables are gone, so no child process can claim the sockets


def test_sockets_for_another_process_are_left_alone(passed: list[socket.socket]) -> None:
    assert handed_sockets({"LISTEN_PID": "8", "LISTEN_FDS": "2"}, 7) == {}
    assert handed_sockets({}, 7) == {}


# The valid sockets stay open: a server would exit after this error.
@pytest.mark.filterwarnings("ignore:unclosed <socket")
@pytest.mark.parametrize(
    ("names", "complaint"),
    [
        ("plain:http:tls", r"'http' was handed over; expected .* plain, telnet, tls, proxy"),
        ("plain:telnet:tls", r"descriptor 202 \(tls\): expected a listening TCP socket"),
    ],
)
def test_an_unknown_socket_or_one_that_does_not_listen_is_refused(
    passed: list[socket.socket], names: str, complaint: str
) -> None:
    with pytest.raises(BadHandover, match=complaint):
        handed_sockets({"LISTEN_PID": "7", "LISTEN_FDS": "3", "LISTEN_FDNAMES": names}, 7)


@pytest.mark.parametrize("address", ["notify", "@golfnet-test-notify"])
def test_the_service_manager_is_told_about_readiness_and_stopping(tmp_path: Path, address: str) -> None:
    path = f"\0{address[1:]}" if address.startswith("@") else str(tmp_path / address)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(path)
        manager.setblocking(False)
        notifier = Notifier({"NOTIFY_SOCKET": path.replace("\0", "@")}, 7)
        notifier.ready("open on port 7777")
        assert manager.recv(200) == b"READY=1\nSTATUS=open on port 7777"
        notifier.stopping()
        assert manager.recv(200) == b"STOPPING=1"


async def test_the_watchdog_is_notified_three_times_per_interval(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    heard: list[str] = []
    notifier = Notifier({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"}, 7)
    monkeypatch.setattr(notifier, "_notify", heard.append)
    with trio.move_on_after(29):
        await notifier.keep_alive()
    assert heard == ["WATCHDOG=1"] * 3


@pytest.mark.parametrize(
    "environ",
    [
        *({}, {"NOTIFY_SOCKET": "/nowhere/notify"}, {"WATCHDOG_USEC": "x"}),
        {"WATCHDOG_USEC": "1000", "WATCHDOG_PID": "8"},
    ],
)
async def test_without_a_service_manager_notifications_do_nothing(environ: dict[str, str]) -> None:
    notifier = Notifier(environ, 7)
    notifier.ready("")
    assert notifier.watchdog_seconds is None
    await notifier.keep_alive()


pytestmark = pytest.mark.skipif(not can_share(), reason="no SO_REUSEPORT")

FREE = Config(port=0, telnet_port=-1)


def _knock(port: int) -> None:
    socket.create_connection(("127.0.0.1", port), 5).close()


async def test_a_connection_reaches_a_process_that_is_listening() -> None:
    with closing(await keep_ports(FREE, {})) as ports:
        [(_, port)] = ports.addresses[PortKind.PLAIN]
        with ports.opened() as first, ports.opened() as second:
            listening = [*first[PortKind.PLAIN], *second[PortKind.PLAIN]]
            assert [sock.getsockname()[1] for sock in listening] == [port, port]
            for _ in range(50):
                _knock(port)
            # Each of the two gets at least one connection, except with a probability of 2 to the power of -49.
            for sock in listening:
                sock.settimeout(5)
                sock.accept()[0].close()
        with pytest.raises(ConnectionRefusedError):
            _knock(port)


async def test_no_other_server_gets_the_port_even_while_nobody_is_listening() -> None:
    with closing(await keep_ports(FREE, {})) as ports:
        [(_, port)] = ports.addresses[PortKind.PLAIN]
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", port))
        with ports.opened(), pytest.raises(CannotListen, match=r"Another program is using it.*--port"):
            await keep_ports(Config(port=port, telnet_port=-1), {})


async def test_sockets_from_the_service_manager_are_shared_unchanged() -> None:
    with socket.create_server(("127.0.0.1", 0)) as handed:
        ports = await keep_ports(FREE, {PortKind.PLAIN: [handed]})
        assert ports.addresses[PortKind.PLAIN] == (handed.getsockname(),)
        with ports.opened() as first, ports.opened() as second:
            assert first == second == {PortKind.PLAIN: [handed]}
        _knock(handed.getsockname()[1])
