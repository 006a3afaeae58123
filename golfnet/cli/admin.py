"""``golfnet admin``: send an operator's command to a running server, over its socket."""

import argparse
import json
import re
import shlex
import socket
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from golfnet.cli.config import add_flags, admin_socket, settings_of
from golfnet.cli.output import Failed, show
from golfnet.server.operations.operations import OPERATIONS

REFUSED, NO_SERVER = 1, 3
_TIMES: Final = frozenset(("since", "inspected_at"))
"""Fields that contain seconds since 1970, shown in local time."""

PATIENCE: Final = 10.0
"""Seconds without an answer after which a server is considered stopped."""

DESCRIPTION = """\
Tell a server running on this machine what to do. Only the owner of its socket can connect, and may do everything.
Every operation is written to the audit log next to the database. If a server has several nodes, ask any of them:
everything but status and drain applies to all."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: where the server is, and the operation."""
    width = max(len(operation.usage) for operation in OPERATIONS.values())
    operations = "\n".join(f"  {each.usage:<{width}}  {each.meaning}" for each in OPERATIONS.values())
    parser.epilog = (
        f"operations:\n{operations}\n\nexamples:\n  golfnet admin status\n  golfnet admin announce 'New version at "
        "ten, matches go on'\n  golfnet admin ban 203.0.113.0/24 floods\n\nExit status: 0 done, 1 refused, 2 a setting "
        "cannot be used, 3 no server answers."
    )
    parser.add_argument("operation", choices=list(OPERATIONS), metavar="OPERATION", help="see below")
    parser.add_argument("words", nargs="*", metavar="WORD", help="the arguments of the operation")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")
    add_flags(parser, ("admin_socket", "db"))


def run(args: argparse.Namespace) -> int:
    """Send the operation and print the answer; return the exit status."""
    config, _ = settings_of(args)
    if not hasattr(socket, "AF_UNIX"):
        raise Failed("this system has no unix sockets, so golfnet admin cannot reach servers on it")
    path = admin_socket(config)
    if path is None:
        raise Failed("a server with --memory has no socket unless you give --admin-socket")
    if any(re.search(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", word) for word in args.words):
        raise Failed("expected UTF-8 text without line breaks, tabs and other control characters", REFUSED)
    try:
        reply = ask(path, [args.operation, *args.words])
    except OSError as error:
        raise Failed(
            f"no server answers at {path}: {error.strerror or error}; is it running?", NO_SERVER
        ) from None
    answer = json.loads(reply)
    is_done = answer.pop("ok")
    if not is_done and not args.json:
        raise Failed(answer["error"], REFUSED)
    show(*([reply] if args.json else answer_lines(answer)))
    return 0 if is_done else REFUSED


def ask(path: Path, words: list[str]) -> str:
    """Return a server's unparsed answer to an operation. Raise ``OSError`` if there is none."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(PATIENCE)
        sock.connect(str(path))
        sock.sendall(f"{shlex.join(words)}\n".encode())
        with sock.makefile(encoding="utf-8") as replies:
            reply = replies.readline()
    if not reply.endswith("\n"):
        raise OSError("it closed the connection")
    return reply.strip()


def answer_lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that show an answer: rows as a table, everything else as names and values."""
    for name, value in answer.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield from _table(value)
        else:
            yield "none" if name == "rows" else f"{name.replace('_', ' ')}: {_shown(name, value)}"


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[_shown(name, row.get(name)) for name in columns] for row in rows]
    widths = [max(len(line[n]) for line in [columns, *cells]) for n in range(len(columns))]
    for line in [columns, *cells]:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()


def _shown(name: str, value: object) -> str:
    match value:
        case float() if name in _TIMES:
            return time.strftime("%Y-%m-%d %H:%M", time.localtime(value))
        case None | "":
            return "-"
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(_shown(name, each) for each in value) or "-"
        case dict():
            return str(value["name"]) if "name" in value else ", ".join(f"{k} {v}" for k, v in value.items())
        case _:
            return str(value)
