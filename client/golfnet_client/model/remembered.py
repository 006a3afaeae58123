"""What the client stores between runs: tokens for reconnecting, recent servers and their keys, and preferences.

All of it is in one JSON file in the system's state directory, readable by its owner only. Each change reads the file
again and replaces it atomically, under a lock: a crash leaves the old file, and two windows do not lose each other's
changes. A file that cannot be read is replaced; if the new one cannot be written, nothing is stored until one can.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import zlib
from typing import TYPE_CHECKING, Any, Final

from golfnet.storage.files import SeenFiles, replace_file, state_folder

fcntl: Any
try:
    import fcntl
except ImportError:  # no locks on this system: two windows may use the same name
    fcntl = None

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from golfnet.connect import Trust, Untrusted
    from golfnet.protocol.witness import Witness

RECENT: Final = 8
"""Maximum number of servers remembered."""

NAMES: Final = 8
"""Maximum number of names, with their tokens, remembered for one server."""

TYPED: Final = 100
"""Maximum number of typed lines remembered."""

LONGEST_LINE: Final = 200
"""Maximum length of a typed line that is remembered, in characters."""


class Remembered:
    """The file and its contents; each server is identified by its address, ``host:port``."""

    def __init__(self, directory: Path | None = None) -> None:
        self.directory = directory or state_folder()
        self._path = self.directory / "client.json"
        self._locks: int | None = None
        self._kept = self._read()
        self._is_stored = True
        """Whether the file has all changes; if it could not be written, they are stored with the next one."""

    # --- names, by server

    def player(self, server: str, name: str = "") -> tuple[str, str]:
        """Return a name and its token on a server; an empty token means that the player is new there.

        Without ``name``, return the latest name that no other window is using; both are empty if there is none.
        """
        tokens = self._tokens(server)
        if name:
            return name, tokens.get(name, "")
        known = next((each for each in reversed(tokens) if self.hold(server, each)), "")
        return known, tokens.get(known, "")

    def keep_player(self, server: str, name: str, token: str) -> None:
        """Store a name and its token as the latest on a server; with an empty token, store only the name."""
        if name:
            self.hold(server, name)
            with self._changing() as kept:
                tokens = {each: secret for each, secret in self._tokens(server).items() if each != name}
                tokens[name] = token
                _section(kept, "players")[server] = {"tokens": dict(list(tokens.items())[-NAMES:])}

    def hold(self, server: str, name: str) -> bool:
        """Claim a name on a server until this program exits; return whether no other window had claimed it."""
        if fcntl is None:
            return True
        try:
            # Each name locks one byte of a file; the lock is released when the program exits.
            place = 1 + zlib.crc32(f"{server} {name}".encode())
            fcntl.lockf(self._lock_file(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except OSError as problem:
            return not isinstance(problem, BlockingIOError)
        return True

    # --- servers

    @property
    def recent(self) -> list[str]:
        """Return the recent servers, the latest first."""
        return _texts(self._kept.get("recent"))

    def visited(self, server: str) -> None:
        """Put a server that has answered at the head of the recent list."""
        with self._changing() as kept:
            kept["recent"] = [server, *[each for each in self.recent if each != server]][:RECENT]

    def trust(self, server: str) -> Trust:
        """Return the trust settings for an address; what they learn about the server's key is stored."""
        # Imported here because it loads the network code, which the first picture does not need.
        from golfnet.connect import Trust

        def keep(known: str) -> None:
            with self._changing() as kept:
                _section(kept, "fingerprints")[server] = known

        return Trust(self._known(server), keep=keep)

    def accept(self, server: str, problem: Untrusted) -> None:
        """Trust a new key at an address; tokens for the old key are set aside, and the new server never gets them."""
        with self._changing() as kept:
            players = _section(kept, "players")
            if server in players:
                players[f"{server} {self._known(server)}"] = players.pop(server)
            if (own := players.pop(f"{server} {problem.shown}", None)) is not None:
                players[server] = own
            _section(kept, "fingerprints")[server] = problem.shown

    def witness(self, server: str) -> tuple[Witness, SeenFiles]:
        """Return a witness for a server's deals, and the files in which the witness records them."""
        from golfnet.protocol.witness import Witness

        files = SeenFiles(self.directory / "seen", server)
        return Witness(entropy=secrets.token_bytes, keep=files.keep), files

    # --- preferences

    @property
    def taught(self) -> frozenset[str]:
        """The rule sets whose lesson has been completed."""
        return frozenset(_texts(self._kept.get("lessons")))

    def keep_taught(self, variant: str) -> None:
        """Record that the lesson of a rule set has been completed."""
        with self._changing() as kept:
            kept["lessons"] = sorted({*self.taught, variant})

    @property
    def welcomed(self) -> bool:
        """Whether the player has been offered a lesson."""
        return bool(self._kept.get("taught"))

    def keep_welcomed(self) -> None:
        """Record that the lesson has been offered."""
        with self._changing() as kept:
            kept["taught"] = True

    def setting(self, name: str, allowed: tuple[str, ...]) -> str:
        """Return a stored setting, or ``""`` if its value is not an allowed one."""
        kept = _section(self._kept, "settings").get(name)
        return kept if isinstance(kept, str) and kept in allowed else ""

    def keep_settings(self, **values: str | None) -> None:
        """Store settings (theme, felt, suits, bell) in one change; those that are None stay as they are."""
        given = {name: value for name, value in values.items() if value is not None}
        if given:
            with self._changing() as kept:
                _section(kept, "settings").update(given)

    @property
    def typed(self) -> list[str]:
        """Return the lines typed earlier, the oldest first."""
        return _texts(self._kept.get("typed"))

    def keep_typed(self, line: str) -> None:
        """Store a typed line; the caller makes sure that it holds no secret."""
        if len(line) <= LONGEST_LINE:
            with self._changing() as kept:
                kept["typed"] = [*[each for each in self.typed if each != line], line][-TYPED:]

    # --- internals

    def _tokens(self, server: str) -> dict[str, str]:
        """Return the tokens for a server by name, the latest last."""
        player = _section(self._kept, "players").get(server)
        if not isinstance(player, dict):
            return {}
        tokens = player.get("tokens", {player.get("name"): player.get("token")})
        if not isinstance(tokens, dict):
            return {}
        return {str(name): str(token or "") for name, token in tokens.items() if name}

    def _known(self, server: str) -> str:
        known = _section(self._kept, "fingerprints").get(server, "")
        return known if isinstance(known, str) else ""

    def _read(self) -> dict[str, Any]:
        with contextlib.suppress(OSError, ValueError):
            read = json.loads(self._path.read_text("utf-8"))
            if isinstance(read, dict):
                return read
        return {}

    @contextlib.contextmanager
    def _changing(self) -> Iterator[dict[str, Any]]:
        """Yield the current contents of the file, then write them; if that fails, changes may last for this run only.

        Meanwhile other windows cannot write, if the system has locks.
        """
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError):
                if fcntl is not None:
                    fcntl.lockf(self._lock_file(), fcntl.LOCK_EX, 1, 0)
                    stack.callback(fcntl.lockf, self._lock_file(), fcntl.LOCK_UN, 1, 0)
            if self._is_stored:
                self._kept = self._read() or self._kept
            yield self._kept
            self._is_stored = False
            with contextlib.suppress(OSError):
                self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
                # Not synced: the player, who is typing, must not wait for the disk.
                replace_file(self._path, json.dumps(self._kept, indent=1).encode(), is_synced=False)
                self._is_stored = True

    def _lock_file(self) -> int:
        """Return the descriptor of the lock file; it stays open, since closing it would release its locks."""
        if self._locks is None:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._locks = os.open(self.directory / "client.lock", os.O_RDWR | os.O_CREAT, 0o600)
        return self._locks


def _section(kept: dict[str, Any], name: str) -> dict[str, Any]:
    section = kept.setdefault(name, {})
    if not isinstance(section, dict):
        section = kept[name] = {}
    return section


def _texts(kept: Any) -> list[str]:
    return [str(each) for each in kept] if isinstance(kept, list) else []
