"""Several nodes as ``deploy`` sets them up: the files agree, and HAProxy spreads players over real nodes."""

import argparse
import contextlib
import json
import re
import shlex
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from golfnet.cli.config import settings_of
from golfnet.cli.serve import add_arguments
from golfnet.server.config import Config
from golfnet.server.net.tls import own_certificate
from tests.deploy.test_systemd import unit_of
from tests.e2e.program import Program
from tests.e2e.service import GOLFNET, PATIENCE, Needs, Service, Talk, free_port, printed, until
from tests.postgres import PostgresServer

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


def test_only_the_balancer_can_reach_the_nodes() -> None:
    assert COMPOSE.count("ports:") == 1
    assert re.search(r"^  balancer:\n(    .*\n)*    ports: \[\"7777:7777\"\]$", COMPOSE, re.MULTILINE)
    assert "  inside:\n    internal: true\n" in COMPOSE


def test_haproxy_accepts_the_file_with_and_without_a_certificate(needs_tool: Needs, tmp_path: Path) -> None:
    own_certificate(tmp_path / "golf.pem")
    secure = HAPROXY.replace("#bind", "bind").replace(
        "/usr/local/etc/haproxy/golf.pem", str(tmp_path / "golf.pem")
    )
    assert secure.count("bind :") == 2
    for text in (HAPROXY, secure):
        (tmp_path / "haproxy.cfg").write_text(text)
        printed(needs_tool("haproxy"), "-c", "-f", tmp_path / "haproxy.cfg")


class _Cluster:
    """Two real nodes with a real PostgreSQL, behind HAProxy with its original file, in which only addresses differ."""

    def __init__(self, running: contextlib.ExitStack, haproxy: str, url: str, folder: Path) -> None:
        self.front = free_port()
        self.nodes: list[Service] = []
        (folder / "secret").write_text("a long enough secret that all nodes share\n")
        (folder / "secret").chmod(0o600)
        text = HAPROXY.replace("bind :7777", f"bind 127.0.0.1:{self.front}")
        for number in (1, 2):
            proxied = free_port()
            node = Service(
                *("--cluster", "--cluster-secret", str(folder / "secret"), "--database", url),
                *("--proxy-port", str(proxied), "--proxy-from", "127.0.0.1", "--proxy-rtt-type", "5"),
                *("--admin-socket", str(folder / f"admin{number}"), "--drain-time", "0", "--verbose"),
            )
            running.callback(node.stop, kill=True)
            self.nodes.append(node)
            place = f"127.0.0.1:{proxied} check port {node.port}"
            text = re.sub(rf"server node{number} .*", f"server node{number} {place}", text)
        (folder / "haproxy.cfg").write_text(re.sub(r" *server node3 .*\n", "", text))
        self.haproxy = Talk(haproxy, "-db", "-f", str(folder / "haproxy.cfg"))
        running.callback(self.haproxy.close)

    def checks(self) -> int:
        """Return the number of checks of the node that HAProxy has checked least often."""
        return min(len(re.findall(r"a connection from 127\.0\.0\.1\b", node.printed)) for node in self.nodes)


@pytest.fixture
def cluster(needs_tool: Needs, postgres: PostgresServer, tmp_path: Path) -> Iterator[_Cluster]:
    with contextlib.ExitStack() as running:
        yield _Cluster(running, needs_tool("haproxy"), postgres.new_url(), tmp_path)


