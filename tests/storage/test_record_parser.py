from __future__ import annotations

import pytest

from golfnet.storage.record_parser import MAX_LINE, BadRecord, RecordLine, difference, parse_lines


def test_lines_are_numbered_and_blank_ones_are_skipped() -> None:
    lines = [b'{"a":1}\r\n', b"\n", b"  \t\n", b' { "b" : [ true , null ] } ']
    assert list(parse_lines(lines)) == [RecordLine(1, {"a": 1}), RecordLine(4, {"b": [True, None]})]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"nonsense", "Expecting value"),
        (b'{"a":1', "Expecting"),
        (b'{"a":1} {"b":2}', "Extra data"),
        (b"[1,2]", r"\[1,2\]"),
        (b'"text"', "text"),
        (b"null", "null"),
        (b'{"a":1,"a":2}', "twice"),
        (b'{"x":{"a":1,"a":1}}', "twice"),
        (b'{"a":1.5}', "1.5"),
        (b'{"a":1e3}', "1e3"),
        (b'{"a":NaN}', "NaN"),
        (b'{"a":-Infinity}', "Infinity"),
        (b'{"a":"\xff"}', "utf-8"),
        (b'{"a":"\\ud800"}', "surrogates"),
        (b'{"a":"\x01"}', "control"),
        (b"[" * 5000, "recursion"),
        (b'{"a":' + b"9" * 5000 + b"}", "digits"),
        (b'{"a":"' + b"x" * MAX_LINE + b'"}', "16"),
    ],
    ids=range(18),
)
def test_what_could_be_read_in_two_ways_is_refused(line: bytes, found: str) -> None:
    with pytest.raises(BadRecord, match=found) as caught:
        list(parse_lines([b'{"a":1}', line]))
    assert caught.value.line == 2


def test_a_bad_field_is_named_with_both_values() -> None:
    line = RecordLine(7, {"at": ["A1", "B2"], "n": 1})
    line.need("at", ["A1", "B2"])
    with pytest.raises(BadRecord, match=r'line 7, at\[2\]: expected "B3", found "B2"'):
        line.need("at", ["A1", "B3"])
    with pytest.raises(BadRecord, match='line 7, card: expected "7H", found nothing'):
        line.need("card", "7H")
    with pytest.raises(BadRecord, match="n: expected text, found 1"):
        line.text("n")
    with pytest.raises(BadRecord, match="n: expected a list of texts"):
        line.texts("n")
    assert line.texts("at") == ("A1", "B2")


def test_long_values_are_shortened_in_errors() -> None:
    with pytest.raises(BadRecord) as caught:
        RecordLine(1, {"a": "x" * 5000}).need("a", "y")
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("expected", "found", "path"),
    [
        (1, 1, None),
        (1, True, "x"),
        (1, "1", "x"),
        (None, 0, "x"),
        ([], {}, "x"),
        ([1, 2], [1, 2], None),
        ([1, 2], [1, 3], "x[2]"),
        ([1, 2], [1], "x"),
        ({"a": [1]}, {"a": [2]}, "x.a[1]"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, None),
        ({"a": 1}, {"a": 1, "b": 2}, "x"),
        ([["7H", "-"]], [["7H", "8H"]], "x[1][2]"),
    ],
)
def test_the_first_difference_is_found(expected: object, found: object, path: str | None) -> None:
    place = difference("x", expected, found)
    assert (place and place[0]) == path
