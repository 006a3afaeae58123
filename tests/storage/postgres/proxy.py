"""Connections to PostgreSQL that can be cut at any point, so that a request or the reply to it is lost."""

from __future__ import annotations

import contextlib
import socket
import threading
from enum import Enum


class Loss(Enum):
    """Which part of the next exchange is lost, together with the connection."""

    NOTHING = "nothing"
    REQUEST = "the request"
    ANSWER = "the answer"


class Proxy:
    """Forwards connections to a loopback port; ``loss`` happens once, to a request that contains ``mark``."""

    def __init__(self, target: int) -> None:
        self.loss = Loss.NOTHING
        self.mark = b""
        self.hides_pid = False
        """Whether connections see the key of another backend, as behind a pooler."""
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def lose(self, what: Loss, mark: bytes = b"") -> None:
        """Lose the next request that contains ``mark``, or the reply to it, and then the connection."""
        self.loss, self.mark = what, mark

    def cut(self) -> None:
        """Cut all connections; new ones can be opened."""
        while self._sockets:
            _close(self._sockets.pop())

    def close(self) -> None:
        """Cut all connections and accept no more."""
        _close(self._listener)
        self.cut()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                self._sockets += [client, server]
                Pair(self, client, server)


class Pair:
    """One connection, forwarded by two threads."""

    def __init__(self, proxy: Proxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy = proxy
        self._client, self._server = client, server
        self._is_lost = False
        for forward in (self._forward_requests, self._forward_answers):
            threading.Thread(target=self._run, args=(forward,), daemon=True).start()

    def _run(self, forward: object) -> None:
        with contextlib.suppress(OSError):
            assert callable(forward)
            forward()
        _close(self._client)
        _close(self._server)

    def _forward_requests(self) -> None:
        proxy = self._proxy
        while data := self._client.recv(65536):
            if proxy.loss is not Loss.NOTHING and proxy.mark in data:
                loss, proxy.loss = proxy.loss, Loss.NOTHING
                if loss is Loss.REQUEST:
                    return
                self._is_lost = True
            self._server.sendall(data)

    def _forward_answers(self) -> None:
        while data := self._server.recv(65536):
            if self._is_lost:
                return
            if self._proxy.hides_pid and (at := data.find(b"K\0\0\0\x0c")) >= 0:
                data = data[: at + 5] + b"\0\0\0\x07" + data[at + 9 :]
            self._client.sendall(data)


def _close(stream: socket.socket) -> None:
    with contextlib.suppress(OSError):
        stream.shutdown(socket.SHUT_RDWR)
    stream.close()
