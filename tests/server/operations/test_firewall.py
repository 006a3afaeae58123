import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from golfnet.server.operations.firewall import Firewall, advice, find_firewall

UNITS = "run/systemd/units"


TABLE = """\
table inet filter {
    chain input {
        type filter hook input priority 0
    }
}
"""


def machine(root: Path, *active: str, ufw: str = "") -> Path:
    (root / UNITS).mkdir(parents=True)
    for unit in active:
        (root / UNITS / f"invocation:{unit}.service").symlink_to("0" * 32)
    if ufw:
        (root / "etc/ufw").mkdir(parents=True)
        (root / "etc/ufw/ufw.conf").write_text(f"# comment\nENABLED={ufw}\nLOGLEVEL=low\n")
    return root


def test_a_firewall_is_found_by_the_traces_of_its_work(tmp_path: Path) -> None:
    assert find_firewall(tmp_path / "none", "linux") is None
    assert find_firewall(machine(tmp_path / "a", "ssh"), "linux") is None
    assert find_firewall(machine(tmp_path / "b", "ufw", ufw="no"), "linux") is None
    assert find_firewall(machine(tmp_path / "c", "ufw", ufw="yes"), "linux") is Firewall.UFW
    assert find_firewall(machine(tmp_path / "d", "firewalld", "nftables"), "linux") is Firewall.FIREWALLD
    assert find_firewall(machine(tmp_path / "e", "nftables", ufw="no"), "linux") is Firewall.NFTABLES
    assert find_firewall(tmp_path, "darwin") is Firewall.MACOS
    assert find_firewall(tmp_path, "win32") is Firewall.WINDOWS


@pytest.mark.parametrize(
    ("firewall", "ports", "command"),
    [
        (Firewall.UFW, (7778, 7777, 7777), "sudo ufw allow 7777:7778/tcp"),
        (Firewall.UFW, (7777, 7800), "sudo ufw allow 7777,7800/tcp"),
        (Firewall.UFW, (7777,), "sudo ufw allow 7777/tcp"),
        (Firewall.FIREWALLD, (7777, 7778, 7779), "sudo firewall-cmd --add-port=7777-7779/tcp"),
        (Firewall.FIREWALLD, (7777, 9), "sudo firewall-cmd --add-port=9/tcp --add-port=7777/tcp"),
        (
            Firewall.NFTABLES,
            (7777, 7778, 7900),
            "sudo nft insert rule inet filter input tcp dport { 7777-7778, 7900 } accept",
        ),
    ],
)
def test_the_command_names_the_ports(firewall: Firewall, ports: tuple[int, ...], command: str) -> None:
    sentence, told = advice(firewall, ports)
    assert firewall in sentence
    assert told == f"  {command}"


@pytest.mark.parametrize("firewall", [None, Firewall.MACOS, Firewall.WINDOWS])
def test_where_no_command_is_known_there_is_a_sentence(firewall: Firewall | None) -> None:
    (sentence,) = advice(firewall, (7777,))
    assert sentence.endswith((".", "?"))


def test_nftables_takes_the_rule(needs_tool: Callable[[str], str], tmp_path: Path) -> None:
    _, command = advice(Firewall.NFTABLES, (7777, 7778, 7900))
    rule = re.sub(r"^ +sudo nft ", "", command)
    script = tmp_path / "rules"
    script.write_text(f"{TABLE}{rule}\n")
    result = subprocess.run([needs_tool("nft"), "--check", "--file", script], capture_output=True, text=True)
    if "Operation not permitted" in result.stderr:
        pytest.skip("nft --check needs rights that are not given here")
    assert result.returncode == 0, result.stderr
