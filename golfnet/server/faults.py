"""The fault boundary: where a bug of ours ends the smallest thing it can, and the server goes on.

The only ``except Exception`` of the server that goes on afterwards. It stands around one request, one table, one
connection, one task; it logs the traceback, and ``on_fault`` tells those concerned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging
    from collections.abc import Callable
    from types import TracebackType


class fault_boundary:
    """A context that logs an exception raised in it, calls ``on_fault``, and ends without it.

    ``what`` and ``args`` are the message of the log, such as "a connection from %s met a fault in the server".
    """

    __slots__ = ("_args", "_log", "_on_fault", "_what")

    def __init__(
        self, log: logging.Logger, what: str, *args: object, on_fault: Callable[[], None] | None = None
    ) -> None:
        self._log = log
        self._what = what
        self._args = args
        self._on_fault = on_fault

    def __enter__(self) -> None:
        """Enter."""

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Swallow an exception that is a bug of ours; cancellation and exits go through."""
        if not isinstance(fault, Exception):
            return False
        self._log.error(self._what, *self._args, exc_info=fault)
        if self._on_fault is not None:
            self._on_fault()
        return True
