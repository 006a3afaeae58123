"""The client's log tells whole matches in the server's text-mode sentences, and never repeats a secret."""

import dataclasses
from collections.abc import Iterable
from copy import copy
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from golfnet.engine.events import MatchStarted, Peeked
from golfnet.engine.frozen import replaced
from golfnet.engine.layout import MAX_SEATS, Seat
from golfnet.engine.notation import SEAT_LETTERS, seat_letter
from golfnet.engine.rules import Placed, Recall, RuleSet
from golfnet.engine.views import mask
from golfnet.protocol.replies import data
from golfnet.protocol.replies.fold import fold, prompted
from golfnet.protocol.replies.presence import TableEvent
from golfnet.protocol.replies.replies import Burst, Happened, Prompt, TableView
from golfnet.protocol.text.sentences import play_sentence, table_sentence
from golfnet.protocol.text.words import Voice
from golfnet.server.session.session import Session
from golfnet.server.table import broadcast
from golfnet_client.model.story import SENTENCES, Entry, entries_of, names_of, seat_number, told
from tests.client import tables
from tests.server.house import House, open_house, play_at_random

MATCHES = [
    "four-turn holes=2",
    "cactus seats=3 target=20",
    "cactus seats=2 slam=lot target=60",
    "cactus seats=2 recall=always slam=order target=20",
    "six-card-final holes=1 seats=3",
    "four-card-knock holes=2",
    "multiples holes=1 turn_cap=6",
]


class Told:
    """One event as the server knows it, and what a client makes of it."""

    def __init__(self, name: str, you: Seat | None, happened: Happened, before: TableView) -> None:
        read = data.decode(data.encode(happened))
        assert isinstance(read, Happened)
        self.name = name
        self.you = you
        self.happened = happened
        self.before = before
        self.after = fold(before, read)
        self.sentence = told(before, self.after, read)
        self.entries: list[Entry] = entries_of(before, self.after, read)

    def server_s(self, *, public: bool) -> str:
        """Return the text-mode sentence: the viewer's own, or the one everyone else is told."""
        # Text mode reports all start peeks together, but a client reports them one by one.
        happened = copy(self.happened)
        happened.peeked = None
        event = happened.event
        voice = Voice(settings=SENTENCES, you=self.you, names=happened.names, rules=happened.rules)
        if isinstance(event, TableEvent):
            return table_sentence(event, voice)
        if isinstance(event, MatchStarted):  # only names of rule sets are sent, not titles
            event = replaced(event, options=dataclasses.replace(event.options, title=event.variant))
        return play_sentence(happened, mask(event, None) if public else event, voice)


class Ears:
    """Listens to everything sent to each session, and records what its client makes of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.told: list[Told] = []
        self._views: dict[str, TableView] = {}
        genuine = Session.send

        def send(session: Session, reply: Any, **more: Any) -> None:
            genuine(session, reply, **more)
            if session.player is not None:
                self._hear(session.player.name, reply, more.get("you"))

        def send_to_all(hearers: Iterable[tuple[Session, Seat | None]], reply: Any, **more: Any) -> None:
            for session, you in hearers:
                session.send(reply, **more, you=you)

        monkeypatch.setattr(Session, "send", send)
        monkeypatch.setattr(broadcast, "send_to_all", send_to_all)

    def _hear(self, name: str, reply: Any, you: Seat | None) -> None:
        if isinstance(reply, TableView):
            self._views[name] = reply
        elif isinstance(reply, Prompt) and name in self._views:
            self._views[name] = prompted(self._views[name], reply)
        elif isinstance(reply, Burst):
            for happened in reply.events:
                if name in self._views:
                    self.told.append(Told(name, you, happened, self._views[name]))
                    self._views[name] = self.told[-1].after


async def told_of(create: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Told], RuleSet]:
    """Play a match at random; return what everybody was told, and the rules."""
    ears = Ears(monkeypatch)
    async with open_house(seed=3, clock=60, pause=1) as house:
        await a_match(house, create)
        return ears.told, house.lobby.tables["t1"].rules


async def a_match(house: House, create: str) -> None:
    """Play a match with a watcher, after a player has left and joined again."""
    count = next((int(word[6:]) for word in create.split() if word.startswith("seats=")), 2)
    programs = [await house.program(name) for name in ("Ann", "Bob", "Cid")[:count]]
    await programs[0].done(f"create {create}")
    watcher = await house.program("Wim")
    await watcher.done("watch t1")
    for program in programs[1:]:
        await program.done("join t1")
    await programs[-1].done("leave")
    await programs[-1].done("join t1")
    for program in programs:
        await program.done("ready")
    if "seats=" not in create:
        await programs[0].done("start")
    await play_at_random(programs, Random(create))


def check_entries(each: Told) -> None:
    """Check that an event adds at most one line to the log, and the end of a hole also its scores."""
    event = each.happened.event
    if event.name in ("turn", "slam_closed", "committed", "opened", "clock", "passed"):
        assert each.entries == []
        return
    first, *more = each.entries
    actor = getattr(event, "seat", getattr(event, "by", None))
    mine = each.you is not None and actor == each.you
    assert first == Entry("mine" if mine else "event", each.sentence)
    assert "\n" not in first.text
    assert [entry.kind for entry in more] == ["scores"] * (event.name == "hole_ended")
    for entry in more:
        for name, score in zip(each.happened.names, each.happened.scores[-1], strict=True):
            assert f"{name} {score}" in entry.text


@pytest.mark.parametrize("create", MATCHES)
async def test_the_log_has_text_mode_sentences_without_cards_that_must_be_remembered(
    create: str, autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, rules = await told_of(create, monkeypatch)
    assert {each.name for each in said} >= {"Ann", "Bob", "Wim"}
    kept = 0
    for each in said:
        check_entries(each)
        own, public = each.server_s(public=False), each.server_s(public=True)
        event = each.happened.event
        secret = rules.recall is Recall.ONCE and (rules.placed is Placed.DOWN or isinstance(event, Peeked))
        assert each.sentence == (public if secret else own)
        assert own == public or each.you is not None
        kept += own != each.sentence
    looked = any(isinstance(each.happened.event, Peeked) for each in said)
    assert (kept > 0) == (looked and rules.recall is Recall.ONCE)


@given(st.sets(st.integers(0, MAX_SEATS - 1)))
def test_names_are_listed_by_seat(taken: set[int]) -> None:
    view = tables.a_view("six-card-final", *["? ? ? ? ? ?"] * MAX_SEATS)
    names = names_of(replace(view, seats=tuple(seat for n, seat in enumerate(view.seats) if n in taken)))
    assert len(names) == max(taken, default=-1) + 1
    assert all(name == (tables.NAMES[n] if n in taken else "") for n, name in enumerate(names))


def test_seat_letters_can_be_read_back() -> None:
    assert seat_number(None) is None
    for seat in map(Seat, range(len(SEAT_LETTERS))):
        assert seat_number(seat_letter(seat)) == seat
