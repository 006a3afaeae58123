"""An evening of play with the installed commands, on any system: a server, a match of bots, a person, and records.

Standard library only: ``python -m tests.systems.evening``. Arguments are put in front of each program's name, as in
``python -m tests.systems.evening python -m tests.systems.lacking windows``. A step that fails stops the script
with an ``AssertionError``.
"""

import contextlib
import os
import re
import signal
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.e2e.service import PATIENCE, Talk, printed


class Evening:
    """The commands, and a folder for everything they write."""

    def __init__(self, runner: Sequence[str], folder: Path) -> None:
        self._runner = tuple(runner)
        self.folder = folder
        self.database = folder / "golfnet.db"
        # All files are written to the folder. HOME is left out, since only Unix has it.
        self._environ = {name: value for name, value in os.environ.items() if name != "HOME"}
        self._environ |= {"XDG_STATE_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}

    @property
    def steps(self) -> tuple[Callable[[], None], ...]:
        return self.settings, self.match, self.records, self.again, self.alone

    def command(self, program: str, *arguments: str) -> list[str]:
        installed = str(Path(sysconfig.get_path("scripts"), program))
        return [*self._runner, program, *arguments] if self._runner else [installed, *arguments]

    def run(self, program: str, *arguments: str, statuses: tuple[int, ...] = (0,)) -> str:
        """Run a program until it exits, and return its output; its status must be one of those given."""
        options = {"env": self._environ, "encoding": "utf-8", "errors": "replace", "timeout": PATIENCE}
        told = printed(*self.command(program, *arguments), status=statuses, **options)
        assert "Traceback" not in told, f"{program} {' '.join(arguments)}\n{told}"
        return told

    def settings(self) -> None:
        """Run the commands that print versions and settings."""
        assert re.match(r"golfnet \d", self.run("golfnet", "--version"))
        assert re.match(r"golfnet-client \d", self.run("golfnet-client", "--version"))
        assert "#port = 7777" in self.run("golfnet", "config")
        assert '"$defs"' in self.run("golfnet", "schema")

    def match(self) -> None:
        """Have two bots play on a server with every kind of port that friends use, then stop the server."""
        ways_in = ("--lan", "--web-port", "0", "--tls-self-signed", "--tls-port", "0")
        with self.server("--db", str(self.database), *ways_in) as (port, server):
            tls_port = int(server.wait_for(r"tls://\S+:(\d+)\s")[1])
            with contextlib.ExitStack() as bots:
                for number, place in enumerate((f"127.0.0.1:{port}", f"tls://127.0.0.1:{tls_port}")):
                    bots.enter_context(
                        self.started("golfnet", "bot", "--connect", place, *self._task(number))
                    )
            with self.started("golfnet-client", "--plain", f"127.0.0.1:{port}", "--name", "Ann") as ann:
                ann.wait_for("You are Ann")
                ann.say("history all", "four-turn")
                ann.send("quit")
            self.run("golfnet", "discover", "--seconds", "1", "--json", statuses=(0, 1, 2))
            status = self.run("golfnet", "admin", "--db", str(self.database), "status", statuses=(0, 2))
            assert "players: " in status or "no unix sockets" in status, status

    def _task(self, number: int) -> tuple[str, ...]:
        """Return a bot's task: to play one quick match of two, and keep what it sees."""
        who = ("--level", "easy", "--fast", "--seed", str(number), "--matches", "1")
        game = ("--rules", "four-turn", "--option", "seats=2")
        return (*who, *game, "--seen", str(self.folder / f"seen{number}"))

    def records(self) -> None:
        """Check that the match is stored, is valid, and is what the bots saw."""
        database = ("--db", str(self.database))
        assert " failed 0 (" in self.run("golfnet", "verify", *database)
        record = self.folder / "m1.jsonl"
        self.run("golfnet", "export", *database, "m1", "-o", str(record))
        for number in range(2):
            (seen,) = (self.folder / f"seen{number}").iterdir()
            told = self.run("golfnet", "verify", str(record), "--seen", str(seen))
            assert "events that were seen are in" in told, told
        self.run("golfnet", "backup", *database, str(self.folder / "copy.db"))
        assert " failed 0 (" in self.run("golfnet", "verify", "--db", str(self.folder / "copy.db"))

    def again(self) -> None:
        """Start a server with the earlier database, and one without a database."""
        for flags in (("--db", str(self.database)), ("--memory",)):
            with self.server(*flags):
                pass

    def alone(self) -> None:
        """Play alone, line by line."""
        with self.started("golfnet-client", "--plain", "--solo", "four-turn", "--bots", "1") as person:
            person.wait_for("type peek 3 4")
            person.say("peek 3 4", "You look at slots 3 and 4")
            person.send("quit")

    @contextlib.contextmanager
    def started(self, program: str, *arguments: str, is_stopped: bool = False) -> Iterator[Talk]:
        """Start a program; after the block, stop it if ``is_stopped``, and check that it exits without an error."""
        with contextlib.closing(Talk(*self.command(program, *arguments), env=self._environ)) as running:
            yield running
            if is_stopped:  # as a service manager or a person would stop it
                running.process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM))
            told = running.rest()
            assert running.process.returncode == 0, told
            assert b"Traceback" not in told, told

    @contextlib.contextmanager
    def server(self, *flags: str) -> Iterator[tuple[int, Talk]]:
        """Run a server, and yield its plain port; it must stop cleanly at the end of the block."""
        usual = ("--port", "0", "--telnet-port", "0", "--drain-time", "0")
        with self.started("golfnet", "serve", *usual, *flags, is_stopped=True) as server:
            port = int(server.wait_for(r"is open: nc \S+ (\d+)\s")[1])
            server.wait_for(r"telnet \S+ (\d+)\s")
            yield port, server


def main(*runner: str) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        evening = Evening(runner, Path(folder))
        for step in evening.steps:
            print(step.__doc__, flush=True)
            step()
    print("Everything went as it should.")


if __name__ == "__main__":
    main(*sys.argv[1:])
