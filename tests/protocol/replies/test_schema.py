"""The schema is made from the types. It accepts what the server writes, and refuses wrong or missing fields."""

import json
from typing import Any

import pytest

from golfnet.engine.cards import CARDS
from golfnet.engine.events import EVENTS, Drew, TurnBegan
from golfnet.engine.layout import Seat
from golfnet.protocol.replies.data import encode
from golfnet.protocol.replies.presence import TABLE_EVENTS, Cause, Left
from golfnet.protocol.replies.replies import Bye, Chat, Happened, Ok
from golfnet.protocol.replies.schema import schema
from tests.protocol.fitting import misfit, misfit_of_line

SCHEMA = schema()


def line(event: Any, **more: Any) -> Any:
    return json.loads(encode(Happened(table="t1", seq=1, event=event, names=(), **more)))


def test_the_schema_is_json_and_names_every_object_and_event() -> None:
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
    definitions = SCHEMA["$defs"]
    assert all(definitions[f"event {name}"]["description"] for name in EVENTS | TABLE_EVENTS)
    referred = {arm["$ref"].removeprefix("#/$defs/") for arm in SCHEMA["anyOf"]}
    assert referred <= set(definitions)
    assert len(referred) == 10 + len(EVENTS) + len(TABLE_EVENTS)


@pytest.mark.parametrize(
    "value",
    [
        line(TurnBegan(seat=Seat(0), turn=3), ms=60_000),
        line(TurnBegan(seat=Seat(0), turn=3)),
        line(Left(seat=None, player="Ann", cause=Cause.LEFT)),
        json.loads(encode(Ok(id=17, table="t12", seq=58))),
        json.loads(encode(Chat(speaker="Ann", to="table", text="hi"))),
        json.loads(encode(Bye(code="QUIT", text="Goodbye."))),
    ],
)
def test_replies_and_events_fit_the_schema(value: Any) -> None:
    assert misfit_of_line(value, SCHEMA) is None
    assert misfit(value, SCHEMA, SCHEMA) is None


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        *(("seat", "Z"), ("seat", 1), ("stock", "12"), ("stock", True), ("card", None), ("card", "11H")),
        *(("seq", 0), ("event", "flew"), ("table", None), ("type", "events")),
    ],
)
def test_wrong_and_missing_fields_do_not_fit_the_schema_but_unknown_fields_do(key: str, wrong: Any) -> None:
    value = line(Drew(seat=Seat(1), stock=12, card=CARDS["10D"]))
    assert misfit(value | {key: wrong}, SCHEMA, SCHEMA)
    assert misfit(value | {"new": [wrong]}, SCHEMA, SCHEMA) is None
    del value[key]
    assert (misfit(value, SCHEMA, SCHEMA) is None) is (key == "card")


def test_only_private_fields_may_be_missing() -> None:
    assert "card" not in SCHEMA["$defs"]["event drew"]["required"]
    assert "card" in SCHEMA["$defs"]["event took"]["required"]
    assert "order" not in SCHEMA["$defs"]["event reshuffled"]["required"]
    assert "ms" in SCHEMA["$defs"]["event turn"]["required"]
