"""The firewall of this machine, and the command that lets friends through it, for the person who runs a server.

Nothing here runs a program or changes anything: what is found is found by the files that a firewall leaves behind
while it works. One that leaves no trace is not found.
"""

import sys
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final


class Firewall(StrEnum):
    """What keeps others out, by the name that people know it by."""

    UFW = "ufw"
    FIREWALLD = "firewalld"
    NFTABLES = "nftables"
    MACOS = "macOS"
    WINDOWS = "Windows"


_UNITS: Final = Path("run/systemd/units")
"""Where systemd keeps a link for each unit that is active."""


def find_firewall(root: Path = Path("/"), platform: str = sys.platform) -> Firewall | None:
    """Return the firewall that is on, None where none is found."""
    if platform in ("darwin", "win32"):
        return Firewall.MACOS if platform == "darwin" else Firewall.WINDOWS
    if _has_line(root / "etc/ufw/ufw.conf", "ENABLED=yes"):
        return Firewall.UFW
    if _is_active(root, "firewalld"):
        return Firewall.FIREWALLD
    return Firewall.NFTABLES if _is_active(root, "nftables") else None


def advice(firewall: Firewall | None, ports: Iterable[int]) -> list[str]:
    """Return what to do where friends cannot connect: a sentence, and a command where there is one, indented."""
    spans = list(_spans(sorted(set(ports))))
    match firewall:
        case None:
            return ["If they cannot connect: is it the same network, and no guest Wi-Fi?"]
        case Firewall.MACOS:
            return ["If macOS asks whether Python may accept incoming connections, choose Allow."]
        case Firewall.WINDOWS:
            return ["If Windows asks about Python and networks, allow private networks."]
        case Firewall.UFW:
            command = f"sudo ufw allow {_joined(spans, ':')}/tcp"
        case Firewall.FIREWALLD:
            opened = [f"--add-port={_joined([span], '-')}/tcp" for span in spans]
            command = f"sudo firewall-cmd {' '.join(opened)}"
        case Firewall.NFTABLES:
            command = (
                f"sudo nft insert rule inet filter input tcp dport {{ {_joined(spans, '-', ', ')} }} accept"
            )
    return [f"If they cannot connect, the firewall ({firewall}) has to let them in:", f"  {command}"]


def _spans(ports: list[int]) -> Iterator[tuple[int, int]]:
    """Yield ports in sequence as first and last."""
    first = last = ports[0]
    for port in ports[1:]:
        if port != last + 1:
            yield first, last
            first = port
        last = port
    yield first, last


def _joined(spans: Iterable[tuple[int, int]], to: str, comma: str = ",") -> str:
    return comma.join([f"{first}" if first == last else f"{first}{to}{last}" for first, last in spans])


def _is_active(root: Path, service: str) -> bool:
    return (root / _UNITS / f"invocation:{service}.service").is_symlink()


def _has_line(path: Path, line: str) -> bool:
    try:
        return line in path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
