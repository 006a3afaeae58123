"""Servers that announce themselves are found by name and reached as announced, over TLS if they offer it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import trio
import zeroconf

from golfnet.connect import Trust, open_stream
from golfnet.protocol.address import SERVICE, Address
from golfnet.rulesets import catalogue
from golfnet.server.config import Config
from golfnet.server.hosting import announced
from golfnet.server.net.tls import Certificate, own_certificate
from golfnet.server.operations.lan import service
from golfnet.server.serve import Running, serve
from golfnet.storage.sqlite import MemoryStore
from golfnet_client import discovery

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


def announcement(
    name: str, port: int, told: Mapping[str, str] | None = None, addresses: tuple[str, ...] = ("192.0.2.1",)
) -> zeroconf.ServiceInfo:
    """Return a server's announcement as zeroconf represents it on both sides."""
    return zeroconf.ServiceInfo(
        SERVICE,
        f"{name}.{SERVICE}",
        parsed_addresses=list(addresses),
        port=port,
        properties=dict(told or {}),
    )


class Known:
    """What is known about an announced name: everything or nothing."""

    def __init__(self, info: zeroconf.ServiceInfo | None) -> None:
        self._info = info

    def load_from_cache(self, network: Air) -> bool:
        return self._info is not None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._info, name)


class Air:
    """A network on which servers announce themselves."""

    is_closed = False
    loop = None

    def __init__(self, infos: tuple[zeroconf.ServiceInfo, ...]) -> None:
        self.announced = {info.name: info for info in infos}

    def known(self, service: str, name: str) -> Known:
        return Known(self.announced.get(name))

    def close(self) -> None:
        self.is_closed = True


def put_on_air(monkeypatch: pytest.MonkeyPatch, *infos: zeroconf.ServiceInfo) -> Air:
    """Announce only these nearby, plus a name whose server has gone."""
    air = Air(infos)

    def browse(network: Air, service: str, handlers: list[Callable[..., None]]) -> None:
        for name in (*air.announced, f"gone.{service}"):
            handlers[0](
                zeroconf=network,
                service_type=service,
                name=name,
                state_change=zeroconf.ServiceStateChange.Added,
            )

    monkeypatch.setattr(zeroconf, "Zeroconf", lambda interfaces, ip_version: air)
    monkeypatch.setattr(zeroconf, "ServiceBrowser", browse)
    monkeypatch.setattr(zeroconf, "ServiceInfo", air.known)
    monkeypatch.setattr(discovery, "SECONDS", 0.0)
    return air


async def test_announced_servers_are_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    air = put_on_air(
        monkeypatch,
        announcement("Club", 7777, {"telnet_port": "7778"}),
        announcement("Bar\u202e", 7777, {"tls_port": "7779"}, ("192.0.2.2", "2001:db8::2")),
        announcement("NullTransport", 7777, addresses=()),
    )
    assert await discovery.servers_nearby() == [
        ("Bar", Address(host="192.0.2.2", port=7779, tls=True)),
        ("Club", Address(host="192.0.2.1", port=7777, tls=False)),
    ]
    assert air.is_closed


@pytest.mark.parametrize("secure", [True, False])
async def test_a_server_is_reached_as_announced(
    secure: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    certificate = tmp_path / "golf.pem"
    own_certificate(certificate)
    start = partial(
        serve,
        Config(port=0, telnet_port=0, tls_port=0, tls_self_signed=secure, drain_time=0),
        store=MemoryStore(),
        catalogue=catalogue(),
        certificate=Certificate(certificate, certificate) if secure else None,
    )
    async with trio.open_nursery() as nursery:
        server: Running = await nursery.start(start)
        put_on_air(
            monkeypatch, service("The Den", server.plain[0][1], announced(server), [server.plain[0][0]])
        )
        ((name, address),) = await discovery.servers_nearby()
        assert (name, address.tls) == ("The Den", secure)
        async with await open_stream(address, Trust()) as stream:
            assert bytes(await stream.receive_some()).startswith(b"! golfnet")
        server.stop.set()


async def test_without_a_network_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(interfaces: list[str], ip_version: object) -> Any:
        raise OSError("no network")

    monkeypatch.setattr(zeroconf, "Zeroconf", no_network)
    assert await discovery.servers_nearby() == []
