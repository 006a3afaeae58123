"""``golfnet serve``: the server on this machine, with everything at its default unless told otherwise."""

import argparse
import logging
import os
import sys
from dataclasses import fields
from functools import partial
from pathlib import Path

import trio

from golfnet.engine.rules import RuleSet
from golfnet.rulesets import catalogue, load_folder
from golfnet.server.config import Config, ConfigError
from golfnet.server.serve import Running, serve
from golfnet.storage.errors import StoreError
from golfnet.storage.memory import MemoryStore
from golfnet.storage.sqlite import Durability, SqliteStore, default_path
from golfnet.storage.store import Store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a flag for every setting, and where to keep what happens."""
    for setting in fields(Config):
        parser.add_argument(
            f"--{setting.name.replace('_', '-')}",
            type=type(setting.default),
            default=setting.default,
            metavar="ADDRESS" if setting.name == "host" else "N",
            help=f"{setting.metadata['meaning']} (default {setting.default})",
        )
    store = parser.add_argument_group("what is kept", "\n".join(f"{d}: {d.risk}" for d in Durability))
    store.add_argument(
        "--db", type=Path, metavar="PATH", help=f"the database (default {default_path(os.environ)})"
    )
    store.add_argument("--memory", action="store_true", help="keep nothing; all is gone when the server ends")
    store.add_argument(
        "--durability",
        type=Durability,
        choices=list(Durability),
        default=Durability.FULL,
        help="default full",
    )
    parser.add_argument(
        "--rules-folder", type=Path, metavar="DIR", help="house rules: a TOML file for each rule set"
    )
    parser.add_argument("--verbose", action="store_true", help="log more")


def run(args: argparse.Namespace) -> int:
    """Serve until a signal comes; return the exit status."""
    logging.basicConfig(
        level=logging.DEBUG if args.verbose else logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
        stream=sys.stderr,
    )
    try:
        config = Config(**{setting.name: getattr(args, setting.name) for setting in fields(Config)})
        rule_sets = catalogue()
        if args.rules_folder is not None:
            loaded = load_folder(args.rules_folder)
            for problem in loaded.problems:
                logging.warning("house rules: %s", problem)
            rule_sets |= loaded.rule_sets
        store: Store = MemoryStore() if args.memory else SqliteStore(_path(args), args.durability)
    except (ConfigError, StoreError) as error:
        print(f"golfnet serve: {error}", file=sys.stderr)
        return 2
    status = 0
    try:
        trio.run(partial(_serve, config, store, rule_sets))
    except* OSError as errors:
        print(f"golfnet serve: cannot listen on {config.host}: {_first(errors)}", file=sys.stderr)
        status = 1
    finally:
        store.close()
    return status


def _path(args: argparse.Namespace) -> Path:
    return args.db if args.db is not None else default_path(os.environ)


def _first(errors: BaseExceptionGroup[OSError]) -> OSError:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error if isinstance(error, OSError) else OSError(str(error))


async def _serve(config: Config, store: Store, rule_sets: dict[str, RuleSet]) -> None:
    async with trio.open_nursery() as nursery:
        start = partial(serve, config, store=store, catalogue=rule_sets, handle_signals=True)
        running: Running = await nursery.start(start)
        for host, port in running.plain:
            print(f"golfnet is open: nc {host} {port}", flush=True)
        for host, port in running.telnet:
            print(f"            or: telnet {host} {port}", flush=True)
