"""The ``golfnet`` command: one table of subcommands, each in a module that is imported only when it is called."""

import argparse
import gc
import sys
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import TracebackType
from typing import Final

from golfnet import __version__

COMMANDS: Final = {
    "serve": "run the server",
    "config": "print every setting, as a configuration file",
    "discover": "list the servers on the local network",
    "admin": "operate a server that runs",
    "schema": "print the JSON Schema of machine mode",
    "bot": "let a bot play at a server, through the public protocol",
    "arena": "let bots play against each other",
    "export": "write the record of a finished match",
    "replay": "show a recorded match step by step",
    "verify": "check a record, or a whole database",
    "completion": "print what makes a shell complete our commands",
}
"""Subcommands with their summaries; ``golfnet.cli.NAME`` has ``add_arguments(parser)`` and ``run(args)``."""

EPILOG: Final = """\
golfnet COMMAND --help tells more. The quickest start: golfnet serve, then nc 127.0.0.1 7777.

files:
  ~/.config/golfnet/golfnet.toml      settings, where there is such a file; golfnet config writes one
  ~/.local/state/golfnet/golfnet.db   matches, players and records; beside it, with other endings, what belongs to it:
                                      .admin the operator's socket, .audit.log what operators did,
                                      .sanctions.json who is banned, .tls.pem a certificate of the server's own

environment:
  XDG_CONFIG_HOME, XDG_STATE_HOME     in place of ~/.config and ~/.local/state"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0 done, 1 failed, 2 not understood."""
    if argv is None:
        sys.excepthook = _complain_of_fault
    words = list(sys.argv[1:] if argv is None else argv)
    chosen = [word for word in words if word in COMMANDS][:1]
    with loading():
        parser = command_line(chosen)
    args = parser.parse_args(words)
    try:
        return int(import_module(f"golfnet.cli.{args.command}").run(args))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has seen enough
        return 0


def _complain_of_fault(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback of a fault of ours; it may tell of what strangers wrote."""
    import traceback

    from golfnet.protocol.clean import clean_line

    for line in "".join(traceback.format_exception(kind, fault, trace)).splitlines():
        print(clean_line(line), file=sys.stderr)


@contextmanager
def loading() -> Iterator[None]:
    """Keep the garbage collector off what is loaded meanwhile: it stays, and looking through it takes time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def command_line(chosen: Container[str]) -> argparse.ArgumentParser:
    """Return the parser of the command line, with the arguments of the chosen subcommands only."""
    parser = argparse.ArgumentParser(
        prog="golfnet",
        description="The card game Golf for people and programs.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"golfnet {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        subparser = commands.add_parser(
            name,
            help=summary,
            description=f"{summary.capitalize()}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name in chosen:
            import_module(f"golfnet.cli.{name}").add_arguments(subparser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
