"""Requests that are answered by a task of their own: whatever has to wait for a worker thread or for the store.

What stays true: a session takes no further request until such a one is answered; the task is cancelled when the session
ends, so that nothing is done for somebody who is gone.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

from golfnet.protocol.commands.parse import Request
from golfnet.server.commands.answers import Answering
from golfnet.server.queries import Queries
from golfnet.server.session.session import Session

T = TypeVar("T")


class Tasks:
    """The tasks that answer suspended sessions; ``spawn`` starts one, ``queries`` ask the store."""

    def __init__(self, spawn: Callable[[Callable[[], Awaitable[None]]], None], queries: Queries) -> None:
        self._spawn = spawn
        self._queries = queries
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
        if self._queries.is_immediate:
            self._queries.ask_now(query, then)
        else:
            self.start(session, request, lambda: self._queries.ask(query, then))

    def cancel(self, session: Session) -> None:
        """Cancel the task of a session that is over."""
        if (scope := self._scopes.get(session)) is not None:
            scope.cancel()
