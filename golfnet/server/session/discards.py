"""Which discards of slam windows one connection was shown, and when: what a slam without a number is for (C20)."""

from collections.abc import Iterable

from golfnet.protocol.replies.replies import AnyReply, Burst, TableView


class Discards:
    """The last two discards that were shown: whoever slams may not have seen the newest by then."""

    __slots__ = ("_shown",)

    def __init__(self) -> None:
        self._shown: tuple[tuple[int, float], ...] = ()

    def note(self, number: int, at: float) -> None:
        """Note when a discard was shown; only the first time counts."""
        if not self._shown or self._shown[-1][0] != number:
            self._shown = (*self._shown[-1:], (number, at))

    def snapshot(self, now: float) -> tuple[tuple[int, float], ...]:
        """Return the numbers, and how many seconds ago they were shown."""
        return tuple([(number, now - at) for number, at in self._shown])

    def restore(self, shown: Iterable[tuple[int, float]], now: float) -> None:
        """Know what was shown by another node."""
        for number, ago in shown:
            self.note(number, now - ago)

    def last_by(self, at: float) -> int:
        """Return the number of the last that had been shown by then, 0 where there is none."""
        return next((number for number, shown in reversed(self._shown) if shown <= at), 0)


def discard_in(reply: AnyReply | Burst) -> int | None:
    """Return the number of the discard whose slam window a reply shows."""
    if isinstance(reply, Burst):
        return reply.discard_no
    return reply.slam.discard_no if isinstance(reply, TableView) and reply.slam is not None else None
