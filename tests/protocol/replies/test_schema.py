"""The schema is made from the types. It accepts what the server writes, and refuses wrong or missing fields."""

import ast
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import golfnet
from golfnet.engine.cards import CARDS, Seat
from golfnet.engine.errors import Refusal
from golfnet.engine.events import EVENTS, Drew, TurnBegan
from golfnet.protocol.errors import BYE_ONLY, Code
from golfnet.protocol.replies.data import decode, encode
from golfnet.protocol.replies.presence import ENUMS, TABLE_EVENTS, Cause, Left, NoticeCode
from golfnet.protocol.replies.replies import AnyReply, Bye, Chat, Happened, Notice, Ok, Prompt, TableView
from golfnet.protocol.replies.schema import schema
from golfnet.server.table.seating import ChairKind
from tests.client import tables
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
    assert "text" in definitions["TableView"]["properties"]
    assert len(referred) == 10 + len(EVENTS) + len(TABLE_EVENTS)


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


# --- the words that the protocol lists for a field are those that a search finds in the code


SOURCES = sorted(Path(golfnet.__file__).parent.joinpath("server").rglob("*.py"))


@cache
def calls() -> list[ast.Call]:
    trees = [ast.parse(source.read_text("utf-8")) for source in SOURCES]
    return [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]


def literals(*names: str, keyword: str, places: Sequence[int] = ()) -> set[str]:
    """Return the literal texts that calls of these functions or methods pass by a keyword or at some positions."""
    found: set[str] = set()
    for call in calls():
        if getattr(call.func, "id", getattr(call.func, "attr", "")) in names:
            given = [each.value for each in call.keywords if each.arg == keyword]
            given += [call.args[place] for place in places if place < len(call.args)]
            values = [each.value for each in given if isinstance(each, ast.Constant)]
            found.update(value for value in values if isinstance(value, str))
    return found


def test_every_notice_has_a_listed_code() -> None:
    used = literals("Notice", keyword="code") | literals("announce", "interject", keyword="code", places=[0])
    assert used <= set(NoticeCode)
    assert {"GREETING", "IDLE", "RESUMED", "ANNOUNCEMENT"} <= used
    assert set(NoticeCode) - used == {NoticeCode.TEXT}  # written as NoticeCode.TEXT in the code


def test_every_kind_of_list_is_listed() -> None:
    used = literals("send_list", keyword="kind", places=[2, 3])
    assert used | answers_of_the_store() == set(ENUMS["rows.kind"])


def answers_of_the_store() -> set[str]:
    """Return the commands that read a list from the store; the name of the command is also the kind of the list."""
    lists = ast.parse(Path(golfnet.__file__).parent.joinpath("server/commands/lists.py").read_text("utf-8"))
    functions = [node for node in lists.body if isinstance(node, ast.FunctionDef)]
    return {
        each.name for each in functions if "_asked(context" in ast.unparse(each) and each.name != "_asked"
    }


def test_words_are_listed_once_with_their_meanings_and_kinds_of_seats_and_codes_are_complete() -> None:
    assert all(code.meaning.endswith(".") for code in (*Cause, *NoticeCode))
    assert set(ENUMS["view.seats.kind"]) == set(ChairKind)
    assert all(len(set(words)) == len(words) > 1 for words in ENUMS.values())
    assert set(ENUMS["error.code"]) == set(Code) - BYE_ONLY
    assert set(ENUMS["notice.code"]) >= set(Refusal)


VIEW = tables.six_card()
PROMPT = Prompt(table="t1", seq=1, phase="between", actions=("ready",), targets=(), ms=None)
NOTICE = Notice(code="IDLE", text="Still there?")
LISTED: list[AnyReply] = [
    *(VIEW, replace(VIEW, phase=None), PROMPT, NOTICE, Ok(id=17, table="t12", seq=58)),
    *(Chat(speaker="Ann", to="table", text="hi"), Bye(code="QUIT", text="Goodbye.")),
]
EVENTS_OF_EACH_FORM = [
    *(line(TurnBegan(seat=Seat(0), turn=3), ms=60_000), line(TurnBegan(seat=Seat(0), turn=3))),
    line(Left(seat=None, player="Ann", cause=Cause.LEFT)),
]


@pytest.mark.parametrize(
    "reply",
    [
        *(replace(VIEW, state="new"), replace(VIEW, phase="new"), replace(PROMPT, phase="playing")),
        *(replace(NOTICE, code="NEW"), replace(VIEW, seats=(replace(VIEW.seats[0], kind="new"),))),
    ],
    ids=["state", "phase of a view", "phase of a prompt", "code", "kind"],
)
def test_the_schema_refuses_unlisted_words_but_readers_accept_them(
    reply: TableView | Prompt | Notice,
) -> None:
    assert misfit_of_line(json.loads(encode(reply)), SCHEMA)
    assert decode(encode(reply)) == reply
    for fields in (*EVENTS_OF_EACH_FORM, *[json.loads(encode(listed)) for listed in LISTED]):
        assert misfit_of_line(fields, SCHEMA) is misfit(fields, SCHEMA, SCHEMA) is None
