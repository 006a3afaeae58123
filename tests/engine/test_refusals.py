"""What is refused, why, and with which message."""

import re

import pytest

from golfnet.engine.actions import Draw, Take
from golfnet.engine.cards import Seat
from golfnet.engine.errors import IllegalAction
from golfnet.engine.refusals import check
from tests.engine.scenes import in_phase

REFUSED = """
    start     A draw         BAD_PHASE      First peek at 2 of your cards (1, 2, 3 or 4) with peek SLOT SLOT.
    start     A peek 1 2 3   BAD_SLOT       Choose at most 2 of your own cards: slots 1, 2, 3 or 4.
    start     A peek 34      BAD_SLOT       slots 1, 2, 3 or 4. With a space between: peek 3 4.
    start     A peek 33      BAD_SLOT       Choose at most 2 of your own cards: slots 1, 2, 3 or 4.
    start     A peek B1      BAD_SLOT       Choose at most 2 of your own cards: slots 1, 2, 3 or 4.
    start     A flip 1       BAD_PHASE      First peek at 2 of your cards (1, 2, 3 or 4) with peek SLOT SLOT.
    flipping  A peek 1       BAD_PHASE      First turn up 2 of your cards (1, 2, 3, 4, 5 or 6) with flip SLOT SLOT.
    one_owed  A draw         BAD_PHASE      First peek at one of your cards (4) with peek SLOT.
    one_owed  A peek 3       BAD_SLOT       Choose one more of your own cards: slot 4.
    chosen    A peek 3       BAD_PHASE      You have chosen your start cards. Wait for the others to choose.
    chosen    A draw         BAD_PHASE      Wait for the others: they still have to peek at their cards.
    turn      B draw         NOT_YOUR_TURN  It is A's turn.
    turn      A discard      BAD_PHASE      It is your turn: draw, or take the discard.
    turn      A pass         BAD_PHASE      You cannot pass now. It is your turn: draw, or take the discard.
    turn      B pass         NOT_YOUR_TURN  It is A's turn.
    turn      A take 5       BAD_SLOT       You have no slot 5; you can replace 1, 2, 3 or 4.
    turn      A flip 1       NOT_IN_RULES   You cannot turn up cards during play in four-card-knock.
    turn      A slam 1       NOT_IN_RULES   There are no slams in four-card-knock.
    turn      A switch 1 2   NOT_IN_RULES   There are no powers in four-card-knock.
    turn      A give 1       BAD_PHASE      There is no card to give now.
    turn      A peek 1       BAD_PHASE      You cannot peek any more.
    holding   A draw         BAD_PHASE      You hold a card: swap it into a slot with swap SLOT, or discard it with
    taken     A discard      MUST_PLACE     The card you hold came from the discard pile, so you have to keep it
    taken     A draw         BAD_PHASE      You hold the card from the discard pile: swap it into a slot with swap SLOT.
    flip      A draw         BAD_PHASE      Turn up one of your cards (3, 4, 5 or 6) with flip SLOT, or pass.
    flip      A flip 1       BAD_SLOT       You can turn up one of 3, 4, 5 or 6.
    flip      B flip 3       NOT_YOUR_TURN  It is A's turn.
    flip      A knock        NOT_IN_RULES   You cannot knock in six-card. Turn up one of your cards (3, 4, 5 or 6)
    power     B draw         NOT_YOUR_TURN  It is A's turn.
    power     A draw         BAD_PHASE      You can use your power: peek POSITION, switch POSITION POSITION, or decline.
    power     B decline      NOT_YOUR_TURN  A can use a power first.
    power     A peek 5       BAD_SLOT       Peek at one face-down card: A1 A2 A3 A4 B1 B2 B3 B4.
    power     A peek 1 2     BAD_SLOT       Peek at one face-down card: A1 A2 A3 A4 B1 B2 B3 B4.
    power     A switch 1 1   BAD_SLOT       Switch two different face-down cards: A1 A2 A3 A4 B1 B2 B3 B4.
    power     A switch B5 1  BAD_SLOT       Switch two different face-down cards: A1 A2 A3 A4 B1 B2 B3 B4.
    window    A decline      BAD_PHASE      There is no power to use now.
    window    A draw         BAD_PHASE      A slam window is open: type slam POSITION, or pass.
    window    B slam 5       BAD_SLOT       Slam a face-down card: A1 A2 A3 A4 B1 B2 B3 B4.
    window    B slam 4 #2    BAD_PHASE      The open slam window is for discard #1.
    gift      B give 5       BAD_SLOT       Give one of your cards: slot 1, 2, 3 or 4.
    gift      A give 1       NOT_YOUR_TURN  B has to give a card first.
    gift      B slam 4       GIFT_OWED      You have to give a card: give SLOT (1, 2, 3 or 4).
    gift      A slam B4      GIFT_OWED      B has to give a card first.
    slammed   A draw         BAD_PHASE      The discard has been slammed. The next turn begins in a moment.
    over      A draw         BAD_PHASE      The match is over. Type rematch to play another.
    all_up    A flip 1       BAD_SLOT       You can turn up none of your cards: all are face up.
    locked    A take 2       LOCKED         The card in slot 2 is face up and locked; you can replace 1, 3 or 4.
    emptied   B take 4       BAD_SLOT       Slot 4 is empty; you can replace 1, 2 or 3.
    moved     B slam 1       CARD_MOVED     The card at B1 has changed since the discard. Choose another one.
    moved     B slam 5       BAD_SLOT       No face-down card is left to slam: pass.
    shown     A peek 1       BAD_SLOT       There are no face-down cards left: decline.
"""


@pytest.mark.parametrize(
    ("made", "line", "refusal", "words"), [re.split("  +", line) for line in REFUSED.split("\n    ")[1:]]
)
def test_a_refusal_says_what_was_expected(made: str, line: str, refusal: str, words: str) -> None:
    refused = in_phase(made).refuses(line)
    assert refused.refusal == refusal
    assert words.strip() in refused.expected


def test_actions_that_cannot_happen_in_play_are_refused_as_well() -> None:
    with pytest.raises(IllegalAction, match="The hole is over"):
        check(in_phase("over").hole, Seat(0), Take())
    with pytest.raises(IllegalAction, match="The stock is empty: take the discard"):  # X6 ends the hole first
        check(in_phase("turn").hole._replace(stock=(), reshuffles_left=0), Seat(0), Draw())
