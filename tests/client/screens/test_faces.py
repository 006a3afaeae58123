"""Cards of every size: they can be told apart without colour, and exactly fill their space."""

from itertools import product

import pytest

from golfnet.engine.cards import CARDS, RANKS
from golfnet_client.screens.canvas import Canvas, Look
from golfnet_client.screens.faces import (
    GRAND,
    LARGE,
    LOW,
    MEDIUM,
    SMALL,
    THIN,
    TOKEN,
    Manner,
    Size,
    draw_card,
)

CARDLIKE = (SMALL, LOW, MEDIUM, LARGE, GRAND)
SLOTS = [*CARDS, "?", "-", "?7H"]


def drawn(slot: str, size: Size, look: Look, manner: Manner | None = None) -> str:
    canvas = Canvas(size.width + 2, size.height + 2, "outside", look)
    draw_card(canvas, 1, 1, slot, size, manner)
    around = {*canvas.chars[0], *canvas.chars[-1], *(row[0] for row in canvas.chars)}
    assert around == {" "}, "nothing is drawn outside the card"
    assert "outside" not in {style for row in canvas.styles[1:-1] for style in row[1:-1]}
    return "\n".join(canvas.lines())


@pytest.mark.parametrize(("size", "ascii"), list(product((TOKEN, *CARDLIKE), (False, True))))
def test_no_two_cards_look_the_same_without_colour(size: Size, *, ascii: bool) -> None:
    pictures = {drawn(slot, size, Look(ascii=ascii)) for slot in SLOTS}
    assert len(pictures) == len(SLOTS)
    assert all(picture.isascii() for picture in pictures) or not ascii


@pytest.mark.parametrize("size", CARDLIKE)
@pytest.mark.parametrize("slot", ["7H", "?", "?10D"])
def test_marked_changed_and_spent_cards_differ_without_colour(slot: str, size: Size) -> None:
    manners = [Manner(), Manner(marked=True), Manner(changed="seat-1"), Manner(label="4")]
    manners += [Manner(spent=True)] if slot == "7H" else []
    assert len({drawn(slot, size, Look(), manner) for manner in manners}) == len(manners)


@pytest.mark.parametrize("size", [TOKEN, *CARDLIKE])
def test_the_edges_of_a_known_face_down_card_do_not_depend_on_the_card(size: Size) -> None:
    canvas = Canvas(*size)
    draw_card(canvas, 0, 0, "?10D", size, Manner(label="3"))
    other = Canvas(*size)
    draw_card(other, 0, 0, "?7H", size, Manner(label="3"))
    if size != TOKEN:
        assert [(row[0], row[-1]) for row in canvas.chars] == [(row[0], row[-1]) for row in other.chars]
    assert "♦" in "".join(canvas.lines())


def test_two_cards_that_cancel_are_drawn_as_one_piece() -> None:
    canvas = Canvas(7, 10, "felt")
    draw_card(canvas, 0, 0, "7S", MEDIUM, Manner(spent=True, tied=True))
    draw_card(canvas, 0, 5, "7D", MEDIUM, Manner(spent=True, under=True))
    assert canvas.lines()[4:6] == ["  =0", ""]
    assert {style.partition(" ")[0] for style in canvas.styles[4] + canvas.styles[5]} == {"spent"}


def test_the_largest_cards_show_as_many_pips_as_they_count() -> None:
    for rank in set(RANKS) - {"*"}:
        lines = drawn(f"{rank}S", GRAND, Look())
        pips = lines.count("♠") - 2  # two corners have a suit sign, too
        assert pips == (int(rank) if rank.isdigit() else 0)
        assert ("█" in lines) is (not rank.isdigit())


def test_the_narrowest_cards_show_their_rank() -> None:
    slots = ["7H", "?7H", "10D", "KS", "*", "-"]
    assert [drawn(slot, THIN, Look()).strip() for slot in slots] == ["7", "7", "T", "K", "★", "·"]
