"""The ``golfnet`` command: one table of subcommands, each in a module that is imported only when it is called."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from golfnet import __version__

COMMANDS: Final = {
    "serve": "run the server",
    "schema": "print the JSON Schema of machine mode",
    "arena": "let bots play against each other",
    "export": "write the record of a finished match",
    "replay": "show a recorded match step by step",
    "verify": "check a record, or a whole database",
}
"""Subcommands with their summaries; ``golfnet.cli.NAME`` has ``add_arguments(parser)`` and ``run(args)``."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0 done, 1 failed, 2 not understood."""
    words = list(sys.argv[1:] if argv is None else argv)
    parser = argparse.ArgumentParser(
        prog="golfnet",
        description="The card game Golf for people and programs.",
        epilog="golfnet COMMAND --help tells more. The quickest start: golfnet serve, then nc 127.0.0.1 7777.",
    )
    parser.add_argument("--version", action="version", version=f"golfnet {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    chosen = next((word for word in words if word in COMMANDS), None)
    for name, summary in COMMANDS.items():
        subparser = commands.add_parser(name, help=summary, description=f"{summary.capitalize()}.")
        if name == chosen:
            import_module(f"golfnet.cli.{name}").add_arguments(subparser)
    args = parser.parse_args(words)
    try:
        return int(import_module(f"golfnet.cli.{args.command}").run(args))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has seen enough
        return 0


if __name__ == "__main__":
    sys.exit(main())
