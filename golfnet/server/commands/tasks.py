"""Requests that are answered by a task of their own: whatever has to wait for a worker thread or for the store.

What stays true: a session takes no further request until such a one is answered; the task is cancelled when the session
ends, so that nothing is done for somebody who is gone.
"""

from collections.abc import Awaitable, Callable

import trio

from golfnet.protocol.commands.parse import Request
from golfnet.server.commands.answers import Answering
from golfnet.server.lookups import Steps, advance, carry_on
from golfnet.server.nodes import Elsewhere
from golfnet.server.session.session import Session


class Tasks:
    """The tasks that answer suspended sessions; ``spawn`` starts one.

    ``move`` lets a session go on at another node, which carries the request out.
    """

    def __init__(
        self,
        spawn: Callable[[Callable[[], Awaitable[None]]], None],
        move: Callable[[Session, Request, int], Awaitable[None]],
    ) -> None:
        self._spawn = spawn
        self._move = move
        self._scopes: dict[Session, trio.CancelScope] = {}

    def start(
        self,
        session: Session,
        request: Request,
        work: Callable[[], Awaitable[None]],
        on_fault: Callable[[], None] | None = None,
    ) -> None:
        """Answer a request from a task of its own; the session takes no further request until then.

        ``on_fault`` is called after a fault.
        """
        session.suspend()
        scope = self._scopes[session] = trio.CancelScope()

        async def answer() -> None:
            try:
                with scope, Answering(session, request, on_fault):
                    try:
                        await work()
                    except Elsewhere as elsewhere:
                        await self._move(session, request, elsewhere.node)
            finally:
                del self._scopes[session]
                session.resume()

        self._spawn(answer)

    def carry_out(
        self, session: Session, request: Request, steps: Steps[None], on_fault: Callable[[], None]
    ) -> None:
        """Answer a request in steps: at once where all answers come at once."""
        question = advance(steps)
        if question is not None:
            self.start(session, request, lambda: carry_on(steps, question), on_fault)

    def cancel(self, session: Session) -> None:
        """Cancel the task of a session that is over."""
        if (scope := self._scopes.get(session)) is not None:
            scope.cancel()
