"""Every setting of the server, with its default, meaning and bounds; nothing else has defaults of its own.

A ``Config`` that exists is valid. Flags and configuration files use these names, with ``-`` for ``_``.
"""

from dataclasses import dataclass, field, fields
from typing import Any, Final

NEVER: Final = 0
"""For times in seconds: no limit."""


class ConfigError(Exception):
    """A setting that cannot be used; names it and says what it may be."""

    def __init__(self, name: str, expected: str) -> None:
        super().__init__(f"{name}: {expected}")
        self.name = name
        self.expected = expected


def _setting(default: Any, meaning: str, low: float | None = None, high: float | None = None) -> Any:
    return field(default=default, metadata={"meaning": meaning, "low": low, "high": high})


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of one server."""

    host: str = _setting("127.0.0.1", "address to listen on; 0.0.0.0 or :: for all")
    port: int = _setting(7777, "port for nc, programs and the client; 0 takes a free one", 0, 65535)
    telnet_port: int = _setting(7778, "port that speaks telnet at once; -1 opens none", -1, 65535)
    clock: int = _setting(60, "seconds for a turn, unless a table sets its own; 0 for none", 0, 3600)
    pause: int = _setting(15, "seconds between two holes at the most", 0, 600)
    start_delay: int = _setting(5, "seconds from the last seat taken to the start of a full table", 0, 60)
    grace: int = _setting(
        120, "seconds that a dropped player's seat is kept before the house plays it", 0, 3600
    )
    house_delay: float = _setting(0.8, "seconds that the house takes for each choice", 0, 10)
    name_time: int = _setting(30, "seconds to give a name after connecting", 1, 600)
    idle_time: int = _setting(
        1800, "seconds without a command before a player without a seat is sent off", 60, 86400
    )
    commands_per_second: int = _setting(10, "commands of one connection in any one second", 1, 100_000)
    chat_per_10_seconds: int = _setting(8, "lines of chat of one connection in any ten seconds", 1, 100_000)
    outbox: int = _setting(
        262_144, "bytes that may wait for a peer that does not read", 32_768, 64 * 1024 * 1024
    )
    connections_per_address: int = _setting(
        20, "connections from one address; loopback and private networks have no limit", 1, 100_000
    )
    connections: int = _setting(20_000, "connections in all", 1, 1_000_000)
    tables: int = _setting(5_000, "tables in all", 1, 1_000_000)
    drain_time: int = _setting(10, "seconds for a graceful stop", 0, 600)

    def __post_init__(self) -> None:
        for setting in fields(self):
            value, low, high = getattr(self, setting.name), setting.metadata["low"], setting.metadata["high"]
            if low is not None and not low <= value <= high:
                raise ConfigError(setting.name, f"a number from {low} to {high}, not {value}")
