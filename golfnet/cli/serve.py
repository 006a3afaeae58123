"""``golfnet serve``: the server on this machine, with default settings unless configured otherwise.

Run as a program, this module is one of the processes of ``golfnet serve --processes``.
"""

import argparse
import json
import logging
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import trio

from golfnet.cli.config import add_flags, admin_socket, database, settings_of
from golfnet.cli.output import BAD_USAGE, FAILED, Failed, complain
from golfnet.engine.rules import RuleSet
from golfnet.protocol.errors import Refused
from golfnet.rulesets import catalogue, load_folder
from golfnet.server.accounts.sanctions import BadSanctions, Sanctions
from golfnet.server.config import NO_PORT, SETTINGS, Config, ConfigError
from golfnet.server.hosting import Hosting, host
from golfnet.server.net.kernel import raise_limit
from golfnet.server.net.listeners import BadHandover, CannotListen, PortKind, handed_sockets, listening_socket
from golfnet.server.net.tls import BadCertificate, Certificate, own_certificate, own_names
from golfnet.server.operations.console import Console, set_up
from golfnet.storage.directory import SanctionKind
from golfnet.storage.faults import StoreError
from golfnet.storage.files import default_database
from golfnet.storage.sqlite import MemoryStore, SqliteStore

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping, Sequence

    from golfnet.server.joining import NodeSetup
    from golfnet.storage.postgres.store import PostgresStore
    from golfnet.storage.store import Store

GAVE_UP = 3
FENCED = 75
"""``EX_TEMPFAIL`` of sysexits.h, so that a service manager starts the server again."""

UNUSABLE = (CannotListen, Failed, ConfigError, StoreError, BadCertificate, BadSanctions, BadHandover)
"""Errors that prevent a server from starting."""

FEW_CONNECTIONS = 500
"""A warning is logged if fewer connections than this are possible, even if ``connections`` is not set."""

CLOSE_SECONDS = 0.5
"""Maximum seconds for closing the database: it takes a few milliseconds, unless the disk hangs."""

DESCRIPTION = """\
Run the server. Without options it is open to this computer only, on port 7777 for nc and 7778 for telnet, and matches
survive restarts and crashes. When it starts, it prints what friends have to type."""

