"""All ports at once, as on a public server: each is used, with and without a hub."""

import contextlib
import io
import json
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import trio

from golfnet.rulesets import catalogue
from golfnet.server.accounts.sanctions import Sanctions
from golfnet.server.hosting import Hosting, invite_on_stages, start_parts
from golfnet.server.net.hub import Hub
from golfnet.server.net.listeners import PortKind
from golfnet.server.net.tls import Certificate, own_certificate
from golfnet.server.operations.console import Console
from golfnet.server.operations.invitation import Invitation
from golfnet.server.serve import Running
from tests.server.house import House
from tests.server.net.test_entrance import SOMEBODY, proxied
from tests.server.test_serve import Caller, served


@contextlib.asynccontextmanager
async def wide_open(folder: Path, **more: Any) -> AsyncIterator[tuple[Running, io.StringIO]]:
    """Open every port; yield the server and what it has printed."""
    certificate: Certificate = own_certificate(folder / "golf.pem")
    printed = io.StringIO()
    settings: dict[str, Any] = {"tls_self_signed": True, "proxy_from": ("127.0.0.1",), "web": True} | more
    settings |= dict.fromkeys(("telnet_port", "tls_port", "proxy_port", "web_port", "metrics_port"), 0)
    async with served(certificate=certificate, **settings) as running:
        hosting = Hosting(
            config=running.lobby.config,
            catalogue=catalogue(),
            certificate=certificate,
            sanctions=Sanctions(None),
            handed={},
            admin_socket=folder / "admin",
            audit_log=folder / "audit",
            environ={},
            console=Console(printed, {}),
        )
        async with trio.open_nursery() as around:
            await start_parts(hosting, running, around)
            yield running, printed
            running.stop.set()
            await running.over.wait()
            around.cancel_scope.cancel()


async def _secure(address: tuple[str, int]) -> trio.abc.Stream:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return trio.SSLStream(await trio.open_tcp_stream(*address), context, https_compatible=True)


@pytest.mark.parametrize("has_hub", [True, False])
async def test_all_ports_work_at_once_and_are_closed_when_the_server_has_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_hub: bool
) -> None:
    if not has_hub:  # as on systems that do not support hubs
        monkeypatch.setattr(Hub, "is_supported", staticmethod(lambda: False))
    async with wide_open(tmp_path) as (running, printed):
        async with contextlib.AsyncExitStack() as open_streams:
            for kind in PortKind:
                (address,) = running.addresses[kind]
                if kind is PortKind.TLS:
                    stream = await _secure(address)
                else:
                    stream = await trio.open_tcp_stream(*address)
                await open_streams.enter_async_context(stream)
                if kind is PortKind.WEB:
                    await stream.send_all(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                    await Caller(stream).until(b"200 OK")
                    continue
                if kind is PortKind.PROXY:
                    await stream.send_all(proxied(SOMEBODY))
                await stream.send_all(b"name Guest-%s\n" % kind.encode())
                await Caller(stream).until(b"You are Guest-%s." % kind.encode())
            assert len(running.lobby.sessions) == len(PortKind) - 1, "serving the page does not open sessions"

            (metrics,) = [line for line in printed.getvalue().splitlines() if "metrics: " in line]
            port = int(metrics.rpartition(":")[2].partition("/")[0])
            scraper = await open_streams.enter_async_context(await trio.open_tcp_stream("127.0.0.1", port))
            await scraper.send_all(b"GET /metrics HTTP/1.0\r\nHost: 127.0.0.1:%d\r\n\r\n" % port)
            await Caller(scraper).until(b"golfnet_players 4.0")

            operator = await open_streams.enter_async_context(await trio.open_unix_socket(tmp_path / "admin"))
            await operator.send_all(b"status\n")
            assert json.loads(await Caller(operator).until(b"\n"))["players"] == 4

        running.stop.set()
        await running.over.wait()
        for (address,) in running.addresses.values():
            with pytest.raises(OSError, match="connect"):
                await trio.open_tcp_stream(*address)


@pytest.mark.parametrize(
    ("address", "is_lan", "has_code"),
    [("192.168.1.20", True, True), ("192.168.1.20", False, False), ("127.0.0.1", True, False)],
)
async def test_big_screens_show_how_to_join(house: House, address: str, is_lan: bool, has_code: bool) -> None:
    invitation = Invitation(ports={PortKind.PLAIN: [(address, 7777)]}, is_lan=is_lan)
    await invite_on_stages(invitation, house.lobby)
    assert f"nc {address} 7777" in [way for _, way in house.lobby.joining.ways]
    assert bool(house.lobby.joining.code) is has_code
