"""Valid player names: readable, speakable, and not confusable with another name or a protocol word.

Invariants: a name that ``check_name`` returned is NFKC text of letters, their marks, digits 0-9, ``_`` and ``-``, at
most ``NAME_LIMIT`` characters long, in one script (or one of the mixtures in which Japanese, Chinese and Korean are
written), and checking it again returns it unchanged. ``skeletons`` decides which names count as the same.

The standard library has no script property: the script is taken from the character's Unicode name.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

from golfnet.protocol.errors import Code
from golfnet.protocol.lines import is_invisible
from golfnet.protocol.look_alikes import ACCENTED, ALSO, LETTERS


def skeleton(name: str) -> str:
    """Return a name in which all letters that look alike are the same: for comparison only, never for display.

    Accents count if Unicode has the accented letter as one character (``Bör`` is not ``Bor``); other combining marks
    are ignored.
    """
    return name.lower().translate(LETTERS) if name.isascii() else _skeleton(name)


def skeletons(name: str) -> tuple[str, ...]:
    """Return the skeleton of a name, and a second one if its capitals and small letters look like different letters.

    For Greek nu the first has n, because the capital looks like N; the second has v, because the small letter does.
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
    """Return the letter that stands for a letter and its look-alikes, or the letter itself if that has no accents."""
    apart = unicodedata.normalize("NFD", char)
    named = apart.translate(LETTERS)
    return char if len(apart) > 1 and len(unicodedata.normalize("NFC", named)) > 1 else named


LEVELS: Final = ("random", "easy", "medium", "hard", "expert")
"""The levels of bots, weakest first, as used in commands and in the names of bots."""


def is_bot(name: str) -> bool:
    """Return whether a name has the form of a bot's name, such as easy-bot or easy-bot-2."""
    return re.fullmatch(_BOT, skeleton(name)) is not None


def _words(name: str) -> set[str]:
    """Return the skeletons of all ways to read a name: with digits as letters, and without digits at either end."""
    parts = re.split("[-_]+", name)
    if len(parts) > 1 and skeleton(parts[0]) == "the":
        parts = parts[1:]
    whole = "".join(parts)
    before, after = whole.lstrip(_DIGITS), whole.rstrip(_DIGITS)
    return set(map(skeleton, {whole, before, after, before.rstrip(_DIGITS)}))


_DIGITS: Final = "0123456789"
_SEATS: Final = frozenset(map(skeleton, "ABCDEFGHIJKL"))
_BOT: Final = rf"({'|'.join(map(skeleton, LEVELS))})_+{skeleton('bot')}([_0-9oi]*|_.*)"
"""Matches skeletons of bots' names with any ending; a skeleton has ``_`` for ``-``, and letters for 0 and 1."""

_GOLFNET: Final = skeleton("golfnet")
_WORDS: Final = """
server serverbot house root system sysop admin administrator operator op owner console mod moderator dealer
official staff support announcement notice warning yourturn host bot bots table tables lobby me you myself
all everyone everybody anyone someone nobody none null nil undefined true false
"""
_RESERVED: Final = frozenset(skeleton(word.replace("_", "")) for word in (*_WORDS.split(), *Code))
"""Names that could be mistaken for the server, or that are words of commands and replies."""


NAME_LIMIT: Final = 20
"""Maximum length of a name: four names fit side by side above their layouts in 80 columns."""


class InvalidName(Exception):
    """A name that no player may have; the message says what was expected."""


def check_name(text: str) -> str:
    """Return the name as it is stored and shown, normalised to NFKC, or raise ``InvalidName``."""
    name = unicodedata.normalize("NFKC", text)
    if not 1 <= len(name) <= NAME_LIMIT:
        raise InvalidName(f"a name has 1 to {NAME_LIMIT} characters")
    scripts = _scripts(name)
    if "" in scripts:
        raise InvalidName("a name is made of letters, digits 0-9, _ and -, and begins with a letter or digit")
    if not any(char.isalpha() for char in name):
        raise InvalidName("a name has at least one letter")
    if len(scripts) > 1 and not any(scripts <= mixture for mixture in _MIXTURES):
        raise InvalidName(
            "a name uses only one script, because letters from different scripts can look the same"
        )
    bones = skeleton(name)
    if bones in _SEATS:
        raise InvalidName("a single letter from A to L is a seat")
    if name[1:].isdecimal() and bones[0] == "t":
        raise InvalidName("names such as t12 are reserved for tables")
    if is_bot(name):
        raise InvalidName("names such as easy-bot are reserved for bots")
    words = _words(name)
    if not _RESERVED.isdisjoint(words) or any(_GOLFNET in word for word in words):
        raise InvalidName("that name is reserved")
    return name


# Scripts in modern use (UAX 31, table 5), each as the first word of its characters' names. The others are
# refused: they are not needed for names, and several (Cherokee, Lisu, Coptic) are full of Latin look-alikes.
_SCRIPT_NAMES: Final = """
ARABIC ARMENIAN BENGALI BOPOMOFO CJK CYRILLIC DEVANAGARI ETHIOPIC GEORGIAN GREEK GUJARATI GURMUKHI HANGUL HEBREW
HIRAGANA KANNADA KATAKANA KHMER LAO LATIN MALAYALAM MYANMAR ORIYA SINHALA TAMIL TELUGU THAANA THAI TIBETAN
"""
SCRIPTS: Final = frozenset(_SCRIPT_NAMES.split())
# Letters that no ordinary word in these scripts contains: clicks and small capitals, which look like other letters, and
# single parts of Hangul syllables, which join the next character.
UNUSUAL: Final = ("LATIN LETTER ", "HANGUL CHOSEONG ", "HANGUL JUNGSEONG ", "HANGUL JONGSEONG ")
# The mixtures of scripts that UTS 39 allows at its level "Highly Restrictive".
_MIXTURES: Final = (
    frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "CJK", "BOPOMOFO"}),
    frozenset({"LATIN", "CJK", "HANGUL"}),
)
_NAME_MARK_LIMIT: Final = 2  # Marks in a row: Thai puts a vowel and a tone above a consonant.


def _scripts(name: str) -> set[str]:
    """Return the scripts of a name, among them an empty one for what no name may contain."""
    scripts = set()
    marks = _NAME_MARK_LIMIT  # Start at the limit, since no mark may come first.
    for at, char in enumerate(name):
        category = unicodedata.category(char)
        if category.startswith("L") and (script := _script(char)):
            scripts.add(script)
            marks = 0
        elif category in ("Mn", "Mc") and marks < _NAME_MARK_LIMIT and not is_invisible(char):
            marks += 1
            if not is_loose_mark(char):
                scripts.add(_script(char))
        elif "0" <= char <= "9" or (char in "_-" and at > 0):
            marks = _NAME_MARK_LIMIT
        else:
            scripts.add("")
    return scripts


@lru_cache(maxsize=1024)
def _script(char: str) -> str:
    """Return the first word of a letter's or mark's Unicode name: its script; empty if names may not contain it."""
    name = unicodedata.name(char, "")
    if name.startswith(UNUSUAL) or is_invisible(char):
        return ""
    if name == "IDEOGRAPHIC ITERATION MARK":  # 々, as in 佐々木
        return "CJK"
    script = name.split(" ")[0].split("-")[0]
    return script if script in SCRIPTS else ""
