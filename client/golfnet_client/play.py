"""One run of the full-screen client: two event loops, with trio as a guest of prompt_toolkit's asyncio loop.

Invariant: when ``host`` returns, both have stopped, whichever stopped first; a bug on either side reaches the caller as
an exception and is never printed on the screen. The first picture needs no network, so trio and the code that connects
to servers are imported after it is shown.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import outcome
    import trio
    from prompt_toolkit.application import Application

    from golfnet_client.model.pages import Way
    from golfnet_client.terminal.screen import Terminal


async def play(terminal: Terminal, way: Way | None, name: str) -> str:
    """Show the screen until the player quits; return a line to print after it is closed.

    ``way`` says where to go first, or is None for the start menu.
    """
    client = terminal.client
    if way is None:
        client.show_home()

    def load() -> Callable[[], Awaitable[None]]:
        from golfnet_client.visits import Visits

        return Visits(terminal, name, way).run

    terminal.window.open()
    try:
        await host(terminal.app, load)
    finally:
        terminal.window.close()
    return client.ways.goodbye


async def host(app: Application[Any], load: Callable[[], Callable[[], Awaitable[None]]]) -> None:
    """Run an application and its guest until either stops; then stop the other, too.

    ``load`` returns the trio program of the guest; it is called once the first picture is drawn.
    """
    loop = asyncio.get_running_loop()
    guests: list[tuple[trio.CancelScope, asyncio.Future[outcome.Outcome[None]]]] = []

    def begin(_: object) -> None:
        app.after_render.remove_handler(begin)
        program = load()
        import trio

        scope = trio.CancelScope()
        done: asyncio.Future[outcome.Outcome[None]] = loop.create_future()

        async def run() -> None:
            with scope:
                await program()

        def finish(result: outcome.Outcome[None]) -> None:
            done.set_result(result)
            if app.is_running and not app.is_done:
                app.exit()

        trio.lowlevel.start_guest_run(
            run,
            run_sync_soon_threadsafe=loop.call_soon_threadsafe,
            done_callback=finish,
            host_uses_signal_set_wakeup_fd=True,
        )
        guests.append((scope, done))

    def fault(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        problem = context.get("exception") or RuntimeError(str(context.get("message")))
        if app.is_running:
            app.exit(exception=problem)

    loop.set_exception_handler(fault)
    app.after_render += begin
    try:
        await app.run_async(set_exception_handler=False, handle_sigint=False)
    finally:
        for scope, done in guests:
            scope.cancel()
            while not done.done():  # even if the host is cancelled: trio must run to its end
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.shield(done)  # noqa: ASYNC102
        loop.set_exception_handler(None)
    for _, done in guests:
        done.result().unwrap()
