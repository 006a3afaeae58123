import ipaddress
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from zeroconf import DNSOutgoing, DNSPointer, Error  # type: ignore[attr-defined]

from golfnet.cli.discover import server_lines
from golfnet.protocol.address import SERVICE, Announcement, properties
from golfnet.server.operations import lan
from golfnet.server.operations.lan import Found, local_addresses
from tests.e2e.service import GOLFNET, Talk
from tests.server.test_every_door import wide_open

NEARBY = """
import trio
from golfnet_client.visits import servers_nearby
for name, address in trio.run(servers_nearby):
    print(name, address)
"""
"""A program that discovers servers as the client's list does."""

HERE, THERE = f"golfnet-here-{os.getpid()}", f"golfnet-there-{os.getpid()}"


@pytest.fixture
def network(needs_tool: Callable[[str], str]) -> Iterator[str]:
    """Set up two machines on one local network: network namespaces with a pair of virtual interfaces."""
    path = needs_tool("ip")

    def ip(line: str) -> None:
        subprocess.run([path, *line.split()], check=True, capture_output=True, text=True)

    try:
        for name in (HERE, THERE):
            try:
                ip(f"netns add {name}")
            except subprocess.CalledProcessError as error:
                pytest.skip(f"network namespaces cannot be created here: {error.stderr.strip()}")
        ip(f"link add golf0 netns {HERE} type veth peer name golf0 netns {THERE}")
        for name, number in ((HERE, 1), (THERE, 2)):
            ip(f"-n {name} address add 192.168.77.{number}/24 dev golf0")
            ip(f"-n {name} address add fd77::{number}/64 dev golf0 nodad")
            ip(f"-n {name} link set golf0 up")
            ip(f"-n {name} link set lo up")
            ip(f"-n {name} route add 224.0.0.0/4 dev golf0")
        yield path
    finally:
        for name in (HERE, THERE):
            subprocess.run([path, "netns", "delete", name], capture_output=True)


