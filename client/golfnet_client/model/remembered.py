"""What the client keeps between runs: tokens for coming back, servers of late and whom to trust there.

One JSON file in the XDG state directory, readable by its owner only, replaced whole at each change, so that a crash
leaves the old one. A file that cannot be read is begun anew; one that cannot be written is done without.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from functools import partial
from pathlib import Path
from typing import Any, Final

from golfnet.connect.trust import Trust, Untrusted

RECENT: Final = 8
"""Servers that are remembered."""


def state_directory() -> Path:
    """Return where the client keeps its files: ``$XDG_STATE_HOME/golfnet`` or ``~/.local/state/golfnet``."""
    base = os.environ.get("XDG_STATE_HOME") or ""
    root = Path(base) if base.startswith("/") else Path.home() / ".local" / "state"
    return root / "golfnet"


class Remembered:
    """The file, and what is in it, by server address ``host:port``."""

    def __init__(self, directory: Path | None = None) -> None:
        self.directory = directory or state_directory()
        self._path = self.directory / "client.json"
        self._kept: dict[str, Any] = {}
        with contextlib.suppress(OSError, ValueError):
            read = json.loads(self._path.read_text("utf-8"))
            if isinstance(read, dict):
                self._kept = read

    def player(self, server: str) -> tuple[str, str]:
        """Return the name and the token that a server knows the person by, empty where it knows none."""
        player = self._section("players").get(server)
        if not isinstance(player, dict):
            return "", ""
        return str(player.get("name", "")), str(player.get("token", ""))

    def keep_player(self, server: str, name: str, token: str) -> None:
        """Keep the token of a server; an empty one forgets it."""
        self._section("players")[server] = {"name": name, "token": token}
        self._save()

    @property
    def recent(self) -> list[str]:
        """The servers of late, the latest first."""
        kept = self._kept.get("recent")
        return [str(each) for each in kept] if isinstance(kept, list) else []

    def visited(self, server: str) -> None:
        """Note that a server answered."""
        self._kept["recent"] = [server, *[each for each in self.recent if each != server]][:RECENT]
        self._save()

    def trust(self, server: str) -> Trust:
        """Return whom to trust at an address; what it learns is kept."""
        return Trust(self._known(server), keep=partial(self._keep_trust, server))

    def accept(self, server: str, problem: Untrusted) -> None:
        """Trust another server at an address from now on: the token of the one before is not for its ears."""
        players = self._section("players")
        if server in players:
            players[f"{server} {self._known(server)}"] = players.pop(server)
        if (own := players.pop(f"{server} {problem.shown}", None)) is not None:
            players[server] = own
        self._keep_trust(server, problem.shown)

    def _known(self, server: str) -> str:
        known = self._section("fingerprints").get(server, "")
        return known if isinstance(known, str) else ""

    def _keep_trust(self, server: str, known: str) -> None:
        self._section("fingerprints")[server] = known
        self._save()

    @property
    def taught(self) -> bool:
        """Whether the tutorial was played, or declined."""
        return bool(self._kept.get("taught"))

    def keep_taught(self) -> None:
        """Note that the tutorial needs no further mention."""
        self._kept["taught"] = True
        self._save()

    def setting(self, name: str, allowed: tuple[str, ...]) -> str:
        """Return how the person had the screen last, empty where nothing allowed is known."""
        kept = self._section("settings").get(name)
        return kept if isinstance(kept, str) and kept in allowed else ""

    def keep_setting(self, name: str, value: str) -> None:
        """Keep how the person has the screen: theme, felt or bell."""
        self._section("settings")[name] = value
        self._save()

    def _section(self, name: str) -> dict[str, Any]:
        section = self._kept.setdefault(name, {})
        if not isinstance(section, dict):
            section = self._kept[name] = {}
        return section

    def _save(self) -> None:
        with contextlib.suppress(OSError):
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            # mkstemp makes the file for its owner only (0600) before a byte is in it.
            handle, temporary = tempfile.mkstemp(dir=self.directory, prefix=".client-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(self._kept, file, indent=1)
            Path(temporary).replace(self._path)
