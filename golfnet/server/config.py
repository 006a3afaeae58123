"""Every setting of the server, with its default, meaning and bounds; nothing else has defaults of its own.

A ``Config`` that exists is valid. Flags and configuration files use these names, flags with ``-`` for ``_``; help,
``golfnet config`` and the checks of a file are all made from the fields below.
"""

import ipaddress
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, Final, NamedTuple

from golfnet.protocol.names.reserved import LEVELS

NO_PORT: Final = -1
LOOPBACK: Final = "127.0.0.1"
EVERYWHERE: Final = "*"
"""For an address to listen on: all addresses, IPv4 and IPv6."""

Value = int | float | bool | str | tuple[str, ...]

_GROUPS: Final = {
    "listening": "Where it listens",
    "lan": "On the local network",
    "tls": "TLS",
    "proxy": "Behind a proxy",
    "clocks": "Clocks",
    "limits": "Limits",
    "kept": "What is kept",
    "operators": "For operators",
}


class ConfigError(Exception):
    """A setting that cannot be used; names it and says what it may be."""

    def __init__(self, name: str, expected: str) -> None:
        super().__init__(f"{name}: {expected}")
        self.name = name
        self.expected = expected


class Setting(NamedTuple):
    """What is known about one setting; ``low`` and ``high`` are None where any value of its kind will do."""

    name: str
    kind: type
    default: Value
    meaning: str
    group: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    stands_for: str

    @property
    def flag(self) -> str:
        """The option of the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def bounds(self) -> str:
        """What a value may be, in words."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.low is not None and self.high is not None:
            what = "a whole number" if self.kind is int else "a number"
            return f"{what} from {self.low:_} to {self.high:_}".replace("_", " ")
        kinds: dict[type[object], str] = {bool: "true or false", tuple: "a list of texts"}
        return kinds.get(self.kind, "a text")

    def checked(self, value: object) -> Value:
        """Return a value that may stand for this setting; raises ``ConfigError``."""
        if self.kind is float and type(value) is int:
            value = float(value)
        if (
            self.kind is tuple
            and isinstance(value, list | tuple)
            and all(type(each) is str for each in value)
        ):
            return tuple(value)
        fits = type(value) is self.kind and self.kind is not tuple
        if fits and self.low is not None and self.high is not None:
            fits = self.low <= value <= self.high  # type: ignore[operator]
        if not fits or (self.choices and value not in self.choices):
            raise ConfigError(self.name, f"{self.bounds}, not {_shown(value)}")
        return value  # type: ignore[return-value]


def _setting(
    group: str,
    default: Any,
    meaning: str,
    low: float | None = None,
    high: float | None = None,
    *,
    choices: tuple[str, ...] = (),
    stands_for: str = "",
) -> Any:
    known = {"meaning": meaning, "group": group, "low": low, "high": high, "choices": choices}
    return field(default=default, metadata=known | {"stands_for": stands_for})


