"""All settings of the server, with their defaults, meanings and bounds; there are no other defaults.

Every ``Config`` is valid. Flags and configuration files use these names (flags with ``-`` instead of ``_``). Help,
``golfnet config`` and the checks on a file are all generated from the fields of ``Config``. Values are typed, as in
TOML, so a string is never mistaken for a number.
"""

import ipaddress
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import combinations
from os.path import expanduser
from types import MappingProxyType
from typing import Any, ClassVar, Final, TypeVar, dataclass_transform

from golfnet.engine.frozen import Frozen, FrozenClass
from golfnet.protocol.names import LEVELS

NO_PORT: Final = -1
LOOPBACK: Final = "127.0.0.1"
URL_SCHEMES: Final = ("postgresql://", "postgres://")
EVERYWHERE: Final = "*"
"""The host that stands for all addresses, IPv4 and IPv6."""


Value = int | float | bool | str | tuple[str, ...]

C = TypeVar("C")


class ConfigError(Exception):
    """An invalid setting; the text names it and says what is expected."""

    def __init__(self, name: str, expected: str) -> None:
        super().__init__(f"{name}: {expected}")
        self.name = name
        self.expected = expected


class Setting(Frozen, kw_only=True):
    """One setting, with values as in TOML; help shows ``stands_for`` in place of a value."""

    name: str
    meaning: str
    default: Value
    group: str
    stands_for: str
    bounds: tuple[float, float] | None
    choices: tuple[str, ...]

    @property
    def kind(self) -> type:
        """The type of the setting's values."""
        return type(self.default)

    @property
    def takes(self) -> str:
        """What values are allowed."""
        if self.bounds is not None:
            low, high = self.bounds
            return f"{'a whole number' if self.kind is int else 'a number'} from {low:_} to {high:_}".replace(
                "_", " "
            )
        return f"one of {', '.join(self.choices)}" if self.choices else _TAKES[self.kind]

    @property
    def flag(self) -> str:
        """The command line option."""
        return f"--{self.name.replace('_', '-')}"

    def checked(self, value: Any) -> Value:
        """Check a value, and return it with this setting's type and without ``~``, or raise ``ConfigError``."""
        if self.kind is float and type(value) is int:
            value = float(value)
        if self.kind is tuple and type(value) is list:
            value = tuple(value)
        is_valid = type(value) is self.kind and self._fits(value)
        if not is_valid:
            raise ConfigError(self.name, f"{self.takes}, not {_shown(value)}")
        if self.stands_for in _PATHS:
            value = expanduser(value) if self.kind is str else tuple(map(expanduser, value))
        return value  # type: ignore[no-any-return]

    def _fits(self, value: Any) -> bool:
        if self.bounds is not None:
            return bool(self.bounds[0] <= value <= self.bounds[1])
        if self.choices:
            return value in self.choices
        return self.kind is not tuple or all(type(each) is str for each in value)


_TAKES: Final = {bool: "true or false", str: "a string", tuple: "a list of strings"}
_PATHS: Final = ("FILE", "FOLDER", "CERT KEY CA")


def setting(
    default: Any,
    meaning: str,
    bounds: tuple[float, float] | None = None,
    *,
    choices: tuple[str, ...] = (),
    stands_for: str = "",
    group: str = "",
) -> Any:
    """Describe a field of ``Config`` with the type of its default; ``group`` is the heading from here on."""
    return partial(
        Setting,
        meaning=meaning,
        default=default,
        group=group,
        stands_for=stands_for or ("N" if bounds else "TEXT"),
        bounds=bounds,
        choices=choices,
    )


@dataclass_transform(frozen_default=True, kw_only_default=True)
def configuration(kind: type[C]) -> type[C]:
    """Make a frozen record of a class whose fields are settings; its ``settings`` are these, by name and in order."""
    settings: dict[str, Setting] = {}
    group = ""
    for name, value in vars(kind).items():
        if isinstance(value, partial):
            group = value.keywords["group"] or group
            settings[name] = value(name=name, group=group)
    members = {name: value for name, value in vars(kind).items() if name not in ("__dict__", "__weakref__")}
    members |= {name: each.default for name, each in settings.items()}
    made: Any = FrozenClass(kind.__name__, (Frozen,), members, kw_only=True)
    made.settings = MappingProxyType(settings)
    return made  # type: ignore[no-any-return]


