"""A PostgreSQL server for the tests, with its own directory and a free loopback port.

It is set up as for real use, with fsync; it can be stopped, frozen and started again. Each test's database is a
schema, which its URL names.
"""

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import psycopg

from tests.e2e.service import free_port

PATIENCE: Final = 60.0
USER: Final = "golf"

_GUARD: Final = 'read -r stopped || { kill -QUIT "$0"; rm -rf "$1/data"; }'
"""Waits for the tests to end, and stops the server if they have not stopped it."""


def binaries() -> Path | None:
    """Return the directory of PostgreSQL's programs, which Debian leaves off the PATH."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda each: int(each.parts[4]))
    return versions[-1].parent if versions else None


class PostgresServer:
    """The server; if the tests run as root, it runs as an unprivileged user, since PostgreSQL refuses root."""

    def __init__(self, programs: Path, *, standby_of: "PostgresServer | None" = None) -> None:
        self._programs = programs
        self._directory = Path(tempfile.mkdtemp(prefix="golfnet-postgres-"))
        self._who: dict[str, Any] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._schemas = itertools.count(1)
        self._is_new = True
        if not os.getuid():
            nobody = pwd.getpwnam("nobody")
            self._who = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": ()}
            os.chown(self._directory, nobody.pw_uid, nobody.pw_gid)
        self.port = free_port()
        if standby_of is None:
            locale = ("-E", "UTF8", "--locale=C")
            self._run("initdb", "-D", "data", "-A", "trust", "-U", USER, *locale, "--no-sync")
        else:
            self._run("pg_basebackup", "-D", "data", "-R", "-d", standby_of.url(), "--no-sync", "-c", "fast")
        self.start()

    def another(self) -> "PostgresServer":
        """Start another server, which a test may destroy."""
        return PostgresServer(self._programs)

    def standby(self) -> "PostgresServer":
        """Start a standby of this server; commits wait for it from now on."""
        standby = PostgresServer(self._programs, standby_of=self)
        self.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.execute("SELECT pg_reload_conf()")
        return standby

    def start(self) -> None:
        """Start the server and wait until it is ready."""
        with (self._directory / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(self._programs / "postgres", "-D", self._directory / "data", "-p", str(self.port)),
                    *("-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="),
                    *("-c", "shared_buffers=16MB", "-c", "max_connections=50"),
                ],
                cwd=self._directory,
                stdout=log,
                stderr=log,
                **self._who,
            )
        self._guard = subprocess.Popen(
            ["sh", "-c", _GUARD, str(self._process.pid), self._directory], stdin=subprocess.PIPE, **self._who
        )
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                psycopg.connect(self.url(), connect_timeout=2).close()
            except psycopg.OperationalError as error:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    text = (self._directory / "log").read_text()[-2000:]
                    raise AssertionError(f"PostgreSQL does not start: {error}\n{text}") from error
                time.sleep(0.02)
            else:
                return

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: on ``SIGINT`` it closes its connections, on ``SIGQUIT`` it exits at once."""
        if self._process is not None:
            self._guard.communicate(b"stopped\n")
            self._process.send_signal(how)
            self._process.wait(PATIENCE)
            self._process = None

    def freeze(self) -> None:
        """Suspend the server and its connections, as on a machine that hangs."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def close(self) -> None:
        """Stop the server and delete its data."""
        self.kill()
        shutil.rmtree(self._directory)

    def kill(self) -> None:
        """Kill the server with all its connections, as if its machine failed."""
        self._signal(signal.SIGKILL)
        self.stop(signal.SIGKILL)

    def url(self, schema: str = "", *, port: int = 0, user: str = USER, database: str = "postgres") -> str:
        """Return the URL of a schema, or of the database if none is given."""
        options = f"?options=-csearch_path%3D{schema}" if schema else ""
        return f"postgresql://{user}@127.0.0.1:{port or self.port}/{database}{options}"

    def new_schema(self) -> str:
        """Make an empty schema, and return its name."""
        schema = f"test{next(self._schemas)}"
        self.execute(f"CREATE SCHEMA {schema}")
        return schema

    def new_url(self) -> str:
        """Make an empty schema, and return its URL."""
        return self.url(self.new_schema())

    def emptied_url(self) -> str:
        """Empty a schema that was used before, and return its URL; that is ten times as fast as making a new one."""
        url = self.url("emptied")
        if self._is_new:
            self._is_new = False
            self.execute("CREATE SCHEMA emptied")
        else:
            tables = ["live", "event", "stay", "offer", "sanction", "player", "match", "rating", "node"]
            self.execute("; ".join([f"DELETE FROM {table}" for table in tables]), url)
            self.execute("UPDATE counter SET last = 0", url)
        return url

    @contextmanager
    def asking_for_passwords(self, user: str) -> Iterator[None]:
        """Require a password from a user during the block."""
        rules = self._directory / "data" / "pg_hba.conf"
        before = rules.read_text()
        try:
            rules.write_text(f"host all {user} 127.0.0.1/32 scram-sha-256\n{before}")
            self.execute("SELECT pg_reload_conf()")
            yield
        finally:
            rules.write_text(before)
            self.execute("SELECT pg_reload_conf()")

    def execute(self, sql: str, url: str = "") -> list[tuple[Any, ...]]:
        """Run a statement, in the database or in the schema that a URL names, and return its rows."""
        with psycopg.connect(url or self.url(), autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def program(self, name: str) -> Path:
        return self._programs / name

    def _signal(self, how: signal.Signals) -> None:
        """Send a signal to the server and to its processes, which are its connections and helpers."""
        if self._process is None:
            return
        server = self._process.pid
        os.kill(server, signal.SIGSTOP)  # so that it starts no more processes
        children = Path(f"/proc/{server}/task/{server}/children").read_text()
        for child in map(int, children.split()):
            with suppress(ProcessLookupError):  # it has just exited
                os.kill(child, how)
        os.kill(server, how)

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [self._programs / program, *words],
            cwd=self._directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **self._who,
        )
        assert done.returncode == 0, done.stdout.decode()
