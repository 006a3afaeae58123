"""Wires: loopback ports that forward to the port of a server, and can be cut, held and healed."""

import contextlib
import socket
import threading
from functools import partial


class Wire:
    """A loopback port that forwards to another one, with two threads per connection."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._is_cut = False
        self._passes = threading.Event()
        self._passes.set()
        self._ends: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Close all connections, and close new ones at once."""
        self._is_cut = True
        for end in list(self._ends):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def hold(self) -> None:
        """Silently hold everything back, like a network that drops every packet, until ``heal`` delivers it."""
        self._passes.clear()

    def heal(self) -> None:
        """Let everything pass again."""
        self._is_cut = False
        self._passes.set()

    def close(self) -> None:
        """Cut the wire for good."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()
        self._passes.set()

    def carried(self, data: bytes, near: socket.socket, *, is_request: bool) -> bytes:
        """Return what the other end receives for these bytes; raise ``OSError`` to close the connection instead."""
        return data

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                try:
                    far = socket.create_connection(("127.0.0.1", self._target), 1)
                except OSError:
                    near.close()
                    continue
                far.settimeout(None)
                for end, other in ((near, far), (far, near)):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self._ends.add(end)
                    forward = partial(self._forward, end, other, near)
                    threading.Thread(target=forward, daemon=True).start()
                if self._is_cut:
                    self.cut()

    def _forward(self, end: socket.socket, other: socket.socket, near: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := end.recv(65536):
                self._passes.wait()
                other.sendall(self.carried(data, near, is_request=end is near))
        self._passes.wait()
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)
        self._ends.discard(end)
        end.close()
