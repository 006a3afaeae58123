"""Names players may take: readable, speakable, not to be mistaken for another name or for a protocol word.

What stays true: a name that `check_name` returned is NFKC text of letters, their marks, digits 0-9, `_` and
`-`, at most `NAME_LIMIT` characters long, in one script (or one of the mixtures in which Japanese, Chinese and
Korean are written), and checking it again returns it unchanged. Names that look alike have the same `skeleton`;
the server refuses a name whose skeleton is taken, so that nobody can pose as somebody else.

The standard library has no script property and no table of confusables. The script is read off the character's
Unicode name; the look-alikes are a chosen list, enough for whole names in Cyrillic, Greek or Armenian that read
as Latin ones. Pairs like `rn` and `m` are left alone: in a terminal's fixed width they do not look alike.
"""

from __future__ import annotations

import re
import unicodedata
from enum import Enum
from typing import Final

from golfnet.protocol.clean import is_invisible

NAME_LIMIT: Final = 20
"""Characters in a name: four of them fit beside each other in a line of 80 columns above their layouts."""


class NameFault(Enum):
    """Why a name is refused; the value says what was expected."""

    LENGTH = f"a name has 1 to {NAME_LIMIT} characters"
    CHARACTER = "a name is made of letters, digits 0-9, _ and -, and begins with a letter or digit"
    NUMBER = "a name has at least one letter"
    MIXED_SCRIPTS = "a name keeps to one script, because letters of two scripts can look the same"
    TABLE_ID = "names like t12 are the tables'"
    SEAT = "a single letter from A to L is a seat"
    BOT = "names like easy-bot are the bots'"
    RESERVED = "this word is not free as a name"


class InvalidName(Exception):
    """A name that nobody may take; `fault` says why."""

    def __init__(self, fault: NameFault) -> None:
        super().__init__(fault.value)
        self.fault = fault


def check_name(text: str) -> str:
    """Returns the name as it is kept and shown, normalised to NFKC.

    Raises InvalidName.
    """
    name = unicodedata.normalize("NFKC", text)
    if not 1 <= len(name) <= NAME_LIMIT:
        raise InvalidName(NameFault.LENGTH)
    scripts = _scripts(name)
    if not any(char.isalpha() for char in name):
        raise InvalidName(NameFault.NUMBER)
    if len(scripts) > 1 and not any(scripts <= mixture for mixture in _MIXTURES):
        raise InvalidName(NameFault.MIXED_SCRIPTS)
    bones = skeleton(name)
    if bones in _SEATS:
        raise InvalidName(NameFault.SEAT)
    if bones[0] == "t" and name[1:].isdecimal():
        raise InvalidName(NameFault.TABLE_ID)
    if _BOT.fullmatch(bones):
        raise InvalidName(NameFault.BOT)
    if bones in _RESERVED:
        raise InvalidName(NameFault.RESERVED)
    return name


def skeleton(name: str) -> str:
    """Returns what is left of a name when case, width and look-alike letters no longer count.

    For comparing only, never for showing. Accents count where Unicode has the accented letter (`Bör` is not
    `Bor`); loose marks put over or through a letter do not.
    """
    letters = unicodedata.normalize("NFKD", name).casefold()
    letters = unicodedata.normalize("NFKD", letters).translate(_LOOK_ALIKES)
    letters = unicodedata.normalize("NFC", letters)
    return "".join(char for char in letters if not _is_loose_mark(char))


# Scripts in modern use by UAX 31, table 5, as the first word of their characters' names. The others are
# refused: nobody needs them for a name, and several (Cherokee, Lisu, Coptic) are full of Latin look-alikes.
_SCRIPTS: Final = frozenset(
    {
        *(
            "ARABIC",
            "ARMENIAN",
            "BENGALI",
            "BOPOMOFO",
            "CJK",
            "CYRILLIC",
            "DEVANAGARI",
            "ETHIOPIC",
            "GEORGIAN",
        ),
        *(
            "GREEK",
            "GUJARATI",
            "GURMUKHI",
            "HANGUL",
            "HEBREW",
            "HIRAGANA",
            "KANNADA",
            "KATAKANA",
            "KHMER",
            "LAO",
        ),
        *(
            "LATIN",
            "MALAYALAM",
            "MYANMAR",
            "ORIYA",
            "SINHALA",
            "TAMIL",
            "TELUGU",
            "THAANA",
            "THAI",
            "TIBETAN",
        ),
    }
)
# Letters of these scripts that no ordinary word has: clicks and small capitals (drawn like other letters), and
# the loose pieces of Hangul syllables (which join what follows them).
_UNUSUAL: Final = ("LATIN LETTER ", "HANGUL CHOSEONG ", "HANGUL JUNGSEONG ", "HANGUL JONGSEONG ")
# UTS 39, "Highly Restrictive".
_MIXTURES: Final = (
    frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "CJK", "BOPOMOFO"}),
    frozenset({"LATIN", "CJK", "HANGUL"}),
)
_NAME_MARK_LIMIT: Final = 2  # in a row: Thai puts a vowel and a tone above a consonant

