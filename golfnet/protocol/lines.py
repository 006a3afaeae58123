"""Lines of text: from bytes and to bytes, and cleaned before others see them.

The result is the same however the bytes are split into chunks. LF, CR LF, CR NUL and a lone CR end a line. Since empty
lines and NULs are ignored, each CR and each LF can end a line independently: a CR ends the line at once, and an LF that
follows it, now or in the next chunk, ends an empty line.

Invariants of a reader: a returned line contains no control character (C0, DEL, C1) and is not blank; the reader holds
at most ``limit`` bytes between two feeds, however long the line; a line over the limit or not UTF-8 gives one
``LineFault`` when it ends, and does not affect the next line.

Invariants of clean text: ``clean_text`` and ``clean_line`` return one line of NFC text without control characters,
escape sequences, bidirectional controls or invisible, private or unassigned characters; no combining mark stands alone,
and at most ``MARK_LIMIT`` follow each other; cleaning again changes nothing. Cleaning never fails, but the result may
be empty.

Some visible loss is accepted, because no terminal can be trusted with these: the joiners of Persian and Indic
writing (words stay readable without them), variation selectors (an emoji may show as a text symbol), the tag characters
of regional flags, and characters newer than this Python's Unicode tables. A zero-width joiner is kept only between two
emoji, where it combines them into one picture.
"""

import re
import unicodedata
from collections.abc import Sequence
from enum import Enum
from typing import Final

LINE_LIMIT: Final = 1024
"""Maximum bytes in a command line, without its end, after backspaces are applied (protocol page, "Bytes")."""

OBJECT_LIMIT: Final = 16 * 1024
"""Maximum bytes in one object of machine mode."""

CRLF: Final = b"\r\n"


class LineFault(Enum):
    """Why a line could not be decoded; the value is the error code of the answer."""

    TOO_LONG = "LINE_TOO_LONG"
    BAD_ENCODING = "BAD_ENCODING"


class LineReader:
    """Buffers bytes and returns the lines they complete.

    A tab becomes a space; whole escape sequences and all other control characters are removed. Backspace
    and DEL remove the whole UTF-8 character before them. A byte order mark before a line is dropped: some shells put
    one into every pipe.
    """

    __slots__ = ("_excess", "_limit", "_pending")

    def __init__(self, *, limit: int = LINE_LIMIT) -> None:
        self._limit = limit
        self._pending = bytearray()
        # Characters beyond the limit. They are counted but not stored, so that backspaces can still shorten a long
        # line to the limit while an endless one costs no memory.
        self._excess = 0

    def feed(self, data: bytes) -> list[str | LineFault]:
        """Return the lines that ``data`` completes, in order, each as text or as its fault."""
        if not self._pending and not self._excess and len(data) <= self._limit and data.isascii():
            text = data.decode("ascii")
            command = text.rstrip("\r\n")
            if command.isprintable() and command != text:  # the most frequent input: one complete command
                return [command] if command.strip() else []
        plain = data.translate(_ENDINGS, _SPECIAL)
        if len(plain) != len(data):
            return self._feed_edited(data)
        # From here on there is nothing to edit, only plain text and LFs.
        head, ended, tail = plain.rpartition(b"\n")
        if not ended:
            self._append(tail)
            return []
        items: list[str | LineFault] = []
        if self._pending or self._excess:
            first, _, head = head.partition(b"\n")
            self._append(first)
            items += self.end_line()
        limit = self._limit
        if head.isascii():
            items += [
                line if len(line) <= limit else LineFault.TOO_LONG
                for line in head.decode("ascii").split("\n")
                if line and (len(line) > limit or not line.isspace())
            ]
        else:
            for line in head.split(b"\n"):
                self._append(line)
                items += self.end_line()
        if tail:
            self._append(tail)
        return items

    def erase_line(self) -> None:
        """Discard the incomplete line (telnet's Erase Line and Interrupt Process)."""
        self._pending.clear()
        self._excess = 0

    def _feed_edited(self, data: bytes) -> list[str | LineFault]:
        items: list[str | LineFault] = []
        for piece in _PIECES.findall(_TAKEN_BACK.sub(b"", data.translate(_ENDINGS, b"\0"))):
            if piece == b"\n":
                items += self.end_line()
            elif piece[0] in b"\b\x7f":
                self._erase_characters(len(piece))
            else:
                self._append(piece)
        return items

    def _append(self, text: bytes) -> None:
        if self._excess:
            self._excess += _characters(text)
            return
        pending = self._pending
        pending += text
        if len(pending) > self._limit:
            # Cut before the character that crosses the limit, so that only whole characters are kept.
            cut = self._limit
            while cut > 0 and _is_continuation(pending[cut]):
                cut -= 1
            self._excess = 1 + _characters(pending[cut + 1 :])
            del pending[cut:]

    def _erase_characters(self, count: int) -> None:
        of_excess = min(count, self._excess)
        self._excess -= of_excess
        count -= of_excess
        pending = self._pending
        while count and pending:
            if not _is_continuation(pending.pop()):
                count -= 1

    def end_line(self) -> list[str | LineFault]:
        """Return the pending line, or nothing if it is blank; at the end of input, it may lack its line end."""
        pending, is_too_long = bytes(self._pending), self._excess > 0
        self.erase_line()
        if is_too_long:
            return [LineFault.TOO_LONG]
        try:
            text = pending.decode().removeprefix("\ufeff")
        except UnicodeDecodeError:
            return [LineFault.BAD_ENCODING]
        if not text.isprintable():
            text = strip_controls(text)
        return [text] if text and not text.isspace() else []


