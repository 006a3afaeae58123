"""Every card in every size: told apart without colour, and drawn into exactly its room."""

from __future__ import annotations

from itertools import product

import pytest

from golfnet.engine.cards import CARDS
from golfnet.protocol.text.typeset import display_width
from golfnet_client.screens.canvas import Canvas
from golfnet_client.screens.faces import LARGE, MEDIUM, SMALL, TOKEN, Look, Manner, Size, card_text, draw_card

SLOTS = [*CARDS, "?", "-", "?7H"]


def drawn(slot: str, size: Size, look: Look, manner: Manner | None = None) -> str:
    canvas = Canvas(size.width + 2, size.height + 2, "outside")
    draw_card(canvas, 1, 1, slot, size, look, manner)
    around = {*canvas.chars[0], *canvas.chars[-1], *(row[0] for row in canvas.chars)}
    assert around == {" "}, "nothing is drawn beside a card"
    assert "outside" not in {style for row in canvas.styles[1:-1] for style in row[1:-1]}
    return "\n".join(canvas.lines())


@pytest.mark.parametrize(("size", "ascii"), list(product((TOKEN, SMALL, MEDIUM, LARGE), (False, True))))
def test_no_two_cards_look_the_same_without_colour(size: Size, *, ascii: bool) -> None:
    pictures = {drawn(slot, size, Look(ascii=ascii)) for slot in SLOTS}
    assert len(pictures) == len(SLOTS)
    assert all(picture.isascii() for picture in pictures) or not ascii


@pytest.mark.parametrize("size", [SMALL, MEDIUM, LARGE])
def test_chosen_and_marked_show_without_colour(size: Size) -> None:
    manners = [Manner(chosen=chosen, marked=marked) for chosen, marked in product((False, True), repeat=2)]
    assert len({drawn("7H", size, Look(), manner) for manner in manners}) == 4


def test_a_card_is_at_most_three_columns_of_text() -> None:
    for card, ascii in product(CARDS, (False, True)):
        assert 1 <= display_width(card_text(card, Look(ascii=ascii))) <= 3
