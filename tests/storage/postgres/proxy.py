"""A wire to PostgreSQL that can lose a request, or the reply to it, together with the connection."""

import socket
from enum import Enum

from tests.e2e.cluster.wires import Wire


class Loss(Enum):
    """Which part of the next exchange is lost, together with the connection."""

    REQUEST = "the request"
    ANSWER = "the answer"


class Proxy(Wire):
    """A wire that loses one request, or the reply to it."""

    def __init__(self, target: int) -> None:
        self._loss: Loss | None = None
        self._mark = b""
        self._lost: list[socket.socket] = []
        super().__init__(target)

    def lose(self, what: Loss, mark: bytes = b"") -> None:
        """Lose the next request that contains ``mark``, or the reply to that request, and the connection."""
        self._loss, self._mark = what, mark

    def carried(self, data: bytes, near: socket.socket, *, is_request: bool) -> bytes:
        if is_request and self._loss is not None and self._mark in data:
            loss, self._loss = self._loss, None
            if loss is Loss.REQUEST:
                raise ConnectionError
            self._lost.append(near)
        elif not is_request and near in self._lost:
            raise ConnectionError
        return data
