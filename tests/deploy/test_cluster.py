"""Several nodes as ``deploy`` has them: the files fit each other, and HAProxy spreads players over real nodes."""

from __future__ import annotations

import argparse
import configparser
import contextlib
import json
import re
import shlex
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from golfnet.cli.serve import add_arguments
from golfnet.cli.settings import settings_of
from golfnet.server.transport.tls import own_certificate
from tests.e2e.service import PATIENCE, Service, free_port

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.server.config import Config
    from tests.postgres import Engine

DEPLOY = Path(__file__).parents[2] / "deploy"
COMPOSE = (DEPLOY / "cluster" / "compose.yaml").read_text()
HAPROXY = (DEPLOY / "cluster" / "haproxy.cfg").read_text()
SETTINGS = DEPLOY / "cluster" / "golfnet.toml"


def _config(words: list[str]) -> Config:
    """Return the configuration of a command line, as the server itself reads it."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    config, _ = settings_of(parser.parse_args(words))
    return config


def test_every_node_of_the_compose_file_starts_with_flags_that_fit_its_network() -> None:
    commands = [json.loads(found) for found in re.findall(r"^    command: (\[.*\])$", COMPOSE, re.MULTILINE)]
    addresses = re.findall(r"^    networks: \{inside: \{ipv4_address: ([\d.]+)\}\}$", COMPOSE, re.MULTILINE)
    nodes = [_config(["--config", str(SETTINGS), *words[3:]]) for words in commands]
    assert [words[:3] for words in commands] == [["serve", "--config", "/etc/golfnet/golfnet.toml"]] * 3
    assert [node.link_place for node in nodes] == [(address, 7790) for address in addresses[:3]]
    places = re.findall(r"^    server \w+ ([\d.]+):(\d+)$", HAPROXY, re.MULTILINE)
    assert places == [
        (address, str(node.proxy_port)) for address, node in zip(addresses, nodes, strict=False)
    ]
    (balancer,) = re.findall(r"ipv4_address: ([\d.]+)\}, outside", COMPOSE)
    for node in nodes:
        assert node.cluster
        assert node.proxy_from == (balancer,)
        assert node.proxy_rtt_type == 5
        assert f"@{addresses[-1]}/" in node.database
        assert f":{node.cluster_secret}:ro" in COMPOSE
        assert f"check port {node.port} " in HAPROXY


def test_nothing_reaches_the_nodes_but_the_balancer() -> None:
    assert COMPOSE.count("ports:") == 1
    assert re.search(r"^  balancer:\n(    .*\n)*    ports: \[\"7777:7777\"\]$", COMPOSE, re.MULTILINE)
    assert "  inside:\n    internal: true\n" in COMPOSE


def test_haproxy_takes_the_file_also_with_a_certificate(
    needs_tool: Callable[[str], str], tmp_path: Path
) -> None:
    own_certificate(tmp_path / "golf.pem")
    secure = HAPROXY.replace("#bind", "bind").replace(
        "/usr/local/etc/haproxy/golf.pem", str(tmp_path / "golf.pem")
    )
    assert secure.count("bind :") == 2
    for text in (HAPROXY, secure):
        (tmp_path / "haproxy.cfg").write_text(text)
        subprocess.run(
            [needs_tool("haproxy"), "-c", "-f", tmp_path / "haproxy.cfg"], check=True, capture_output=True
        )


def test_players_of_different_addresses_meet_through_haproxy(
    needs_tool: Callable[[str], str], postgres: Engine, tmp_path: Path
) -> None:
    front, url = free_port(), postgres.new_url()
    (tmp_path / "secret").write_text("a secret of all nodes\n")
    text = HAPROXY.replace("bind :7777", f"bind 127.0.0.1:{front}")
    with contextlib.ExitStack() as running:
        nodes = []
        for number in (1, 2):
            proxied = free_port()
            node = Service(
                *("--cluster", "--cluster-secret", str(tmp_path / "secret"), "--database", url),
                *("--proxy-port", str(proxied), "--proxy-from", "127.0.0.1", "--proxy-rtt-type", "5"),
                *("--admin-socket", str(tmp_path / f"admin{number}"), "--drain-time", "0", "--verbose"),
            )
            running.callback(node.stop, kill=True)
            nodes.append(node)
            place = f"127.0.0.1:{proxied} check port {node.port}"
            text = re.sub(rf"server node{number} .*", f"server node{number} {place}", text)
        (tmp_path / "haproxy.cfg").write_text(re.sub(r" *server node3 .*\n", "", text))
        proxy = subprocess.Popen(
            [needs_tool("haproxy"), "-db", "-f", tmp_path / "haproxy.cfg"], stderr=subprocess.DEVNULL
        )
        running.callback(proxy.wait, PATIENCE)
        running.callback(proxy.terminate)
        people = [running.enter_context(_Person(front, f"127.0.0.{number}")) for number in range(9, 15)]
        for number, person in enumerate(people):
            assert person.ask(f"name P{number}")["type"] == "ok"
        table = people[0].ask("create six-card seats=6")["table"]
        for person in people[1:]:
            assert person.ask(f"join {table}")["table"] == table
        # Which address comes to which node follows from the names of the nodes, and is the same each time.
        for node in nodes:
            assert re.search(r"a connection from 127\.0\.0\.(9|1\d)\b", node.printed)


class _Person(contextlib.AbstractContextManager["_Person"]):
    """A program with an address of its own."""

    def __init__(self, port: int, address: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(ConnectionError):
                self._sock = socket.create_connection(("127.0.0.1", port), PATIENCE, (address, 0))
                self._lines = self._sock.makefile("rb")
                self._sock.sendall(b"hello 1\n")
                if self._next().get("type") == "welcome":
                    return
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def _next(self) -> dict[str, Any]:
        """Return the next object, an empty one at the end."""
        found = next((line for line in self._lines if line.startswith(b"{")), b"{}")
        decoded: dict[str, Any] = json.loads(found)
        return decoded

    def ask(self, line: str) -> dict[str, Any]:
        """Send a line, and return its answer."""
        self._sock.sendall(f"77 {line}\n".encode())
        while (answer := self._next()).get("id") != 77:
            assert answer
        return answer

    def __exit__(self, *problem: object) -> None:
        self._lines.close()
        self._sock.close()


def test_the_unit_of_a_node_starts_it_with_ports_of_its_own(tmp_path: Path) -> None:
    unit = configparser.RawConfigParser(strict=False, interpolation=None)
    unit.read(DEPLOY / "systemd" / "golfnet@.service")
    (tmp_path / "cluster.toml").write_text(SETTINGS.read_text())
    nodes = []
    for number in ("1", "2"):
        command = unit["Service"]["ExecStart"].replace("%i", number).replace("%d", "/run/credentials")
        words = shlex.split(command)
        assert words[:4] == ["/opt/golfnet/bin/golfnet", "serve", "--config", "/etc/golfnet/cluster.toml"]
        nodes.append(_config(["--config", str(tmp_path / "cluster.toml"), *words[4:]]))
    first, second = nodes
    assert (first.port, first.proxy_port, first.metrics_port) == (17771, 17781, 19461)
    assert not {first.port, first.proxy_port, first.metrics_port, first.admin_socket} & {
        *(second.port, second.proxy_port, second.metrics_port, second.admin_socket)
    }
    assert first.cluster_secret == "/run/credentials/cluster-secret"
