"""Requests that are answered by a task of their own: whatever has to wait for a worker thread or for the store.

What stays true: a session takes no further request until such a one is answered; the task is cancelled when the session
ends, so that nothing is done for somebody who is gone.
"""

from collections.abc import Awaitable, Callable

import trio

from golfnet.protocol.commands.parse import Request
from golfnet.server.commands.answers import Answering
from golfnet.server.lookups import Steps, advance, carry_on
from golfnet.server.session.session import Session


class Tasks:
    """The tasks that answer suspended sessions; ``spawn`` starts one."""

    def __init__(self, spawn: Callable[[Callable[[], Awaitable[None]]], None]) -> None:
        self._spawn = spawn
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

    def carry_out(self, session: Session, request: Request, steps: Steps[None]) -> None:
        """Answer a request in steps: at once where all answers come at once."""
        question = advance(steps)
        if question is not None:
            self.start(session, request, lambda: carry_on(steps, question))

    def cancel(self, session: Session) -> None:
        """Cancel the task of a session that is over."""
        if (scope := self._scopes.get(session)) is not None:
            scope.cancel()