def _port(group: str, default: int, meaning: str) -> Any:
    return _setting(group, default, meaning, NO_PORT, 65535, stands_for="PORT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of one server."""

    host: str = _setting(
        "listening",
        "",
        "addresses to listen on, with commas between them, * for all of IPv4 and IPv6; empty for this machine alone, "
        "or for all with lan",
        stands_for="ADDRESS",
    )
    port: int = _setting(
        "listening",
        7777,
        "port for nc, programs and the client; 0 takes a free one",
        0,
        65535,
        stands_for="PORT",
    )
    telnet_port: int = _port("listening", 7778, "port that speaks telnet at once; -1 opens none")

    lan: bool = _setting(
        "lan",
        False,
        "listen on all addresses, or on those that host names, and be found there by clients nearby",
    )
    lan_name: str = _setting(
        "lan", "", "name in lists of servers nearby; empty for that of this machine", stands_for="NAME"
    )
    qr: bool = _setting("lan", False, "print a QR code with the telnet address at the start, for telephones")

    tls_port: int = _port("tls", 7779, "port for TLS, opened where there is a certificate; -1 opens none")
    tls_cert: str = _setting("tls", "", "certificate with its chain, a PEM file", stands_for="FILE")
    tls_key: str = _setting("tls", "", "private key of the certificate, a PEM file", stands_for="FILE")
    tls_self_signed: bool = _setting(
        "tls", False, "make a certificate of one's own and keep it beside the database"
    )

    proxy_port: int = _port(
        "proxy",
        NO_PORT,
        "port for connections through a proxy that sends the PROXY protocol v2; -1 opens none",
    )
    proxy_from: tuple[str, ...] = _setting(
        "proxy",
        (),
        "addresses or networks of the proxies that are believed; nobody else gets in by that port",
        stands_for="NETWORK",
    )
    proxy_rtt_type: int = _setting(
        "proxy",
        0xE4,
        "type of the TLV in which a proxy tells its own round trip to the player, in microseconds, for slams; "
        "224 to 239 are free for this, 5 is HAProxy's unique-id, 0 reads none",
        0,
        255,
    )

    clock: int = _setting(
        "clocks", 60, "seconds for a turn, unless a table sets its own; 0 for none", 0, 3600
    )
    pause: int = _setting("clocks", 15, "seconds between two holes at the most", 0, 600)
    start_delay: int = _setting(
        "clocks", 5, "seconds from the last seat taken to the start of a full table", 0, 60
    )
    fill: int = _setting(
        "clocks",
        0,
        "seconds after which bots take the free seats of a table that seek has opened, unless it asks otherwise; "
        "0 for never",
        0,
        3600,
    )
    grace: int = _setting(
        "clocks", 120, "seconds that a dropped player's seat is kept before the house plays it", 0, 3600
    )
    house_level: str = _setting(
        "clocks",
        "easy",
        "level of the bot with which the house plays the seat of somebody who is gone",
        choices=LEVELS,
    )
    house_delay: float = _setting("clocks", 0.8, "seconds that the house takes for each choice", 0, 10)
    name_time: int = _setting("clocks", 30, "seconds to give a name after connecting", 1, 600)
    idle_time: int = _setting(
        "clocks", 1800, "seconds without a command before a player without a seat is sent off", 60, 86400
    )
    drain_time: int = _setting("clocks", 10, "seconds for a graceful stop", 0, 600)

    commands_per_second: int = _setting(
        "limits", 10, "commands of one connection in any one second", 1, 100_000
    )
    excess_per_10_seconds: int = _setting(
        "limits",
        100,
        "commands over that rate, all refused, of one connection in any ten seconds; one more ends it",
        1,
        1_000_000,
    )
    chat_per_10_seconds: int = _setting(
        "limits", 8, "lines of chat of one connection in any ten seconds", 1, 100_000
    )
    outbox: int = _setting(
        "limits",
        262_144,
        "bytes that may wait for a peer, until the disk has them or it reads them; with a quarter of them waiting, "
        "nothing more is read from it",
        32_768,
        64 * 1024 * 1024,
    )
    connections_per_address: int = _setting(
        "limits",
        20,
        "connections from one address, or one /64 of IPv6; loopback and private networks have no limit",
        1,
        100_000,
    )
    names_per_hour: int = _setting(
        "limits",
        120,
        "new names and accounts from one address, or one /64 of IPv6, in an hour; loopback and private networks have "
        "no limit",
        1,
        100_000,
    )
    connections: int = _setting("limits", 20_000, "connections in all", 1, 1_000_000)
    tables: int = _setting("limits", 5_000, "tables in all", 1, 1_000_000)

    db: str = _setting(
        "kept",
        "",
        "the database; empty for golfnet/golfnet.db in XDG_STATE_HOME or ~/.local/state",
        stands_for="FILE",
    )
    memory: bool = _setting(
        "kept",
        False,
        "keep nothing: all is gone when the server ends; of old matches only the last 1,000 stay",
    )
    durability: str = _setting(
        "kept",
        "full",
        "full survives a power failure; normal survives the end of the process only, and waits less",
        choices=("full", "normal"),
    )
    rules_folder: str = _setting(
        "kept", "", "house rules: a TOML file for each rule set", stands_for="FOLDER"
    )

    admin_socket: str = _setting(
        "operators",
        "",
        "socket for golfnet admin; empty for one beside the database, none with memory",
        stands_for="FILE",
    )
    metrics_port: int = _port(
        "operators", NO_PORT, "loopback port of /metrics, /healthz and /readyz; -1 opens none"
    )
    log_format: str = _setting(
        "operators", "text", "lines of text, or a JSON object on each", choices=("text", "json")
    )
    verbose: bool = _setting("operators", False, "log every connection and command, without what they say")

    def __post_init__(self) -> None:
        for setting in SETTINGS.values():
            setting.checked(getattr(self, setting.name))
        if bool(self.tls_cert) != bool(self.tls_key):
            missing = "tls_cert" if self.tls_key else "tls_key"
            raise ConfigError(missing, "a PEM file; certificate and key go together")
        if self.tls_cert and self.tls_self_signed:
            raise ConfigError("tls_self_signed", "false where tls_cert names a certificate")
        if self.host and not self.hosts:
            raise ConfigError("host", "an address to listen on, such as 127.0.0.1 or *")
        for network in self.proxy_from:
            _check_network(network)
        if self.proxy_port != NO_PORT and not self.proxy_from:
            raise ConfigError("proxy_from", "at least one address or network, where proxy_port is open")

    @property
    def hosts(self) -> tuple[str, ...]:
        """The addresses to listen on; ``EVERYWHERE`` stands for all."""
        if not self.host:
            return (EVERYWHERE if self.lan else LOOPBACK,)
        return tuple(address.strip() for address in self.host.split(",") if address.strip())

    @property
    def has_tls(self) -> bool:
        """Whether the TLS port is to be opened."""
        return self.tls_port != NO_PORT and (bool(self.tls_cert) or self.tls_self_signed)


def _known(it: Field[Any]) -> Setting:
    assert it.default is not MISSING
    about = it.metadata
    return Setting(
        name=it.name,
        kind=type(it.default),
        default=it.default,
        meaning=about["meaning"],
        group=_GROUPS[about["group"]],
        low=about["low"],
        high=about["high"],
        choices=about["choices"],
        stands_for=about["stands_for"] or ("N" if type(it.default) in (int, float) else "TEXT"),
    )


SETTINGS: Final = {it.name: _known(it) for it in fields(Config)}
"""All settings by name, in the order in which people read about them."""


def _check_network(text: str) -> None:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        raise ConfigError("proxy_from", f"addresses or networks such as 10.0.0.0/8, not {text!r}") from None


def _shown(value: object) -> str:
    return (
        f"{value!r}" if isinstance(value, str) else f"{value}".lower() if type(value) is bool else f"{value}"
    )
