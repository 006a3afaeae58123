"""What the largest cards show between their corners: pips in their usual places, court letters, and one large ace.

Pure tables, in columns and lines of a card of 13 by 9.
"""

from __future__ import annotations

from typing import Final

_LEFT, _MIDDLE, _RIGHT = 4, 6, 8
_SIDES: Final = {
    0: (),
    1: (1, 7),
    2: (1, 4, 7),
    3: (1, 3, 5, 7),
}
"""The lines of the pips at both sides, by how many pairs of them there are beyond the first."""

_PLACES: Final = {
    "0": (0, ()),
    "2": (0, (1, 7)),
    "3": (0, (1, 4, 7)),
    "4": (1, ()),
    "5": (1, (4,)),
    "6": (2, ()),
    "7": (2, (2,)),
    "8": (2, (2, 6)),
    "9": (3, (4,)),
    "10": (3, (2, 6)),
}
"""For each rank which lines at the sides, and which in the middle."""


def pips(rank: str) -> tuple[tuple[int, int], ...]:
    """Return the places of the pips of a rank, one in the middle for a rank without."""
    sides, middle = _PLACES.get(rank, (0, (4,)))
    beside = [(column, line) for line in _SIDES[sides] for column in (_LEFT, _RIGHT)]
    return (*beside, *((_MIDDLE, line) for line in middle))


ART: Final = {
    "J": ("  ▀█▀", "   █ ", "   █ ", "█  █ ", "▀▄▄▀ "),
    "Q": ("▄▀▀▀▄", "█   █", "█   █", "█ ▀▄█", "▀▄▄▀▄"),
    "K": ("█  ▄▀", "█▄▀  ", "██▄  ", "█ ▀▄ ", "█   █"),
    "S": ("   ▄   ", " ▄███▄ ", "███████", "▀▀▄█▄▀▀", "  ▄█▄  "),
    "H": ("▄██▄██▄", "███████", " ▀███▀ ", "   ▀   "),
    "D": ("   ▄   ", " ▄███▄ ", "███████", " ▀███▀ ", "   ▀   "),
    "C": ("  ▄█▄  ", "  ▀█▀  ", "▄█▄█▄█▄", "▀█▀█▀█▀", "  ▄█▄  "),
}
"""Court letters by rank, large suits for the aces by suit."""
