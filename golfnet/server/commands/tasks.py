"""Requests that are answered by a task of their own: whatever has to wait for a worker thread or for the store.

What stays true: a session takes no further request until such a one is answered; the task is cancelled when the session
ends, so that nothing is done for somebody who is gone.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

from golfnet.protocol.commands.parse import Request
from golfnet.server.commands.answers import Answering
from golfnet.server.lookups import Lookups
from golfnet.server.session.session import Session

T = TypeVar("T")


class Tasks:
    """The tasks that answer suspended sessions; ``spawn`` starts one, ``lookups`` ask the store."""

    def __init__(self, spawn: Callable[[Callable[[], Awaitable[None]]], None], lookups: Lookups) -> None:
        self._spawn = spawn
        self._lookups = lookups
        self._scopes: dict[Session, trio.CancelScope] = {}

    def start(self, session: Session, request: Request, work: Callable[[], Awaitable[None]]) -> None:
        """Answer a request from a task of its own; the session takes no further request until then."""
        session.suspend()
        scope = self._scopes[session] = trio.CancelScope()

        async def answer() -> None:
            try:
                with scope, Answering(session, request):
                    await work()
            finally:
                del self._scopes[session]
                session.resume()

        self._spawn(answer)

    def ask(
        self, session: Session, request: Request, query: Callable[[], T], then: Callable[[T], None]
    ) -> None:
        """Answer a request by ``then``, called with the answer to a query; at once where the store is immediate."""
        if self._lookups.is_immediate:
            self._lookups.ask_now(query, then)
        else:
            self.start(session, request, lambda: self._lookups.ask(query, then))

    def cancel(self, session: Session) -> None:
        """Cancel the task of a session that is over."""
        if (scope := self._scopes.get(session)) is not None:
            scope.cancel()
