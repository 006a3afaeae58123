"""Speech: whole tables in sentences, and short status commands answered in every style."""

import pytest
from msgspec.structs import replace

from golfnet.engine import events as ev
from golfnet.engine.cards import CARDS, Seat
from golfnet.engine.frozen import replaced
from golfnet.engine.rules import RuleSet
from golfnet.engine.variants import CACTUS, SIX_CARD, VARIANTS
from golfnet.protocol.commands.settings import Cards, Prefix, Settings, Style
from golfnet.protocol.replies.replies import Happened, TableView, offer_of
from golfnet.protocol.text.speech import SPEECH, brief_sentence, on_demand, reminder
from golfnet.protocol.text.text import render
from golfnet.protocol.text.words import Voice
from tests.protocol.tabletop import FIRST, NAMES, Tabletop, dealt


def in_play(rules: RuleSet = SIX_CARD, *, you: Seat | None = FIRST) -> TableView:
    """Return a table on seat A's turn, with some cards turned up."""
    view = dealt(rules, you=you)
    mine = ("7H", "?", "10S", "?2D", "-", "*")[: len(view.seats[0].slots)]
    theirs = ("?", "KC", "?")
    seats = (replace(view.seats[0], slots=mine), replace(view.seats[1], slots=theirs), view.seats[2])
    return replace(view, seats=seats, phase="turn", turn="A", actions=("draw", "take", "take 1", "take 2"))


def test_speech_has_no_pictures_columns_or_symbols_and_says_nothing_twice() -> None:
    for rules in VARIANTS.values():
        table = Tabletop(rules, NAMES[:3], FIRST, seed=5)
        for reply in table.replies(holes=1):
            for line in render(reply, SPEECH, you=FIRST).lines:
                assert line.isascii(), line
                assert not set(line.removeprefix("* ")) & set("|+#=*~_[]{}<>\\/"), line
                assert "  " not in line.removeprefix("  "), line
            if table.match.hole is not None:
                lines = render(table.view(), replace(SPEECH, width=200), you=FIRST).lines
                assert len({*lines}) == len(lines)


def test_answers_follow_the_settings_of_the_player_who_asks() -> None:
    settings = Settings(style=Style.PLAIN, cards=Cards.LETTERS, prefix=Prefix.OFF)
    view = replace(in_play(), holding="A", drawn="4C")
    hand = on_demand("hand", view, settings)
    assert hand[1:3] == ["Slot 2, top middle: face down.", "Slot 3, top right: 10S."]
    assert (hand[3], hand[-1]) == ("Slot 4, bottom left: 2D, face down.", "You hold 4C.")
    assert on_demand("turn", view, settings)[-1] == "You can draw (d) or take SLOT (t 1)."


A, B, KING, SEVEN = Seat(0), Seat(1), CARDS["KD"], CARDS["7H"]
OWN = ev.Swapped(seat=A, slot=3, card=KING, discard=SEVEN, discard_no=2, hidden=False)


@pytest.mark.parametrize(
    ("event", "closer", "said"),
    [
        (ev.TurnBegan(seat=A, turn=3), None, "Your turn, 3 of 4."),
        (ev.TurnBegan(seat=B, turn=3), A, "Bob's last turn, 3 of 4."),
        (ev.TurnBegan(seat=B, turn=3), B, "Bob's turn, 3 of 4."),
        (ev.Drew(seat=A, stock=5, card=SEVEN), None, "You draw seven of hearts, 5 left."),
        (ev.Drew(seat=A, stock=6, card=SEVEN), None, "You draw seven of hearts."),
        (ev.Drew(seat=B, stock=5, card=None), None, ""),
        (OWN, None, "You put it in slot 3, discard seven of hearts."),
        (replaced(OWN, seat=B, card=None), None, "Bob draws into slot 3, discards seven of hearts."),
        (ev.Discarded(seat=A, card=SEVEN, discard_no=2), None, "You discard it."),
        (ev.Passed(seat=B), None, ""),
        (ev.Declined(seat=A), None, "You decline."),
    ],
)
def test_brief_speech_says_each_thing_in_a_few_words(event: ev.Event, closer: Seat | None, said: str) -> None:
    voice = Voice(settings=SPEECH, you=A, names=NAMES[:2], rules=VARIANTS["four-turn"], brief=True)
    happened = Happened(table="t1", seq=9, event=event, names=NAMES[:2], closer=closer)
    assert brief_sentence(happened, event, voice) == said


@pytest.mark.parametrize(
    ("phase", "lines", "asked"),
    [
        ("power", "decline, peek 1, pass, switch, slam", "Peek, switch or decline?"),
        ("power", "pass, slam", ""),
        ("flip", "flip 1, flip 2, pass", "Flip or pass?"),
        ("turn", "draw, knock", ""),
    ],
)
def test_a_repeated_hint_is_a_short_question_or_nothing(phase: str, lines: str, asked: str) -> None:
    assert reminder(phase, offer_of(tuple(lines.split(", ")))) == asked


def test_scores_are_shown_as_a_table_or_as_sentences() -> None:
    seats = tuple(replace(seat, total=total) for seat, total in zip(in_play().seats, (9, -3, 9), strict=True))
    view = replace(in_play(), seats=seats, scores=((9, -3, 9),))
    told = ["= 1st: Bob (B), minus 3 points.", "= 2nd: You, 9 points.", "= 2nd: Cid (C), 9 points."]
    assert on_demand("score", view) == told
    assert on_demand("score", view, Settings())[1].startswith("= 1st   B Bob")
    for width in range(40, 50):
        lines = on_demand("score", replace(view, scores=((9, -3, 9),) * 18), Settings(width=width))
        assert all(line.startswith("= ") for line in lines), "a line was too long for the window"


def test_status_commands_answer_watchers_and_say_if_there_are_no_cards() -> None:
    assert on_demand("hand", in_play(you=None)) == ["= You have no seat at this table."]
    assert on_demand("top", replace(in_play(), discard=None)) == ["= The discard pile is empty."]
    bare = replace(in_play(), seats=tuple(replace(seat, slots=()) for seat in in_play().seats))
    assert on_demand("hand", bare) == ["= No cards have been dealt yet."]
    assert all(on_demand(word, in_play(CACTUS, you=None)) for word in ("hand", "top", "turn", "score"))


def test_an_open_table_and_a_finished_match_have_a_status() -> None:
    seats = tuple(replace(seat, slots=()) for seat in in_play().seats)
    lines = render(replace(in_play(), state="open", hole=0, seats=seats), SPEECH, you=Seat(0)).lines
    assert lines[1:3] == ["* All seats are taken.", "* You (A), host."]
    final = replace(in_play(), state="finished", scores=((0, 0, 0),))
    assert render(final, SPEECH, you=Seat(0)).lines[2] == "* 1st: You, 0 points."
