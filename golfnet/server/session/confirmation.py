"""Asking a person once before something that cannot be undone: the same again within a while means yes."""

from typing import Final

CONFIRM_SECONDS: Final = 30.0
"""For how long a question stands."""


class Confirmation:
    """The question that a person was asked last, if any."""

    __slots__ = ("_asked", "_until")

    def __init__(self) -> None:
        self._asked = ""
        self._until = 0.0

    def snapshot(self, now: float) -> tuple[str, float]:
        """Return what was asked about, and for how many seconds that still stands."""
        return self._asked, max(0.0, self._until - now)

    def restore(self, asked: str, seconds: float, now: float) -> None:
        """Let a question stand that was asked on another node."""
        self._asked, self._until = asked, now + seconds

    def is_given(self, what: str, now: float) -> bool:
        """Tell whether the person was asked about this lately; if not, count it as asked at ``now`` (seconds)."""
        if self._asked == what and now < self._until:
            self._asked = ""
            return True
        self._asked, self._until = what, now + CONFIRM_SECONDS
        return False
