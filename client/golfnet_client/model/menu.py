"""What is asked of the person beside the keys of a screen: a menu to choose from, or a field to type into.

Both say what happens next by a function without a result; which keys choose, and how they are drawn, is not known here.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct


class Item(Struct, frozen=True, kw_only=True):
    """One thing to choose: what it is called, what it means, what it does, and the key that chooses it at once."""

    label: str
    do: Callable[[], None]
    meaning: str = ""
    key: str = ""


class Menu(Struct, kw_only=True):
    """Things to choose from, laid over the screen; ``text`` stands above them, ``at`` is the one that is chosen."""

    title: str
    items: tuple[Item, ...]
    text: str = ""
    at: int = 0
    back: Callable[[], None] | None = None
    """What escape does beside closing the menu."""
    needs: str = ""
    """The line of play that it is about: the menu closes when the server no longer offers it."""
    stays: bool = False
    """Whether escape does not close it: there is nothing below."""

    def key_of(self, number: int) -> str:
        """Return the key of an item: its own, or its number where it has none."""
        return self.items[number].key or (str(number + 1) if number < 9 else "")

    def go(self, by: int) -> None:
        """Choose another item, as far as there are any."""
        self.at = max(0, min(self.at + by, len(self.items) - 1))

    def item_for(self, key: str) -> Item | None:
        """Return the item that a key chooses at once, None for none."""
        keys = {self.key_of(number): item for number, item in enumerate(self.items)}
        return keys.get(key) if key else None


class Field(Struct, frozen=True, kw_only=True):
    """Something to type on the command line: ``do`` takes it; ``secret``: it is shown as stars and never kept."""

    label: str
    do: Callable[[str], None]
    text: str = ""
    """What stands there at first."""
    hint: str = ""
    """What to type, in a sentence."""
    secret: bool = False
    back: Callable[[], None] | None = None
    """What escape does beside leaving the field."""
