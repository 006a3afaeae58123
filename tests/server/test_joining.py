"""How a process becomes a node: its secret and its port."""

from pathlib import Path

import pytest

from golfnet.server.config import Config
from golfnet.server.joining import open_link_port, read_secret
from golfnet.server.setting import ConfigError
from golfnet.server.transport.listeners import CannotListen

NODE = {"cluster": True, "database": "postgresql://db/golfnet", "cluster_secret": "secret"}


def test_a_secret_is_read_without_the_space_around_it(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("sixteen bytes or\n")
    assert read_secret(str(file)) == "sixteen bytes or"


@pytest.mark.parametrize("content", [None, b"", b"   \n", b"fifteen bytes..", b"\xff" * 20])
def test_a_secret_that_is_missing_or_short_is_refused(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"^cluster_secret: a file "):
        read_secret(str(file))


def test_the_port_for_links_is_known_before_anybody_may_use_it() -> None:
    port = open_link_port(Config(**NODE))  # type: ignore[arg-type]
    with port.sock:
        assert port.address == f"127.0.0.1:{port.sock.getsockname()[1]}"
        with pytest.raises(CannotListen, match="--cluster-link"):
            open_link_port(Config(cluster_link=port.address, **NODE))  # type: ignore[arg-type]


def test_an_address_of_another_computer_is_refused_with_advice_for_links() -> None:
    with pytest.raises(CannotListen) as refused:
        open_link_port(Config(cluster_link="10.254.254.254:7790", **NODE))  # type: ignore[arg-type]
    assert "attempting" not in str(refused.value)
    assert str(refused.value).endswith("Choose a private address of this computer with --cluster-link.")
