import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from golfnet.cli.discover import told
from golfnet.protocol.announcement import WaysIn, properties
from golfnet.server.lan import Found, local_addresses
from tests.e2e.service import GOLFNET, Talk

NEARBY = """
import trio
from golfnet_client.discovery import servers_nearby
for name, address in trio.run(servers_nearby):
    print(name, address)
"""
"""What the client's list of servers begins with."""

HERE, THERE = "golfnet-here", "golfnet-there"


def ip(path: str, line: str) -> None:
    subprocess.run([path, *line.split()], check=True, capture_output=True, text=True)


@pytest.fixture
def network(needs_tool: Callable[[str], str]) -> Iterator[str]:
    """Two machines on one wire: network namespaces with a pair of virtual interfaces."""
    path = needs_tool("ip")
    try:
        for name in (HERE, THERE):
            ip(path, f"netns add {name}")
    except subprocess.CalledProcessError as error:
        _remove(path)
        pytest.skip(f"network namespaces cannot be made here: {error.stderr.strip()}")
    try:
        ip(path, f"link add golf0 netns {HERE} type veth peer name golf0 netns {THERE}")
        for name, number in ((HERE, 1), (THERE, 2)):
            ip(path, f"-n {name} address add 192.168.77.{number}/24 dev golf0")
            ip(path, f"-n {name} address add fd77::{number}/64 dev golf0 nodad")
            ip(path, f"-n {name} link set golf0 up")
            ip(path, f"-n {name} link set lo up")
            ip(path, f"-n {name} route add 224.0.0.0/4 dev golf0")
        yield path
    finally:
        _remove(path)


def _remove(path: str) -> None:
    for name in (HERE, THERE):
        subprocess.run([path, "netns", "delete", name], capture_output=True)


def test_a_server_is_found_from_another_machine_on_the_wire(network: str, tmp_path: Path) -> None:
    server = Talk(
        *(network, "netns", "exec", HERE, str(GOLFNET), "serve", "--lan", "--lan-name", "The Den"),
        *("--db", str(tmp_path / "golfnet.db"), "--drain-time", "0", "--tls-self-signed"),
    )
    try:
        server.wait_for(r"golfnet is open: nc 192\.168\.77\.1 7777\n +or: nc fd77::1 7777\n")
        found = []
        for _ in range(4):  # it has to ask three times whether its name is free before it is found
            asked = subprocess.run(
                [network, "netns", "exec", THERE, GOLFNET, "discover", "--json", "--seconds", "1.5"],
                capture_output=True,
                text=True,
                timeout=60,
            )
            found = [json.loads(line) for line in asked.stdout.splitlines()]
            if found:
                break
        (den,) = found
        assert den["name"] == "The Den"
        assert den["port"] == 7777
        assert den["properties"]["telnet_port"] == "7778"
        assert den["properties"]["tls_port"] == "7779"
        assert den["properties"]["protocol"] == "1"
        nearby = subprocess.run(
            [network, "netns", "exec", THERE, sys.executable, "-c", NEARBY],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert nearby.stderr == ""
        assert nearby.stdout == "The Den tls://192.168.77.1:7779\n"
        assert set(den["addresses"]) == {"192.168.77.1", "fd77::1"}
        for address in den["addresses"]:
            played = subprocess.run(
                [network, "netns", "exec", THERE, "nc", "-N", address, "7777"],
                input=b"version\nquit\n",
                capture_output=True,
                timeout=60,
            )
            assert b"protocol 1" in played.stdout
        server.process.terminate()
        server.process.wait(60)
        gone = subprocess.run(
            [network, "netns", "exec", THERE, GOLFNET, "discover", "--seconds", "1"],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (gone.returncode, gone.stdout) == (1, "")
        assert gone.stderr == "golfnet discover: no server answered; golfnet serve --lan starts one\n"
    finally:
        server.close()


def test_a_found_server_is_told_with_what_to_type() -> None:
    den = Found("The Den", ("192.168.1.20", "fd00::1"), 7777, properties(WaysIn(tls_port=7779)))
    assert told(den) == [
        "The Den",
        "    nc 192.168.1.20 7777",
        "    nc fd00::1 7777",
        "    golfnet-client tls://192.168.1.20:7779",
    ]


def test_what_cannot_be_typed_is_not_told() -> None:
    den = Found("The \u202eDen", ("192.168.1.20",), 7777, {"tls_port": "1; rm"})
    assert told(den) == ["The Den", "    nc 192.168.1.20 7777"]


def test_this_machine_has_addresses_without_scopes() -> None:
    addresses = local_addresses()
    assert addresses
    assert not any("%" in address or address.startswith("fe80:") for address in addresses)


def test_a_sandbox_without_netlink_has_at_least_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError(97, "Address family not supported by protocol")

    monkeypatch.setattr("ifaddr.get_adapters", fail)
    monkeypatch.setattr("socket.gethostname", lambda: "den")
    assert local_addresses() == ["den"]
