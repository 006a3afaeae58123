"""How a process becomes a node: its secret and its port."""

import os
import subprocess
from pathlib import Path

import pytest

from golfnet.server.config import Config, ConfigError
from golfnet.server.joining import open_link_port, read_secret
from golfnet.server.net.listeners import CannotListen

GOOD = "c2ZhZGhqa2xmc2FkanNkZmFqc2RmaGFqc2tmaGRramZzZGE="
NODE = {"cluster": True, "database": "postgresql://db/golfnet", "cluster_secret": "secret"}


def secret_file(folder: Path, content: str | bytes, mode: int = 0o600) -> str:
    file = folder / "secret"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    file.chmod(mode)
    return str(file)


def test_a_secret_is_read_without_surrounding_whitespace(tmp_path: Path) -> None:
    assert read_secret(secret_file(tmp_path, f"{GOOD}\n")) == GOOD


def test_an_unreadable_secret_is_refused(tmp_path: Path) -> None:
    for path in (str(tmp_path / "secret"), secret_file(tmp_path, b"\xff" * 40)):
        with pytest.raises(ConfigError, match=r"^cluster_secret: a file that can be read "):
            read_secret(path)


def test_a_guessable_secret_is_refused_with_advice(tmp_path: Path) -> None:
    for content in ("", "  \n", GOOD[:31], "a" * 64, "0123456789abcdef" * 4, "01" * 9 + "23" * 9):
        path = secret_file(tmp_path, content)
        with pytest.raises(ConfigError, match=r"^cluster_secret: a file with 32 bytes or more ") as refused:
            read_secret(path)
    command = str(refused.value).partition("; this makes one: ")[2]
    subprocess.run(["sh", "-c", f"rm {path}; {command}"], check=True)
    assert len(read_secret(path)) == 44


@pytest.mark.skipif(os.name != "posix", reason="no file modes here")
@pytest.mark.parametrize("mode", [0o640, 0o604])
def test_a_readable_secret_is_refused(tmp_path: Path, mode: int, monkeypatch: pytest.MonkeyPatch) -> None:
    path = secret_file(tmp_path, GOOD, mode)
    with pytest.raises(ConfigError, match=r"^cluster_secret: a file that nobody else can read: .*chmod 600"):
        read_secret(path)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))  # systemd lets nobody else into this directory
    assert read_secret(path) == GOOD


def test_the_link_port_is_known_before_it_accepts_links() -> None:
    port = open_link_port(Config(**NODE))  # type: ignore[arg-type]
    with port.listener.socket as sock:
        assert port.address == f"127.0.0.1:{sock.getsockname()[1]}"
        with pytest.raises(CannotListen, match="--cluster-link"):
            open_link_port(Config(cluster_link=port.address, **NODE))  # type: ignore[arg-type]


def test_a_link_address_of_another_computer_is_refused_with_advice() -> None:
    with pytest.raises(CannotListen) as refused:
        open_link_port(Config(cluster_link="10.254.254.254:7790", **NODE))  # type: ignore[arg-type]
    assert "attempting" not in str(refused.value)
    assert str(refused.value).endswith("Choose an address of this computer with --cluster-link.")
