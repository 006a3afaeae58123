"""An evening of play with the installed commands, on any system: a server, a match of bots, a person, and records.

Standard library only: ``python tests/systems/evening.py``. Arguments are put in front of each program's name, as in
``python tests/systems/evening.py python -m tests.systems.lacking windows``. A step that fails stops the script
with an ``AssertionError``.
"""

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

PATIENCE: Final = 60.0
"""Seconds for any single step on a slow machine."""


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
        """Return the command line of a program."""
        installed = str(Path(sysconfig.get_path("scripts"), program))
        return [*self._runner, program, *arguments] if self._runner else [installed, *arguments]

    def run(self, program: str, *arguments: str, statuses: Sequence[int] = (0,)) -> str:
        """Run a program until it exits, and return its output; its status must be one of those given."""
        done = subprocess.run(
            self.command(program, *arguments),
            env=self._environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=PATIENCE,
        )
        told = f"{program} {' '.join(arguments)}\n{done.stdout}"
        assert done.returncode in statuses, f"exit status {done.returncode}: {told}"
        assert "Traceback" not in done.stdout, told
        return done.stdout

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
            tls_port = server.wait_for(r"tls://\S+:(\d+)\n")
            with contextlib.ExitStack() as bots:
                for number, place in enumerate((f"127.0.0.1:{port}", f"tls://127.0.0.1:{tls_port}")):
                    bots.enter_context(
                        self.started("golfnet", "bot", "--connect", place, *self._task(number))
                    )
            with self.started("golfnet-client", "--plain", f"127.0.0.1:{port}", "--name", "Ann") as ann:
                ann.wait_for("You are Ann")
                ann.type("history all")
                ann.wait_for("four-turn")
                ann.type("quit")
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
            person.type("peek 3 4")
            person.wait_for("You look at slots 3 and 4")
            person.type("quit")

    @contextlib.contextmanager
    def started(self, program: str, *arguments: str, told_to_stop: bool = False) -> Iterator["Running"]:
        """Start a program, which has to exit cleanly after the block."""
        running = Running(self.command(program, *arguments), self._environ)
        try:
            yield running
            if told_to_stop:
                running.stop()
            status = running.process.wait(PATIENCE)
            assert status == 0, f"exit status {status}: {running.told}"
            assert "Traceback" not in running.told, running.told
        finally:
            running.kill()

    @contextlib.contextmanager
    def server(self, *flags: str) -> Iterator[tuple[int, "Running"]]:
        """Run a server, and yield its plain port; it has to stop cleanly when it is told to."""
        usual = ("--port", "0", "--telnet-port", "0", "--drain-time", "0")
        with self.started("golfnet", "serve", *usual, *flags, told_to_stop=True) as server:
            port = int(server.wait_for(r"is open: nc \S+ (\d+)\n"))
            server.wait_for(r"telnet \S+ (\d+)\n")
            yield port, server


class Running:
    """A running program, whose output is collected and to which lines can be typed."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            command,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # for Ctrl-Break
        )
        self.told = ""
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def wait_for(self, pattern: str) -> str:
        """Wait for output that matches a pattern; return its last group, or the whole match if it has no groups."""
        deadline = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.told)):
            line = self._lines.get(timeout=max(0.01, deadline - time.monotonic()))
            assert line, f"exited without {pattern}: {self.told}"
            self.told += line
        return found.group(found.lastindex or 0)

    def stop(self) -> None:
        """Tell the program to stop, as a service manager or a person would."""
        self.process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM))

    def kill(self) -> None:
        """Kill the program if it is still running, and close its pipes."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._reader.join(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put("")


def main(*runner: str) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        evening = Evening(runner, Path(folder))
        for step in evening.steps:
            print(step.__doc__, flush=True)
            step()
    print("Everything went as it should.")


if __name__ == "__main__":
    main(*sys.argv[1:])
