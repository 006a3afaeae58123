"""The units are as restricted as they claim, and the server works with a real service manager's tools."""

import configparser
import contextlib
import json
import os
import re
import shlex
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from golfnet.server.net.listeners import PortKind
from tests.e2e.service import GOLFNET, PATIENCE, Needs, Service, connect, free_port, printed

UNITS = Path(__file__).parents[2] / "deploy" / "systemd"


def unit_of(path: Path) -> configparser.RawConfigParser:
    unit = configparser.RawConfigParser(strict=False, interpolation=None)
    unit.read(path)
    return unit


SOCKETS = sorted(UNITS.glob("*.socket"))


@pytest.mark.parametrize("name", ["golfnet.service", "golfnet@.service"])
def test_systemd_rates_the_exposure_of_the_service_at_most_1_5(name: str, needs_tool: Needs) -> None:
    command = ("security", "--offline=true", "--no-pager", UNITS / name)
    told = printed(needs_tool("systemd-analyze"), *command)
    exposure = re.search(r"Overall exposure level for golfnet\S*\.service: ([\d.]+)", told)
    assert exposure is not None, told
    assert float(exposure.group(1)) <= 1.5, told


def test_the_service_may_ask_for_the_machines_addresses() -> None:
    families = unit_of(UNITS / "golfnet.service")["Service"]["RestrictAddressFamilies"].split()
    assert {"AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK"} == set(families)


def test_systemd_finds_no_errors_in_the_units(needs_tool: Needs, tmp_path: Path) -> None:
    for path in UNITS.iterdir():
        text = path.read_text().replace("/opt/golfnet/bin/golfnet ", f"{GOLFNET} ")
        (tmp_path / path.name).write_text(text)
    environ = os.environ | {"SYSTEMD_UNIT_PATH": f"{tmp_path}:"}
    told = printed(needs_tool("systemd-analyze"), "verify", *sorted(tmp_path.iterdir()), env=environ)
    assert [line for line in told.splitlines() if "golfnet" in line] == []


@pytest.mark.parametrize("path", SOCKETS, ids=[path.stem for path in SOCKETS])
def test_a_socket_is_named_for_its_port_and_belongs_to_the_service(path: Path) -> None:
    unit = unit_of(path)
    door = PortKind(unit["Socket"]["FileDescriptorName"])
    port = {PortKind.PLAIN: 7777, PortKind.TELNET: 7778, PortKind.TLS: 7779}[door]
    assert unit["Socket"]["ListenStream"] == f"[::]:{port}"
    assert unit["Socket"].get("Service", path.stem + ".service") == "golfnet.service"


def test_the_service_has_enough_time_to_stop() -> None:
    from golfnet.cli.serve import CLOSE_SECONDS
    from golfnet.server.config import Config
    from golfnet.server.journal.journal import LAST_SECONDS
    from golfnet.server.serve import LAST_WRITES_SECONDS

    unit = unit_of(UNITS / "golfnet.service")
    disk = LAST_WRITES_SECONDS + LAST_SECONDS + CLOSE_SECONDS
    assert disk < 5
    assert float(unit["Service"]["TimeoutStopSec"]) > Config().drain_time + disk
    assert unit["Service"]["Type"] == "notify"
    command = shlex.split(unit["Service"]["ExecStart"])
    assert command[1:] == ["serve", "--config", "/etc/golfnet/golfnet.toml"]


def activated(activate: str, ports: Sequence[int], names: str, *flags: str) -> subprocess.Popen[str]:
    """Have systemd open sockets, and start a server with them as soon as somebody connects."""
    sockets = [f"--listen=127.0.0.1:{port}" for port in ports]
    command = [activate, *sockets, f"--fdname={names}", str(GOLFNET), "serve", "--memory", *flags]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def test_sockets_opened_by_systemd_are_served(needs_tool: Needs) -> None:
    ports = free_port(), free_port()
    unused = ("--port", "1", "--host", "192.0.2.250")
    server = activated(needs_tool("systemd-socket-activate"), ports, "plain:telnet", *unused)
    try:
        with connect(ports[0]) as plain:
            plain.sendall(b"hello 1\n")
            with plain.makefile() as lines:
                welcome = next(line for line in lines if line.startswith("{"))
            assert json.loads(welcome)["type"] == "welcome"
        with connect(ports[1]) as telnet:
            assert telnet.recv(3)[:1] == b"\xff"  # telnet negotiation begins at once
    finally:
        server.terminate()
        server.communicate(timeout=PATIENCE)
    assert server.returncode == 0


def test_a_tls_socket_without_a_certificate_is_refused_at_startup(needs_tool: Needs) -> None:
    port = free_port()
    server = activated(needs_tool("systemd-socket-activate"), [port], "tls")
    with connect(port):
        _, told = server.communicate(timeout=PATIENCE)
    assert server.returncode == 2
    assert "a socket for TLS was handed over; expected tls_cert and tls_key, or tls_self_signed" in told


def test_systemd_gets_start_heartbeats_and_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(PATIENCE)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "600000")
        server = Service("--memory", "--drain-time", "0")
        heard = [manager.recv(200) for _ in range(4)]
        assert f"READY=1\nSTATUS=open on port {server.port}".encode() in heard
        assert heard.count(b"WATCHDOG=1") == 3
        assert server.stop() == 0
        manager.setblocking(False)
        rest = []
        with contextlib.suppress(BlockingIOError):
            while True:
                rest.append(manager.recv(200))
        assert b"STOPPING=1" in rest
