"""Sentences beside play: who comes and goes, why, and who plays for whom."""

from __future__ import annotations

import pytest

from golfnet.engine.layout import Seat
from golfnet.protocol.commands.settings import Settings
from golfnet.protocol.replies.presence import (
    TABLE_EVENTS,
    BotsWanted,
    Cause,
    ClockWarning,
    Closed,
    Cut,
    Dropped,
    HostChanged,
    HousePlays,
    Left,
    Opened,
    Paused,
    ReadySaid,
    Resumed,
    Returned,
    Sealed,
    SealsClosed,
    Seated,
    TableEvent,
    TimedOut,
    Watching,
)
from golfnet.protocol.text.sentences import table_sentence
from golfnet.protocol.text.words import Voice

B = Seat(1)
CASES: list[tuple[TableEvent, str, str]] = [
    (Opened(player="Bob"), "Bob opens the table.", "Bob opens the table."),
    (Seated(seat=B, player="Bob"), "You sit down in seat B.", "Bob sits down in seat B."),
    (
        Left(seat=B, player="Bob", cause=Cause.KICKED),
        "The host has removed you from the table.",
        "The host has removed Bob (B) from the table.",
    ),
    (Left(seat=None, player="Eve", cause=Cause.LEFT), "Eve stops watching.", "Eve stops watching."),
    (
        Dropped(seat=B, player="Bob", cause=Cause.LOST, grace_ms=120_000),
        "You are away (connection lost); the seat is kept for 2 minutes.",
        "Bob (B) is away (connection lost); the seat is kept for 2 minutes.",
    ),
    (
        Dropped(seat=B, player="Bob", cause=Cause.IDLE, grace_ms=0),
        "You are away (inactive for too long).",
        "Bob (B) is away (inactive for too long).",
    ),
    (Returned(seat=B, player="Bob"), "You are back.", "Bob (B) is back."),
    (
        HousePlays(seat=B, player="Bob", cause=Cause.GRACE),
        "A bot takes over for you (not back in time).",
        "A bot takes over for Bob (B) (not back in time).",
    ),
    (Watching(player="Eve"), "Eve is watching.", "Eve is watching."),
    (
        Cut(seat=B, player="Bob"),
        "You cut the cards for the next hole.",
        "Bob (B) cuts the cards for the next hole.",
    ),
    (
        Sealed(seat=B, player="Bob", seal="0f" * 32),
        "You seal a text for the shuffle of the next hole.",
        "Bob (B) seals a text for the shuffle of the next hole.",
    ),
    (
        SealsClosed(seals=(None, "0f" * 32), cuts=("", ""), ms=3000),
        "Sealing is closed. Send your sealed text within 3 seconds; type: cut TEXT",
        "Sealing is closed. Waiting up to 3 seconds for the sealed text of Bob (B).",
    ),
    (HostChanged(seat=B, player="Bob"), "You are the host now.", "Bob (B) is the host now."),
    (ReadySaid(seat=B, player="Bob"), "You are ready.", "Bob (B) is ready."),
    (
        BotsWanted(level="hard", ms=30_000),
        "Hard bots will take free seats in 30 seconds.",
        "Hard bots will take free seats in 30 seconds.",
    ),
    (
        BotsWanted(level="hard", ms=0),
        "Hard bots take free seats.",
        "Hard bots take free seats.",
    ),
    (
        BotsWanted(level="hard", ms=None),
        "No bots will come any more.",
        "No bots will come any more.",
    ),
    (ClockWarning(seat=B, ms=10_000), "You have 10 seconds left.", "Bob (B) has 10 seconds left."),
    (
        TimedOut(seat=B),
        "Your time is up; the safest choice is made.",
        "Time is up for Bob (B); the safest choice is made.",
    ),
    (
        Paused(reason="The disk is full."),
        "Play is paused: The disk is full.",
        "Play is paused: The disk is full.",
    ),
    (Resumed(), "Play continues.", "Play continues."),
    (
        Closed(reason="everybody has left"),
        "The table is closed: everybody has left.",
        "The table is closed: everybody has left.",
    ),
]


@pytest.mark.parametrize(("event", "own", "others"), CASES)
def test_events_beside_play_have_a_sentence_for_each_viewer(event: TableEvent, own: str, others: str) -> None:
    for you, said in ((B, own), (Seat(0), others), (None, others)):
        assert table_sentence(event, Voice(settings=Settings(), you=you, names=("Ann", "Bob"))) == said


def test_no_event_and_no_cause_is_forgotten() -> None:
    assert {type(case[0]) for case in CASES} == set(TABLE_EVENTS.values()), "each event has a case in CASES"
    for cause in Cause:
        said = table_sentence(
            Left(seat=B, player="Bob", cause=cause), Voice(settings=Settings(), you=None, names=())
        )
        assert ("(" in said.removeprefix("Bob (B)")) == (cause is not Cause.LEFT)