def _shown(value: object) -> str:
    return repr(value).lower() if type(value) is bool else repr(value)


def _port(default: int, meaning: str, *, group: str = "") -> Any:
    return setting(default, meaning, (NO_PORT, 65535), stands_for="PORT", group=group)


@configuration
class Config:
    """The settings of one server."""

    settings: ClassVar[Mapping[str, Setting]]

    host: str = setting(
        "",
        "addresses to listen on, separated by commas; * for all IPv4 and IPv6 addresses; empty for this computer only "
        "or, with lan, for all addresses",
        stands_for="ADDRESS",
        group="Where it listens",
    )
    port: int = setting(
        7777, "port for nc, programs and golfnet-client; 0 chooses a free one", (0, 65535), stands_for="PORT"
    )
    telnet_port: int = _port(7778, "port for telnet; -1 opens none")

    lan: bool = setting(
        False,
        "open the server to the local network: listen on all addresses, or those in host, and announce it there",
        group="On the local network",
    )
    lan_name: str = setting(
        "", "name in lists of servers nearby; empty for the name of this computer", stands_for="NAME"
    )
    qr: bool = setting(False, "at startup, print a QR code with the address for phones")

    web: bool = setting(
        False,
        "serve a page for phones even without lan; outside private networks it needs tls_cert",
        group="The page for phones",
    )
    web_port: int = _port(7780, "port of the page for phones, opened with web or lan; -1 opens none")
    web_names: tuple[str, ...] = setting(
        (), "further host names that browsers may use for the page", stands_for="NAME"
    )

    tls_port: int = _port(7779, "port for TLS, opened if there is a certificate; -1 opens none", group="TLS")
    tls_cert: str = setting("", "certificate with its chain, a PEM file", stands_for="FILE")
    tls_key: str = setting("", "private key of the certificate, a PEM file", stands_for="FILE")
    tls_self_signed: bool = setting(
        False, "make a certificate for this server and keep it next to the database"
    )

    proxy_port: int = _port(
        NO_PORT,
        "port for connections through a proxy that sends the PROXY protocol v2; -1 opens none",
        group="Behind a proxy",
    )
    proxy_from: tuple[str, ...] = setting(
        (),
        "addresses or networks of your proxies; connections to proxy_port from anywhere else are refused",
        stands_for="NETWORK",
    )
    proxy_rtt_type: int = setting(
        0xE4,
        "type of the TLV in which a proxy sends its own round trip to the player, in microseconds, for slams; "
        "224 to 239 are free for this, 5 is HAProxy's unique-id, 0 for none",
        (0, 255),
    )

    clock: int = setting(
        60, "seconds per turn, unless a table sets its own; 0 for none", (0, 3600), group="Clocks"
    )
    pause: int = setting(15, "longest pause between holes, in seconds", (0, 600))
    start_delay: int = setting(5, "seconds before a full table starts", (0, 60))
    fill: int = setting(
        0,
        "seconds before bots fill the empty seats of a table opened by seek, unless seek says otherwise; "
        "0 for never",
        (0, 3600),
    )
    grace: int = setting(
        120, "seconds to wait for a player whose connection is lost before a bot plays the seat", (0, 3600)
    )
    house_level: str = setting("easy", "level of the bot that plays for an absent player", choices=LEVELS)
    house_delay: float = setting(0.8, "seconds before each move of that bot", (0, 10))
    name_time: int = setting(
        300,
        "seconds that a new connection has to give a name; at most 60 for a connection that has sent nothing",
        (1, 600),
    )
    idle_time: int = setting(
        1800, "seconds without a command before a player without a seat is disconnected", (60, 86400)
    )
    drain_time: int = setting(
        10, "seconds that a server waits for players to leave before it stops", (0, 600)
    )

    commands_per_second: int = setting(
        10, "maximum number of commands per second from one connection", (1, 100_000), group="Limits"
    )
    excess_per_10_seconds: int = setting(
        100,
        "maximum number of commands above that rate in ten seconds; one more closes the connection",
        (1, 1_000_000),
    )
    chat_per_10_seconds: int = setting(
        8, "maximum number of chat lines from one connection in ten seconds", (1, 100_000)
    )
    outbox: int = setting(
        262_144,
        "maximum number of unsent bytes kept for a slow client before it is disconnected; when a quarter of that is "
        "waiting, nothing more is read from the client",
        (32_768, 64 * 1024 * 1024),
    )
    connections_per_address: int = setting(
        20,
        "maximum number of connections from one address or IPv6 /64; no limit for loopback and private networks",
        (1, 100_000),
    )
    names_per_hour: int = setting(
        120,
        "maximum number of new names and accounts from one address or IPv6 /64 in an hour; no limit for loopback and "
        "private networks",
        (1, 100_000),
    )
    reclaim: bool = setting(
        True,
        "let a guest who lost the connection take the name and seat again from the same address, without the token; "
        "set it to false if strangers share one address",
    )
    hints: bool = setting(
        True, "let players ask for hints, except in rated matches; false for no hints at all"
    )
    connections: int = setting(20_000, "maximum number of connections", (1, 1_000_000))
    tables: int = setting(5_000, "maximum number of tables", (1, 1_000_000))

    db: str = setting(
        "",
        "the database file; empty for golfnet.db in the folder that golfnet --help names",
        stands_for="FILE",
        group="What is kept",
    )
    database: str = setting(
        "",
        "a PostgreSQL database instead of the file, such as postgresql://golfnet@db.example.org/golfnet; needs "
        "golfnet[cluster]",
        stands_for="URL",
    )
    memory: bool = setting(
        False,
        "keep everything in memory, and lose it when the server stops; of finished matches, keep only the last 1,000",
    )
    durability: str = setting(
        "full",
        "with full, matches survive a power failure; normal is faster, but they survive only a crash of the server",
        choices=("full", "normal"),
    )
    rules_folder: str = setting("", "folder with your own rule sets, one TOML file each", stands_for="FOLDER")

    cluster: bool = setting(
        False,
        "serve as one of several nodes: golfnet processes that share one PostgreSQL database, players and tables",
        group="Several nodes of one server",
    )
    cluster_link: str = setting(
        f"{LOOPBACK}:0",
        "address and port for the other nodes, such as 10.0.0.5:7790; without cluster_tls the address has to be "
        "private; port 0 chooses a free one",
        stands_for="ADDRESS",
    )
    cluster_secret: str = setting(
        "",
        "file with the secret that all nodes share, 32 random bytes or more, readable by nobody else",
        stands_for="FILE",
    )

    cluster_tls: tuple[str, ...] = setting(
        (),
        "three PEM files, for TLS between the nodes: this node's certificate, its private key, and the certificate of "
        "the authority that signs the certificates of all nodes",
        stands_for="CERT KEY CA",
    )

    cluster_lease: int = setting(
        3,
        "seconds without a write after which the others take over a node's tables; the same on all nodes",
        (1, 60),
    )

    processes: int = setting(
        1,
        "number of processes on this machine that share its ports, such as one per core; each is a node, so they need "
        "a PostgreSQL database; limits on connections, tables and addresses apply to each of them",
        (1, 64),
    )

    admin_socket: str = setting(
        "",
        "socket for golfnet admin; empty for one next to the database (none with memory)",
        stands_for="FILE",
        group="For operators",
    )
    metrics_port: int = _port(NO_PORT, "loopback port for /metrics, /healthz and /readyz; -1 opens none")
    log_format: str = setting("text", "text, or json for one JSON object per line", choices=("text", "json"))
    verbose: bool = setting(False, "log every connection and command, but not what is said")

    def __post_init__(self) -> None:
        for each in SETTINGS.values():
            each.checked(getattr(self, each.name))
        for is_wrong, name, expected in self._conflicts:
            if is_wrong:
                raise ConfigError(name, expected)
        for network in self.proxy_from:
            try:
                ipaddress.ip_network(network)
            except ValueError:
                expected = f"addresses or networks such as 10.0.0.0/8, not {network!r}"
                raise ConfigError("proxy_from", expected) from None

    @property
    def _conflicts(self) -> Iterable[tuple[object, str, str]]:
        """What settings must not be together: whether they are, and the setting to change, with what it should be."""
        cert, key, pair = self.tls_cert, self.tls_key, "a PEM file; certificate and key go together"
        url, cluster, several = self.database, self.cluster, self.processes > 1
        is_alone = self.memory or not url
        port_of_links = self.link_place[1] if cluster else 0
        last_metrics_port = self.metrics_port + self.processes - 1
        are_ports = self.metrics_port != 0 and last_metrics_port <= 65535
        return (
            (key and not cert, "tls_cert", pair),
            (cert and not key, "tls_key", pair),
            (cert and self.tls_self_signed, "tls_self_signed", "false if tls_cert names a certificate"),
            (not self.hosts, "host", "an address to listen on, such as 127.0.0.1 or *"),
            (EVERYWHERE in self.hosts[1:] + self.hosts[:-1], "host", "* alone, or addresses without it"),
            *[
                (port == taken, name, f"a port of its own, not {port} as {other}")
                for (other, taken), (name, port) in combinations(self._ports, 2)
            ],
            (not self.lan_name.isprintable(), "lan_name", "one line of visible characters"),
            (
                any("/" in name or name.count(":") == 1 for name in self.web_names),
                "web_names",
                "names such as golf.example.org, without https:// and port",
            ),
            (self.db.startswith(URL_SCHEMES), "db", "a file; to name a PostgreSQL database, use database"),
            (
                url and not url.startswith(URL_SCHEMES),
                "database",
                "a URL such as postgresql://USER@HOST/DATABASE; to name a file, use db",
            ),
            (url and self.db, "database", "nothing if db names a file"),
            (url and self.durability != "full", "durability", "full if database names a PostgreSQL database"),
            (self.cluster_tls and not cluster, "cluster_tls", "nothing unless cluster is true"),
            (
                cluster and is_alone,
                "cluster",
                "false unless database names the PostgreSQL database of all nodes",
            ),
            (
                cluster and not self.cluster_secret,
                "cluster_secret",
                "a file with the secret that all nodes share",
            ),
            (
                len(self.cluster_tls) not in (0, 3),
                "cluster_tls",
                "three files: certificate, private key and authority's certificate",
            ),
            (cluster and self.lan, "lan", "false for a node in a cluster: each has a different address"),
            (several and is_alone, "processes", "1 unless database names a PostgreSQL database"),
            (several and self.lan, "lan", "false with several processes"),
            (
                several and not are_ports,
                "metrics_port",
                "the port of the first process; the others use the ones above it",
            ),
            (
                several and port_of_links,
                "cluster_link",
                "port 0 with several processes: each chooses a free one",
            ),
            (
                self.proxy_port != NO_PORT and not self.proxy_from,
                "proxy_from",
                "at least one address or network if proxy_port is open",
            ),
        )

    @property
    def _ports(self) -> list[tuple[str, int]]:
        """The ports to open, each with the name of its setting, except for those that the system chooses."""
        metrics_ports = range(self.metrics_port, self.metrics_port + self.processes)
        named = (
            *[(name, getattr(self, name)) for name in ("port", "telnet_port", "proxy_port")],
            ("tls_port", self.tls_port if self.has_tls else NO_PORT),
            ("web_port", self.web_port if self.has_web else NO_PORT),
            *[("metrics_port", port) for port in metrics_ports if self.metrics_port > 0],
        )
        return [each for each in named if each[1] > 0]

    @property
    def hosts(self) -> tuple[str, ...]:
        """The addresses to listen on; ``EVERYWHERE`` stands for all."""
        if not self.host:
            return (EVERYWHERE if self.lan else LOOPBACK,)
        return tuple(address.strip() for address in self.host.split(",") if address.strip())

    @property
    def link_place(self) -> tuple[str, int]:
        """The address and port for links from other nodes; raises ``ConfigError``."""
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
        """Whether to open the port for the phone page."""
        return self.web_port != NO_PORT and (self.web or self.lan)

    @property
    def has_tls(self) -> bool:
        """Whether to open the TLS port."""
        return self.tls_port != NO_PORT and (bool(self.tls_cert) or self.tls_self_signed)


SETTINGS: Final = Config.settings
"""All settings by name, in the order in which help lists them."""
