"""The fault boundary, which limits the damage from a bug to one request, table, connection or task.

The boundary logs the traceback, and calls ``on_fault`` to notify those concerned. An ``except Exception`` elsewhere
passes the exception on to a boundary, unless a table cannot be restored: then the table is set aside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import logging
    from collections.abc import Callable
    from types import TracebackType

CONNECTION_FAULT: Final = "a connection from %s ended because of a fault in the server"
"""The message that is logged when a fault ends a connection; the argument is the peer's address."""

LAST_FAULT: Final = "a fault in the server at the end of a connection from %s"
"""The same if a fault occurs while the session is told that its connection has ended."""


class fault_boundary:
    """A context that logs an exception with the message ``what % args``, calls ``on_fault`` and continues."""

    __slots__ = ("_args", "_log", "_on_fault", "_what")

    def __init__(
        self, log: logging.Logger, what: str, *args: object, on_fault: Callable[[], None] | None = None
    ) -> None:
        self._log = log
        self._what = what
        self._args = args
        self._on_fault = on_fault

    def __enter__(self) -> None:
        """Do nothing: only the end of the block matters."""

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Swallow an exception, which is a bug; cancellation and exits pass through."""
        if not isinstance(fault, Exception):
            return False
        self._log.error(self._what, *self._args, exc_info=fault)
        if self._on_fault is not None:
            self._on_fault()
        return True
