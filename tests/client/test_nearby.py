"""Servers that announce themselves are found by name and reached as announced, over TLS if they offer it."""

from pathlib import Path

import pytest

from golfnet.connect import Trust, open_stream
from golfnet.protocol.address import Address
from golfnet.server.hosting import announced
from golfnet.server.net.tls import own_certificate
from golfnet.server.operations import lan
from golfnet.server.operations.lan import Found
from golfnet_client.visits import servers_nearby
from tests.server.test_serve import served


def announce(monkeypatch: pytest.MonkeyPatch, *found: Found) -> None:
    monkeypatch.setattr(lan, "discover", lambda seconds: list(found))


async def test_announced_servers_are_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    announce(
        monkeypatch,
        Found("Bar\u202e", ("192.0.2.2", "2001:db8::2"), 7777, {"tls_port": "7779"}),
        Found("Club", ("192.0.2.1",), 7777, {"telnet_port": "7778"}),
        Found("No address", (), 7777, {}),
    )
    assert await servers_nearby() == [
        ("Bar", Address(host="192.0.2.2", port=7779, tls=True)),
        ("Club", Address(host="192.0.2.1", port=7777, tls=False)),
    ]


@pytest.mark.parametrize("secure", [True, False])
async def test_a_server_is_reached_at_its_announced_address_over_tls_if_it_offers_that(
    secure: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    certificate = own_certificate(tmp_path / "golf.pem") if secure else None
    async with served(certificate=certificate, tls_port=0, tls_self_signed=secure) as server:
        host, port = server.plain[0]
        announce(monkeypatch, lan._found(lan.service("The Den", port, announced(server), [host])))
        ((name, address),) = await servers_nearby()
        assert (name, address.tls) == ("The Den", secure)
        async with await open_stream(address, Trust()) as stream:
            assert bytes(await stream.receive_some()).startswith(b"! golfnet")


async def test_without_a_network_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(seconds: float) -> list[Found]:
        raise OSError("no network")

    monkeypatch.setattr(lan, "discover", no_network)
    assert await servers_nearby() == []
