import errno
import socket

import pytest
import trio

from golfnet.server.config import Config
from golfnet.server.transport.listeners import CannotListen, PortKind, open_all, open_port, where


async def close(listeners: list[trio.SocketListener]) -> None:
    for listener in listeners:
        await listener.aclose()


async def test_a_free_port_is_the_same_on_all_addresses() -> None:
    listeners = await open_port(("127.0.0.1", "127.0.0.2", "::1"), 0)
    places = where(listeners)
    assert {host for host, _ in places} == {"127.0.0.1", "127.0.0.2", "::1"}
    assert len({port for _, port in places}) == 1
    await close(listeners)


async def test_everywhere_is_ipv4_and_ipv6() -> None:
    listeners = await open_port(("*",), 0)
    places = where(listeners)
    assert {host for host, _ in places} == {"0.0.0.0", "::"}
    assert len({port for _, port in places}) == 1
    port = places[0][1]
    for address in ("127.0.0.1", "::1"):
        stream = await trio.open_tcp_stream(address, port)
        await stream.aclose()
    await close(listeners)


async def test_minus_one_opens_nothing() -> None:
    assert await open_port(("127.0.0.1",), -1) == []


async def test_a_port_in_use_is_named() -> None:
    first = await open_port(("127.0.0.1",), 0)
    port = where(first)[0][1]
    with pytest.raises(CannotListen) as caught:
        await open_port(("127.0.0.2", "127.0.0.1"), port)
    assert caught.value.errno == errno.EADDRINUSE
    assert str(caught.value).startswith(
        f"cannot listen on 127.0.0.1, port {port}: Address already in use. Another program"
    )
    again = await open_port(("127.0.0.2",), port)  # nothing of the attempt is left open
    await close(first + again)


async def test_an_address_that_does_not_exist_is_named() -> None:
    with pytest.raises(
        CannotListen,
        match=r"cannot listen on nowhere\.invalid: there is no such address\. Choose an address of this",
    ):
        await open_port(("nowhere.invalid",), 0)
    with pytest.raises(
        CannotListen, match=r"cannot listen on 192\.0\.2\.250, port 0: Cannot assign.* --host"
    ):
        await open_port(("192.0.2.250",), 0)


async def test_a_handed_socket_takes_the_place_of_a_setting() -> None:
    handed = socket.create_server(("127.0.0.1", 0))
    name = handed.getsockname()
    opened = await open_all(Config(port=0, telnet_port=-1), {"plain": [handed]})
    assert where(opened[PortKind.PLAIN]) == (name,)
    assert opened[PortKind.TELNET] == opened[PortKind.TLS] == opened[PortKind.PROXY] == []
    await close(opened[PortKind.PLAIN])


async def test_doors_open_together_or_not_at_all() -> None:
    taken = await open_port(("127.0.0.1",), 0)
    free = socket.create_server(("127.0.0.1", 0))
    port = free.getsockname()[1]
    free.close()
    with pytest.raises(CannotListen):
        await open_all(Config(port=port, telnet_port=where(taken)[0][1]), {})
    await close(taken + await open_port(("127.0.0.1",), port))
