"""A wire to PostgreSQL that can lose a request, or the reply to it, together with the connection."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from tests.e2e.cluster.wires import Wire

if TYPE_CHECKING:
    import socket


class Loss(Enum):
    """Which part of the next exchange is lost, together with the connection."""

    NOTHING = "nothing"
    REQUEST = "the request"
    ANSWER = "the answer"


class Proxy(Wire):
    """A wire that loses one request containing ``mark``, or the reply to that request, as ``loss`` says."""

    def __init__(self, target: int) -> None:
        self.loss = Loss.NOTHING
        self.mark = b""
        self.hides_pid = False
        """Whether connections see the key of another backend, as behind a pooler."""
        self._lost: list[socket.socket] = []
        super().__init__(target)

    def lose(self, what: Loss, mark: bytes = b"") -> None:
        """Lose the next request that contains ``mark``, or the reply to that request, and the connection."""
        self.loss, self.mark = what, mark

    def carried(self, data: bytes, near: socket.socket, *, is_request: bool) -> bytes:
        if is_request and self.loss is not Loss.NOTHING and self.mark in data:
            loss, self.loss = self.loss, Loss.NOTHING
            if loss is Loss.REQUEST:
                raise ConnectionError
            self._lost.append(near)
        elif not is_request and near in self._lost:
            raise ConnectionError
        elif not is_request and self.hides_pid and (at := data.find(b"K\0\0\0\x0c")) >= 0:
            return data[: at + 5] + b"\0\0\0\x07" + data[at + 9 :]
        return data
