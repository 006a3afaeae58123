"""Sentences of play: each event as its seat, another seat and a watcher are told it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from golfnet.engine import events as ev
from golfnet.engine.cards import CARDS
from golfnet.engine.layout import Position, Seat
from golfnet.engine.rules import SlamMode
from golfnet.engine.variants import CACTUS, FOUR_TURN, SIX_CARD
from golfnet.engine.views import mask
from golfnet.protocol.commands.settings import Cards, Settings, Style
from golfnet.protocol.replies.replies import Happened
from golfnet.protocol.text.sentences import play_sentence
from golfnet.protocol.text.typeset import unpainted
from golfnet.protocol.text.words import Voice

if TYPE_CHECKING:
    from golfnet.engine.events import Event
    from golfnet.engine.rules import RuleSet

A, B, C = Seat(0), Seat(1), Seat(2)
LETTERS = Settings(cards=Cards.LETTERS)
NAMES = ("Ann", "Bob", "Cid")
SEVEN, KING, FOUR = CARDS["7H"], CARDS["KD"], CARDS["4C"]


def told(
    event: Event,
    you: Seat | None,
    *,
    names: tuple[str, ...] = NAMES,
    rules: RuleSet | None = None,
    closer: Seat | None = None,
    settings: Settings = LETTERS,
) -> str:
    masked = mask(event, you)
    happened = Happened(table="t1", seq=1, event=masked, names=names, rules=rules, closer=closer)
    return unpainted(
        play_sentence(happened, masked, Voice(settings=settings, you=you, names=names, rules=rules))
    )


def test_a_pass_is_told_where_it_turns_up_no_card_and_not_in_slam_windows() -> None:
    for you in (A, B, None):
        assert told(ev.Passed(seat=A), you, rules=CACTUS) == ""
        assert told(ev.Passed(seat=A), you, rules=SIX_CARD)


def swapped(*, hidden: bool) -> ev.Swapped:
    return ev.Swapped(seat=A, slot=3, card=SEVEN, discard=KING, discard_no=5, hidden=hidden)


def slammed(at: Position, result: ev.SlamResult) -> ev.Slammed:
    return ev.Slammed(
        by=A, at=at, card=SEVEN, result=result, discard_no=9 if result is ev.SlamResult.HIT else None
    )


OF_SEATS: list[tuple[Event, str, str]] = [
    (
        ev.Drew(seat=A, stock=31, card=SEVEN),
        "You draw 7H from the stock (31 left).",
        "Ann (A) draws from the stock (31 left).",
    ),
    (
        ev.Took(seat=A, card=SEVEN),
        "You take 7H from the discard pile.",
        "Ann (A) takes 7H from the discard pile.",
    ),
    (
        swapped(hidden=False),
        "You put 7H in slot 3 and discard KD.",
        "Ann (A) puts 7H in slot 3 and discards KD.",
    ),
    (
        swapped(hidden=True),
        "You put 7H in slot 3, face down, and discard KD.",
        "Ann (A) puts the drawn card in slot 3, face down, and discards KD.",
    ),
    (ev.Discarded(seat=A, card=SEVEN, discard_no=4), "You discard 7H.", "Ann (A) discards 7H."),
    (ev.Flipped(seat=A, slot=2, card=SEVEN), "You turn up slot 2: 7H.", "Ann (A) turns up slot 2: 7H."),
    (ev.Passed(seat=A), "You pass.", "Ann (A) passes."),
    (ev.Declined(seat=A), "You leave the power unused.", "Ann (A) leaves the power unused."),
    (
        ev.Knocked(seat=A),
        "You knock. The others each have one more turn.",
        "Ann (A) knocks. Everybody else has one more turn.",
    ),
    (
        ev.Peeked(seat=A, at=(Position(A, 3), Position(A, 4)), cards=(SEVEN, KING)),
        "You look at slots 3 and 4: 7H and KD.",
        "Ann (A) looks at slots 3 and 4.",
    ),
    (
        ev.Peeked(seat=A, at=(Position(B, 2),), cards=(SEVEN,)),
        "You look at Bob's slot 2 (B2): 7H.",
        "Ann (A) looks at Bob's slot 2 (B2).",
    ),
    (
        ev.Switched(seat=A, at=(Position(A, 1), Position(B, 2))),
        "You switch your slot 1 with Bob's slot 2 (B2), unseen.",
        "Ann (A) switches their own slot 1 (A1) with Bob's slot 2 (B2), unseen.",
    ),
    (
        slammed(Position(A, 3), ev.SlamResult.HIT),
        "You slam slot 3: 7H. Right! The slot stays empty.",
        "Ann (A) slams slot 3: 7H. Right! The slot stays empty.",
    ),
    (
        slammed(Position(B, 3), ev.SlamResult.HIT),
        "You slam Bob's slot 3 (B3): 7H. Right! It is discarded, and you owe Bob (B) a card.",
        "Ann (A) slams Bob's slot 3 (B3): 7H. Right! It is discarded, and Ann (A) owes Bob (B) a card.",
    ),
    (
        slammed(Position(B, 3), ev.SlamResult.WRONG),
        "You slam Bob's slot 3 (B3): 7H. Wrong!",
        "Ann (A) slams Bob's slot 3 (B3): 7H. Wrong!",
    ),
    (
        slammed(Position(A, 3), ev.SlamResult.LATE),
        "You slam slot 3: 7H. Too late!",
        "Ann (A) slams slot 3: 7H. Too late!",
    ),
    (
        ev.Penalized(seat=A, slot=5, source=None, card=SEVEN),
        "You get a penalty card from the stock, in slot 5.",
        "Ann (A) gets a penalty card from the stock, in slot 5.",
    ),
    (
        ev.Penalized(seat=A, slot=5, source=Position(B, 2), card=SEVEN),
        "You get the card from Bob's slot 2 (B2) as a penalty, in slot 5.",
        "Ann (A) gets the card from Bob's slot 2 (B2) as a penalty, in slot 5.",
    ),
    (
        ev.Gave(seat=A, slot=1, to=Position(B, 3), card=SEVEN, known=True),
        "You give 7H from slot 1 to Bob's slot 3 (B3).",
        "Ann (A) gives the card from slot 1 to Bob's slot 3 (B3).",
    ),
    (ev.TurnBegan(seat=A, turn=2), "It is your turn.", "It is the turn of Ann (A)."),
]


@pytest.mark.parametrize(("event", "own", "others"), OF_SEATS)
def test_an_action_has_sentences_for_its_seat_and_the_others(event: Event, own: str, others: str) -> None:
    assert told(event, A) == own
    assert told(event, C) == others
    assert told(event, None) == others


def test_a_viewers_own_cards_are_yours_in_every_sentence() -> None:
    assert told(slammed(Position(B, 3), ev.SlamResult.HIT), B) == (
        "Ann (A) slams your slot 3: 7H. Right! It is discarded, and Ann (A) owes you a card."
    )
    assert told(ev.Switched(seat=A, at=(Position(B, 1), Position(C, 2))), B) == (
        "Ann (A) switches your slot 1 with Cid's slot 2 (C2), unseen."
    )
    assert told(ev.Gave(seat=A, slot=1, to=Position(B, 3), card=SEVEN, known=False), B) == (
        "Ann (A) gives the card from slot 1 to your slot 3."
    )


def test_a_turn_is_counted_where_there_is_a_number_of_them_and_called_where_it_is_the_last() -> None:
    assert told(ev.TurnBegan(seat=A, turn=2), A, rules=FOUR_TURN) == "It is your turn, turn 2 of 4."
    assert (
        told(ev.TurnBegan(seat=A, turn=2), B, rules=SIX_CARD, closer=C) == "It is the last turn of Ann (A)."
    )


def test_two_players_are_not_called_the_others() -> None:
    assert told(ev.Knocked(seat=A), A, names=NAMES[:2]) == "You knock. Bob (B) has one more turn."
    assert told(ev.Knocked(seat=A), B, names=NAMES[:2]) == "Ann (A) knocks. You have one more turn."


def test_a_placed_card_lies_face_down_by_rules_that_place_face_down() -> None:
    assert "slot 3, face down, and" in told(swapped(hidden=False), B, rules=CACTUS)


OF_NOBODY: list[tuple[Event, str]] = [
    (
        ev.Committed(match="m1", hole=2, commitment="a54d7997c5f44b39" * 4, seed=b""),
        "The seed of hole 2 is fixed: a54d7997c5f4... To add to the shuffle: cut TEXT",
    ),
    (
        ev.MatchStarted(match="m1", variant="six-card", options=SIX_CARD, seats=NAMES),
        "The match begins: Six-Card Golf. At the table: Ann (A), Bob (B) and Cid (C). You are seat B.",
    ),
    (
        ev.HoleStarted(hole=3, dealer=A, leader=B, commitment="", cuts=(), context=""),
        "Hole 3 of 9: Ann (A) deals, you play first.",
    ),
    (
        ev.HoleStarted(hole=1, dealer=B, leader=B, commitment="", cuts=(), context=""),
        "Hole 1 of 9: you deal and play first.",
    ),
    (
        ev.HoleStarted(hole=1, dealer=B, leader=B, commitment="", cuts=(), context="", unrevealed=(A, B)),
        "Hole 1 of 9: you deal and play first. Ann (A) and you did not send the sealed text in time, "
        "so the hole is dealt without it.",
    ),
    (
        ev.Dealt(stock=33, discard=SEVEN, discard_no=1, deck=()),
        "The cards are dealt. The discard pile shows 7H; the stock has 33 cards.",
    ),
    (
        ev.Dealt(stock=33, discard=None, discard_no=0, deck=()),
        "The cards are dealt. The discard pile is empty; the stock has 33 cards.",
    ),
    (
        ev.Reshuffled(stock=40, discard=KING, order=None),
        "The discard pile is shuffled and becomes a new stock of 40 cards; KD stays on the discard pile.",
    ),
    (
        ev.SlamOpened(discard_no=12, card=SEVEN, ms=3000, mode=SlamMode.RACE),
        "Slam window #12 for 7H: 3 seconds. Slam any 7 you know.",
    ),
    (
        ev.SlamOpened(discard_no=12, card=CARDS["8S"], ms=5000, mode=SlamMode.LOT),
        "Slam window #12 for 8S: 5 seconds, claims are secret. Slam any 8 you know.",
    ),
    (ev.SlamClosed(discard_no=12), "The slam window is closed."),
]


@pytest.mark.parametrize(("event", "said"), OF_NOBODY)
def test_events_without_a_seat_have_one_sentence_for_all(event: Event, said: str) -> None:
    assert told(event, B, rules=SIX_CARD) == said


def ended(reason: ev.EndReason, closer: Seat | None = None) -> ev.HoleEnded:
    return ev.HoleEnded(
        reason=reason,
        closer=closer,
        layouts=((), (), ()),
        scores=(1, 2, 3),
        totals=(1, 2, 3),
        seed=b"",
        cuts=(),
    )


@pytest.mark.parametrize("reason", ev.EndReason)
def test_every_end_has_its_reason(reason: ev.EndReason) -> None:
    sentences = {told(ended(reason, closer), you) for closer in (None, A) for you in (A, B, None)}
    assert all(said.startswith("The hole is over: ") and said.endswith(".") for said in sentences)


def test_the_closer_is_named() -> None:
    assert told(ended(ev.EndReason.KNOCK, A), B) == "The hole is over: Ann (A) knocked."
    assert told(ended(ev.EndReason.FACE_UP, A), A) == "The hole is over: you have all cards face up."


def test_winners_are_named_and_share_a_place() -> None:
    assert told(ev.MatchEnded(match="m1", totals=(9, 12, 15), places=(1, 2, 3)), A) == (
        "The match is over. You win with 9 points."
    )
    assert told(ev.MatchEnded(match="m1", totals=(9, 1, 15), places=(2, 1, 3)), A) == (
        "The match is over. Bob (B) wins with 1 point."
    )
    assert told(ev.MatchEnded(match="m1", totals=(9, 9, 15), places=(1, 1, 3)), B) == (
        "The match is over. You and Ann (A) tie for first place with 9 points."
    )


def test_speech_has_cards_and_ranks_as_words_and_no_hashes() -> None:
    settings = Settings(style=Style.SPEECH)
    assert told(ev.Drew(seat=A, stock=31, card=SEVEN), A, settings=settings) == (
        "You draw the seven of hearts from the stock (31 left)."
    )
    assert (
        told(ev.SlamOpened(discard_no=1, card=CARDS["8S"], ms=1000, mode=SlamMode.RACE), A, settings=settings)
        == "Slam window 1, the eight of spades: 1 second."
    )
    assert "a54d" not in told(
        ev.Committed(match="m1", hole=2, commitment="a54d", seed=b""), A, settings=settings
    )


def test_no_event_is_forgotten() -> None:
    told_of = {type(case[0]) for case in (*OF_SEATS, *OF_NOBODY)}
    assert told_of | {ev.HoleEnded, ev.MatchEnded} == set(ev.EVENTS.values())
