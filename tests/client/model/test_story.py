"""The client's log: the sentences of the server's text mode, without cards that must be remembered."""

from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from golfnet.engine.cards import MAX_SEATS, Seat
from golfnet.engine.events import MatchStarted, Peeked
from golfnet.engine.frozen import replaced
from golfnet.engine.rules import Placed, Recall, SlamMode
from golfnet.engine.views import mask
from golfnet.protocol.replies import data
from golfnet.protocol.replies.fold import fold, prompted
from golfnet.protocol.replies.presence import Cause, Left, Seated, TableEvent
from golfnet.protocol.replies.replies import Happened, Prompt, TableView
from golfnet.protocol.text.sentences import play_sentence, table_sentence
from golfnet.protocol.text.words import Voice
from golfnet_client.model.story import SENTENCES, Entry, entries_of, event_sentence
from tests.client import tables
from tests.engine.drawing import rules
from tests.protocol.tabletop import NAMES, Tabletop

MATCHES = {
    "four-turn": rules("four-turn"),
    "cactus": rules("cactus", target=None, holes=6),
    "lot": rules("cactus", slam=SlamMode.LOT, target=None, holes=6),
    "recall": rules("cactus", slam=SlamMode.ORDER, recall=Recall.ALWAYS, target=None, holes=6),
    "six-card-final": rules("six-card-final"),
    "four-card-knock": rules("four-card-knock"),
    "multiples": rules("multiples", turn_cap=6),
}
UNTOLD = ("turn", "slam_opened", "slam_closed", "committed")


def text_mode(happened: Happened, you: Seat | None, *, public: bool) -> str:
    """Return the text-mode sentence for the viewer, or the one for everybody else if ``public``."""
    event = happened.event
    assert not isinstance(event, TableEvent)
    if isinstance(event, MatchStarted):  # only names of rule sets are sent, not titles
        event = replaced(event, options=replaced(event.options, title=event.variant))
    voice = Voice(settings=SENTENCES, you=you, names=happened.names, rules=happened.rules)
    return play_sentence(
        mask(event, None) if public else event, voice, closer=happened.closer, peeked=happened.peeked
    )


def heard(table: Tabletop) -> Iterator[tuple[TableView, TableView, Happened, Happened]]:
    """Yield the view before and after each event of up to six holes, and the event as sent and as decoded."""
    before = table.before_the_match()
    for reply in table.replies(holes=6):
        read = data.decode(data.encode(reply))
        if isinstance(reply, Happened) and isinstance(read, Happened):
            after = fold(before, read)
            yield before, after, reply, read
            before = after
        elif isinstance(read, Prompt):
            before = prompted(before, read)


@pytest.mark.parametrize("you", [Seat(0), None])
@pytest.mark.parametrize("name", MATCHES)
def test_the_log_has_text_mode_sentences_without_cards_that_must_be_remembered(
    name: str, you: Seat | None
) -> None:
    table = Tabletop(MATCHES[name], NAMES[:3], you, seed=3)
    is_once, looked, kept = table.rules.recall is Recall.ONCE, False, 0
    for before, after, happened, read in heard(table):
        event = happened.event
        own, public = [text_mode(happened, you, public=public) for public in (False, True)]
        is_secret = is_once and (table.rules.placed is Placed.DOWN or isinstance(event, Peeked))
        sentence = public if is_secret else own
        looked |= isinstance(event, Peeked)
        kept += own != sentence
        assert event_sentence(before, after, read) == sentence
        entries = entries_of(before, after, read)
        is_mine = you is not None and you == getattr(event, "seat", getattr(event, "by", None))
        expected = (
            [] if event.name in UNTOLD or not sentence else [Entry("mine" if is_mine else "event", sentence)]
        )
        if event.name == "hole_ended":
            scores = zip(happened.names, happened.scores[-1], strict=True)
            said = ", ".join(f"{name} {score}" for name, score in scores)
            expected.append(Entry("scores", f"Hole {len(happened.scores)}: {said}."))
        assert entries == expected
    assert (kept > 0) == (looked and is_once and you is not None)


def test_players_who_sit_down_or_leave_are_named() -> None:
    view = tables.waiting()
    for event in (Seated(seat=Seat(2), player="Cid"), Left(seat=Seat(2), player="Cid", cause=Cause.LEFT)):
        happened = Happened(table="t1", seq=view.seq + 1, event=event, names=())
        after = fold(view, happened)
        voice = Voice(settings=SENTENCES, you=Seat(0), names=tables.NAMES[:3])
        assert entries_of(view, after, happened) == [Entry("event", table_sentence(event, voice))]
        view = after


@given(st.sets(st.integers(0, MAX_SEATS - 1)))
def test_names_are_listed_in_the_order_of_seats_and_are_empty_for_free_seats(taken: set[int]) -> None:
    view = tables.a_view("six-card-final", *["? ? ? ? ? ?"] * MAX_SEATS)
    names = replace(view, seats=tuple(seat for n, seat in enumerate(view.seats) if n in taken)).names
    assert len(names) == max(taken, default=-1) + 1
    assert all(name == (tables.NAMES[n] if n in taken else "") for n, name in enumerate(names))
