"""Servers that announce themselves are found with address, port and whether they speak TLS."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import zeroconf

from golfnet_client import discovery
from golfnet_client.address import Address

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


@dataclasses.dataclass
class Announced:
    """What a server says of itself."""

    port: int | None
    properties: dict[bytes, bytes | None]
    addresses: list[str]

    def parsed_addresses(self) -> list[str]:
        return self.addresses


class Air:
    """A network on which servers announce themselves."""

    announced: dict[str, Announced]
    is_closed = False

    def get_service_info(self, service: str, name: str, timeout: float) -> Announced | None:
        return self.announced.get(name)

    def close(self) -> None:
        self.is_closed = True


def announce(monkeypatch: pytest.MonkeyPatch, announced: dict[str, Announced]) -> Air:
    """Put servers on the air."""
    air = Air()
    air.announced = {f"{name}.{discovery.SERVICE}": each for name, each in announced.items()}

    def browse(network: Air, service: str, handlers: list[Callable[..., None]]) -> None:
        for name in (*air.announced, f"gone.{service}"):
            handlers[0](
                zeroconf=network,
                service_type=service,
                name=name,
                state_change=zeroconf.ServiceStateChange.Added,
            )

    monkeypatch.setattr(zeroconf, "Zeroconf", lambda: air)
    monkeypatch.setattr(zeroconf, "ServiceBrowser", browse)
    monkeypatch.setattr(discovery, "SECONDS", 0.0)
    return air


async def test_what_is_announced_is_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    air = announce(
        monkeypatch,
        {
            "Club": Announced(port=7777, properties={}, addresses=["192.0.2.1"]),
            "Bar": Announced(port=7778, properties={b"tls": b"1"}, addresses=["192.0.2.2", "::1"]),
            "Nowhere": Announced(port=7779, properties={}, addresses=[]),
        },
    )
    assert await discovery.servers_nearby() == [
        ("Bar", Address(host="192.0.2.2", port=7778, tls=True)),
        ("Club", Address(host="192.0.2.1", port=7777, tls=False)),
    ]
    assert air.is_closed


async def test_without_a_network_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network() -> Any:
        raise OSError("no network")

    monkeypatch.setattr(zeroconf, "Zeroconf", no_network)
    assert await discovery.servers_nearby() == []
