"""``golfnet serve``: the server on this machine, with everything at its default unless told otherwise."""

import argparse
import logging
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from golfnet.cli.settings import (
    BAD_USAGE,
    BadSettings,
    add_config_argument,
    add_flags,
    admin_socket,
    database,
    settings_of,
)
from golfnet.engine.rules import RuleSet
from golfnet.rulesets import catalogue, load_folder
from golfnet.server.config import Config
from golfnet.server.hosting import Hosting, host
from golfnet.server.listeners import CannotListen, DoorKind
from golfnet.server.logs import set_up
from golfnet.server.sanctions import BadSanctions, Sanctions
from golfnet.server.systemd import BadHandover, handed_sockets
from golfnet.server.tls import BadCertificate, Certificate, own_certificate, own_names
from golfnet.storage.errors import StoreError
from golfnet.storage.memory import MemoryStore
from golfnet.storage.sqlite import Durability, SqliteStore, default_path

if TYPE_CHECKING:
    from golfnet.storage.store import Store

FAILED = 1

DESCRIPTION = """\
Run the server. Without anything it is open to this machine only, on port 7777 for lines and 7778 for telnet, and
keeps matches through restarts and crashes. What friends have to type is printed at the start."""

EPILOG = """\
examples:
  golfnet serve                        for this machine
  golfnet serve --lan --qr             for everybody nearby; clients find it by themselves
  golfnet serve --host '*' --tls-self-signed
                                       for everybody, with TLS on port 7779
  golfnet serve --config /etc/golfnet/golfnet.toml

signals:
  TERM, INT   stop gracefully: no new tables, drain_time seconds, then everybody is told to come back; a second one
              stops at once. No match is lost either way.
  HUP         read the TLS certificate again.

Exit status: 0 stopped, 1 an address cannot be listened on, 2 a setting cannot be used.
golfnet config explains every setting; golfnet admin talks to a server that runs."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a flag for every setting."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add_config_argument(parser)
    add_flags(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until a signal comes; return the exit status."""
    try:
        config, _ = settings_of(args, os.environ)
        set_up(sys.stderr, as_json=config.log_format == "json", verbose=config.verbose)
        path = default_path(os.environ) if config.memory else database(config, os.environ)
        certificate = _certificate(config, path)
        handed = handed_sockets(os.environ, os.getpid())
        if DoorKind.TLS in handed and certificate is None:
            raise BadHandover(
                "a socket for TLS was handed over; expected tls_cert and tls_key, or tls_self_signed"
            )
        hosting = Hosting(
            config=config,
            catalogue=_rule_sets(config),
            certificate=certificate,
            sanctions=Sanctions(None if config.memory else path.with_suffix(".sanctions.json")),
            handed=handed,
            admin_socket=admin_socket(config, os.environ),
            audit_log=None if config.memory else path.with_suffix(".audit.log"),
            environ=os.environ,
            tell=partial(print, flush=True),
        )
        store: Store = MemoryStore() if config.memory else SqliteStore(path, Durability(config.durability))
    except (BadSettings, StoreError, BadCertificate, BadSanctions, BadHandover) as error:
        print(f"golfnet serve: {error}", file=sys.stderr)
        return BAD_USAGE
    status = 0
    try:
        trio.run(host, hosting, store)
    except* CannotListen as errors:
        for reason in _leaves(errors):
            print(f"golfnet serve: {reason}", file=sys.stderr)
        status = FAILED
    finally:
        store.close()
    return status


def _rule_sets(config: Config) -> dict[str, RuleSet]:
    rule_sets = catalogue()
    if config.rules_folder:
        loaded = load_folder(Path(config.rules_folder))
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


def _leaves(errors: BaseExceptionGroup[CannotListen]) -> list[BaseException]:
    return [
        leaf
        for error in errors.exceptions
        for leaf in (_leaves(error) if isinstance(error, BaseExceptionGroup) else [error])
    ]
