"""Open files: how many this process may have, and the last of them, which no connection of a player gets.

When files run out is when an operator wants to look. The system gives out the lowest number that is free, so a
connection with one of the last numbers says that nearly all are in use: it is closed again, and the reserve stays for
``golfnet admin``, metrics, the database and certificates.
"""

import logging
import sys
from collections import Counter
from typing import Any, Final

resource: Any
try:
    import resource
except ImportError:  # Windows, where nothing limits them
    resource = None

RESERVE: Final = 32
"""Files that are kept from players: the metrics answer 8 at once, the database opens 3, a certificate 2."""

_BESIDE: Final = 64 + RESERVE
"""Files that a server has beside connections, at the most."""

log = logging.getLogger(__name__)


def raise_limit(connections: int) -> int:
    """Let this process open as many files as so many connections need; return how many connections it can have."""
    if resource is None:
        return connections
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = connections + _BESIDE
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return connections
    wanted = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # a service manager may forbid it
        wanted = soft
    return max(0, wanted - _BESIDE)


class Descriptors:
    """Says whether the descriptor of a new connection is one of the reserve."""

    def __init__(self, turned_away: Counter[str], *, limit: int | None = None) -> None:
        self._limit = _limit() if limit is None else limit
        self._turned_away = turned_away

    def allow(self, descriptor: int) -> bool:
        """Return whether a connection may keep its descriptor; count and log where it may not."""
        if descriptor < self._limit - RESERVE:
            return True
        self._turned_away["files"] += 1
        log.error(
            "a connection was turned away: nearly all of the %d files are open that this process may have. Raise the "
            "limit (ulimit -n, LimitNOFILE=), or lower the setting connections.",
            self._limit,
        )
        return False


def _limit() -> int:
    """Return how many files this process may open now."""
    if resource is None:
        return sys.maxsize
    soft: int = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


def out_of_files(error: OSError) -> None:
    """Log that a connection could not be accepted at all, because the whole system has run out."""
    log.error("no connection can be accepted for a moment: %s", error.strerror or error)
