"""Lines are read by the rules on the protocol page, and reach others without invisible characters."""

import tracemalloc
import unicodedata

import pytest
from hypothesis import example, given, strategies as st

from golfnet.protocol.lines import (
    LINE_LIMIT,
    MARK_LIMIT,
    LineFault,
    LineReader,
    clean_text,
    encode_line,
    is_invisible,
    strip_controls,
)
from tests.protocol.chunking import cut, places, single_bytes, streams

TOO_LONG, BAD_ENCODING = LineFault.TOO_LONG, LineFault.BAD_ENCODING
SMALL_LIMIT = 8  # small enough for a few pieces to exceed it

# Pieces that the fast and the slow path could treat differently.
PIECES = (
    *(b"\n", b"\r\n", b"\r\0", b"\r", b"\0", b"\b", b"\x7f", b"\t", b" ", b"\x1b[A", b"\x07", b"draw"),
    *(b"swap 3", "é".encode(), "🂡".encode(), "\u0085".encode(), b"\xef\xbb\xbf", b"\xc3", b"\x80", b"\xff"),
    b"\b" * 6,
)


def read(*chunks: bytes, limit: int = LINE_LIMIT) -> list[str | LineFault]:
    reader = LineReader(limit=limit)
    return [item for chunk in chunks for item in reader.feed(chunk)] + reader.end_line()


def naive(data: bytes, limit: int) -> list[str | LineFault]:
    """Read lines naively, keeping every character until the line ends."""
    items: list[str | LineFault] = []
    characters: list[bytes] = []
    for byte in [*single_bytes(data), b"\n"]:
        if byte in b"\r\n":
            line = b"".join(characters)
            characters = []
            if len(line) > limit:
                items.append(TOO_LONG)
                continue
            try:
                text = strip_controls(line.decode().removeprefix("\ufeff"))
            except UnicodeDecodeError:
                items.append(BAD_ENCODING)
                continue
            if text.strip():
                items.append(text)
        elif byte in b"\b\x7f":
            del characters[-1:]
        elif b"\x80" <= byte < b"\xc0" and characters:
            characters[-1] += byte
        elif byte != b"\0":
            characters.append(byte)
    return items


def test_a_lone_cr_ends_a_line_at_once() -> None:
    reader, chunks = LineReader(), (b"draw\r", b"\n", b"pass\r", b"\0", b"who\n")
    assert [*map(reader.feed, chunks)] == [["draw"], [], ["pass"], [], ["who"]]


@pytest.mark.parametrize(
    ("data", "items"),
    [
        pytest.param(b"tables\nwho\r\ntop\r\0look\r", ["tables", "who", "top", "look"], id="line ends"),
        pytest.param(b"who\ntables", ["who", "tables"], id="the last line needs no line end"),
        pytest.param(b"\n\r\n\0\n  \n\t\nd\0raw\n\n", ["draw"], id="blank lines and nuls"),
        pytest.param("\u3000\n".encode(), [], id="a wide space"),
        pytest.param(b"  say\thello  \n", ["  say hello  "], id="a line keeps its spaces"),
        pytest.param(b"abc\b\b\b\b\x7fdraw\n", ["draw"], id="more backspaces than letters"),
        pytest.param("sé\bay 🂡\b7\n".encode(), ["say 7"], id="a backspace deletes all bytes of a letter"),
        pytest.param(b"who\n\b\b\bdraw\n", ["who", "draw"], id="a finished line cannot be edited"),
        pytest.param("say\x1b[31m red \x01\u0085\n".encode(), ["say red "], id="control characters"),
        pytest.param(b"\xef\xbb\xbfname Ann\r\n", ["name Ann"], id="a byte order mark"),
    ],
)
def test_lines_are_read_by_the_documented_rules(data: bytes, items: list[str | LineFault]) -> None:
    assert read(data) == read(*single_bytes(data)) == items


