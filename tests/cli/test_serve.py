"""``golfnet serve``: why it does not start, and what to do about it."""

import json
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from golfnet.cli.serve import _store, hosting_of
from golfnet.server.accounts.sanctions import Sanctions
from golfnet.server.config import Config
from golfnet.server.net.tls import own_certificate
from golfnet.server.operations.console import Console
from golfnet.storage.directory import Sanction, SanctionKind
from tests.cli.conftest import Golfnet
from tests.e2e.service import service

Refused = Callable[..., str]


@pytest.fixture
def refused(golfnet: Golfnet) -> Refused:
    """Return a function that expects a server to refuse to start, and returns the reason it gives."""

    def reason(*flags: object, status: int = 2) -> str:
        ran = golfnet("serve", *flags)
        assert ran.status == status
        assert ran.err.startswith("golfnet serve: ")
        assert ran.err.count("\n") == 1
        return ran.err.removeprefix("golfnet serve: ").rstrip("\n")

    return reason


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    refused: Refused, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module, extra, flags in (
        ("prometheus_client", "metrics", ["--memory", "--metrics-port", 0]),
        ("cryptography", "tls-self-signed", ["--db", tmp_path / "golfnet.db", "--tls-self-signed"]),
    ):
        monkeypatch.setitem(sys.modules, module, None)
        assert f"pip install 'golfnet[{extra}]'" in refused("--port", 0, *flags)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    "flags", ["--port", "--port 0 --telnet-port", "--port 0 --telnet-port -1 --metrics-port"]
)
def test_a_port_in_use_is_reported_by_its_number(refused: Refused, flags: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = refused("--memory", *flags.split(), port, status=1)
    assert told.startswith(
        f"cannot listen on 127.0.0.1, port {port}: Address already in use. Another program"
    )
    assert told.endswith(f"choose another one with {flags.split()[-1]}.")


def test_a_second_server_reports_how_to_stop_the_first(refused: Refused, tmp_path: Path) -> None:
    database = tmp_path / "golf.db"
    with service("--db", str(database), "--drain-time", "0") as first:
        told = refused("--db", database, "--port", 0, "--telnet-port", 0)
        assert f"Stop it with: kill {first.process.pid} - or give this one another file with --db." in told


@pytest.mark.parametrize("is_banned", [False, True])
@pytest.mark.parametrize("is_node", [False, True])
def test_bans_that_do_not_apply_in_a_cluster_are_reported(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    is_banned: bool,
    is_node: bool,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "golfnet").mkdir()
    file = tmp_path / "golfnet" / "golfnet.sanctions.json"
    if is_banned:
        Sanctions(file).add(SanctionKind.BAN, Sanction(whom="Bob"))
    config = Config(database="postgresql://golf@127.0.0.1:1/golf", cluster=is_node, cluster_secret="secret")
    hosting_of(config, Console(sys.stdout, {}), {})
    assert (f"{file} do not apply in a cluster" in caplog.text) is (is_banned and is_node)


def test_a_missing_database_is_reported_and_not_recreated(
    refused: Refused, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = tmp_path / "golf.db"
    for count in (0, 1, 1):  # the second iteration creates an empty database, which the third opens
        store = _store(Config(), database, tmp_path / "golf.audit.log", "")
        store.close()
        assert caplog.text.count("is it the right file?") == count
        if count == 0:
            (tmp_path / "golf.audit.log").touch()
            for file in tmp_path.glob("golf.db*"):
                file.unlink()
    database.unlink()
    assert refused("--db", database).startswith(f"The database {database} is missing")
    assert not database.exists()


def test_a_renewed_certificate_is_read_on_sighup(tmp_path: Path) -> None:
    path = tmp_path / "golf.pem"
    own_certificate(path)
    files = ("--tls-cert", str(path), "--tls-key", str(path))
    with service("--tls-port", "0", *files, "--log-format", "json") as server:
        path.unlink()
        renewed = own_certificate(path).fingerprint
        server.process.send_signal(signal.SIGHUP)
        (line,) = server.wait_for("(.*was reloaded.*)")
        assert renewed in line
        assert json.loads(line)["logger"] == "golfnet.server.hosting"
        path.write_text("nonsense")
        server.process.send_signal(signal.SIGHUP)
        server.wait_for('"level": "error".*keeping the old one|keeping the old one.*"level": "error"')
        assert server.process.poll() is None
