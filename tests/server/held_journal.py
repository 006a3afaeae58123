"""A journal that holds its writes until a test releases them."""

from collections.abc import Callable, Sequence

from golfnet.storage.store import Store
from golfnet.storage.writes import Write


class HeldJournal:
    """A journal that stores writes, in order, but only while ``is_open``."""

    def __init__(self, store: Store, *, is_open: bool = True) -> None:
        self._store = store
        self._waiting: list[tuple[Sequence[Write], Callable[[], None]]] = []
        self.is_open = is_open

    def go_on(self) -> None:
        """Open the journal, and store everything that is waiting."""
        self.is_open = True
        self.store_waiting()

    def submit(self, writes: Sequence[Write], then: Callable[[], None]) -> None:
        self._waiting.append((writes, then))
        if self.is_open and len(self._waiting) == 1:
            self.store_waiting()

    def store_waiting(self, count: int = 1_000_000) -> None:
        while self._waiting and count:
            writes, then = self._waiting[0]
            self._store.write(writes)
            then()
            self._waiting.pop(0)
            count -= 1
