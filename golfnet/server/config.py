"""Every setting of the server, with its default, meaning and bounds; nothing else has defaults of its own.

A ``Config`` that exists is valid. Flags and configuration files use these names, flags with ``-`` for ``_``; help,
``golfnet config`` and the checks of a file are all made from the fields below.
"""

import ipaddress
from dataclasses import dataclass, fields
from typing import Any, Final

from golfnet.protocol.names.reserved import LEVELS
from golfnet.server.setting import ConfigError, described, setting

NO_PORT: Final = -1
LOOPBACK: Final = "127.0.0.1"
EVERYWHERE: Final = "*"
"""For an address to listen on: all addresses, IPv4 and IPv6."""


def _port(group: str, default: int, meaning: str) -> Any:
    return setting(group, default, meaning, NO_PORT, 65535, stands_for="PORT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of one server."""

    host: str = setting(
        "listening",
        "",
        "addresses to listen on, with commas between them, * for all of IPv4 and IPv6; empty for this machine alone, "
        "or for all with lan",
        stands_for="ADDRESS",
    )
    port: int = setting(
        "listening",
        7777,
        "port for nc, programs and the client; 0 takes a free one",
        0,
        65535,
        stands_for="PORT",
    )
    telnet_port: int = _port("listening", 7778, "port that speaks telnet at once; -1 opens none")

    lan: bool = setting(
        "lan",
        False,
        "listen on all addresses, or on those that host names, and be found there by clients nearby",
    )
    lan_name: str = setting(
        "lan", "", "name in lists of servers nearby; empty for that of this machine", stands_for="NAME"
    )
    qr: bool = setting("lan", False, "print a QR code with the telnet address at the start, for telephones")

    tls_port: int = _port("tls", 7779, "port for TLS, opened where there is a certificate; -1 opens none")
    tls_cert: str = setting("tls", "", "certificate with its chain, a PEM file", stands_for="FILE")
    tls_key: str = setting("tls", "", "private key of the certificate, a PEM file", stands_for="FILE")
    tls_self_signed: bool = setting(
        "tls", False, "make a certificate of one's own and keep it beside the database"
    )

    proxy_port: int = _port(
        "proxy",
        NO_PORT,
        "port for connections through a proxy that sends the PROXY protocol v2; -1 opens none",
    )
    proxy_from: tuple[str, ...] = setting(
        "proxy",
        (),
        "addresses or networks of the proxies that are believed; nobody else gets in by that port",
        stands_for="NETWORK",
    )
    proxy_rtt_type: int = setting(
        "proxy",
        0xE4,
        "type of the TLV in which a proxy tells its own round trip to the player, in microseconds, for slams; "
        "224 to 239 are free for this, 5 is HAProxy's unique-id, 0 reads none",
        0,
        255,
    )

    clock: int = setting("clocks", 60, "seconds for a turn, unless a table sets its own; 0 for none", 0, 3600)
    pause: int = setting("clocks", 15, "seconds between two holes at the most", 0, 600)
    start_delay: int = setting(
        "clocks", 5, "seconds from the last seat taken to the start of a full table", 0, 60
    )
    fill: int = setting(
        "clocks",
        0,
        "seconds after which bots take the free seats of a table that seek has opened, unless it asks otherwise; "
        "0 for never",
        0,
        3600,
    )
    grace: int = setting(
        "clocks", 120, "seconds that a dropped player's seat is kept before the house plays it", 0, 3600
    )
    house_level: str = setting(
        "clocks",
        "easy",
        "level of the bot with which the house plays the seat of somebody who is gone",
        choices=LEVELS,
    )
    house_delay: float = setting("clocks", 0.8, "seconds that the house takes for each choice", 0, 10)
    name_time: int = setting(
        "clocks",
        300,
        "seconds to give a name after connecting; 60 at the most for a connection on which nothing was typed",
        1,
        600,
    )
    idle_time: int = setting(
        "clocks", 1800, "seconds without a command before a player without a seat is sent off", 60, 86400
    )
    drain_time: int = setting("clocks", 10, "seconds for a graceful stop", 0, 600)

    commands_per_second: int = setting(
        "limits", 10, "commands of one connection in any one second", 1, 100_000
    )
    excess_per_10_seconds: int = setting(
        "limits",
        100,
        "commands over that rate, all refused, of one connection in any ten seconds; one more ends it",
        1,
        1_000_000,
    )
    chat_per_10_seconds: int = setting(
        "limits", 8, "lines of chat of one connection in any ten seconds", 1, 100_000
    )
    outbox: int = setting(
        "limits",
        262_144,
        "bytes that may wait for a peer, until the disk has them or it reads them; with a quarter of them waiting, "
        "nothing more is read from it",
        32_768,
        64 * 1024 * 1024,
    )
    connections_per_address: int = setting(
        "limits",
        20,
        "connections from one address, or one /64 of IPv6; loopback and private networks have no limit",
        1,
        100_000,
    )
    names_per_hour: int = setting(
        "limits",
        120,
        "new names and accounts from one address, or one /64 of IPv6, in an hour; loopback and private networks have "
        "no limit",
        1,
        100_000,
    )
    reclaim: bool = setting(
        "limits",
        True,
        "let a guest whose connection is gone take its name and seat again from the same address, without the token; "
        "false where strangers share one address",
    )
    connections: int = setting("limits", 20_000, "connections in all", 1, 1_000_000)
    tables: int = setting("limits", 5_000, "tables in all", 1, 1_000_000)

    db: str = setting(
        "kept",
        "",
        "the database; empty for golfnet/golfnet.db in XDG_STATE_HOME or ~/.local/state",
        stands_for="FILE",
    )
    memory: bool = setting(
        "kept",
        False,
        "keep nothing: all is gone when the server ends; of old matches only the last 1,000 stay",
    )
    durability: str = setting(
        "kept",
        "full",
        "full survives a power failure; normal survives the end of the process only, and waits less",
        choices=("full", "normal"),
    )
    rules_folder: str = setting("kept", "", "house rules: a TOML file for each rule set", stands_for="FOLDER")

    admin_socket: str = setting(
        "operators",
        "",
        "socket for golfnet admin; empty for one beside the database, none with memory",
        stands_for="FILE",
    )
    metrics_port: int = _port(
        "operators", NO_PORT, "loopback port of /metrics, /healthz and /readyz; -1 opens none"
    )
    log_format: str = setting(
        "operators", "text", "lines of text, or a JSON object on each", choices=("text", "json")
    )
    verbose: bool = setting("operators", False, "log every connection and command, without what they say")

    def __post_init__(self) -> None:
        for each in SETTINGS.values():
            each.checked(getattr(self, each.name))
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


SETTINGS: Final = {it.name: described(it) for it in fields(Config)}
"""All settings by name, in the order in which people read about them."""


def _check_network(text: str) -> None:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        raise ConfigError("proxy_from", f"addresses or networks such as 10.0.0.0/8, not {text!r}") from None
