"""What players write reaches others without invisible characters."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from golfnet.protocol.lines import MARK_LIMIT, clean_text, is_invisible, strip_controls

FORBIDDEN_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
JOINER = "\u200d"
ACUTE = "\u0301"

# Pieces whose order matters, since each of them removes, joins, splits or combines with its neighbours.
PIECES = (
    *("\x1b", "[", "31m", "]", "\x9b", "\x9d", "\x07", "\x1b\\", "O", "P", " ", "\t", "\u2028", *"ae3"),
    *(JOINER, "👩", "💻", "❤", "\ufe0f", "\U0001f3fd", ACUTE, "\u0323", "\u0335", "\u20e3", "\u034f"),
    *("\u202e", "\u2066", "\u1100", "\u1161", "\u115f", "\u09c7", "\u09be", "\u0958", "\u0344", "\u2126"),
    *("\u2800", "\ud800", "\U000e0067"),
)
TEXTS = st.one_of(
    st.text(alphabet=st.characters()),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
)


FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f466"
ORDINARY = ("Grüße aus Łódź", "Việt Nam", "שָׁלוֹם", "สวัสดีที่นี่", "你好 さようなら 안녕", "👍🏽 🂡 ♥", "👩\u200d💻")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38;2;1;2;3m\x1b[2J\x1b[?25lred", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0;2;0;0;0\x1b\\sixel", "sixel"),
        ("\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\text", "text"),
        ("\x1b(0lines\x1bcreset\x1b7\x1b=", "linesreset"),
        ("\x1bOAup", "up"),
        ("\x9b31mred\x9d0;title\x9ctext\x90x\x9c\x8fA", "redtext"),
        *(("cut off " + cut, "cut off") for cut in ("\x1b[31", "\x1b]0;title", "\x1b")),
        ("\x1b]0;a\x1b[31mred", "red"),  # a new sequence ends an unfinished one
        ("\x1b\x1b[31mred", "red"),
        ("\x1b[3\x1b[1mred", "red"),
    ],
)
def test_escape_sequences_are_removed_entirely(text: str, shown: str) -> None:
    assert clean_text(text) == shown
    assert strip_controls(text).strip() == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one\ttwo\nthree\r\nfour\x0bfive\x0csix\x85seven", "one two three  four five six seven"),
        ("line\u2028separator\u2029paragraph", "line separator paragraph"),
        ("no\u00a0break\u3000wide\u2800braille", "no break wide braille"),
        ("  \u2003 ends \t", "ends"),
        ("be\x07ll\x00\x7f\x01", "bell"),
        ("\u202eevil\u202c \u2066isolate\u2069 \u200fmark\u061c", "evil isolate mark"),
        ("ze\u200bro\u200c wi\u2060dth\ufeff so\u00adft", "zero width soft"),
        ("pri\ue000vate \U000f0000 un\u0378assigned \uffff", "private  unassigned"),
        ("lone\ud800 surrogate\udfff", "lone surrogate"),
        ("fil\u3164l\u115f\u1160er\uffa0 va\ufe0fri\U000e0100ant gra\u034fpheme", "filler variant grapheme"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f", "🏴"),
        ("❤\ufe0f", "❤"),
        ("a\u200db \u200d 👩\u200dx x\u200d👩 👩\u200d\u200d💻 \u200d", "ab  👩x x👩 👩💻"),
        ("\u200b\u200b", ""),
        ("", ""),
        *((text, unicodedata.normalize("NFC", text)) for text in (*ORDINARY, FAMILY, "7H  is mine!")),
    ],
)
def test_invisible_characters_are_removed_and_ordinary_text_is_unchanged(text: str, shown: str) -> None:
    assert clean_text(text) == shown


def test_combining_marks_need_a_base_and_do_not_pile_up() -> None:
    zalgo = "Z" + "\u0335" * 9 + "a" + "\u0316\u0317\u0318\u0319\u031c\u031d" + "!"
    assert clean_text(zalgo) == "Z" + "\u0335" * MARK_LIMIT + "a" + "\u0316\u0317\u0318\u0319" + "!"
    assert clean_text(ACUTE + "a " + ACUTE + "b \u200b" + ACUTE + ACUTE) == "a b"


@given(TEXTS)
@example("a" + ACUTE * 3 + JOINER + ACUTE * 3)
@example(ACUTE + " " + ACUTE + "a")
@example("\x1b\u200d[31m")
@example("👩\u200d\u034f💻")
@example("\u1100" + "\u0323" * 6 + "\u1161")
def test_cleaning_is_thorough_and_idempotent(text: str) -> None:
    cleaned = clean_text(text)
    assert clean_text(cleaned) == cleaned
    assert unicodedata.is_normalized("NFC", cleaned)
    assert cleaned == cleaned.strip()
    categories = [unicodedata.category(char) for char in cleaned]
    for at, char in enumerate(cleaned):
        assert categories[at] not in FORBIDDEN_CATEGORIES or char == JOINER
        assert not is_invisible(char)
        assert char == " " or not char.isspace()
        if char == JOINER:
            assert JOINER not in (cleaned[at - 1], cleaned[at + 1])
            assert not (cleaned[at - 1] + cleaned[at + 1]).isalnum()
    shape = "".join("M" if category.startswith("M") else "x" for category in categories)
    assert "M" * (MARK_LIMIT + 1) not in shape
    assert not shape.startswith("M")


@given(TEXTS)
def test_stripping_controls_removes_all_of_them_and_no_letters(text: str) -> None:
    stripped = strip_controls(text)
    assert all(unicodedata.category(char) != "Cc" for char in stripped)
    assert strip_controls(stripped) == stripped
    if not any(unicodedata.category(char) == "Cc" for char in text):
        assert stripped == text
