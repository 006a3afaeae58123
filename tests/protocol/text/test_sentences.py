"""Wording: cards, places, times, how a viewer is addressed, and how each event is told to whom."""

import pytest

from golfnet.engine import events as ev
from golfnet.engine.cards import CARDS, Seat
from golfnet.engine.events import Event
from golfnet.engine.views import mask
from golfnet.protocol.commands.settings import Cards, Settings, Style
from golfnet.protocol.replies.presence import TABLE_EVENTS, BotsWanted, Cause, ClockWarning, Left, Opened
from golfnet.protocol.text.sentences import play_sentence, table_sentence
from golfnet.protocol.text.typeset import unpainted
from golfnet.protocol.text.words import (
    Voice,
    capital,
    card_words,
    ordinal,
    place_words,
    points,
    seconds,
    third_person,
)
from tests.protocol.tabletop import hole_ended
from tests.protocol.transcripts import SAMPLES

A, B, C = Seat(0), Seat(1), Seat(2)
LETTERS = Settings(cards=Cards.LETTERS)
NAMES = ("Ann", "Bob", "Cid")


def voice(you: Seat | None = A, **settings: object) -> Voice:
    return Voice(settings=Settings(**settings), you=you, names=("Ann", "bob", ""))  # type: ignore[arg-type]


def test_cards_have_full_names_and_sentences_write_them_as_the_setting_says() -> None:
    names = {"10D": "ten of diamonds", "AS": "ace of spades", "0C": "zero of clubs", "1C": "one of clubs"}
    for card, said in (names | {"QH": "queen of hearts", "*": "joker"}).items():
        assert unpainted(voice(style=Style.SPEECH).card(card)) == f"the {card_words(card)}" == f"the {said}"
    sevens = [unpainted(voice(cards=cards).card(CARDS["7H"])) for cards in Cards]
    assert sevens == ["7♥", "7H", "the seven of hearts"]
    assert unpainted(voice().card("*")) == "the joker"
    assert voice().rank("10") == "10"
    assert voice(cards=Cards.WORDS).rank("10") == "ten"


@pytest.mark.parametrize(
    ("rows", "columns", "said"),
    [
        (2, 2, "top left, top right, bottom left, bottom right, added"),
        (2, 3, "top left, top middle, top right, bottom left, bottom middle, bottom right, added"),
        (3, 3, "top left, top middle, top right, middle left, centre"),
        (1, 3, "left, middle, right"),
        (2, 1, "top, bottom"),
        (2, 4, "top row column 1, top row column 2"),
        (4, 2, "row 1 column 1, row 1 column 2, row 2 column 1"),
        (1, 6, "column 1, column 2"),
    ],
)
def test_slots_have_short_descriptions_of_their_place(rows: int, columns: int, said: str) -> None:
    places = said.split(", ")
    found = [place_words(slot, rows=rows, columns=columns) for slot in range(1, len(places) + 1)]
    assert [place.replace(", ", " ") for place in found] == places


def test_times_are_rounded_up_and_places_are_ordinals() -> None:
    times = {0: "0 seconds", 1: "1 second", 1000: "1 second", 1001: "2 seconds", 60_000: "60 seconds"}
    times |= {119_000: "119 seconds", 120_000: "2 minutes", 150_000: "3 minutes"}
    assert {ms: seconds(ms) for ms in times} == times
    places = ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd"]
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 22)] == places
    assert [points(n, Settings()) for n in (1, -1, 0, -4)] == ["1 point", "-1 point", "0 points", "-4 points"]
    assert points(-4, Settings(style=Style.SPEECH)) == "minus 4 points"


@pytest.mark.parametrize(
    ("seat", "does", "whose", "turn", "label"),
    [
        (A, "You pass", "your", "It is your turn", "A Ann, you"),
        (B, "bob (B) passes", "bob's", "It is the turn of bob (B)", "B bob"),
        (C, "Seat C passes", "seat C's", "It is the turn of seat C", "C"),
        (Seat(3), "Seat D passes", "seat D's", "It is the turn of seat D", "D"),
    ],
)
def test_a_seat_is_called_by_its_players_name_or_by_its_letter(
    seat: Seat, does: str, whose: str, turn: str, label: str
) -> None:
    told = voice()
    assert (told.does(seat, "pass"), told.whose(seat)) == (does, whose)
    assert (told.turn(seat), told.label(seat)) == (turn, label)


def test_several_seats_are_named_in_one_phrase_verbs_become_third_person_and_names_stay() -> None:
    assert voice(B).all_of([A, B, C]) == "you, Ann (A) and seat C"
    assert list(map(third_person, ("switch", "have", "are", "may"))) == ["switches", "has", "is", "may"]
    assert capital("bob (B) wins") == "bob (B) wins", "a name keeps its small letter"
    assert capital("you, bob (B) and Cid") == "You, bob (B) and Cid"


# --- events


def told(event: Event, you: Seat | None) -> str:
    return unpainted(play_sentence(mask(event, you), Voice(settings=LETTERS, you=you, names=NAMES)))


@pytest.mark.parametrize("reason", ev.EndReason)
def test_every_end_of_a_hole_gives_its_reason(reason: ev.EndReason) -> None:
    ends = [hole_ended(reason, closer, scores=(1, 2, 3)) for closer in (None, A)]
    sentences = {told(end, you) for end in ends for you in (A, B, None)}
    assert all(said.startswith("The hole is over: ") and said.endswith(".") for said in sentences)


def test_equal_winners_tie_for_first_place() -> None:
    assert told(ev.MatchEnded(match="m1", totals=(9, 9, 15), places=(1, 1, 3)), B) == (
        "The match is over. You and Ann (A) tie for first place with 9 points."
    )


def test_every_event_and_every_cause_has_a_sentence() -> None:
    ends = {ev.HoleEnded, ev.MatchEnded}
    assert {type(event) for event in SAMPLES} | ends == {*ev.EVENTS.values(), *TABLE_EVENTS.values()}
    voice = Voice(settings=Settings(), you=None, names=())
    for cause in Cause:
        said = table_sentence(Left(seat=B, player="Bob", cause=cause), voice)
        assert ("(" in said.removeprefix("Bob (B)")) == (cause is not Cause.LEFT)


def test_events_omitted_in_text_mode_have_a_sentence_for_a_clients_log() -> None:
    voice = Voice(settings=Settings(), you=None, names=NAMES)
    for event, said in (
        (Opened(player="Bob"), "Bob opens the table."),
        (BotsWanted(level="hard", ms=0), "Hard bots join."),
        (BotsWanted(level="hard", ms=None), "Bots will no longer take the free seats."),
        (ClockWarning(seat=B, ms=10_000), "Bob (B) has 10 seconds left."),
    ):
        assert table_sentence(event, voice) == said
