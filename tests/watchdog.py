"""A watchdog for `trio.run`: a hanging run fails after some real seconds, even in virtual time.

The watchdog is a thread outside trio, because under a mock clock no time passes while a test hangs, and because a
signal in the middle of trio's own code would leave trio broken. It cancels the run, which can then clean up.
"""

import functools
import threading
from collections.abc import Callable
from typing import Any

import trio


class Hanging(Exception):
    """A trio run did not finish in the time that the watchdog allows."""


def watched(run: Callable[..., Any], *, seconds: float) -> Callable[..., Any]:
    """Return a version of `trio.run`, or of a function like it, that raises `Hanging` after this many real seconds."""

    @functools.wraps(run)
    def watched_run(main: Callable[..., Any], *args: Any, **options: Any) -> Any:
        async def watched_main() -> Any:
            token = trio.lowlevel.current_trio_token()
            with trio.CancelScope() as scope:
                bell = threading.Timer(seconds, token.run_sync_soon, [scope.cancel])
                bell.daemon = True
                bell.start()
                try:
                    return await main(*args)
                except Exception as error:
                    if scope.cancel_called:
                        raise Hanging(f"cancelled after {seconds:g} s, and then failed") from error
                    raise
                finally:
                    # Joined, so that the timer cannot fire after the run is over: the token would refuse its call.
                    bell.cancel()
                    bell.join()
            raise Hanging(f"cancelled after {seconds:g} s")

        return run(watched_main, **options)

    return watched_run
