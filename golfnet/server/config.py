"""All settings of the server, with default, meaning and bounds; there are no other defaults.

Every ``Config`` is valid. Flags and configuration files use these names, flags with ``-`` instead of ``_``; help,
``golfnet config`` and the checks of a file are made from the fields below.
"""

import ipaddress
from dataclasses import dataclass, fields
from typing import Any, Final

from golfnet.protocol.names import LEVELS
from golfnet.server.setting import ConfigError, described, setting

NO_PORT: Final = -1
LOOPBACK: Final = "127.0.0.1"
URL_SCHEMES: Final = ("postgresql://", "postgres://")
EVERYWHERE: Final = "*"
"""The host that stands for all addresses, IPv4 and IPv6."""


def _port(group: str, default: int, meaning: str) -> Any:
    return setting(group, default, meaning, NO_PORT, 65535, stands_for="PORT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of one server."""

    host: str = setting(
        "listening",
        "",
        "addresses to listen on, separated by commas; * for all of IPv4 and IPv6; empty for only this computer, or "
        "with lan for all",
        stands_for="ADDRESS",
    )
    port: int = setting(
        "listening",
        7777,
        "port for nc, programs and golfnet-client; 0 chooses a free one",
        0,
        65535,
        stands_for="PORT",
    )
    telnet_port: int = _port("listening", 7778, "port for telnet; -1 opens none")

    lan: bool = setting(
        "lan",
        False,
        "open the server to the local network: listen on all addresses, or those in host, and announce it there",
    )
    lan_name: str = setting(
        "lan", "", "name in lists of servers nearby; empty for the name of this computer", stands_for="NAME"
    )
    qr: bool = setting("lan", False, "at the start, print a QR code with the address for phones")

    web: bool = setting(
        "web", False, "serve a page for phones also without lan; outside private networks it needs tls_cert"
    )
    web_port: int = _port("web", 7780, "port of the page for phones, opened with web or lan; -1 opens none")
    web_names: tuple[str, ...] = setting(
        "web", (), "more names that browsers may use for the page", stands_for="NAME"
    )

    tls_port: int = _port("tls", 7779, "port for TLS, opened where there is a certificate; -1 opens none")
    tls_cert: str = setting("tls", "", "certificate with its chain, a PEM file", stands_for="FILE")
    tls_key: str = setting("tls", "", "private key of the certificate, a PEM file", stands_for="FILE")
    tls_self_signed: bool = setting(
        "tls", False, "make a certificate for this server and keep it beside the database"
    )

    proxy_port: int = _port(
        "proxy",
        NO_PORT,
        "port for connections through a proxy that sends the PROXY protocol v2; -1 opens none",
    )
    proxy_from: tuple[str, ...] = setting(
        "proxy",
        (),
        "addresses or networks of your proxies; connections to proxy_port from anywhere else are refused",
        stands_for="NETWORK",
    )
    proxy_rtt_type: int = setting(
        "proxy",
        0xE4,
        "type of the TLV in which a proxy sends its own round trip to the player, in microseconds, for slams; "
        "224 to 239 are free for this, 5 is HAProxy's unique-id, 0 for none",
        0,
        255,
    )

    clock: int = setting("clocks", 60, "seconds for a turn, unless a table sets its own; 0 for none", 0, 3600)
    pause: int = setting("clocks", 15, "longest pause between two holes, in seconds", 0, 600)
    start_delay: int = setting("clocks", 5, "seconds before a full table starts", 0, 60)
    fill: int = setting(
        "clocks",
        0,
        "seconds before bots fill the empty seats of a table opened by seek, unless seek says otherwise; "
        "0 for never",
        0,
        3600,
    )
    grace: int = setting(
        "clocks",
        120,
        "seconds to wait for a player whose connection is lost before a bot plays the seat",
        0,
        3600,
    )
    house_level: str = setting(
        "clocks",
        "easy",
        "level of the bot that plays for an absent player",
        choices=LEVELS,
    )
    house_delay: float = setting("clocks", 0.8, "seconds before each move of that bot", 0, 10)
    name_time: int = setting(
        "clocks",
        300,
        "seconds to give a name after connecting; at most 60 for a connection that has sent nothing",
        1,
        600,
    )
    idle_time: int = setting(
        "clocks", 1800, "seconds without a command before a player without a seat is disconnected", 60, 86400
    )
    drain_time: int = setting(
        "clocks", 10, "seconds that a stopping server waits for players to leave", 0, 600
    )

    commands_per_second: int = setting(
        "limits", 10, "most commands from one connection in a second", 1, 100_000
    )
    excess_per_10_seconds: int = setting(
        "limits",
        100,
        "most commands above that rate in ten seconds; with one more the connection is closed",
        1,
        1_000_000,
    )
    chat_per_10_seconds: int = setting(
        "limits", 8, "most lines of chat from one connection in ten seconds", 1, 100_000
    )
    outbox: int = setting(
        "limits",
        262_144,
        "most unsent bytes kept for a slow client before it is disconnected; when a quarter of them waits, nothing "
        "more is read from it",
        32_768,
        64 * 1024 * 1024,
    )
    connections_per_address: int = setting(
        "limits",
        20,
        "most connections from one address, or one /64 of IPv6; loopback and private networks have no limit",
        1,
        100_000,
    )
    names_per_hour: int = setting(
        "limits",
        120,
        "most new names and accounts from one address, or one /64 of IPv6, in an hour; loopback and private networks "
        "have no limit",
        1,
        100_000,
    )
    reclaim: bool = setting(
        "limits",
        True,
        "let a guest who lost the connection take the name and seat again from the same address, without the token; "
        "false where strangers share one address",
    )
    hints: bool = setting(
        "limits", True, "let players ask for hints, except in rated matches; false for none at all"
    )
    connections: int = setting("limits", 20_000, "most connections", 1, 1_000_000)
    tables: int = setting("limits", 5_000, "most tables", 1, 1_000_000)

    db: str = setting(
        "kept",
        "",
        "the database file; empty for golfnet.db in the folder that golfnet --help names",
        stands_for="FILE",
    )
    database: str = setting(
        "kept",
        "",
        "a PostgreSQL database in place of the file, such as postgresql://golfnet@db.example.org/golfnet; needs "
        "golfnet[cluster]",
        stands_for="URL",
    )
    memory: bool = setting(
        "kept",
        False,
        "keep everything in memory only: it is lost when the server ends; of finished matches the last 1,000 are kept",
    )
    durability: str = setting(
        "kept",
        "full",
        "full survives a power failure; normal is faster and survives only a crash of the server",
        choices=("full", "normal"),
    )
    rules_folder: str = setting(
        "kept", "", "folder with your own rule sets, a TOML file for each", stands_for="FOLDER"
    )

    cluster: bool = setting(
        "cluster",
        False,
        "serve as one of several nodes: golfnet processes on one PostgreSQL database, for the same players and tables",
    )
    cluster_link: str = setting(
        "cluster",
        f"{LOOPBACK}:0",
        "address and port for the other nodes, such as 10.0.0.5:7790, a private one without cluster_tls; port 0 "
        "chooses a free one",
        stands_for="ADDRESS",
    )
    cluster_secret: str = setting(
        "cluster",
        "",
        "file with the secret that all nodes know, 32 random bytes or more, for nobody else to read",
        stands_for="FILE",
    )

    cluster_tls: tuple[str, ...] = setting(
        "cluster",
        (),
        "three PEM files, for TLS between the nodes: this node's certificate, its private key, and the certificate of "
        "the authority that signs those of all nodes",
        stands_for="CERT KEY CA",
    )

    cluster_lease: int = setting(
        "cluster",
        3,
        "seconds after which the others take the tables of a node that writes nothing; the same at all nodes",
        1,
        60,
    )

    processes: int = setting(
        "cluster",
        1,
        "processes of this machine that share its ports, each one node: as many as it has cores, with a PostgreSQL "
        "database; limits for connections, tables and addresses are for each of them",
        1,
        64,
    )

    admin_socket: str = setting(
        "operators",
        "",
        "socket for golfnet admin; empty for one beside the database, or for none with memory",
        stands_for="FILE",
    )
    metrics_port: int = _port(
        "operators", NO_PORT, "loopback port of /metrics, /healthz and /readyz; -1 opens none"
    )
    log_format: str = setting(
        "operators", "text", "text, or json for one JSON object on each line", choices=("text", "json")
    )
    verbose: bool = setting("operators", False, "log every connection and command, but not what is said")

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
        if self.db.startswith(URL_SCHEMES):
            raise ConfigError("db", "a file; a PostgreSQL database is named with database")
        if self.database:
            self._check_database()
        if self.cluster_tls and not self.cluster:
            raise ConfigError("cluster_tls", "nothing unless cluster is true")
        if self.cluster:
            self._check_cluster()
        if self.processes > 1:
            self._check_processes()
        for network in self.proxy_from:
            _check_network(network)
        if self.proxy_port != NO_PORT and not self.proxy_from:
            raise ConfigError("proxy_from", "at least one address or network, where proxy_port is open")

    def _check_database(self) -> None:
        """Raise ``ConfigError`` for settings that do not apply to a PostgreSQL database."""
        if not self.database.startswith(URL_SCHEMES):
            raise ConfigError(
                "database", "a URL such as postgresql://USER@HOST/DATABASE; a file is named with db"
            )
        if self.db:
            raise ConfigError("database", "nothing where db names a file")
        if self.durability != "full":
            raise ConfigError("durability", "full where database names a PostgreSQL database")

    def _check_cluster(self) -> None:
        """Raise ``ConfigError`` for settings that a node cannot have."""
        if not self.database or self.memory:
            raise ConfigError("cluster", "false unless database names the PostgreSQL database of all nodes")
        if not self.cluster_secret:
            raise ConfigError("cluster_secret", "a file with the secret that all nodes know")
        if len(self.cluster_tls) not in (0, 3):
            raise ConfigError(
                "cluster_tls", "three files: certificate, private key and authority's certificate"
            )
        if self.lan:
            raise ConfigError("lan", "false for a node of several: each has another address")
        self.link_place  # noqa: B018 -- for its checks

    def _check_processes(self) -> None:
        """Raise ``ConfigError`` for settings that several processes cannot share."""
        if not self.database or self.memory:
            raise ConfigError("processes", "1 unless database names a PostgreSQL database")
        if self.lan:
            raise ConfigError("lan", "false where there are several processes")
        if self.metrics_port == 0 or self.metrics_port + self.processes - 1 > 65535:
            raise ConfigError(
                "metrics_port", "the port of the first process; the next ones have those above it"
            )
        if self.cluster and self.link_place[1]:
            raise ConfigError(
                "cluster_link", "port 0 where there are several processes: each chooses a free one"
            )

    @property
    def hosts(self) -> tuple[str, ...]:
        """The addresses to listen on; ``EVERYWHERE`` stands for all."""
        if not self.host:
            return (EVERYWHERE if self.lan else LOOPBACK,)
        return tuple(address.strip() for address in self.host.split(",") if address.strip())

    @property
    def link_place(self) -> tuple[str, int]:
        """The address and the port for links from other nodes; raises ``ConfigError``."""
        host, _, port = self.cluster_link.rpartition(":")
        try:
            address = ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
            is_fit = (address.is_private or self.cluster_tls) and not address.is_unspecified
            if is_fit and 0 <= int(port) <= 65535:
                return str(address), int(port)
        except ValueError:
            pass
        raise ConfigError(
            "cluster_link",
            f"{'an' if self.cluster_tls else 'a private'} address and a port such as 10.0.0.5:7790, "
            f"not {self.cluster_link!r}",
        )

    @property
    def has_web(self) -> bool:
        """Whether the port of the page for phones is to be opened."""
        return self.web_port != NO_PORT and (self.web or self.lan)

    @property
    def has_tls(self) -> bool:
        """Whether the TLS port is to be opened."""
        return self.tls_port != NO_PORT and (bool(self.tls_cert) or self.tls_self_signed)


SETTINGS: Final = {it.name: described(it) for it in fields(Config)}
"""All settings by name, in the order of help."""


def _check_network(text: str) -> None:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        raise ConfigError("proxy_from", f"addresses or networks such as 10.0.0.0/8, not {text!r}") from None