EPILOG = """\
examples:
  golfnet serve                        for this computer
  golfnet serve --lan --qr             for everybody on your network; golfnet-client finds it by itself
  golfnet serve --host '*' --tls-self-signed
                                       for everybody, with TLS on port 7779
  golfnet serve --config /etc/golfnet/golfnet.toml
  golfnet serve --processes 4 --database postgresql://golfnet@127.0.0.1/golfnet
                                       four processes on the same ports, for a machine with four cores

signals:
  TERM, INT   stop gracefully: open no new tables, wait drain_time seconds for the players, then tell those who are
  (Ctrl-C)    still there to reconnect later. A second signal stops at once. No match is lost either way.
  HUP         if the server was started from a terminal: stop gracefully, because the terminal has been closed.
              Otherwise: read the TLS certificate again.

A stop takes at most drain_time plus five seconds, whatever the disk does; one node of several first gives its tables to
the others, which takes at most 20 seconds. With --processes the first process passes signals on to the others, restarts
one that has exited, and exits with the worst of their exit statuses.

Exit status: 0 stopped; 1 an address or port cannot be used; 2 a setting or the database cannot be used; 3 stopped, but
the disk did not store the last events (no player was told of them; the log says more); 75 another server has taken
over the PostgreSQL database.
golfnet config explains every setting; golfnet admin talks to a running server."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a flag for every setting."""
    add_flags(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until a signal arrives; return the exit status."""
    try:
        config, _ = settings_of(args)
        console = Console(sys.stdout, os.environ, is_quiet=config.log_format == "json")
        set_up(console.above(sys.stderr), as_json=config.log_format == "json", verbose=config.verbose)
        hosting = hosting_of(
            config, console, handed_sockets(os.environ, os.getpid()), stops_on_hangup=_stops_on_hangup()
        )
        if config.processes > 1:
            from golfnet.cli.processes import run_processes

            return run_processes(hosting)
    except UNUSABLE as error:
        return _refuse(error)
    return run_server(hosting)


def hosting_of(
    config: Config,
    console: Console,
    handed: "Mapping[str, Sequence[socket.socket]]",
    *,
    stops_on_hangup: bool = False,
) -> Hosting:
    """Return everything that a server needs to run. Raise one of ``UNUSABLE`` if it cannot start."""
    if config.metrics_port != NO_PORT:
        from importlib.util import find_spec

        if find_spec("prometheus_client") is None:
            raise Failed(
                "metrics_port needs a package that is not installed: pip install 'golfnet[metrics]'; or leave it out"
            )
    path = _path(config)
    certificate = _certificate(config, path)
    if PortKind.TLS in handed and certificate is None:
        raise BadHandover(
            "a socket for TLS was handed over; expected tls_cert and tls_key, or tls_self_signed"
        )
    file = path.with_suffix(".sanctions.json")
    sanctions = Sanctions(None if config.memory else file)
    if config.cluster and any(map(sanctions.of, SanctionKind)):
        logging.warning(
            "the bans and mutes in %s do not apply in a cluster, which has its own: repeat them, then remove the file",
            file,
        )
    return Hosting(
        config=config,
        catalogue=_rule_sets(config),
        certificate=certificate,
        sanctions=sanctions,
        handed=handed,
        admin_socket=admin_socket(config),
        audit_log=None if config.memory else path.with_suffix(".audit.log"),
        environ=os.environ,
        console=console,
        stops_on_hangup=stops_on_hangup,
    )


def run_server(hosting: Hosting) -> int:
    """Serve in this process until a signal arrives; return the exit status."""
    config = hosting.config
    path = _path(config)
    try:
        store, node = _opened(config, path, hosting.audit_log)
        _make_room(config.connections)
    except UNUSABLE as error:
        return _refuse(error)
    status = 0
    try:
        journal = trio.run(host, hosting, store, node)
        status = FENCED if journal.is_fenced else GAVE_UP if journal.unstored else 0
    except* (CannotListen, StoreError, Refused) as errors:
        # The database may have become unreachable after it was opened.
        for reason in _leaves(errors):
            status = _refuse(reason)
    finally:
        is_closed = _close(store)
    if not is_closed:
        # At a normal exit, the interpreter would wait for threads that are still waiting for the disk.
        logging.warning(
            "the database%s could not be closed, because it does not answer; the next start repairs it",
            "" if config.database else f" {path}",
        )
        logging.shutdown()
        sys.stdout.flush()
        os._exit(status)
    return status


def _refuse(error: BaseException) -> int:
    complain("serve", f"{error}")
    return FAILED if isinstance(error, CannotListen) else BAD_USAGE


def _path(config: Config) -> Path:
    """Return the path next to which the server keeps files: the database's or, with ``--memory``, the default one."""
    return default_database() if config.memory else database(config)


def _opened(config: Config, path: Path, audit_log: Path | None) -> "tuple[Store, NodeSetup | None]":
    """Open the store and, in a cluster, everything else that a node needs. Raise ``StoreError`` on failure."""
    if not config.cluster:
        return _store(config, path, audit_log, ""), None
    from golfnet.server.joining import NodeSetup, open_link_port, read_secret

    secret, port = read_secret(config.cluster_secret), open_link_port(config)
    store = _store(config, path, audit_log, port.address)
    from golfnet.storage.postgres.bus import PostgresBus
    from golfnet.storage.postgres.directory import PostgresDirectory

    url, node = config.database, cast("PostgresStore", store).node
    directory, bus = PostgresDirectory(url, node), PostgresBus(url, node)
    return store, NodeSetup(
        directory=directory, bus=bus, secret=secret, port=port, lease=config.cluster_lease
    )


def _store(config: Config, path: Path, audit_log: Path | None, link: str) -> "Store":
    """Open the store; ``link`` is the node's link address, empty outside a cluster. Raise ``StoreError`` on failure."""
    if config.memory:
        return MemoryStore()
    if config.database:
        from golfnet.storage.postgres import need_driver

        need_driver()
        from golfnet.storage.postgres.fence import shut_out_silent
        from golfnet.storage.postgres.store import PostgresStore

        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name in shut_out_silent(config.database, config.cluster_lease) if link else ():
            logging.warning("the node %s has stopped unexpectedly; its tables continue here", name)
        return PostgresStore(config.database, link=link, lease=config.cluster_lease, notify=logging.warning)
    is_new = not path.exists()
    store = SqliteStore(path, config.durability)
    if is_new and audit_log is not None and audit_log.exists():
        logging.warning(
            "%s did not exist, so it starts empty, although %s shows that a server ran before; is it the right file?",
            path,
            audit_log,
        )
    return store


def _make_room(connections: int) -> None:
    """Raise the limit on open files; warn if it is still too low for ``connections``, or for a typical server."""
    fit = raise_limit(connections)
    is_asked = connections != SETTINGS["connections"].default
    if fit < connections and (is_asked or fit < FEW_CONNECTIONS):
        logging.warning(
            "this process cannot open enough files for %d connections, only for about %d: raise the hard limit "
            "(ulimit -Hn, LimitNOFILE=)",
            connections,
            fit,
        )


def _close(store: "Store") -> bool:
    """Close a store unless its disk hangs; return whether it closed in time."""
    thread = threading.Thread(target=store.close, name="close", daemon=True)
    thread.start()
    thread.join(CLOSE_SECONDS)
    return not thread.is_alive()


def _rule_sets(config: Config) -> dict[str, RuleSet]:
    rule_sets = catalogue()
    if config.rules_folder:
        try:
            loaded = load_folder(Path(config.rules_folder))
        except OSError as error:
            raise Failed(
                f"rules_folder: {config.rules_folder}: {error.strerror}. Name a folder with a TOML file for each rule "
                "set."
            ) from None
        for problem in loaded.problems:
            logging.warning("house rules: %s", problem)
        rule_sets |= loaded.rule_sets
    return rule_sets


def _certificate(config: Config, beside: Path) -> Certificate | None:
    if not config.has_tls:
        return None
    if config.tls_cert:
        return Certificate(Path(config.tls_cert), Path(config.tls_key))
    return own_certificate(beside.with_suffix(".tls.pem"), own_names())


def _stops_on_hangup() -> bool:
    """Return whether to stop when the terminal closes; false for a service, and for a process run with nohup."""
    heeds_hangup = hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return heeds_hangup and any(stream is not None and stream.isatty() for stream in streams)


def _leaves(errors: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    return [
        leaf
        for error in errors.exceptions
        for leaf in (_leaves(error) if isinstance(error, BaseExceptionGroup) else [error])
    ]


def serve_for_parent() -> int:
    """Serve as one of several processes, with the configuration and sockets that they get on standard input."""
    line = sys.stdin.buffer.readline()
    if not line.endswith(b"\n"):
        return BAD_USAGE
    given = json.loads(line)
    values: dict[str, Any] = {name: SETTINGS[name].checked(value) for name, value in given["config"].items()}
    config = Config(**values)
    set_up(sys.stderr, as_json=config.log_format == "json", verbose=config.verbose)
    threading.Thread(target=_stop_at_end_of_input, daemon=True).start()
    handed = {
        kind: [listening_socket(descriptor, kind) for descriptor in each]
        for kind, each in given["sockets"].items()
    }
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # the parent prints the first screen
        try:
            hosting = hosting_of(config, Console(nowhere, {}, is_quiet=True), handed)
        except UNUSABLE:  # the parent reports such an error
            return BAD_USAGE
        return run_server(hosting)


def _stop_at_end_of_input() -> None:
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(serve_for_parent())
