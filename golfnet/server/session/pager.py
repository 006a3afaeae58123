"""Long answers a page at a time, for people who ask for it with ``set page``: the rest waits until Enter is pressed.

What stays true: only the rest of the last answer is kept, and of that no more than ``KEPT`` characters; the next
command drops it. Nothing else is held back: what happens meanwhile is shown at once.
"""

from collections.abc import Sequence
from typing import Final

from golfnet.protocol.links.handover import PagerState

KEPT: Final = 32 * 1024
"""Characters that wait: every page of help and all rules have fewer."""

MORE: Final = "-- more: press Enter, q stops --"
STOP: Final = "q"


class Pager:
    """The rest of one answer; ``is_waiting`` says that there is one."""

    __slots__ = ("_dropped", "_rest", "_shown", "_size")

    def __init__(self) -> None:
        self._rest: list[str] = []
        self._shown = 0
        self._size = 0
        self._dropped = 0

    @property
    def is_waiting(self) -> bool:
        """Whether there is more to show."""
        return bool(self._rest)

    def start(self) -> bool:
        """Begin with the answer to another command; return whether there was more of the last, which is dropped."""
        was_waiting = bool(self._rest)
        if was_waiting:
            self._rest = []
        self._shown = self._size = self._dropped = 0
        return was_waiting

    def first(self, lines: Sequence[str], page: int) -> Sequence[str]:
        """Return which lines of an answer are shown now, as far as a page has room; the others wait."""
        room = 0 if self._rest else max(0, page - 1 - self._shown)
        self._shown += min(len(lines), room)
        if len(lines) <= room:
            return lines
        is_new = not self._rest
        for line in lines[room:]:
            self._keep(line)
        return [*lines[:room], MORE] if is_new else ()

    def next(self, page: int | None) -> list[str]:
        """Return the next page of what waits, all of it where there are no pages any more."""
        room = len(self._rest) if page is None or len(self._rest) <= page else page - 1
        lines, self._rest = self._rest[:room], self._rest[room:]
        if self._rest:
            return [*lines, MORE]
        if self._dropped:
            lines.append(f"= {self._dropped} more lines are too many for pages; set page none shows them.")
        self.start()
        return lines

    def snapshot(self) -> PagerState:
        """Return what waits."""
        return PagerState(rest=tuple(self._rest), shown=self._shown, dropped=self._dropped)

    def restore(self, state: PagerState) -> None:
        """Let wait what waited on another node."""
        self.start()
        for line in state.rest:
            self._keep(line)
        self._shown, self._dropped = state.shown, self._dropped + state.dropped

    def _keep(self, line: str) -> None:
        if self._dropped or self._size + len(line) > KEPT:
            self._dropped += 1
            return
        self._size += len(line)
        self._rest.append(line)
