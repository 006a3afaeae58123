"""Sentences about play: how each event is told to its seat, another seat and a watcher."""

import pytest

from golfnet.engine import events as ev
from golfnet.engine.events import Event
from golfnet.engine.layout import Seat
from golfnet.engine.views import mask
from golfnet.protocol.commands.settings import Cards, Settings
from golfnet.protocol.replies.presence import TABLE_EVENTS, BotsWanted, Cause, ClockWarning, Left, Opened
from golfnet.protocol.text.sentences import play_sentence, table_sentence
from golfnet.protocol.text.typeset import unpainted
from golfnet.protocol.text.words import Voice
from tests.protocol.tabletop import hole_ended
from tests.protocol.transcripts import SAMPLES

A, B = Seat(0), Seat(1)
LETTERS = Settings(cards=Cards.LETTERS)
NAMES = ("Ann", "Bob", "Cid")


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
        (BotsWanted(level="hard", ms=0), "Hard bots take free seats."),
        (BotsWanted(level="hard", ms=None), "Bots will no longer take the free seats."),
        (ClockWarning(seat=B, ms=10_000), "Bob (B) has 10 seconds left."),
    ):
        assert table_sentence(event, voice) == said
