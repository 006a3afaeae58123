"""The bridge between two loops: trio as a guest of the asyncio loop that prompt_toolkit runs on.

What stays true: the guest has ended when ``host`` returns, whatever ended first; a bug in either side reaches the
caller as an exception, never the screen as text.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import outcome
import trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from prompt_toolkit.application import Application


async def host(app: Application[Any], guest: Callable[[], Awaitable[None]]) -> None:
    """Run an application with a trio program beside it until both are over; either's end ends the other."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[outcome.Outcome[None]] = loop.create_future()
    scope: list[trio.CancelScope] = []

    async def bounded() -> None:
        with trio.CancelScope() as cancel_scope:
            scope.append(cancel_scope)
            await guest()
        if app.is_running:
            app.exit()

    def finish(result: outcome.Outcome[None]) -> None:
        done.set_result(result)
        if isinstance(result, outcome.Error) and app.is_running:
            app.exit()

    def fault(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        problem = context.get("exception") or RuntimeError(str(context.get("message")))
        if app.is_running:
            app.exit(exception=problem)

    loop.set_exception_handler(fault)
    trio.lowlevel.start_guest_run(
        bounded,
        run_sync_soon_threadsafe=loop.call_soon_threadsafe,
        done_callback=finish,
        host_uses_signal_set_wakeup_fd=True,
    )
    try:
        await app.run_async(set_exception_handler=False, handle_sigint=False)
    finally:
        for cancel_scope in scope:
            cancel_scope.cancel()
        result = await _until_done(done)  # noqa: ASYNC102
        loop.set_exception_handler(None)
    result.unwrap()


async def _until_done(done: asyncio.Future[outcome.Outcome[None]]) -> outcome.Outcome[None]:
    """Wait for the guest's end, also where the host is being cancelled: trio must not be left half-run."""
    while not done.done():
        try:
            await asyncio.shield(done)
        except asyncio.CancelledError:  # noqa: ASYNC103
            continue  # noqa: ASYNC104
    return done.result()
