"""Text that several people get is rendered once for them all, and nobody gets somebody else's text."""

from copy import copy

import pytest

from golfnet.engine.cards import CARDS
from golfnet.engine.events import Discarded, Event, TurnBegan
from golfnet.engine.layout import Seat
from golfnet.engine.rules import RuleSet
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.commands.settings import Settings, Style, Talk
from golfnet.protocol.replies.presence import ClockWarning, TableEvent
from golfnet.protocol.replies.replies import Burst, Happened
from golfnet.protocol.text.text import own_words, render, render_burst
from tests.protocol.tabletop import NAMES, Tabletop


@pytest.mark.parametrize("rules", [*VARIANTS.values()], ids=lambda rules: rules.name)
def test_viewers_who_are_told_the_same_as_watchers_share_their_rendering(rules: RuleSet) -> None:
    shared = 0
    for settings in (Settings(), Settings(style=Style.PLAIN), Settings(style=Style.SPEECH, talk=Talk.FULL)):
        for reply in Tabletop(rules, NAMES[:3], None).replies(holes=1):
            if isinstance(reply, Happened):
                for you in (Seat(0), Seat(1), Seat(2)):
                    is_shared = render(reply, settings, you=you) is render(reply, settings, you=None)
                    alone = unrendered(reply)
                    assert render(reply, settings, you=you) == render(alone, settings, you=you)
                    assert (
                        is_shared is (you not in own_words(reply.event))
                        or not render(alone, settings, you=you).lines
                    )
                    shared += is_shared
    assert shared


def test_the_events_of_a_step_are_rendered_once_for_all_who_are_told_the_same() -> None:
    step: list[Event | TableEvent] = [
        Discarded(seat=Seat(1), card=CARDS["4C"], discard_no=1),
        TurnBegan(seat=Seat(2), turn=4),
        ClockWarning(seat=Seat(0), ms=5000),
    ]
    events = tuple(
        [Happened(table="t1", seq=seq, event=event, names=NAMES[:3]) for seq, event in enumerate(step)]
    )
    burst = Burst(b"", lambda: events)
    told = render_burst(burst, Settings(), you=None)
    assert told.out == b"".join([render(each, Settings(), you=None).out for each in events])
    assert told.last is events[1]
    assert told.rendering.lines == ["* It is the turn of Cid (C)."]
    assert render_burst(burst, Settings(), you=Seat(3)) is told
    assert [render_burst(burst, Settings(), you=Seat(seat)) is told for seat in range(3)] == [False] * 3
    assert render_burst(burst, Settings(), you=Seat(0)).last is events[2]
    named = Burst(b"", lambda: events, is_named=True)
    assert render_burst(named, Settings(), you=None).out == told.out.replace(b"* ", b"* t1: ")


def unrendered(happened: Happened) -> Happened:
    """Return an equal event that has not been rendered yet."""
    again = copy(happened)
    again.rendered = {}
    return again
