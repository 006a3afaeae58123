"""The skeleton of a name: what is left when case, width and look-alike letters do not count. Names are compared by it.

What stays true: a skeleton's skeleton is itself, and a name has the same one in capitals and in small letters. Two
names with one skeleton are the same name to every part of the server, so that no player can imitate another. The
letters come from Unicode's confusables (``look_alikes``); pairs like ``rn`` and ``m`` are left alone, because they do
not look alike in a terminal's fixed width.
"""

import unicodedata
from functools import lru_cache

from golfnet.protocol.names.look_alikes import ACCENTED, ALSO, LETTERS


def skeleton(name: str) -> str:
    """Return the skeleton of a name: for comparing only, never for showing.

    Accents count where Unicode has the accented letter (``Bör`` is not ``Bor``); loose marks put over or through a
    letter do not.
    """
    return name.lower().translate(LETTERS) if name.isascii() else _skeleton(name)


def skeletons(name: str) -> tuple[str, ...]:
    """Return the skeleton of a name, and another one if its small letters resemble others.

    Greek nu is an example: its capital is drawn as N and decides, its small letter as v.
    """
    first = skeleton(name)
    if name.isascii():
        return (first,)
    second = skeleton(unicodedata.normalize("NFKD", name).casefold().translate(ALSO))
    return (first,) if first == second else (first, second)


def is_loose_mark(char: str) -> bool:
    """Return whether a character is a mark that can be put on any letter."""
    return unicodedata.category(char) == "Mn" and unicodedata.name(char, "").startswith("COMBINING ")


@lru_cache(maxsize=1024)
def _skeleton(name: str) -> str:
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    letters = "".join(map(_letter, unicodedata.normalize("NFC", folded)))
    letters = unicodedata.normalize("NFC", letters).translate(ACCENTED)
    return "".join([char for char in letters if not is_loose_mark(char)])


def _letter(char: str) -> str:
    """Return a folded letter as the representative of its class; an accented one unchanged if it has no such accent."""
    apart = unicodedata.normalize("NFD", char)
    named = apart.translate(LETTERS)
    return char if len(apart) > 1 and len(unicodedata.normalize("NFC", named)) > 1 else named
