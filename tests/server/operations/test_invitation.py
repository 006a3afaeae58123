import itertools
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest

from golfnet.protocol.text.typeset import display_width
from golfnet.server.net.listeners import PortKind
from golfnet.server.operations.invitation import (
    Firewall,
    Invitation,
    Places,
    advice,
    find_firewall,
    first_screen,
    qr_code,
    reachable,
    short_lines,
)

HERE = ("192.168.1.20", "10.8.0.2", "fd00::20")

OPEN = {
    PortKind.PLAIN: [("0.0.0.0", 7777), ("::", 7777)],
    PortKind.TELNET: [("0.0.0.0", 7778), ("::", 7778)],
    PortKind.TLS: [],
    PortKind.PROXY: [],
}
SECURE = OPEN | {PortKind.TLS: [("::", 7779)], PortKind.PROXY: [("0.0.0.0", 7780)]}


def here() -> tuple[str, ...]:
    return HERE


def inviting(
    ports: Mapping[PortKind, Places], addresses: Callable[[], Sequence[str]] = here, **given: Any
) -> Invitation:
    return Invitation(ports={kind: reachable(ports[kind], addresses) for kind in ports}, **given)


def test_a_server_on_all_addresses_lists_them_all_for_nc_and_one_for_other_programs() -> None:
    assert list(short_lines(inviting(SECURE, fingerprint="ab12"))) == [
        "golfnet is open: nc 192.168.1.20 7777",
        "            or: nc 10.8.0.2 7777",
        "            or: nc fd00::20 7777",
        "            or: telnet 192.168.1.20 7778",
        "            or: golfnet-client tls://192.168.1.20:7779",
        "     public key: SHA-256 ab12",
    ]


def test_a_wildcard_address_is_replaced_by_all_addresses_it_accepts() -> None:
    assert reachable([("0.0.0.0", 1)], here) == [("192.168.1.20", 1), ("10.8.0.2", 1)]
    assert reachable([("::", 1), ("0.0.0.0", 1)], here) == [(each, 1) for each in HERE]
    # A socket for [::] from the service manager accepts IPv4 as well.
    assert reachable([("::", 1)], here) == [(each, 1) for each in HERE]
    assert reachable([("::1", 1), ("127.0.0.1", 1)], here) == [("127.0.0.1", 1), ("::1", 1)]
    # On a machine with IPv6 only, a server for IPv4 can be reached only from the machine itself.
    assert reachable([("0.0.0.0", 1)], lambda: ["fd00::20"]) == [("127.0.0.1", 1)]


def test_the_first_screen_says_how_to_connect_from_the_network() -> None:
    assert first_screen(inviting(OPEN, is_lan=True)) == [
        "♥ golfnet is open on your network.",
        "",
        "Friends type, in a terminal:",
        "",
        "  Linux, Mac  nc 192.168.1.20 7777",
        "  Windows     telnet 192.168.1.20 7778",
        "  phone       telnet app: 192.168.1.20 7778",
        "  golfnet     golfnet-client 192.168.1.20",
        "",
        "Then a name (name Ann); help explains the rest.",
        "",
        "Other addresses of this computer:",
        "  10.8.0.2",
        "  fd00::20",
        "",
        'Windows: run optionalfeatures once and tick "Telnet Client", or use PuTTY.',
        "Phones: ConnectBot (Android) or Termius (Android, iPhone); choose Telnet.",
        "If they cannot connect: are they on the same network, not on guest Wi-Fi?",
        "Stop with Ctrl-C or by closing this window; matches continue at the next start.",
    ]


def test_the_first_screen_says_how_to_connect_from_this_computer() -> None:
    ports = {PortKind.PLAIN: [("127.0.0.1", 7800)], PortKind.TELNET: [("127.0.0.1", 7778)]}
    assert first_screen(inviting(ports, is_kept=False, wants_qr=True), has_unicode=False) == [
        "golfnet is open on this computer.",
        "",
        "Play from another terminal, each player from one of their own:",
        "",
        "  nc 127.0.0.1 7800",
        "  telnet 127.0.0.1 7778",
        "  golfnet-client 127.0.0.1:7800",
        "",
        "Give a name (name Ann); help explains the rest.",
        "",
        "To open it to friends on your network: golfnet serve --lan",
        "Stop with Ctrl-C or by closing this window; nothing is kept (--memory).",
    ]


def test_the_first_screen_of_a_cluster_node_names_the_node_and_does_not_mention_lan() -> None:
    node = (3, "10.0.0.5:7790")
    here = {PortKind.PLAIN: [("127.0.0.1", 7800)]}
    sentence = "This is node 3 of a cluster; other nodes reach it at 10.0.0.5:7790."
    for ports in (here, OPEN):
        screen = first_screen(inviting(ports, node=node))
        assert sentence in screen
        assert not any("--lan" in line for line in screen)
        assert [*short_lines(inviting(ports, node=node))][-1] == (
            "        as node: 3, reached by other nodes at 10.0.0.5:7790"
        )


