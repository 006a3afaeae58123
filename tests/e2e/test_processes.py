"""``golfnet serve --processes`` with a real PostgreSQL: people on different processes meet, and one process may die."""

import contextlib
import json
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from golfnet.cli.admin import ask
from golfnet.server.net.listeners import can_share
from tests.e2e.program import Program
from tests.e2e.service import GOLFNET, PATIENCE, Service, free_port, printed, until
from tests.postgres import PostgresServer

pytestmark = pytest.mark.skipif(not can_share(), reason="no SO_REUSEPORT")


class Processes:
    def __init__(self, url: str, folder: Path, *flags: str) -> None:
        self.admin = folder / "admin"
        self.service = Service(
            *("--processes", "2", "--database", url, "--admin-socket", str(self.admin), "--drain-time", "0"),
            *flags,
            env=os.environ | {"XDG_STATE_HOME": str(folder)},
        )
        self.service.wait_for("processes: 2; limits on connections, tables and addresses apply to each")
        self._open: list[Program] = []

    def children(self) -> list[int]:
        """Return the ids of the serving processes, in the order in which they were started."""
        tasks = Path(f"/proc/{self.service.process.pid}/task").glob("*/children")
        return sorted([int(each) for task in tasks for each in task.read_text().split()], key=_started_at)

    def connections(self, number: int) -> int:
        """Return how many connections the first or second process has."""
        socket = Path(f"{self.admin}{'.2' * (number == 2)}")
        return int(json.loads(ask(socket, ["status"]))["connections"])

    def at(self, number: int, name: str) -> Program:
        """Connect until the first or second process accepts a connection, and give a name on it."""
        while True:
            before = self.connections(number)
            program = Program(self.service.port)
            self._open.append(program)
            program.ask("hello 1")
            if self.connections(number) > before:
                program.token = program.ask(f"name {name}")["token"]
                return program

    def close(self) -> None:
        for program in self._open:
            program.close()
        self.service.stop(kill=True)


def _started_at(process: int) -> int:
    """Return when a process was started, in clock ticks since boot; ids are no guide, since they wrap around."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19])


@pytest.fixture
def running(postgres: PostgresServer, tmp_path: Path) -> Iterator[Processes]:
    with contextlib.closing(Processes(postgres.new_url(), tmp_path)) as processes:
        yield processes


@pytest.mark.slow
def test_players_on_two_processes_meet_and_a_killed_process_is_replaced(running: Processes) -> None:
    first, second = running.children()
    ann, ben = running.at(1, "Ann"), running.at(2, "Ben")
    table = ann.ask("create four-turn seats=2 clock=0")["table"]
    assert ben.ask(f"join {table}")["table"] == table
    ben.ask("ready")
    ann.ask("ready")
    ben.wait_for(type="prompt")
    ben.ask("peek 3 4")
    ann.wait_for(type="event", event="peeked", seat="B")
    ben.ask("tell Ann hello")
    assert ann.wait_for(type="chat")["text"] == "hello"

    os.kill(first, signal.SIGKILL)
    assert ben.wait_for(type="notice")["code"] == "MOVING"
    running.service.wait_for("process 1 has exited with status 137; restarting it in 1 s")
    assert ben.wait_for(type="view")["table"] == table
    until(lambda: set(running.children()) - {first, second})
    (third,) = set(running.children()) - {first, second}
    with Program(running.service.port) as again:
        again.ask("hello 1")
        assert again.ask(f"resume {ann.token}")["table"] == table
        again.ask("say here I am")
        assert ben.wait_for(type="chat")["text"] == "here I am"
    assert running.service.stop() == 0
    assert not any(Path(f"/proc/{each}").exists() for each in (second, third))
    assert running.service.printed.count("golfnet is open") == 1


@pytest.mark.slow
def test_only_own_processes_share_ports_and_exit_together(postgres: PostgresServer, tmp_path: Path) -> None:
    metrics = free_port(2)
    flags = "--metrics-port", str(metrics)
    with contextlib.closing(Processes(postgres.new_url(), tmp_path, *flags)) as running:
        running.service.wait_for(rf"metrics: http://127\.0\.0\.1:{metrics}/metrics to port {metrics + 1}")
        for number in (1, 2):
            assert running.connections(number) == 0
            socket.create_connection(("127.0.0.1", metrics + number - 1), PATIENCE).close()
        port = "--port", str(running.service.port), "--telnet-port", "-1"
        several = "--processes", "2", "--database", "postgresql://golf@127.0.0.1:1/golf"
        for kind in (("--memory",), (*several, "--admin-socket", str(tmp_path / "second"))):
            assert "Another program is using it" in printed(GOLFNET, "serve", *port, *kind, status=1)
        running.service.process.send_signal(signal.SIGHUP)  # stops none of the processes
        children = running.children()
        running.at(1, "Ann")
        running.at(2, "Ben")
        running.service.stop(kill=True)
        until(lambda: not any(Path(f"/proc/{each}").exists() for each in children))


def test_a_problem_of_all_processes_is_reported_once(tmp_path: Path) -> None:
    flags = "--database", "postgresql://golf@127.0.0.1:1/golf", "--admin-socket", str(tmp_path / "admin")
    command = (GOLFNET, "serve", "--port", "0", "--telnet-port", "-1", "--processes", "3", *flags)
    told = printed(*command, status=2, env=os.environ | {"XDG_STATE_HOME": str(tmp_path)})
    assert told.count("golfnet serve:") == 1
