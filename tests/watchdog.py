"""A watchdog for `trio.run`: a run that hangs fails after real seconds, under virtual time too.

It must stay outside of trio: a thread rings, because under a mock clock no time passes while a test hangs,
and a signal in the middle of trio's own code leaves trio broken. The run is cancelled, so it cleans up.
"""

from __future__ import annotations

import functools
import threading
from typing import TYPE_CHECKING, Any

import trio

if TYPE_CHECKING:
    from collections.abc import Callable


class Hanging(Exception):
    """A run of trio had not come to its end when the watchdog rang."""


def watched(run: Callable[..., Any], *, seconds: float) -> Callable[..., Any]:
    """Return `run`, which is like `trio.run`, so that it raises `Hanging` after that many real seconds."""

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
                    # Joined, so that the bell cannot ring for a run that is over: the token would refuse it.
                    bell.cancel()
                    bell.join()
            raise Hanging(f"cancelled after {seconds:g} s")

        return run(watched_main, **options)

    return watched_run
