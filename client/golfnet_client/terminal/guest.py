"""The bridge between two event loops: trio runs as a guest of prompt_toolkit's asyncio loop.

Invariant: when ``host`` returns, both have stopped, whichever stopped first; a bug on either side reaches the caller as
an exception and is never printed on the screen. Trio is imported together with its program, after the first picture.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import outcome
    from prompt_toolkit.application import Application


async def host(app: Application[Any], load: Callable[[], Callable[[], Awaitable[None]]]) -> None:
    """Run an application and its guest until either stops; then stop the other, too.

    ``load`` returns the trio program of the guest; it is called once the first picture is drawn.
    """
    loop = asyncio.get_running_loop()
    guests: list[_Guest] = []

    def begin(_: object) -> None:
        app.after_render.remove_handler(begin)
        guests.append(_Guest(app, loop, load()))

    def fault(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        problem = context.get("exception") or RuntimeError(str(context.get("message")))
        if app.is_running:
            app.exit(exception=problem)

    loop.set_exception_handler(fault)
    app.after_render += begin
    try:
        await app.run_async(set_exception_handler=False, handle_sigint=False)
    finally:
        for guest in guests:
            await guest.end()  # noqa: ASYNC102
        loop.set_exception_handler(None)
    for guest in guests:
        guest.unwrap()


class _Guest:
    """A trio program that runs alongside an application."""

    def __init__(
        self, app: Application[Any], loop: asyncio.AbstractEventLoop, program: Callable[[], Awaitable[None]]
    ) -> None:
        import trio

        self._app = app
        self._program = program
        self._done: asyncio.Future[outcome.Outcome[None]] = loop.create_future()
        self._scope = trio.CancelScope()
        trio.lowlevel.start_guest_run(
            self._run,
            run_sync_soon_threadsafe=loop.call_soon_threadsafe,
            done_callback=self._finish,
            host_uses_signal_set_wakeup_fd=True,
        )

    async def end(self) -> None:
        """Cancel the program and wait until it has stopped, even if the host is cancelled: trio must run to its end."""
        self._scope.cancel()
        while not self._done.done():
            try:
                await asyncio.shield(self._done)
            except asyncio.CancelledError:  # noqa: ASYNC103
                continue  # noqa: ASYNC104

    def unwrap(self) -> None:
        """Raise the program's exception, if any."""
        self._done.result().unwrap()

    async def _run(self) -> None:
        with self._scope:
            await self._program()

    def _finish(self, result: outcome.Outcome[None]) -> None:
        self._done.set_result(result)
        if self._app.is_running and not self._app.is_done:
            self._app.exit()
