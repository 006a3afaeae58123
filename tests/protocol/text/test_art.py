"""Pictures of cards and layouts, with box lines or in ASCII, of any shape and width."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.engine.cards import CARDS
from golfnet.protocol.commands.settings import Cards, Settings, Style
from golfnet.protocol.text.art import Shape, card_picture, layout_picture, small_layout
from golfnet.protocol.text.typeset import display_width

LINES, ASCII = Settings(), Settings(cards=Cards.LETTERS)
PLAIN = Settings(style=Style.PLAIN, cards=Cards.LETTERS)
WORDS = ["?", "-", *CARDS, *(card.known_text for card in CARDS.values())]
SLOTS = st.lists(st.sampled_from(WORDS), min_size=2, max_size=20).map(tuple)


def drawn(lines: Sequence[str]) -> str:
    return "\n".join([line.rstrip() for line in lines])


@pytest.mark.parametrize(
    ("card", "settings", "label", "held", "picture"),
    [
        ("10H", LINES, "3", False, "╭─3──╮\n│10♥ │\n╰────╯"),
        ("*", LINES, "", True, "╔════╗\n║ ★  ║\n╚════╝"),
        ("?", ASCII, "12", False, "+-12-+\n|####|\n+----+"),
        ("?10D", ASCII, "", False, "+----+\n|?10D|\n+----+"),
        ("-", ASCII, "2", False, "..2...\n.    .\n......"),
    ],
)
def test_a_card_is_drawn_with_lines_or_in_ascii(
    card: str, settings: Settings, label: str, held: bool, picture: str
) -> None:
    assert drawn(card_picture(card, settings, label=label, held=held).lines) == picture


def test_a_layout_grows_downwards() -> None:
    assert drawn(layout_picture(("7H", "?", "KC"), Shape(1, 2), ASCII, 78).lines) == (
        "+-1--+ +-2--+\n| 7H | |####|\n+----+ +----+\n+-3--+\n| KC |\n+----+"
    )


def test_small_layouts_are_aligned_with_or_without_positions() -> None:
    slots = ("7H", "?", "-", "10C", "?2D")
    assert drawn(small_layout(slots, Shape(2, 2), ASCII, letter="B").lines) == (
        "B1 7H   B2 ##\nB3 --   B4 10C\nB5 ?2D"
    )
    assert drawn(small_layout(slots[:4], Shape(2, 2), PLAIN, sign=3).lines) == "7H  ??\n--  10C"
    assert drawn(small_layout(("?",) * 10, Shape(5, 2), PLAIN, letter="").lines).splitlines()[3:] == [
        " 7 ??   8 ??",
        " 9 ??  10 ??",
    ]


@given(SLOTS, st.integers(1, 4), st.integers(1, 6), st.integers(38, 120))
def test_every_slot_is_drawn_once_and_no_line_is_too_wide(
    slots: tuple[str, ...], rows: int, columns: int, width: int
) -> None:
    for settings in (LINES, ASCII):
        for picture in (
            layout_picture(slots, Shape(rows, columns), settings, width),
            small_layout(slots, Shape(rows, columns), settings, letter="B", width=width),
        ):
            assert {*map(display_width, picture.lines)} == {picture.width}
            assert picture.width <= width
        assert settings is LINES or drawn(picture.lines).isascii()
        labels = [word for word in drawn(picture.lines).split() if word[0] == "B"]
        assert labels == [f"B{slot}" for slot in range(1, len(slots) + 1)]
