"""Ports of several processes: shared among them, kept while none listens, and with nobody else."""

from __future__ import annotations

import socket
from contextlib import closing

import pytest

from golfnet.server.config import Config
from golfnet.server.transport.listeners import CannotListen, PortKind
from golfnet.server.transport.sharing import can_share, keep_ports

pytestmark = pytest.mark.skipif(not can_share(), reason="no SO_REUSEPORT")

FREE = Config(port=0, telnet_port=-1)


def _knock(port: int) -> None:
    socket.create_connection(("127.0.0.1", port), 5).close()


async def test_a_connection_goes_to_a_process_that_listens() -> None:
    with closing(await keep_ports(FREE, {})) as ports:
        [(_, port)] = ports.addresses[PortKind.PLAIN]
        with ports.opened() as first, ports.opened() as second:
            listening = [*first[PortKind.PLAIN], *second[PortKind.PLAIN]]
            assert [sock.getsockname()[1] for sock in listening] == [port, port]
            for _ in range(50):
                _knock(port)
            for sock in listening:  # the chance that one of them got none is 2 to the power of -49
                sock.settimeout(5)
                sock.accept()[0].close()
        with pytest.raises(ConnectionRefusedError):
            _knock(port)


async def test_the_port_is_kept_from_others_while_nobody_listens() -> None:
    with closing(await keep_ports(FREE, {})) as ports:
        [(_, port)] = ports.addresses[PortKind.PLAIN]
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", port))


async def test_a_port_that_another_server_shares_is_refused() -> None:
    with closing(await keep_ports(FREE, {})) as ports, ports.opened():
        [(_, port)] = ports.addresses[PortKind.PLAIN]
        with pytest.raises(CannotListen, match=r"Another program uses it.*--port"):
            await keep_ports(Config(port=port, telnet_port=-1), {})


async def test_sockets_that_were_handed_over_are_shared_as_they_are() -> None:
    with socket.create_server(("127.0.0.1", 0)) as handed:
        ports = await keep_ports(FREE, {PortKind.PLAIN: [handed]})
        assert ports.addresses[PortKind.PLAIN] == (handed.getsockname(),)
        with ports.opened() as first, ports.opened() as second:
            assert first == second == {PortKind.PLAIN: [handed]}
        _knock(handed.getsockname()[1])
