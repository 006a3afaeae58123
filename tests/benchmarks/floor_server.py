"""The minimum cost of a server: one selector, a ``recv`` and a ``send`` for each line, and Python itself.

Run with a table size, it prints its port and serves until it is stopped.
"""

import selectors
import socket
import sys
from typing import Any


def serve(size: int) -> None:
    """Send each line to everyone at its table; tables fill up in order of connection."""
    selector = selectors.DefaultSelector()
    listener = socket.create_server(("127.0.0.1", 0), backlog=1000)
    selector.register(listener, selectors.EVENT_READ, None)
    print(listener.getsockname()[1], flush=True)
    table: list[socket.socket] = []
    while True:
        for key, _ in selector.select():
            sock: Any = key.fileobj
            if key.data is None:
                peer, _ = listener.accept()
                if len(table) == size:
                    table = []
                table.append(peer)
                selector.register(peer, selectors.EVENT_READ, table)
            elif data := sock.recv(65536):
                for seat in key.data:
                    seat.send(data)
            else:
                selector.unregister(sock)
                sock.close()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
