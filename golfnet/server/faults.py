"""The fault boundary, which limits the damage from a bug to one request, table, connection or task.

An ``except Exception`` elsewhere passes the exception on to a boundary, unless a table cannot be restored: then the
table is set aside.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

CONNECTION_FAULT: Final = "a connection from %s ended because of a fault in the server"
"""The message that is logged when a fault ends a connection; the argument is the peer's address."""

LAST_FAULT: Final = "a fault in the server at the end of a connection from %s"
"""The same if a fault occurs while the session is told that its connection has ended."""


@contextmanager
def fault_boundary(
    log: logging.Logger, what: str, *args: object, on_fault: Callable[[], None] | None = None
) -> Iterator[None]:
    """Swallow an exception, which is a bug: log it with its traceback, and call ``on_fault`` to notify those concerned.

    ``what % args`` is logged. Cancellation and exits pass through.
    """
    try:
        yield
    except Exception as fault:
        log.error(what, *args, exc_info=fault)
        if on_fault is not None:
            on_fault()
