"""``--database``: which databases are refused, and that the driver is needed only for PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from golfnet.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

    from tests.postgres import PostgresServer

URL = "postgresql://golf:geheim@127.0.0.1:1/golf"
WITHOUT_DRIVER = """
import sys
sys.modules["psycopg"] = None
from golfnet.cli.main import main
sys.exit(main(sys.argv[1:]))
"""

GOES_AT_ONCE = """
import sys
from golfnet.cli.main import main
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres.store import PostgresStore
def numbers(store):
    raise StoreError(StoreReason.UNREACHABLE, "It is away.")
PostgresStore.numbers = numbers
sys.exit(main(sys.argv[1:]))
"""

GOES_BEFORE_THE_NODE_IS_READY = """
import sys
from golfnet.cli.main import main
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres.directory import PostgresDirectory
def reserve(directory, kind, count):
    raise StoreError(StoreReason.UNREACHABLE, "It is away.")
PostgresDirectory.reserve = reserve
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "words",
    [
        ("serve", "--port", "0", "--database", URL),
        ("verify", "--database", URL),
        ("export", "m1", "--database", URL),
        ("cluster", "--database", URL),
    ],
    ids=lambda words: words[0],
)
def test_without_the_driver_one_sentence_says_what_to_install(words: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_DRIVER, *words], capture_output=True, text=True)
    assert done.returncode == 2
    assert "pip install 'golfnet[cluster]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_driver_is_imported_only_for_a_database() -> None:
    commands = ", ".join(f"golfnet.cli.{name}" for name in ("serve", "verify", "export", "cluster"))
    program = f"import sys, {commands}; print('psycopg' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "False\n"


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("serve", "--database", URL), 2, "Is it running"),
        (("verify", "--database", URL), 2, "Is it running"),
        (("export", "m1", "--database", URL), 2, "Is it running"),
        (("serve", "--database", "golf.db"), 2, "--database: a URL such as"),
        (("serve", "--db", URL), 2, "--db: a file; to name a PostgreSQL database, use database"),
        (("serve", "--database", URL, "--db", "golf.db"), 2, "--database: nothing if db names a file"),
        (("serve", "--database", URL, "--durability", "normal"), 2, "--durability: full"),
        (("backup", "copy.db", "--database", URL), 2, "pg_dump"),
    ],
    ids=str,
)
def test_an_unusable_database_is_reported_in_a_sentence(
    words: tuple[str, ...], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words]) == status
    told = capsys.readouterr().err
    assert said in told
    assert "geheim" not in told


@pytest.mark.parametrize("words", [("verify", "--db", URL), ("export", "m1", "--db", URL)])
def test_a_url_in_place_of_a_file_is_reported(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([*words])
    assert "named with --database" in capsys.readouterr().err


def test_a_database_lost_before_the_server_opens_is_reported_in_a_sentence(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", GOES_AT_ONCE, "serve", "--port", "0", "--database", postgres.emptied_url()],
        capture_output=True,
        text=True,
        env=os.environ | {"XDG_STATE_HOME": str(tmp_path)},
    )
    assert done.returncode == 2
    assert done.stderr == "golfnet serve: It is away.\n"


def test_a_database_lost_before_a_node_is_ready_is_reported_in_a_sentence(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a secret of thirty-two bytes and more")
    secret.chmod(0o600)
    node = ("--database", postgres.emptied_url(), "--cluster", "--cluster-secret", str(secret))
    done = subprocess.run(
        [sys.executable, "-c", GOES_BEFORE_THE_NODE_IS_READY, "serve", "--port", "0", *node],
        capture_output=True,
        text=True,
        env=os.environ | {"XDG_STATE_HOME": str(tmp_path)},
    )
    assert done.returncode == 2
    assert "golfnet serve: The server cannot read what it has saved. Try again later." in done.stderr
    assert "Traceback" not in done.stderr
