"""Lines are read by the rules on the protocol page, however their bytes are cut into chunks."""

import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from golfnet.protocol.lines import LINE_LIMIT, LineFault, LineReader, encode_line, strip_controls
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
    reader = LineReader()
    assert reader.feed(b"draw\r") == ["draw"]
    assert reader.feed(b"\n") == []
    assert reader.feed(b"pass\r") == ["pass"]
    assert reader.feed(b"\0") == []
    assert reader.feed(b"who\n") == ["who"]


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
