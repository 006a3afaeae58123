"""Cards, layouts, tables and ends of holes as pictures and as aligned text; the golden files show more."""

from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from golfnet.engine.cards import CARDS, Seat, parse_deck
from golfnet.engine.events import EndReason, HoleEnded
from golfnet.engine.frozen import replaced
from golfnet.engine.variants import CACTUS, SIX_CARD
from golfnet.protocol.commands.settings import MIN_WIDTH, Cards, Settings, Style
from golfnet.protocol.replies.replies import Happened, TableView
from golfnet.protocol.text.art import Shape, card_picture, layout_picture, small_layout
from golfnet.protocol.text.scene import HoleScore, closing_price, hole_end_lines, view_lines
from golfnet.protocol.text.status import voice_for
from golfnet.protocol.text.text import render
from golfnet.protocol.text.typeset import display_width, unpainted
from tests.protocol.tabletop import NAMES, dealt, hole_ended

ART = Settings(cards=Cards.LETTERS)
PLAIN = Settings(style=Style.PLAIN, cards=Cards.LETTERS)


LINES = Settings()
WORDS = ["?", "-", *CARDS, *(card.known_text for card in CARDS.values())]
SLOTS = st.lists(st.sampled_from(WORDS), min_size=2, max_size=20).map(tuple)


def drawn(lines: Sequence[str]) -> str:
    return "\n".join([line.rstrip() for line in lines])


@pytest.mark.parametrize(
    ("card", "settings", "label", "held", "picture"),
    [
        ("10H", LINES, "3", False, "╭─3──╮\n│10♥ │\n╰────╯"),
        ("*", LINES, "", True, "╔════╗\n║ ★  ║\n╚════╝"),
        ("?", ART, "12", False, "+-12-+\n|####|\n+----+"),
        ("?10D", ART, "", False, "+----+\n|?10D|\n+----+"),
        ("-", ART, "2", False, "..2...\n.    .\n......"),
    ],
)
def test_a_card_is_drawn_with_lines_or_in_ascii(
    card: str, settings: Settings, label: str, held: bool, picture: str
) -> None:
    assert drawn(card_picture(card, settings, label=label, held=held).lines) == picture


def test_a_layout_grows_downwards() -> None:
    assert drawn(layout_picture(("7H", "?", "KC"), Shape(1, 2), ART, 78).lines) == (
        "+-1--+ +-2--+\n| 7H | |####|\n+----+ +----+\n+-3--+\n| KC |\n+----+"
    )


def test_small_layouts_are_aligned_with_or_without_positions() -> None:
    slots = ("7H", "?", "-", "10C", "?2D")
    assert drawn(small_layout(slots, Shape(2, 2), ART, letter="B").lines) == (
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
    for settings in (LINES, ART):
        for picture in (
            layout_picture(slots, Shape(rows, columns), settings, width),
            small_layout(slots, Shape(rows, columns), settings, letter="B", width=width),
        ):
            assert {*map(display_width, picture.lines)} == {picture.width}
            assert picture.width <= width
        assert settings is LINES or drawn(picture.lines).isascii()
        labels = [word for word in drawn(picture.lines).split() if word[0] == "B"]
        assert labels == [f"B{slot}" for slot in range(1, len(slots) + 1)]


# --- whole tables


def seen(view: TableView, settings: Settings = ART) -> list[str]:
    return [unpainted(line.text) for line in view_lines(view, settings)]


def test_a_held_card_is_drawn_in_the_middle_and_hidden_from_other_players() -> None:
    view = replace(dealt(SIX_CARD), phase="holding", turn="A", holding="A", drawn="10S")
    assert "you hold" in "".join(seen(view))
    assert "|10S |" in "".join(seen(view))
    assert "you hold 10S" in seen(view, PLAIN)[1]
    other = replace(view, holding="B", drawn=None)
    assert "B holds" in "".join(seen(other))
    assert "B holds a stock card" in seen(other, PLAIN)[1]
    assert "|10S |" not in "".join(seen(other))


def test_all_headings_have_the_same_number_of_lines_so_that_cards_align() -> None:
    view = dealt(SIX_CARD, names=("Ann", "Bob", "Maximilian-Alexander"))
    lines = seen(view)
    (heading,) = [at for at, line in enumerate(lines) if "B Bob" in line]
    assert "bot" in lines[heading + 1]
    assert lines[heading + 2].count("##") == 6
    bob = replace(view.seats[1], total=20)
    knocked = replace(view, phase="turn", turn="B", closer="B", scores=((1, 20),), seats=(view.seats[0], bob))
    assert "20 points, knocked, to play" in seen(knocked)


def test_the_end_of_a_hole_shows_scores_and_totals_unless_it_was_abandoned() -> None:
    def ending(event: HoleEnded, settings: Settings) -> list[str]:
        happened = Happened(table="t1", seq=9, event=event, names=NAMES[:2], rules=CACTUS)
        return render(happened, settings, you=Seat(0)).lines

    layouts = parse_deck("3S 5H 0C 0D"), (None, *parse_deck("1H 2H"), None)
    event = hole_ended(EndReason.KNOCK, Seat(0), layouts, scores=(16, 3), totals=(20, 9))
    assert ending(event, PLAIN) == [
        "* The hole is over: you knocked.",
        "  A Ann, you  1 3S  2 5H   knocked, 8 doubled for closing = 16 points, total 20",
        "              3 0C  4 0D",
        "  B Bob       1 --  2 1H   3 points, total 9",
        "              3 2H  4 --",
        "  Seed 000000000000...; after the match, record shows it in full.",
    ]
    broken = replaced(event, reason=EndReason.ABANDONED, scores=None)
    assert "points" not in "".join(ending(broken, ART) + ending(broken, PLAIN))


def test_a_closing_penalty_other_than_doubling_is_shown_as_added() -> None:
    assert closing_price(HoleScore((2, 6), 13, 13), ART) == "8 + 5 for closing"
    assert closing_price(HoleScore((8,), 8, 8), ART) == ""


def test_score_cards_and_ends_of_holes_are_no_wider_than_the_window() -> None:
    narrow = replace(ART, width=MIN_WIDTH)
    view = replace(dealt(SIX_CARD), state="finished", scores=((10, 11, 12),) * 12)
    event = hole_ended(EndReason.FACE_UP, Seat(0), (parse_deck("10S " * 20),) * 2, scores=(80, 80))
    for lines in view_lines(view, narrow), hole_end_lines(event, SIX_CARD, voice_for(view, narrow)):
        assert len(lines) > 3
        assert max(display_width(line.text) for line in lines[1:-1]) <= MIN_WIDTH - 2


def test_a_picture_may_omit_whose_turn_it_is() -> None:
    view = replace(dealt(SIX_CARD), phase="turn", turn="B")
    whole, short = [render(view, ART, you=None, is_turn_told=told).lines for told in (False, True)]
    assert short[0] == "* t12, six-card, hole 1 of 9."
    assert whole == [f"{short[0]} It is the turn of Bob (B).", *short[1:]]
