"""Several processes: the settings of each, and systems that cannot run more than one."""

from pathlib import Path

import pytest

from golfnet.cli import processes
from golfnet.cli.processes import config_of
from golfnet.server.config import Config
from tests.cli.conftest import Golfnet

URL = "postgresql://golf@127.0.0.1:1/golf"


def test_each_process_is_a_node_with_its_own_ports_and_paths() -> None:
    config = Config(processes=3, database=URL, metrics_port=9464, tables=7)
    first, third = (config_of(config, number, Path("/s"), Path("/run/admin")) for number in (1, 3))
    assert (first.admin_socket, third.admin_socket) == ("/run/admin", "/run/admin.3")
    assert (first.metrics_port, third.metrics_port) == (9464, 9466)
    assert (third.cluster, third.cluster_secret, third.cluster_link) == (True, "/s", "127.0.0.1:0")
    assert (third.processes, third.tables) == (1, 7)


@pytest.mark.parametrize("link", ["10.0.0.5:0", "[fd00::1]:0"])
def test_processes_of_a_cluster_node_keep_the_configured_secret_and_address(link: str) -> None:
    several = Config(processes=2, database=URL, cluster=True, cluster_secret="/etc/secret", cluster_link=link)
    config = config_of(several, 2, Path("/s"), None)
    assert (config.cluster_secret, config.cluster_link, config.metrics_port) == ("/etc/secret", link, -1)


def test_a_system_that_cannot_share_ports_says_so(
    monkeypatch: pytest.MonkeyPatch, golfnet: Golfnet, tmp_path: Path
) -> None:
    monkeypatch.setattr(processes, "can_share", lambda: False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    ran = golfnet("serve", "--processes", 2, "--database", URL)
    assert ran.status == 2
    assert "this system cannot share a port among processes (SO_REUSEPORT): leave processes at 1\n" in ran.err