def run_there(network: str, *command: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    command = (network, "netns", "exec", THERE, *command)
    return subprocess.run(command, input=typed, capture_output=True, text=True, timeout=60)


def test_a_server_is_found_by_another_machine_on_the_local_network(network: str, tmp_path: Path) -> None:
    command = (network, "netns", "exec", HERE, str(GOLFNET), "serve", "--lan", "--lan-name", "The Den")
    flags = ("--db", str(tmp_path / "golfnet.db"), "--drain-time", "0", "--tls-self-signed")
    with closing(Talk(*command, *flags)) as server:
        server.wait_for(r"golfnet is open: nc 192\.168\.77\.1 7777\n +or: nc fd77::1 7777\n")
        found: list[Any] = []
        for _ in range(4):  # the server asks three times whether its name is free before it can be found
            asked = run_there(network, str(GOLFNET), "discover", "--json", "--seconds", "1.5")
            found = [json.loads(line) for line in asked.stdout.splitlines()]
            if found:
                break
        (den,) = found
        assert (den["name"], den["port"]) == ("The Den", 7777)
        assert (
            den["properties"].items() >= {"telnet_port": "7778", "tls_port": "7779", "protocol": "1"}.items()
        )
        nearby = run_there(network, sys.executable, "-c", NEARBY)
        assert nearby.stderr == ""
        assert nearby.stdout == "The Den tls://192.168.77.1:7779\n"
        assert set(den["addresses"]) == {"192.168.77.1", "fd77::1"}
        for address in den["addresses"]:
            played = run_there(network, "nc", "-N", address, "7777", typed="version\nquit\n")
            assert "protocol 1" in played.stdout
        server.process.terminate()
        server.process.wait(60)
        gone = run_there(network, str(GOLFNET), "discover", "--seconds", "1")
        assert (gone.returncode, gone.stdout) == (1, "")
        assert gone.stderr == "golfnet discover: no server answered. To start one: golfnet serve --lan\n"


def with_players(players: int, open_tables: int) -> dict[str, str]:
    return properties(Announcement(players=players, open_tables=open_tables))


PLAIN = "    golfnet-client 192.168.1.20"


@pytest.mark.parametrize(
    ("known", "words", "more"),
    [
        (
            properties(Announcement(telnet_port=7778, tls_port=7779)),
            "",
            ["    telnet 192.168.1.20 7778", "    golfnet-client tls://192.168.1.20"],
        ),
        ({"tls_port": "1; rm"}, "", [PLAIN]),
        (with_players(0, 0), ": nobody there yet", [PLAIN]),
        (with_players(1, 1), ": one player, one table to join", [PLAIN]),
        (with_players(13, 0), ": 13 players", [PLAIN]),
    ],
    ids=["with other ports", "with an unusable port", "empty", "with a table", "with many players"],
)
def test_a_found_server_is_listed_with_what_to_type_and_how_full_it_is(
    known: dict[str, str], words: str, more: list[str]
) -> None:
    den = Found("The \u202eDen", ("192.168.1.20", "fd00::1"), 7777, known)
    assert server_lines(den) == [f"The Den{words}", "    nc 192.168.1.20 7777", "    nc fd00::1 7777", *more]


def test_addresses_without_scopes_are_found_or_at_least_loopback_without_netlink(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    addresses = local_addresses()
    assert addresses
    assert not any("%" in address or address.startswith("fe80:") for address in addresses)

    def forbid() -> None:
        raise OSError(97, "Address family not supported by protocol")

    monkeypatch.setattr("ifaddr.get_adapters", forbid)  # as a service manager's sandbox may
    addresses = local_addresses()
    assert addresses
    assert all(ipaddress.ip_address(address) for address in addresses)
    assert lan._interfaces(addresses) == addresses[: len(lan._interfaces(addresses))]
    monkeypatch.setattr(lan, "_own_address", lambda far_away: None)  # there is no network
    assert local_addresses() == lan._interfaces(None) == ["127.0.0.1"]


@pytest.mark.parametrize(
    "problem", [OSError(1, "not permitted"), RuntimeError("no adapter"), ValueError("no address"), Error()]
)
async def test_a_failing_announcement_is_logged_and_stops_nothing(
    problem: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise problem

    for part in ("Zeroconf", "ServiceInfo"):
        with monkeypatch.context() as patched:
            patched.setattr(f"zeroconf.{part}", fail)
            await lan.announce("Den", 7777, dict, ["192.0.2.7"])
        assert "could not announce the server on the local network" in caplog.text
        caplog.clear()


NETWORKS = [["127.0.0.1", "::1"], ["192.168.1.20", "fd00::20", "fe80::20"], ["10.9.8.7"]]


@pytest.mark.parametrize(
    ("addresses", "interfaces"),
    [
        (None, ["192.168.1.20", "fd00::20", "10.9.8.7"]),
        (["192.168.1.20", "fd00::20", "10.9.8.7"], ["192.168.1.20", "fd00::20", "10.9.8.7"]),
        (["10.9.8.7"], ["10.9.8.7"]),
        (["127.0.0.1"], ["127.0.0.1"]),
    ],
)
def test_a_server_is_announced_on_the_networks_on_which_it_listens(
    addresses: list[str] | None, interfaces: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lan, "_networks", lambda: NETWORKS)
    assert lan._interfaces(addresses) == interfaces


async def test_the_server_is_announced_again_only_after_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """The announcements are real objects of the zeroconf library; the network is a fake, so nothing is sent."""
    send, told = trio.open_memory_channel[dict[str, str | None]](10)

    class Air:
        """A fake network that records calls, which come from another thread."""

        def register_service(self, info: Any, allow_name_change: bool) -> None:
            info.name = info.name.replace("Den", "Den-2")
            trio.from_thread.run_sync(send.send_nowait, info.decoded_properties)

        def update_service(self, info: Any) -> None:
            assert info.name.startswith("Den-2.")
            assert (info.port, info.parsed_addresses()) == (7777, ["192.0.2.7", "fd00::7"])
            trio.from_thread.run_sync(send.send_nowait, info.decoded_properties)

        def close(self) -> None:
            trio.from_thread.run_sync(send.send_nowait, {})

    monkeypatch.setattr(lan, "_zeroconf", lambda interfaces: Air())
    monkeypatch.setattr(lan, "ANNOUNCE_SECONDS", 0.01)  # threads run in real time
    now = {"players": "0"}
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lan.announce, "Den", 7777, lambda: dict(now), ["golf", "192.0.2.7", "fd00::7"])
        for players in ("0", "2"):
            now["players"] = players
            assert await told.receive() == {"players": players}
            await trio.sleep(0.05)
            assert told.statistics().current_buffer_used == 0
        nursery.cancel_scope.cancel()
    assert told.receive_nowait() == {}, "it was closed"


@pytest.mark.parametrize(
    ("host", "announced"),
    [("", ["192.168.1.20", "10.9.8.7", "fd00::20"]), ("127.0.0.1", ["127.0.0.1"])],
)
async def test_a_server_announces_the_addresses_on_which_it_listens(
    host: str, announced: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told: list[Sequence[str]] = []

    async def note(name: str, port: int, properties: object, addresses: Sequence[str]) -> None:
        told.append(addresses)

    monkeypatch.setattr("golfnet.server.operations.lan.announce", note)
    monkeypatch.setattr(lan, "_networks", lambda: NETWORKS)
    async with wide_open(tmp_path, host=host, lan=True):
        await trio.testing.wait_all_tasks_blocked()
    assert told == [announced]


def test_looking_up_names_without_servers_takes_one_second_in_total(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test sends on loopback such answers as anybody on a network could send."""
    monkeypatch.setattr(lan, "_networks", lambda: [["127.0.0.1"]])
    monkeypatch.setattr(lan, "_RESOLVE_MS", 200)
    is_over = threading.Event()
    answer = DNSOutgoing(0x8400)  # an authoritative response: RFC 1035, 4.1
    for number in range(100):
        answer.add_answer_at_time(DNSPointer(SERVICE, 12, 1, 4500, f"ghost{number}.{SERVICE}"), 0)

    def haunt() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
            sock.bind(("127.0.0.1", 0))
            while not is_over.wait(0.05):
                for packet in answer.packets():
                    sock.sendto(packet, ("224.0.0.251", 5353))

    asked: list[int] = []
    resolve = lan._resolve

    def note(network: Any, names: Sequence[str]) -> Any:
        asked.append(len(names))
        return resolve(network, names)

    monkeypatch.setattr(lan, "_resolve", note)
    ghosts = threading.Thread(target=haunt)
    ghosts.start()
    try:
        assert lan.discover(0.5) == []
    finally:
        is_over.set()
        ghosts.join()
    assert asked == [100], "one after the other they would take twenty seconds"
