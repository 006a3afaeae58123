"""How a process joins the other nodes that serve the same players and tables.

A node listens for links only at the address in its own configuration. The other nodes are told this address before the
node's store is open, and forget it when the node is gone.
"""

import contextlib
import os
import shlex
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import trio
from msgspec import Struct

from golfnet.protocol.address import Address
from golfnet.server.commands.dispatch import Dispatcher
from golfnet.server.config import Config, ConfigError
from golfnet.server.links.link_end import dial
from golfnet.server.links.links import Links
from golfnet.server.links.relay import hand_over
from golfnet.server.net.entrance import PortOpener, serve_tls
from golfnet.server.net.listeners import CannotListen
from golfnet.server.net.tls import NodeCertificate, others_may_read
from golfnet.server.nodes import Lease
from golfnet.server.operations.reaching import keep_publishing, keep_sanctions, receive
from golfnet.server.ownership import Taking, give_once_drained, keep_looking
from golfnet.storage.postgres.bus import PostgresBus
from golfnet.storage.postgres.directory import PostgresDirectory

SECRET_BYTES: Final = 32
"""Minimum bytes in a secret. It has to be long, since anyone who connects gets a proof to test guesses with."""

_CHARACTERS: Final = 10
"""Minimum number of distinct characters in a secret; random bytes in base64 or hexadecimal have more."""


class LinkPort(Struct, frozen=True, kw_only=True):
    """The listener for links, and the ``address`` at which other nodes reach it; ``tls`` is None without TLS."""

    listener: trio.SocketListener
    address: str
    tls: NodeCertificate | None = None


class NodeSetup(NamedTuple):
    """What a process needs to be one of several nodes."""

    directory: PostgresDirectory
    bus: PostgresBus
    secret: str
    port: LinkPort
    lease: float
    """How many seconds a node may go without a commit before the others take its tables."""


def read_secret(path: str) -> str:
    """Return the secret in a file, without surrounding whitespace, or raise ``ConfigError``."""
    try:
        with open(path, encoding="utf-8") as file:
            mode = os.fstat(file.fileno()).st_mode
            secret = file.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("cluster_secret", f"a file that can be read ({error})") from None
    quoted = shlex.quote(os.path.abspath(path))
    if others_may_read(Path(path), mode):
        raise ConfigError(
            "cluster_secret",
            f"a file that nobody else can read: chmod 600 {quoted}, and make a new secret if someone may have read it",
        )
    if len(secret.encode()) < SECRET_BYTES or len({*secret}) < _CHARACTERS or secret in (2 * secret)[1:-1]:
        raise ConfigError(
            "cluster_secret",
            f"a file with {SECRET_BYTES} bytes or more that nobody can guess; this makes one: "
            f"(umask 077; head -c {SECRET_BYTES} /dev/urandom | base64 > {quoted})",
        )
    return secret


def open_link_port(config: Config) -> LinkPort:
    """Listen for links, but accept none until the node has joined; may raise ``BadCertificate`` or ``CannotListen``."""
    host, port = config.link_place
    tls = NodeCertificate(*map(Path, config.cluster_tls)) if config.cluster_tls else None
    try:
        sock = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise CannotListen(
            f"{host}, port {port}",
            OSError(error.errno, os.strerror(error.errno or 0)),  # Python's text would repeat the address
            "--cluster-link",
            host_advice="Choose an address of this computer with --cluster-link.",
        ) from None
    return LinkPort(
        listener=trio.SocketListener(trio.socket.from_stdlib_socket(sock)),
        address=str(Address(host=host, port=sock.getsockname()[1], tls=tls is not None)),
        tls=tls,
    )


async def join(
    setup: NodeSetup, lease: Lease, dispatcher: Dispatcher, opener: PortOpener, work: trio.Nursery
) -> None:
    """Join the other nodes: accept links, take tables without an owner, and start all tasks; may raise ``Refused``."""
    lobby = dispatcher.lobby
    outbox, tls = dispatcher.lobby.config.outbox, setup.port.tls
    links = Links(
        dispatcher,
        secret=setup.secret,
        dial=partial(dial, opener, None if tls is None else tls.dialling),
        has_tls=tls is not None,
    )
    listeners = [setup.port.listener]
    if tls is None:
        opener.open_plain(listeners, links)
    else:
        opener.open(listeners, partial(serve_tls, links, outbox, tls.accepting, newcomers=links.silent))
    dispatcher.hand_over = partial(hand_over, links)
    lobby.links = links
    taking = Taking(lobby)
    lobby.nodes.fetch = taking.fetch
    await taking.take_all()
    work.start_soon(keep_looking, lobby, lease, links, taking)
    work.start_soon(give_once_drained, lobby, links)
    work.start_soon(keep_publishing, lobby)
    work.start_soon(keep_sanctions, lobby)
    token = trio.lowlevel.current_trio_token()

    def soon(call: Callable[..., None], *args: Any) -> None:
        with contextlib.suppress(trio.RunFinishedError):
            token.run_sync_soon(call, *args)

    # If the bus was not the only one to lose its connection, the heartbeat fails, and the lease lapses at once.
    setup.bus.listen(partial(soon, receive, lobby), partial(soon, lease.beat))
    work.start_soon(links.keep_checking)