def encode_line(text: str, newline: bytes = CRLF) -> bytes:
    """Return one line as UTF-8 with its line end.

    Raise ``ValueError`` for text that a reader would parse as two lines, or that is not valid text (a lone surrogate).
    That is a bug in the caller, never a player's fault: players' text has gone through ``clean_text``.
    """
    if "\n" in text or "\r" in text:
        raise ValueError(f"expected one line without CR or LF, got {text!r}")
    return text.encode() + newline


def encode_lines(lines: Sequence[str]) -> bytes:
    """Return lines as UTF-8 for people, each terminated by CR LF. Raise ``ValueError`` as ``encode_line`` does."""
    text = "\r\n".join([*lines, ""])
    if not text.count("\n") == text.count("\r") == len(lines):
        raise ValueError(f"expected lines without CR or LF, got {lines!r}")
    return text.encode()


_ENDINGS: Final = bytes.maketrans(b"\r\t", b"\n ")
# What the fast path cannot handle: control characters other than LF, CR and tab.
_SPECIAL: Final = bytes(code for code in (*range(0x20), 0x7F) if code not in b"\n\r\t")
_PIECES: Final = re.compile(rb"\n|[\b\x7f]+|[^\n\b\x7f]+")
# A character and the backspace right after it. Removing these first makes a flood of backspaces cheap.
_TAKEN_BACK: Final = re.compile(rb"(?:[^\n\b\x7f-\xff]|[\xc0-\xff][\x80-\xbf]*)[\b\x7f]")
_CONTINUATION: Final = bytes(range(0x80, 0xC0))


def _is_continuation(byte: int) -> bool:
    return byte & 0xC0 == 0x80


def _characters(text: bytes | bytearray) -> int:
    return len(text.translate(None, _CONTINUATION))


MARK_LIMIT: Final = 4
"""Maximum combining marks in a row: UTS 39, section 5.4, treats more as abuse, and no living script needs more."""


def clean_text(text: str) -> str:
    """Return a player's text made safe to show to others, without leading or trailing spaces."""
    return clean_line(text).strip(" ")


def clean_line(text: str) -> str:
    """Return a line that contains other people's text, made safe to show; keep leading and trailing spaces."""
    if text.isascii() and text.isprintable():
        return text
    text = "".join(map(_visible, re.sub(_ESCAPE_SEQUENCE, "", text)))
    text = re.sub(_STRAY_JOINER, "", text)
    return _limit_marks(unicodedata.normalize("NFC", text))


def strip_controls(text: str) -> str:
    """Return a text without its escape sequences and control characters; a tab becomes a space."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", "", re.sub(_ESCAPE_SEQUENCE, "", text).replace("\t", " "))


def is_invisible(char: str) -> bool:
    """Return whether a character is invisible although its Unicode category is that of a visible letter or mark."""
    return any(first <= char <= last for first, last in _INVISIBLE)


# ECMA-48, in the 7-bit (ESC x) and the 8-bit (C1) form: strings up to their terminator (or BEL, as in xterm), CSI
# with parameters, single shifts with the character they shift, and the short sequences. A sequence that is incomplete
# at the end of the text is matched, too, so that no ESC remains that could affect text after it.
_ESCAPE_SEQUENCE: Final = r"""(?x)
      (?: \x1b[P\]X^_] | [\x90\x98\x9d-\x9f] )  [^\x07\x1b\x9c]*  (?: \x07 | \x1b\\ | \x9c )?
    | (?: \x1b\[       | \x9b )                 [0-?]* [ -/]*     [@-~]?
    | (?: \x1b[NO]     | [\x8e\x8f] )           [ -~]?
    |     \x1b                                  [ -/]*            [0-~]?
"""
_JOINER: Final = "\u200d"
_HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
# Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties), except for characters in a hidden category.
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
# The blocks that contain emoji: the standard library does not know which characters are emoji. The blocks also contain
# other symbols, but a joiner between two of those does no harm.
_EMOJI: Final = "[\u2190-\u2bff\U0001f000-\U0001faff]"
_STRAY_JOINER: Final = f"(?<!{_EMOJI}){_JOINER}|{_JOINER}(?!{_EMOJI})"


def _visible(char: str) -> str:
    if char.isspace() or char == "\u2800":  # the blank Braille pattern
        return " "
    is_hidden = unicodedata.category(char) in _HIDDEN_CATEGORIES or is_invisible(char)
    return "" if is_hidden and char != _JOINER else char


def _limit_marks(text: str) -> str:
    kept = []
    marks = MARK_LIMIT  # Start at the limit, since no mark may begin a text or follow a space.
    for char in text:
        is_mark = unicodedata.category(char).startswith("M")
        marks = marks + 1 if is_mark else MARK_LIMIT if char == " " else 0
        if not is_mark or marks <= MARK_LIMIT:
            kept.append(char)
    return "".join(kept)
