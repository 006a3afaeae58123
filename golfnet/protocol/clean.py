"""Clean the text of one player before other players see it.

Invariants: ``clean_text`` and ``clean_line`` return one line of NFC text without control characters, escape sequences,
bidirectional controls or invisible, private or unassigned characters; no combining mark stands alone, and at most
``MARK_LIMIT`` follow each other; cleaning again changes nothing. They never fail; the result may be empty.

Some visible loss is accepted, because no terminal can be trusted with these: the joiners of Persian and Indic
writing (words stay readable without them), variation selectors (an emoji may show as a text symbol), the tag characters
of regional flags, and characters newer than this Python's Unicode tables. A zero-width joiner is kept only between two
emoji, where it combines them into one picture.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MARK_LIMIT: Final = 4
"""Combining marks in a row: UTS 39, section 5.4, treats more than four as abuse; no living script needs more."""


def clean_text(text: str) -> str:
    """Return a player's text as others may see it, without leading or trailing spaces."""
    return clean_line(text).strip(" ")


def clean_line(text: str) -> str:
    """Return a line that contains other people's text as it may be shown, keeping leading and trailing spaces."""
    if text.isascii() and text.isprintable():
        return text
    text = "".join(map(_visible, _ESCAPE_SEQUENCE.sub("", text)))
    text = _STRAY_JOINER.sub("", text)
    return _limit_marks(unicodedata.normalize("NFC", text))


def strip_controls(text: str) -> str:
    """Return a text without its escape sequences and control characters; a tab becomes a space."""
    return _CONTROL.sub("", _ESCAPE_SEQUENCE.sub("", text).replace("\t", " "))


def is_invisible(char: str) -> bool:
    """Return whether a letter or mark is not drawn at all (default-ignorable, which categories do not show)."""
    return any(first <= char <= last for first, last in _INVISIBLE)


# ECMA-48, in the 7-bit (ESC x) and the 8-bit (C1) form: strings up to their terminator (or BEL, as in xterm), CSI
# with parameters, single shifts with the character they shift, and the short sequences. A sequence that is incomplete
# at the end of the text is matched, too, so that no ESC remains that could affect text after it.
_ESCAPE_SEQUENCE: Final = re.compile(
    r"""
      (?: \x1b[P\]X^_] | [\x90\x98\x9d-\x9f] )  [^\x07\x1b\x9c]*  (?: \x07 | \x1b\\ | \x9c )?
    | (?: \x1b\[       | \x9b )                 [0-?]* [ -/]*     [@-~]?
    | (?: \x1b[NO]     | [\x8e\x8f] )           [ -~]?
    |     \x1b                                  [ -/]*            [0-~]?
    """,
    re.VERBOSE,
)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")

_JOINER: Final = "\u200d"
_BRAILLE_BLANK: Final = "\u2800"
_HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
# Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties), except for what is in a hidden category already.
_INVISIBLE: Final = (
    ("\u034f", "\u034f"),  # combining grapheme joiner
    ("\u115f", "\u1160"),  # Hangul fillers
    ("\u17b4", "\u17b5"),  # Khmer inherent vowels
    ("\u180b", "\u180f"),  # Mongolian variation selectors
    ("\u3164", "\u3164"),  # Hangul filler
    ("\ufe00", "\ufe0f"),  # variation selectors
    ("\uffa0", "\uffa0"),  # halfwidth Hangul filler
    ("\U000e0100", "\U000e01ef"),  # more variation selectors
)
# The blocks that contain emoji: the standard library has no emoji property, and a joiner between two of their
# other symbols does no harm.
_EMOJI: Final = "[\u2190-\u2bff\U0001f000-\U0001faff]"
_STRAY_JOINER: Final = re.compile(f"(?<!{_EMOJI}){_JOINER}|{_JOINER}(?!{_EMOJI})")


def _visible(char: str) -> str:
    if char.isspace() or char == _BRAILLE_BLANK:
        return " "
    if char == _JOINER:
        return char
    return "" if unicodedata.category(char) in _HIDDEN_CATEGORIES or is_invisible(char) else char


def _limit_marks(text: str) -> str:
    kept = []
    marks = MARK_LIMIT  # as if full: neither the start of the text nor a blank can carry a mark
    for char in text:
        if unicodedata.category(char).startswith("M"):
            marks += 1
            if marks > MARK_LIMIT:
                continue
        else:
            marks = MARK_LIMIT if char == " " else 0
        kept.append(char)
    return "".join(kept)
