"""The service under a systemd that is process 1, installed as the guide says: slow, and needs root."""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.machine import Machine, NoMachine, machine

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "deploy" / "README.md").read_text("utf-8")
GOLFNET = "/opt/golfnet/bin/golfnet"
ADMIN = f"{GOLFNET} admin --config /etc/golfnet/golfnet.toml"


def typed(chapter: str) -> list[str]:
    """Return the lines of the first command block in a chapter."""
    text = GUIDE.partition(f"\n## {chapter}\n")[2].partition("\n## ")[0]
    block = re.search(r"^(?:    .*\n)+", text, re.MULTILINE)
    assert block is not None
    return textwrap.dedent(block.group()).splitlines()


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    try:
        with machine(tmp_path_factory.mktemp("machine")) as booted:
            for line in typed("A service (systemd)"):
                booted.run(
                    f"cd /source && export PIP_NO_INDEX=1 PIP_FIND_LINKS=/wheels SYSTEMD_PAGER= && {line}"
                )
            yield booted
    except NoMachine as reason:
        pytest.skip(f"{reason}")


def show(host: Machine, name: str) -> str:
    return host.run(f"systemctl show --value -p {name} golfnet.service").strip()


def is_well(host: Machine) -> bool:
    return show(host, "ActiveState") == "active" and "pause reason: -" in host.run(f"{ADMIN} status")


def play(host: Machine) -> None:
    bot = f"{GOLFNET} bot --connect 127.0.0.1 --rules four-turn --option seats=2 --matches 1 --fast --seen /tmp/seen"
    host.run(f"{bot} --level easy & {bot} --level easy; status=$?; wait; exit $status")


def test_the_service_opens_plays_and_stores_matches(host: Machine) -> None:
    assert is_well(host)
    assert "welcome" in host.run("printf 'hello 1\\nquit\\n' | nc -N 127.0.0.1 7777")
    play(host)
    assert re.search(r"matches finished: [1-9]", host.run(f"{ADMIN} status"))
    host.run(f"{GOLFNET} backup --config /etc/golfnet/golfnet.toml /tmp/copy.db")
    assert "failed 0 (" in host.run(f"{GOLFNET} verify --db /tmp/copy.db")
    assert "GOLFNET-SERVE" in host.run("cat /opt/golfnet/share/man/man1/golfnet-serve.1")


def test_passwords_can_be_hashed_in_the_sandbox(host: Machine) -> None:
    told = host.run(
        "(printf 'hello 1\\n1 name Olga\\n2 register correct-horse\\n'; sleep 3) | nc -N 127.0.0.1 7777"
    )
    assert '"id":2' in told
    assert '"error"' not in told
    told = host.run("(printf 'hello 1\\n1 login Olga correct-horse\\n'; sleep 3) | nc -N 127.0.0.1 7777")
    assert '{"type":"ok","id":1' in told, told


def test_a_reload_reads_the_certificate_again(host: Machine) -> None:
    before = show(host, "MainPID")
    host.run("systemctl reload golfnet.service")
    host.wait_for("journalctl -u golfnet.service", "the certificate was reloaded")
    assert show(host, "MainPID") == before
    assert is_well(host)


def test_nobody_is_refused_while_the_service_restarts(host: Machine) -> None:
    client = (
        "import socket, sys, time\n"
        "for _ in range(60):\n"
        "    with socket.create_connection(('127.0.0.1', 7777), 60) as sock:\n"
        "        assert sock.recv(9) == b'! golfnet', 'no greeting'\n"
        "    time.sleep(0.05)\n"
    )
    host.run(f"cat >/tmp/client.py <<'END'\n{client}END")
    host.run(
        "python3 /tmp/client.py & sleep 0.5; systemctl restart golfnet.service; status=$?; "
        "wait $! || status=9; exit $status"
    )
    assert is_well(host)


def test_a_killed_or_hanging_server_is_restarted(host: Machine) -> None:
    for number, signal in enumerate(("KILL", "STOP"), 1 + int(show(host, "NRestarts"))):
        host.run(f"systemctl kill --kill-whom=main --signal={signal} golfnet.service")
        host.wait_for("systemctl show --value -p NRestarts golfnet.service", str(number))
        host.wait_for("systemctl is-active golfnet.service", "active")
        host.wait_for(f"{ADMIN} status 2>&1", "pause reason: -")


def test_the_server_announces_itself_on_the_lan_from_within_the_sandbox(host: Machine) -> None:
    host.run(
        "sed -i '1i lan = true' /etc/golfnet/golfnet.toml && chmod 0644 /etc/golfnet/golfnet.toml && "
        "systemctl restart golfnet.service"
    )
    assert is_well(host)
    host.wait_for(f"{GOLFNET} discover --seconds 2 2>&1", "nc 127.0.0.1 7777")


def test_an_upgrade_takes_a_new_folder_and_a_restart_and_can_be_undone(host: Machine) -> None:
    old = host.run("readlink /opt/golfnet").strip()
    for line in typed("Upgrade without losing a match"):
        host.run(f"cd /source && export PIP_NO_INDEX=1 PIP_FIND_LINKS=/wheels && {line}")
    new = host.run("readlink /opt/golfnet").strip()
    assert new != old
    assert f"/opt/{new}/" in host.run(
        f"tr '\\0' ' ' </proc/{show(host, 'MainPID')}/cmdline; readlink -f {GOLFNET}"
    )
    assert is_well(host)
    told = host.run("(printf 'hello 1\\n1 login Olga correct-horse\\n'; sleep 3) | nc -N 127.0.0.1 7777")
    assert '{"type":"ok","id":1' in told, told
    host.run(f"ln -sfn {old} /opt/golfnet && systemctl restart golfnet.service")
    assert is_well(host)
    play(host)
