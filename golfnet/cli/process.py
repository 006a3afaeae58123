"""One process of ``golfnet serve --processes``: it receives its configuration and sockets from its parent.

Invariant: it stops when its parent does, because that closes its standard input.
"""

import json
import os
import signal
import socket
import sys
import threading

import msgspec

from golfnet.cli.output import BAD_USAGE
from golfnet.cli.serve import UNUSABLE, hosting_of, run_server
from golfnet.server.config import Config
from golfnet.server.operations.console import Console, set_up


def main() -> int:
    """Serve as one of several processes; return the exit status."""
    given = json.loads(_first_line())
    config = msgspec.convert(given["config"], Config)
    set_up(sys.stderr, as_json=config.log_format == "json", verbose=config.verbose)
    threading.Thread(target=_stop_at_end_of_input, daemon=True).start()
    handed = {kind: [_own(descriptor) for descriptor in each] for kind, each in given["sockets"].items()}
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # the parent prints the first screen
        try:
            hosting = hosting_of(config, Console(nowhere, {}, is_quiet=True), handed)
        except UNUSABLE:  # the parent reports such an error
            return BAD_USAGE
        return run_server(hosting)


def _first_line() -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        data = os.read(0, 65536)
        if not data:
            raise SystemExit(BAD_USAGE)
        line += data
    return line


def _stop_at_end_of_input() -> None:
    """Stop gracefully when the parent has exited."""
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _own(descriptor: int) -> socket.socket:
    os.set_inheritable(descriptor, False)
    return socket.socket(fileno=descriptor)


if __name__ == "__main__":
    sys.exit(main())