@pytest.mark.parametrize("letter", ["x", "é", "🂡"])
def test_the_limit_is_in_bytes_without_the_line_end(letter: str) -> None:
    fits = letter * (LINE_LIMIT // len(letter.encode()))
    for data in (fits + "\r\n", fits + "\n", "\n" + fits + "\nwho\n"):
        assert read(data.encode())[0] == fits
    over = (fits + letter + "\nwho\n").encode()
    assert read(over) == read(*single_bytes(over)) == [TOO_LONG, "who"]


def test_a_long_line_is_reported_once_when_it_ends() -> None:
    reader = LineReader()
    assert [reader.feed(b"x" * 700) for _ in range(5)] == [[]] * 5
    assert reader.feed(b"x\nwho\n") == [TOO_LONG, "who"]
    assert read(b"x" * 2000) == read(b" " * 2000 + b"\n") == [TOO_LONG]


def test_an_unfinished_line_can_be_erased() -> None:
    reader = LineReader()
    assert reader.feed(b"say somethin") == []
    reader.erase_line()
    assert reader.feed(b"who\n" + b"x" * 2000) == ["who"]
    reader.erase_line()
    assert reader.feed(b"who\n") == ["who"]


@pytest.mark.parametrize("filler", [b"x", b"\xff", b"\x80", "é".encode(), b"\x07", b"x\b\x07"])
def test_an_endless_line_does_not_use_up_memory(filler: bytes) -> None:
    reader = LineReader()
    chunk = filler * 5000
    tracemalloc.start()
    try:
        for _ in range(3):
            assert reader.feed(chunk) == []
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 4 * LINE_LIMIT


@given(streams(PIECES), places(), st.sampled_from([SMALL_LIMIT, LINE_LIMIT]))
@example(b"aaaaaaa\xc3\xa9\b\n", [8], SMALL_LIMIT)
@example(b"x" * 9 + b"\b\by\n", [9], SMALL_LIMIT)
@example(b"x" * 11 + b"\b\by\n", [11], SMALL_LIMIT)
@example(b"\x80" * 20 + b"\bx\n", [9], SMALL_LIMIT)
def test_chunking_makes_no_difference(data: bytes, cuts: list[int], limit: int) -> None:
    expected = naive(data, limit)
    assert read(data, limit=limit) == expected
    assert read(*single_bytes(data), limit=limit) == expected
    assert read(*cut(data, cuts), limit=limit) == expected


@given(
    st.lists(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs"]))),
    st.sampled_from([b"\n", b"\r\n"]),
)
def test_encoded_lines_are_read_back_unchanged(lines: list[str], newline: bytes) -> None:
    data = b"".join(encode_line(line, newline) for line in lines)
    assert read(data) == [text for line in lines if (text := line.removeprefix("\ufeff")).strip()]


@pytest.mark.parametrize("text", ["two\nlines", "two\rlines", "\ud800"])
def test_text_that_is_not_one_line_is_not_encoded(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected one line|surrogates not allowed"):
        encode_line(text)


# --- cleaned before others see them


FORBIDDEN_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
JOINER = "\u200d"
ACUTE = "\u0301"

# Pieces whose order matters, since each of them removes, joins, splits or combines with its neighbours.
TEXT_PIECES = (
    *("\x1b", "[", "31m", "]", "\x9b", "\x9d", "\x07", "\x1b\\", "O", "P", " ", "\t", "\u2028", *"ae3"),
    *(JOINER, "👩", "💻", "❤", "\ufe0f", "\U0001f3fd", ACUTE, "\u0323", "\u0335", "\u20e3", "\u034f"),
    *("\u202e", "\u2066", "\u1100", "\u1161", "\u115f", "\u09c7", "\u09be", "\u0958", "\u0344", "\u2126"),
    *("\u2800", "\ud800", "\U000e0067"),
)
TEXTS = st.one_of(
    st.text(alphabet=st.characters()),
    st.lists(st.sampled_from(TEXT_PIECES), max_size=30).map("".join),
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