@pytest.mark.parametrize(
    "ports", [OPEN, SECURE, OPEN | {PortKind.TELNET: []}], ids=["open", "tls", "no telnet"]
)
def test_the_first_screen_fits_with_a_line_to_spare(ports: Mapping[PortKind, Places]) -> None:
    many = (*HERE, *(f"10.9.{each}.1" for each in range(40)))
    hosts = (HERE, HERE[2:], ("192.168.100.200",), many)
    for addresses, wants_qr, firewall in itertools.product(hosts, (True, False), (None, *get_args(Firewall))):
        invitation = inviting(
            ports,
            partial(tuple, addresses),
            fingerprint="ab12" * 16,
            is_lan=True,
            wants_qr=wants_qr,
            firewall=firewall,
        )
        assert len(first_screen(invitation, has_colors=True)) < 24
        lines = first_screen(invitation)
        assert len(lines) < 24
        assert max(map(display_width, lines)) <= 80
        assert any("█▀" in line for line in lines) is wants_qr
        assert advice(firewall, (7777,))[0] in lines
        assert not any(line.endswith(" ") for line in lines)


def test_a_qr_code_is_shown_beside_the_text_or_the_text_says_why_it_is_missing() -> None:
    code = qr_code("telnet://192.168.1.20:7778")
    wide = first_screen(inviting(OPEN, wants_qr=True))
    assert [line[-len(code[0]) :] for line in wide[: len(code)]] == code
    narrow = first_screen(inviting(OPEN, wants_qr=True), size=(60, 24))
    assert "This window is too small for the QR code." in narrow
    assert "▀" not in "".join(narrow)
    assert "▀" not in "".join(first_screen(inviting(OPEN, wants_qr=True), has_unicode=False))


def test_a_qr_code_is_drawn_only_if_a_phone_can_reach_its_address() -> None:
    ports = {PortKind.PLAIN: [("192.168.1.20", 7777)], PortKind.TELNET: [("192.168.1.20", 7778)]}
    _, _, *drawn, link = short_lines(inviting(ports, wants_qr=True))
    assert link == "telnet://192.168.1.20:7778"
    assert drawn == qr_code(link)
    assert set("".join(drawn)) <= set("█▀▄ ")
    assert {len(line) for line in drawn} == {2 * len(drawn) - 1}
    *_, link = short_lines(inviting({PortKind.PLAIN: [("fd00::1", 7777)]}, wants_qr=True))
    assert link == "telnet://[fd00::1]:7777"
    local = list(short_lines(inviting({PortKind.PLAIN: [("127.0.0.1", 7777)]}, wants_qr=True)))
    assert local == ["golfnet is open: nc 127.0.0.1 7777", "telnet://127.0.0.1:7777"]


@pytest.mark.parametrize(
    ("units", "ufw", "firewall"),
    [
        ("", "", None),
        ("ssh", "", None),
        ("ufw", "no", None),
        ("ufw", "yes", "ufw"),
        ("firewalld nftables", "", "firewalld"),
        ("nftables", "no", "nftables"),
    ],
)
def test_a_linux_firewall_is_detected_by_its_files(
    tmp_path: Path, units: str, ufw: str, firewall: Firewall | None
) -> None:
    for unit in units.split():
        path = tmp_path / f"run/systemd/units/invocation:{unit}.service"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to("0" * 32)
    if ufw:
        (tmp_path / "etc/ufw").mkdir(parents=True)
        (tmp_path / "etc/ufw/ufw.conf").write_text(f"# comment\nENABLED={ufw}\nLOGLEVEL=low\n")
    assert find_firewall(tmp_path, "linux") == firewall
    assert find_firewall(tmp_path, "darwin") == "macOS"
    assert find_firewall(tmp_path, "win32") == "Windows"


NFT = "sudo nft insert rule inet filter input tcp dport"


@pytest.mark.parametrize(
    ("firewall", "ports", "command"),
    [
        ("ufw", (7778, 7777, 7777), "sudo ufw allow 7777:7778/tcp"),
        ("ufw", (7777, 7800), "sudo ufw allow 7777,7800/tcp"),
        ("ufw", (7777,), "sudo ufw allow 7777/tcp"),
        ("firewalld", (7777, 7778, 7779), "sudo firewall-cmd --add-port=7777-7779/tcp"),
        ("firewalld", (7777, 9), "sudo firewall-cmd --add-port=9/tcp --add-port=7777/tcp"),
        ("nftables", (7777, 7778, 7900), f"{NFT} {{ 7777-7778, 7900 }} accept"),
    ],
)
def test_a_firewall_command_names_the_ports(firewall: Firewall, ports: tuple[int, ...], command: str) -> None:
    sentence, told = advice(firewall, ports)
    assert firewall in sentence
    assert told == f"  {command}"


TABLE = "table inet filter {\n chain input {\n type filter hook input priority 0\n }\n}\n"


def test_nftables_accepts_the_rule(needs_tool: Callable[[str], str], tmp_path: Path) -> None:
    _, command = advice("nftables", (7777, 7778, 7900))
    rule = re.sub(r"^ +sudo nft ", "", command)
    script = tmp_path / "rules"
    script.write_text(f"{TABLE}{rule}\n")
    result = subprocess.run([needs_tool("nft"), "--check", "--file", script], capture_output=True, text=True)
    if "Operation not permitted" in result.stderr:
        pytest.skip("nft --check needs privileges that are missing here")
    assert result.returncode == 0, result.stderr