# Applied after case folding, so a letter's capital and small form go the same way. Where the two resemble
# different letters, the capital decides: Greek eta and nu are drawn exactly as H and N, and small merely like
# n and v.
_LOOK_ALIKES: Final = str.maketrans(
    {
        **dict(zip("01l|-", "oiii_", strict=True)),
        **dict(zip("ıɩɑɡǝðɖ", "iiagəđđ", strict=True)),
        **dict(zip("авгԁеһзіјкӏмнопрԛсѕтуүхԝьҽӕәө", "abrdeh3ijkimhonpqcstyyxwbeæəɵ", strict=True)),
        **dict(zip("αβγεζηικμνορτυχωϳ", "abyezhikmnoptyxwj", strict=True)),
        **dict(zip("օոսհզյցլ", "onuhqjgi", strict=True)),
        **dict(zip("口夕力二工卜八三千へりー丿丨", "ロタカニエトハミチヘリ一\u30cei", strict=True)),
    }
)


def _scripts(name: str) -> frozenset[str]:
    scripts = set()
    marks = _NAME_MARK_LIMIT  # as if full: a mark cannot come first
    for at, char in enumerate(name):
        category = unicodedata.category(char)
        if category.startswith("L") and (script := _script(char)):
            scripts.add(script)
            marks = 0
        elif category in ("Mn", "Mc") and marks < _NAME_MARK_LIMIT and not is_invisible(char):
            marks += 1
            if not _is_loose_mark(char):
                scripts.add(_script(char))
        elif "0" <= char <= "9" or (char in "_-" and at > 0):
            marks = _NAME_MARK_LIMIT
        else:
            raise InvalidName(NameFault.CHARACTER)
    if "" in scripts:
        raise InvalidName(NameFault.CHARACTER)
    return frozenset(scripts)


def _script(char: str) -> str:
    """Returns the script of a letter or mark, by the first word of its Unicode name; empty if not for names."""
    name = unicodedata.name(char, "")
    if name.startswith(_UNUSUAL) or is_invisible(char):
        return ""
    if name == "IDEOGRAPHIC ITERATION MARK":  # 々, as in 佐々木
        return "CJK"
    script = name.split(" ")[0].split("-")[0]
    return script if script in _SCRIPTS else ""


def _is_loose_mark(char: str) -> bool:
    return unicodedata.category(char) == "Mn" and unicodedata.name(char, "").startswith("COMBINING ")


LEVELS: Final = ("random", "easy", "medium", "hard")
"""The levels of bots, weakest first: commands name them, and bots are named after them."""

_BOT: Final = re.compile(rf"({'|'.join(map(skeleton, LEVELS))}){skeleton('-bot')}({skeleton('-')}[0-9oi]+)?")
"""The bones of their names; those of 0 and 1 are letters."""
_SEATS: Final = frozenset(map(skeleton, "ABCDEFGHIJKL"))
# Words that speak for the server, or that commands and replies use in the place of a name.
_RESERVED: Final = frozenset(
    map(
        skeleton,
        [
            *(
                "server",
                "house",
                "golfnet",
                "root",
                "system",
                "admin",
                "administrator",
                "operator",
                "moderator",
            ),
            *("host", "bot", "bots", "table", "tables", "lobby", "me", "you", "myself", "all", "everyone"),
            *(
                "everybody",
                "anyone",
                "someone",
                "nobody",
                "none",
                "null",
                "nil",
                "undefined",
                "true",
                "false",
            ),
        ],
    )
)
