"""HAProxy and nftables accept the snippets, and the server understands HAProxy's headers."""

import contextlib
import re
import ssl
import subprocess
from pathlib import Path

import pytest

from golfnet.server.net.tls import own_certificate
from tests.e2e.service import Needs, Service, Talk, connect, free_port, printed, service

DEPLOY = Path(__file__).parents[2] / "deploy"
BOUND = 7781
"""Where HAProxy listens."""


def test_players_behind_haproxy_keep_their_own_addresses(needs_tool: Needs, tmp_path: Path) -> None:
    haproxy, front, back = needs_tool("haproxy"), free_port(), free_port()
    own_certificate(tmp_path / "golf.pem")
    config = (DEPLOY / "haproxy.cfg").read_text()
    config = config.replace(f"bind :::{BOUND} v4v6", f"bind 127.0.0.1:{front}")
    config = config.replace("127.0.0.1:7782", f"127.0.0.1:{back}")
    config = config.replace("/etc/haproxy/golf.pem", str(tmp_path / "golf.pem"))
    (tmp_path / "haproxy.cfg").write_text(config)
    printed(haproxy, "-c", "-f", tmp_path / "haproxy.cfg")
    door = "--proxy-port", str(back), "--proxy-from", "127.0.0.1", "--proxy-rtt-type", "5"
    with service(*door, "--verbose") as server:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with (
            contextlib.closing(Talk(haproxy, "-db", "-f", str(tmp_path / "haproxy.cfg"))),
            context.wrap_socket(connect(front, "127.0.0.9")) as stream,
            stream.makefile("rw") as lines,
        ):
            lines.write("name Ann\nquit\n")
            lines.flush()
            assert "= You are Ann." in lines.read()
        # 127.0.0.9 connected to HAProxy; HAProxy itself is 127.0.0.1.
        server.wait_for(r"a connection from 127\.0\.0\.9\b")
        server.wait_for(r"127\.0\.0\.9 is \d+\.\d ms from the proxy 127\.0\.0\.1")


def test_haproxy_and_the_services_sockets_use_different_ports() -> None:
    wanted = re.findall(r"^ *bind \S*?(\d+) ", (DEPLOY / "haproxy.cfg").read_text(), re.MULTILINE)
    assert wanted == [str(BOUND)]
    for unit in (DEPLOY / "systemd").glob("*.socket"):
        wanted += re.findall(r"^ListenStream=\S*?(\d+)$", unit.read_text(), re.MULTILINE)
    assert len(wanted) == 4
    assert len(set(wanted)) == len(wanted)


def test_the_example_settings_work_with_their_proxy_lines_enabled(tmp_path: Path) -> None:
    text = (DEPLOY / "golfnet.toml").read_text()
    text, uncommented = re.subn(r"^#(proxy_)", r"\1", text, flags=re.MULTILINE)
    assert uncommented == 3
    (tmp_path / "golfnet.toml").write_text(text)
    server = Service(
        *("--config", str(tmp_path / "golfnet.toml"), "--db", str(tmp_path / "golfnet.db")),
        *("--admin-socket", str(tmp_path / "admin"), "--drain-time", "0", "--host", "127.0.0.1"),
        *("--tls-port", "0", "--proxy-port", "0", "--metrics-port", "0"),
    )
    assert server.stop() == 0


def test_nftables_accepts_the_rules(needs_tool: Needs) -> None:
    checked = subprocess.run(
        [needs_tool("nft"), "--check", "--file", DEPLOY / "nftables.conf"], capture_output=True, text=True
    )
    if "Operation not permitted" in checked.stderr:
        pytest.skip("nft needs to be root even to check")
    assert (checked.returncode, checked.stderr) == (0, "")


def test_the_nftables_rules_cover_the_servers_ports() -> None:
    from golfnet.server.config import Config

    config = Config()
    rules = (DEPLOY / "nftables.conf").read_text()
    assert rules.count(f"{{ {config.port}-{config.tls_port}, {BOUND} }}") == 2
    assert config.port < config.telnet_port < config.tls_port


def test_newer_versions_of_haproxy_accept_the_line_meant_for_them(needs_tool: Needs, tmp_path: Path) -> None:
    haproxy = needs_tool("haproxy")
    version = re.search(r"version (\d+)\.(\d+)", printed(haproxy, "-v"))
    assert version is not None
    if (int(version[1]), int(version[2])) < (2, 9):
        pytest.skip("set-proxy-v2-tlv-fmt came with HAProxy 2.9")
    own_certificate(tmp_path / "golf.pem")
    config = (DEPLOY / "haproxy.cfg").read_text().replace("/etc/haproxy/golf.pem", str(tmp_path / "golf.pem"))
    lines = [line for line in config.splitlines() if "unique-id" not in line]
    config = "\n".join(lines).replace("    # server here", "    server here")
    assert "set-proxy-v2-tlv-fmt(0xE4)" in config
    (tmp_path / "haproxy.cfg").write_text(f"{config}\n")
    printed(haproxy, "-c", "-f", tmp_path / "haproxy.cfg")
