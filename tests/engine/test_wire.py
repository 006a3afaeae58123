"""Events are written as JSON objects and read back; fields that are private, internal or new may be missing."""

import json
from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st

from golfnet.engine import events as ev
from golfnet.engine.cards import CARDS, Position, Seat
from golfnet.engine.events import PRIVATE
from golfnet.engine.fairdeal import Scheme
from golfnet.engine.frozen import fields_of, replaced
from golfnet.engine.wire import MalformedEvent, event_fields, event_from
from golfnet.protocol.replies.presence import TABLE_EVENTS
from tests.engine.strategies import records

ALL = {**ev.EVENTS, **TABLE_EVENTS}


def events_of(kinds: Collection[type]) -> st.SearchStrategy[Any]:
    return st.sampled_from([*kinds]).flatmap(records).map(with_its_name)


def with_its_name(event: Any) -> Any:
    """Return an event in which the field ``variant`` is the name of the rule set."""
    return replaced(event, variant=event.options.name) if isinstance(event, ev.MatchStarted) else event


any_event = events_of(ALL.values())


@given(any_event)
def test_an_event_survives_json_unchanged(event: ev.Event) -> None:
    fields = json.loads(json.dumps(event_fields(event, internal=True)))
    assert event_from(ALL[fields["event"]], fields) == event


@given(any_event)
def test_the_public_form_is_the_full_form_without_the_fields_that_only_the_fold_needs(
    event: ev.Event,
) -> None:
    hidden = ev.INTERNAL.get(type(event), {})
    assert event_fields(event) == {
        name: value for name, value in event_fields(event, internal=True).items() if name not in hidden
    }


@given(events_of(ev.EVENTS.values()))
def test_a_private_field_without_a_value_is_omitted_and_any_other_field_is_null(event: ev.Event) -> None:
    fields = event_fields(event)
    for name, value in fields_of(event).items():
        wire_name = {"source": "from"}.get(name, name)
        if value is None:
            is_later = name in event.frozen_defaults
            assert (wire_name in fields) == (PRIVATE.get(type(event)) != name and not is_later)


@given(events_of(ev.INTERNAL))
def test_fields_that_only_the_fold_needs_are_empty_by_default(event: ev.Event) -> None:
    assume(not isinstance(event, ev.Swapped) or event.card is not None)
    read = event_from(type(event), event_fields(event))
    assert all(not getattr(read, name) for name in ev.INTERNAL[type(event)])


def test_names_on_the_wire_are_pinned() -> None:
    moved = ev.Penalized(seat=Seat(1), slot=5, source=Position(Seat(0), 3), card=CARDS["*"])
    assert event_fields(moved) == {"event": "penalty", "seat": "B", "slot": 5, "from": "A3", "card": "*"}
    drew = ev.Drew(seat=Seat(0), stock=7, card=None)
    assert event_fields(drew) == {"event": "drew", "seat": "A", "stock": 7}
    ended = ev.HoleEnded(
        reason=ev.EndReason.ABANDONED,
        closer=None,
        layouts=((CARDS["7H"], None),),
        scores=None,
        totals=(1,),
        seed=b"\x0f",
        cuts=("",),
    )
    assert event_fields(ended) == {
        **{"event": "hole_ended", "reason": "abandoned", "closer": None, "layouts": [["7H", "-"]]},
        **{"scores": None, "totals": [1], "seed": "0f", "cuts": [""]},
    }


def test_fields_added_later_are_omitted_from_older_events_and_optional_when_read() -> None:
    old = {"event": "committed", "match": "m1", "hole": 1, "commitment": "ab"}
    read = event_from(ev.Committed, old)
    assert (read.deal, event_fields(read)) == (Scheme.V1, old)
    new = replaced(read, deal=Scheme.V2)
    assert event_fields(new) == old | {"deal": "golfnet-deal-v2"}
    assert event_from(ev.Committed, event_fields(new)) == new
    with pytest.raises(MalformedEvent):
        event_from(ev.Committed, old | {"deal": "golfnet-deal-v9"})


def test_a_swap_without_a_card_is_read_as_hidden() -> None:
    fields = {"seat": "A", "slot": 1, "discard": "7H", "discard_no": 2}
    assert event_from(ev.Swapped, fields).hidden
    assert not event_from(ev.Swapped, {**fields, "card": "8H"}).hidden


@pytest.mark.parametrize(
    ("kind", "fields", "field"),
    [
        (ev.TurnBegan, {"seat": "B"}, "turn"),
        (ev.TurnBegan, {"seat": "B", "turn": "1"}, "turn"),
        (ev.TurnBegan, {"seat": "B", "turn": True}, "turn"),
        (ev.TurnBegan, {"seat": "B", "turn": 1.0}, "turn"),
        (ev.TurnBegan, {"seat": "Z", "turn": 1}, "seat"),
        (ev.TurnBegan, {"seat": 1, "turn": 1}, "seat"),
        (ev.Drew, {"seat": "A", "stock": 3, "card": "1X"}, "card"),
        (ev.Drew, {"seat": "A", "stock": 3, "card": ["7H"]}, "card"),
        (ev.Switched, {"seat": "A", "at": ["A1"]}, "at"),
        (ev.Switched, {"seat": "A", "at": ["A1", "A2", "A3"]}, "at"),
        (ev.Switched, {"seat": "A", "at": "A1"}, "at"),
        (ev.Switched, {"seat": "A", "at": ["A1", "A0"]}, "at"),
        (ev.Reshuffled, {"stock": 2, "discard": "7H", "order": "7H"}, "order"),
        (ev.MatchStarted, {"match": "m1", "variant": "x", "options": {"holes": 0}, "seats": []}, "options"),
    ],
)
def test_malformed_events_name_the_field(kind: type[ev.Event], fields: dict[str, object], field: str) -> None:
    with pytest.raises(MalformedEvent) as caught:
        event_from(kind, fields)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")
