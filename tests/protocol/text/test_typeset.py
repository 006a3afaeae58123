"""Typesetting: widths as drawn by terminals, wrapping, cutting, colours, columns."""

import re
import unicodedata

import wcwidth
from hypothesis import given, strategies as st

from golfnet.protocol.commands.settings import Mark, Prefix, Settings
from golfnet.protocol.text.typeset import (
    Column,
    TextLine,
    beside,
    block,
    bold,
    centred,
    clipped,
    display_width,
    finished,
    padded,
    red,
    table,
    unpainted,
    wrapped,
)

LETTER_KINDS = ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Mn")
LETTERS = st.characters(categories=("L", "N", "P", "S"), exclude_characters="\u00ad")
TEXTS = st.text(alphabet=st.one_of(st.sampled_from("ab  é桜ｱ♥─"), LETTERS), max_size=120)


def test_widths_agree_with_wcwidth_and_stay_the_same_before_a_wide_character() -> None:
    for char in map(chr, {*range(0x10000)} - {0x115F}):  # an invisible letter, which nobody can send
        width = display_width(char)
        if unicodedata.category(char) != "Cc":
            assert display_width(f"{char}桜") == width + 2
        if unicodedata.category(char) in LETTER_KINDS and unicodedata.is_normalized("NFC", char):
            assert wcwidth.wcwidth(char) in (width, -1), f"U+{ord(char):04X}"


@given(TEXTS, st.integers(40, 100), st.sampled_from(["", "* ", "table: "]))
def test_wrapped_lines_fit_and_lose_only_spaces(text: str, width: int, start: str) -> None:
    lines = wrapped(text, width, start=start)
    assert all(display_width(line) <= width for line in lines)
    assert lines[0].startswith(start.rstrip())
    assert all(line.startswith("  ") for line in lines[1:])
    assert "".join("".join(lines).removeprefix(start).split()) == "".join(text.split())


def test_a_list_wraps_under_its_second_column_and_a_word_wider_than_a_line_fills_its_lines() -> None:
    text = "  draw      draw the top card of the stock and look at it"
    lines = ["-   draw      draw the top card of the", "              stock and look at it"]
    assert wrapped(text, 40, start="- ") == lines
    assert wrapped("abcdefghijklmnopqrst", 10) == ["abcdefgh", "  ijklmnop", "  qrst"]


@given(TEXTS, st.integers(1, 60))
def test_text_is_clipped_or_padded_to_a_width_and_shows_that_it_was_cut(text: str, width: int) -> None:
    cut = clipped(text, width)
    assert display_width(cut) <= width
    assert cut == text or cut.endswith("~")
    wanted = max(width, display_width(text))
    assert display_width(padded(text, width)) == wanted
    assert display_width(padded(text, width, right=True)) == wanted
    assert display_width(centred(text, width)) == wanted


def test_colour_is_reset_at_each_line_end_and_resumed_on_the_next_line() -> None:
    text = "x " * 15 + red("the seven of hearts")
    lines = finished([TextLine(Mark.HAPPENED, text)], Settings(color=True, width=40))
    assert len(lines) == 2
    assert all(line.count("\x1b[31m") == line.count("\x1b[39m") == 1 for line in lines)
    assert finished([TextLine(Mark.HAPPENED, red("7H"))], Settings()) == ["* 7H"]


@given(st.lists(st.sampled_from(["ab ", red("cd"), bold("ef"), red(bold("g")), bold(f"h{red('i')}j")])))
def test_text_is_the_same_with_and_without_colour(parts: list[str]) -> None:
    line = TextLine(Mark.HAPPENED, "".join(parts))
    coloured = finished([line], Settings(color=True, width=32))
    assert [re.sub("\x1b\\[[0-9]+m", "", each) for each in coloured] == finished([line], Settings(width=32))


def test_cutting_coloured_text_still_ends_the_colour() -> None:
    cut = clipped(f"abc{red('defgh')}", 5)
    assert unpainted(cut) == "abcd~"
    assert finished([TextLine(Mark.ROW, cut)], Settings(color=True)) == ["- abc\x1b[31md~\x1b[39m"]


def test_lines_start_with_the_character_for_their_mark() -> None:
    on, off = [Settings(prefix=prefix) for prefix in (Prefix.ON, Prefix.OFF)]
    lines = [TextLine(mark, "a") for mark in Mark]
    assert finished(lines, on) == ["= a", "? a", "* a", "- a", "> a", "! a", "  a", "  a", "a"]
    assert finished(lines, off) == ["a", "a", "a", "a", "a", "a", "  a", "a", "a"]


def test_pictures_are_placed_side_by_side_in_even_rows() -> None:
    blocks = [block([letter * 3, letter]) for letter in "abcde"]
    assert beside(blocks, 40, gap=1) == ["aaa bbb ccc ddd eee", "a   b   c   d   e"]
    assert beside(blocks, 11, gap=1) == ["aaa bbb ccc", "a   b   c", "ddd eee", "d   e"]
    assert beside(blocks[:2], 2, gap=1) == ["aaa", "a", "bbb", "b"]
    assert beside([], 10, gap=1) == []


def test_a_table_cuts_cells_before_it_drops_columns() -> None:
    columns = [Column("name"), Column("n", right=True), Column("long", spare=1, narrowest=8)]
    rows = [("Ann", "1", "something very long"), ("桜子", "12", "short")]
    assert table(columns, rows, 40)[0] == [
        "name   n  long",
        "Ann    1  something very long",
        "桜子  12  short",
    ]
    assert table(columns, rows, 20)[0][1] == "Ann    1  something~"
    assert table(columns, rows, 15)[0] == ["name   n", "Ann    1", "桜子  12"]
