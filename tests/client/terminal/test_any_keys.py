"""Nothing breaks, whatever is pressed, clicked and typed, and whatever the server sends in between."""

import contextlib
import json
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from golfnet.protocol.replies import data
from golfnet.protocol.replies.replies import AnyReply, Bye, Error, FillingView, Ok, Prompt, Rows
from golfnet_client.model.model import Model, Place
from golfnet_client.terminal.client import Client
from golfnet_client.terminal.menus import home_menu
from tests.client import tables
from tests.client.terminal.person import NoWay

KEYS = (
    *"abcdefghijklmnopqrstuvwxyz0123456789:'?!/Z",
    *("up", "down", "left", "right", "enter", "escape", "space", "tab", "pageup", "pagedown", "home", "end"),
    *("delete", "§", "²", "f1"),
)
ROW: dict[str, Any] = {
    "table": "t1",
    "variant": "cactus",
    "state": "open",
    "taken": 1,
    "seats": 2,
    "players": (),
}
MATCH = {"match": "m1", "table": "t1", "variant": "cactus", "ended": 1.8e9, "finished": True, "totals": [5]}
REPLIES: tuple[AnyReply, ...] = (
    Ok(id=1, name="Ann", token="x"),
    Ok(id=2, note="Done."),
    Error(code="BAD_PHASE", message="Not now.", retry=True),
    Bye(code="KICKED", text="Good bye."),
    Rows(kind="tables", rows=()),
    Rows(kind="tables", rows=(ROW, ROW | {"table": "t2", "private": True}, ROW | {"state": "playing"})),
    Rows(kind="who", rows=({"name": "Ann", "present": True},)),
    Rows(kind="variants", rows=({"name": "new", "options": {"unknown": 1}}, {"name": "x"})),
    Rows(kind="history", rows=()),
    Rows(kind="history", rows=(MATCH | {"players": [{"name": "Ann", "kind": "guest"}], "places": [1]},)),
    Rows(kind="record", rows=({},)),
    Rows(kind="rules", rows=("A line.",) * 60),
    Prompt(table="t1", seq=41, phase="turn", actions=("draw", "knock"), targets=(), ms=None),
    tables.six_card(),
    tables.holding(),
    tables.cactus(),
    tables.twelve(),
    tables.waiting(filling=FillingView(level="hard", ms=24_000)),
    replace(tables.six_card(), you=None, actions=()),
    replace(tables.six_card(), state="finished", actions=("rematch",)),
)
DEEDS = st.one_of(
    st.sampled_from(KEYS),
    st.sampled_from(KEYS),
    st.sampled_from(REPLIES),
    st.tuples(st.integers(0, 79), st.integers(0, 22)),
    st.sampled_from(
        (">", ">draw", ">name Bob", ">seek cactus", ">:", ">\udce9", ">join t1", ">golf.example.org")
    ),
    st.sampled_from((("lost", 4.0), ("connected", 0.0))),
)


@given(
    st.sampled_from([Place.HOME, Place.WELCOME, Place.LOBBY]),
    st.booleans(),
    st.lists(DEEDS, max_size=30),
    st.sampled_from([(80, 23), (40, 14), (20, 5), (160, 49)]),
)
def test_nothing_breaks(place: Place, is_new: bool, inputs: list[Any], size: tuple[int, int]) -> None:
    time = 100.0
    client = Client(Model(), send=lambda line: None, now=lambda: time)
    client.ways = NoWay()
    client.model.place, client.offers_lesson = place, is_new
    if place is Place.HOME:
        client.ask(home_menu(client))
    for entry in inputs:
        time += 0.7
        match entry:
            case (str(state), float(wait)):
                client.model.linked(state, time, wait)
            case (int(x), int(y)):
                client.click(x, y)
            case str() if entry.startswith(">"):
                client.typed(entry[1:])
            case str():
                client.press(entry)
            case reply:
                client.receive(reply)
        if len(entry if isinstance(entry, str) else "") != 1:  # several keys may come before the next picture
            canvas = client.picture(*size)
            assert (canvas.width, canvas.height) == size
        assert client.label
        assert client.title.isprintable()


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("tables", ROW | {"name": 5}),
        ("tables", ROW | {"filling": 5}),
        ("tables", ROW | {"filling": {"ms": "soon"}}),
        ("tables", ROW | {"watchers": "many", "options": {"rows": 2}}),
        ("who", {"name": "Ann", "present": True, "table": 5}),
        ("record", 5),
        ("record", {"match": [1]}),
    ],
)
def test_rows_with_odd_values_are_shown_or_ignored(kind: str, row: object) -> None:
    client = Client(tables.a_model(), send=lambda line: None, now=lambda: 100.0)
    client.model.place = Place.LOBBY
    line = json.dumps({"type": "rows", "kind": kind, "rows": [row]})
    with contextlib.suppress(msgspec.ValidationError):
        client.receive(cast("AnyReply", data.decode(line)))
    client.picture(120, 40)
