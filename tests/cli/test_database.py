"""``--database``: which databases are refused, and that the driver is needed only for PostgreSQL."""

import gc
import sys
import warnings
from pathlib import Path

import pytest

from golfnet.storage.faults import StoreError, StoreReason
from tests.cli.conftest import Golfnet
from tests.e2e.service import printed
from tests.postgres import PostgresServer

URL = "postgresql://golf:geheim@127.0.0.1:1/golf"
WITHOUT_DRIVER = f"""
import sys
sys.modules["psycopg"] = None
from golfnet.cli.main import main
for words in ("serve --port 0", "verify"):
    assert main([*words.split(), "--database", {URL!r}]) == 2
"""


def test_without_the_driver_one_sentence_says_what_to_install() -> None:
    told = printed(sys.executable, "-c", WITHOUT_DRIVER).splitlines()
    assert len(told) == 2
    assert all("pip install 'golfnet[cluster]'" in sentence for sentence in told)


@pytest.mark.parametrize(
    ("lost_at", "is_node"),
    [("store.PostgresStore.numbers", False), ("directory.PostgresDirectory.reserve", True)],
    ids=["before the server opens", "before a node is ready"],
)
def test_a_database_lost_at_the_start_is_reported_in_a_sentence(
    postgres: PostgresServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    golfnet: Golfnet,
    lost_at: str,
    is_node: bool,
) -> None:
    def fail(*_: object) -> None:
        raise StoreError(StoreReason.UNREACHABLE, "It is away.")

    monkeypatch.setattr(f"golfnet.storage.postgres.{lost_at}", fail)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    secret = tmp_path / "secret"
    secret.write_text("a secret of thirty-two bytes and more")
    secret.chmod(0o600)
    node = ("--cluster", "--cluster-secret", secret) if is_node else ()
    ports = ("--port", 0, "--telnet-port", -1)
    ran = golfnet("serve", *ports, "--database", postgres.emptied_url(), *node)
    assert ran.status == 2
    assert "It is away." in ran.err
    assert "\ngolfnet serve: " in f"\n{ran.err}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        # A server that cannot start leaves its sockets open, as its process ends anyway. Collect them here,
        # so that no later test fails with their warnings.
        gc.collect()
