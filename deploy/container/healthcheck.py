"""Say hello to a golfnet server as a program does; exit with 0 if it answers with a welcome.

Standard library only, and nothing from golfnet: it sees what anybody outside would see. Arguments: HOST PORT.
"""

import json
import socket
import sys

SECONDS = 4.0


def main(host: str = "127.0.0.1", port: str = "7777") -> int:
    """Return 0 for a welcome of protocol 1, else 1 with the reason."""
    try:
        with socket.create_connection((host, int(port)), SECONDS) as sock:
            sock.sendall(b"hello 1 client=healthcheck\n")
            with sock.makefile(encoding="utf-8") as lines:
                first = next((line for line in lines if line.startswith("{")), "{}")
            sock.sendall(b"quit\n")
        welcome = json.loads(first)
    except (OSError, ValueError) as error:
        print(f"no answer from {host} port {port}: {error}", file=sys.stderr)
        return 1
    if (welcome.get("type"), welcome.get("protocol")) != ("welcome", 1):
        print(f"expected a welcome of protocol 1, not {first.strip() or 'end of file'}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
