"""``golfnet serve``: the server on this machine, with everything at its default unless told otherwise."""

import argparse
import logging
import sys
from dataclasses import fields
from functools import partial

import trio

from golfnet.rulesets import catalogue
from golfnet.server.config import Config, ConfigError
from golfnet.server.serve import Running, serve
from golfnet.storage.memory import MemoryStore


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a flag for every setting."""
    for setting in fields(Config):
        parser.add_argument(
            f"--{setting.name.replace('_', '-')}",
            type=type(setting.default),
            default=setting.default,
            metavar="ADDRESS" if setting.name == "host" else "N",
            help=f"{setting.metadata['meaning']} (default {setting.default})",
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
        trio.run(_serve, config)
    except ConfigError as error:
        print(f"golfnet serve: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(
            f"golfnet serve: cannot listen on {args.host} port {args.port}: {error.strerror}", file=sys.stderr
        )
        return 1
    return 0


async def _serve(config: Config) -> None:
    start = partial(serve, config, store=MemoryStore(), catalogue=catalogue(), handle_signals=True)
    async with trio.open_nursery() as nursery:
        running: Running = await nursery.start(start)
        for host, port in running.plain:
            print(f"golfnet is open: nc {host} {port}", flush=True)
        for host, port in running.telnet:
            print(f"            or: telnet {host} {port}", flush=True)