@pytest.mark.parametrize("checks", [3, pytest.param(60, marks=pytest.mark.exhaustive)])
def test_players_behind_haproxy_reconnect_when_a_node_is_killed(cluster: _Cluster, checks: int) -> None:
    with contextlib.ExitStack() as running:
        people = [running.enter_context(person(cluster.front, f"127.0.0.{at}")) for at in range(9, 15)]
        tokens = [each.ask(f"name P{number}")["token"] for number, each in enumerate(people)]
        table = people[0].ask("create six-card seats=6 clock=0")["table"]
        for each in people[1:]:
            assert each.ask(f"join {table}")["table"] == table
        people[0].ask("start")
        # HAProxy chooses the node for an address by the names of the nodes, so the choice is the same in every run.
        for node in cluster.nodes:
            node.wait_for(r"a connection from 127\.0\.0\.(9|1\d)\b")
        first, deadline = cluster.checks(), time.monotonic() + PATIENCE + checks
        while cluster.checks() < first + checks:
            assert time.monotonic() < deadline
            for each in people:
                assert each.ask("look")["table"] == table
            time.sleep(0.5)
        running.enter_context(person(cluster.front, "127.0.0.15", patience=0))
        assert b"DOWN" not in cluster.haproxy.drain()
    (serving,) = [
        node for node in cluster.nodes if re.search(r"a connection from 127\.0\.0\.9\b", node.printed)
    ]
    serving.stop(kill=True)
    with person(cluster.front, "127.0.0.9", patience=0) as ann:
        # The table has no new owner until the dead node is declared gone.
        until(lambda: ann.answer(f"resume {tokens[0]}").get("code") != "MOVED", pause=0.5)
        assert ann.ask("look")["table"] == table


@contextlib.contextmanager
def person(port: int, address: str, patience: float = PATIENCE) -> Iterator[Program]:
    """Connect a program from the given address; try again until HAProxy has a node for it."""
    deadline = time.monotonic() + patience
    while True:
        with Program(port, address) as program:
            try:
                program.ask("hello 1")
            except (AssertionError, ConnectionError):
                assert time.monotonic() < deadline
                time.sleep(0.05)
                continue
            yield program
            return


def test_the_guide_starts_two_nodes_word_for_word(postgres: PostgresServer, newcomer: dict[str, str]) -> None:
    chapter = (DEPLOY / "README.md").read_text().partition("\n## Several nodes")[2]
    block = re.search(r"\n\nTo try it, start two nodes on one machine(?:.|\n)*?\n\n((?:    .*\n)+)", chapter)
    assert block is not None
    url, typed = postgres.new_url(), textwrap.dedent(block.group(1)).replace("\\\n", "")
    ports = set(re.findall(r"port (\d+)", typed))
    for port in ports:
        typed = typed.replace(f"port {port}", f"port {free_port()}")
    # The first node would use the default ports, which may be taken on this machine.
    own = f"--port {free_port()} --telnet-port {free_port()}"
    typed = re.sub(r"(cluster-secret \S+)$", rf"\1 {own}", typed, count=1, flags=re.MULTILINE)
    with contextlib.ExitStack() as running:
        for line in typed.replace("postgresql://golfnet@127.0.0.1/golfnet", url).splitlines():
            if line.startswith("golfnet serve"):
                node = Talk("bash", "-c", f"exec {line}", env=newcomer)
                running.callback(node.close)
                node.wait_for(r"nc 127\.0\.0\.1 \d+")
            else:
                printed("bash", "-c", line, env=newcomer)
        seen = printed(GOLFNET, "cluster", "--database", url)
    assert seen.startswith("golfnet cluster: all is well"), seen
    assert "  all  2 of 2 " in seen
    assert len(ports) == 2


def test_the_systemd_unit_gives_each_node_separate_ports() -> None:
    unit = unit_of(DEPLOY / "systemd" / "golfnet@.service")
    nodes = []
    for number in ("1", "2"):
        command = unit["Service"]["ExecStart"].replace("%i", number).replace("%d", "/run/credentials")
        words = shlex.split(command)
        assert words[:4] == ["/opt/golfnet/bin/golfnet", "serve", "--config", "/etc/golfnet/cluster.toml"]
        nodes.append(_config(["--config", str(SETTINGS), *words[4:]]))
    first, second = nodes
    assert (first.port, first.proxy_port, first.metrics_port) == (17771, 17781, 19461)
    assert not {first.port, first.proxy_port, first.metrics_port, first.admin_socket} & {
        *(second.port, second.proxy_port, second.metrics_port, second.admin_socket)
    }
    assert first.cluster_secret == "/run/credentials/cluster-secret"
