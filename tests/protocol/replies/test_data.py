"""Machine mode: each reply is one line that decodes to an equal reply, and secrets are left out."""

import json
from functools import cache
from random import Random
from typing import Any, get_type_hints

import msgspec
import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from golfnet.engine import events as ev
from golfnet.engine.cards import CARDS, Position, Seat
from golfnet.engine.frozen import replaced
from golfnet.engine.options import override
from golfnet.engine.rules import SlamMode
from golfnet.engine.views import mask
from golfnet.protocol.replies import data
from golfnet.protocol.replies.presence import TABLE_EVENTS, TableEvent
from golfnet.protocol.replies.replies import (
    Bye,
    Chat,
    Error,
    Happened,
    Ok,
    Ping,
    Prompt,
    Reply,
    Rows,
    TableView,
)
from golfnet.protocol.replies.schema import schema
from golfnet.rulesets import catalogue
from tests.client import tables
from tests.engine.random_play import Step, play_match
from tests.engine.strategies import TEXTS, VALUES, records
from tests.protocol.fitting import misfit_of_line
from tests.protocol.tabletop import hole_ended

REPLIES = Reply.__subclasses__()
SCHEMA = schema()


@cache
def played() -> list[Step]:
    """Return the steps of short random matches under each rule set, which together have every kind of event."""
    changes: dict[str, list[dict[str, object]]] = {name: [{}] for name in catalogue()}
    changes["cactus"] += [{"decks": 2, "slam": mode.value} for mode in SlamMode]
    changes["six-card-final"] += [{"seats": "2-4", "decks": 1, "reshuffles": 2}]
    return [
        step
        for name, changed in changes.items()
        for number, change in enumerate(changed)
        for seats in (2, 4)
        for step in play_match(
            override(catalogue()[name], {"holes": 1} | change), seats, Random(f"{name} {number}")
        )
    ]


def known(event: ev.Event | TableEvent) -> dict[str, Any]:
    """Return an event's fields, except those that only the fold needs."""
    return {
        name: getattr(event, name)
        for name in get_type_hints(type(event))
        if name not in ev.INTERNAL.get(type(event), {})
    }


# --- encoding and decoding


@given(st.sampled_from([kind for kind in REPLIES if kind is not TableView]).flatmap(records))
def test_every_reply_is_one_line_and_decodes_to_an_equal_reply(reply: Any) -> None:
    """Views are excluded: random ones have impossible seats, cards and rules, which decoding refuses."""
    line = data.encode(reply)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    for read in (data.decode(line), data.decode(line[:-1].decode())):
        assert read == reply
        assert type(read) is type(reply)


@given(
    st.sampled_from(list(TABLE_EVENTS.values())).flatmap(records),
    st.integers(1, 2**40),
    st.none() | st.integers(0, 10**6),
)
def test_table_events_survive_encoding(event: TableEvent, seq: int, ms: int | None) -> None:
    read = data.decode(data.encode(Happened(table="t12", seq=seq, event=event, names=("Ann",), ms=ms)))
    assert isinstance(read, Happened)
    assert (read.table, read.seq, read.event) == ("t12", seq, event)


def test_every_match_event_fits_the_schema_and_survives_encoding_with_only_what_its_viewer_may_know() -> None:
    """Fields that a viewer is not allowed to know are omitted, not null."""
    kinds, left_out = set(), set()
    for event in (event for step in played() for event in step.events):
        kinds.add(event.name)
        private = ev.PRIVATE.get(type(event))
        for viewer in (None, Seat(0), Seat(1)):
            seen = mask(event, viewer)
            line = data.encode(Happened(table="t1", seq=7, event=seen, names=()))
            assert line.find(b"\n") == len(line) - 1
            read, fields = data.decode(line), json.loads(line)
            assert isinstance(read, Happened)
            assert (read.table, read.seq) == ("t1", 7)
            assert known(read.event) == known(seen)
            assert misfit_of_line(fields, SCHEMA) is None
            if private is not None:
                assert (private in fields) == (getattr(seen, private) is not None)
                assert fields.get(private, "there") is not None
                left_out |= {type(event)} if private not in fields else set()
            assert not ev.INTERNAL.get(type(event), {}).keys() & fields.keys()
    assert kinds == set(ev.EVENTS)
    assert left_out == set(ev.PRIVATE)


# --- several recipients


def test_a_log_body_sent_unchanged_gives_the_same_line_as_the_masked_event() -> None:
    as_logged = set()
    for step in played():
        for event in step.events:
            ms = 20_000 if isinstance(event, ev.TurnBegan) else None
            body = data.public_body(event, data.log_body(event, **({"ms": ms} if ms else {})))
            if body is None:
                continue
            for viewer in (None, Seat(0), Seat(1)):
                if known(mask(event, viewer)) == known(event):
                    told = Happened(table="t1", seq=7, event=mask(event, viewer), names=(), ms=ms)
                    assert data.encode(told) == data.event_line("t1", 7, event, body)
                    as_logged.add(event.name)
    # Events are sent as logged if somebody sees them in full, and if fields that only the fold needs come last.
    in_full = {name for name, kind in ev.EVENTS.items() if kind not in ev.INTERNAL or kind is ev.Swapped}
    assert as_logged == in_full - {"penalty", "reshuffled"}


def test_a_chat_message_is_encoded_once_for_all_recipients() -> None:
    chat = Chat(speaker="Ann", to="table", text="hello", table="t1")
    assert data.encode(chat) is data.encode(chat)


# --- unreadable lines


LINES = [
    *(data.encode(reply) for reply in (Ping(key="k"), Bye(code="QUIT", text="Goodbye."), Ok(id=1))),
    data.encode(Happened(table="t1", seq=7, event=ev.TurnBegan(seat=Seat(0), turn=1), names=(), ms=9)),
    data.encode(Error(code="STALE", message="Look again.", retry=False)),
]


@given(TEXTS, VALUES)
def test_unknown_types_are_ignored(kind: str, value: Any) -> None:
    line = json.dumps({"type": f"new {kind}", "value": value})
    assert data.decode(line) is data.decode(line.encode()) is None
    line = json.dumps({"type": "event", "event": f"new {kind}", "table": "t1", "seq": 1, "value": value})
    assert data.decode(line) is data.decode(line.encode()) is None


@pytest.mark.parametrize("line", LINES)
def test_unknown_keys_are_ignored(line: bytes) -> None:
    read = data.decode(json.dumps(json.loads(line) | {"newer": [1, {"than": "this"}]}))
    assert read is not None
    assert data.encode(read) == line


OTHERS: list[object] = [None, True, 1.5, [], {}, ["t1"], {"a": 1}]


@pytest.mark.parametrize("line", LINES)
def test_a_truncated_line_or_one_with_wrong_fields_is_malformed(line: bytes) -> None:
    fields = json.loads(line)
    needed = fields.keys() - {"id", "ms", "retry"}
    wrong: list[str | bytes] = [line[:end] for end in range(len(line) - 1)]
    wrong += [json.dumps({**fields, key: other}) for key in needed for other in OTHERS]
    wrong += [json.dumps({name: fields[name] for name in fields if name != key}) for key in needed]
    for each in wrong:
        with pytest.raises(msgspec.MsgspecError):
            data.decode(each)


NESTED = [
    b'{"type":"%b","value":%b}' % (kind, value)
    for kind in (b"event", b"ok", b"new")
    for value in (b"[" * 8000, b"[" * 8000 + b"]" * 8000)
]


@pytest.mark.parametrize(
    "line",
    [*NESTED, b'{"type":"\xff"}', b'{"type":"event","event":"\xff"}', '{"type":"\ud800"}'],
    ids=range(9),
)
def test_endless_nesting_and_invalid_text_are_malformed(line: bytes | str) -> None:
    with pytest.raises(msgspec.MsgspecError):
        data.decode(line)


@given(st.binary(max_size=12))
def test_any_bytes_are_decoded_ignored_or_malformed(line: bytes) -> None:
    try:
        read = data.decode(line)
    except msgspec.MsgspecError:
        return
    assert read is None or data.decode(data.encode(read)) is not None


VIEW = tables.six_card()
SEAT = VIEW.seats[0]
A, SEVEN = Seat(0), CARDS["7H"]
PEEKED = ev.Peeked(seat=A, at=(Position(A, 1),), cards=(SEVEN,))
ENDED = hole_ended(ev.EndReason.TURNS, None, ((SEVEN,),), scores=(7,))
STARTED = ev.MatchStarted(match="m1", variant="cactus", options=catalogue()["cactus"], seats=("p", "q"))
OVER = ev.MatchEnded(match="m1", totals=(7, 8), places=(1, 2))
PROMPT = Prompt(table="t1", seq=3, phase="slam", actions=("slam",), targets=("B3",), ms=None)
TABLE = {"table": "t1", "variant": "cactus", "state": "open", "seats": 2, "taken": 1}


def happened(event: Any) -> Happened:
    return Happened(table="t1", seq=3, event=event, names=())


def rows(kind: str, row: object) -> Rows:
    return Rows(kind=kind, rows=(row,))


POSSIBLE: list[Any] = [
    *(VIEW, PROMPT, happened(STARTED), happened(PEEKED), happened(ENDED), happened(OVER)),
    *(rows("tables", TABLE), rows("help", "Type name."), rows("fireworks", 7)),
]
IMPOSSIBLE: list[Any] = [
    *(replace(VIEW, you=seat) for seat in ("Ann", "L")),
    *(replace(VIEW, turn="AA"), replace(VIEW, discard="HH"), replace(VIEW, drawn="?")),
    *(replace(VIEW, options={}), replace(VIEW, options={"tea": "green"}), replace(VIEW, scores=((),))),
    *(replace(VIEW, targets=targets) for targets in (("A",), ("A1", ""))),
    *(replace(VIEW, seats=seats) for seats in ((), (SEAT,) * 2, (replace(SEAT, seat="a"),))),
    *(replace(VIEW, seats=(replace(SEAT, **more),)) for more in ({"slots": ("7H", "H7")}, {"total": 10**12})),
    *(replace(PROMPT, targets=(target,)) for target in ("B", "M1")),
    *(happened(replaced(PEEKED, **more)) for more in ({"cards": (SEVEN, SEVEN)}, {"at": (), "cards": None})),
    *(happened(replaced(ENDED, **more)) for more in ({"scores": (7, 8)}, {"scores": None, "totals": ()})),
    *(happened(replaced(OVER, places=places)) for places in ((1,), (2, 3))),
    *(happened(replaced(STARTED, seats=("p",) * seats)) for seats in (0, 13)),
    *(rows("tables", TABLE | {"table": 7}), rows("who", "Ann")),
    rows("tables", {key: TABLE[key] for key in TABLE if key != "variant"}),
]


@pytest.mark.parametrize("reply", POSSIBLE, ids=range(len(POSSIBLE)))
def test_a_reply_whose_values_fit_together_is_decoded(reply: Any) -> None:
    assert data.decode(data.encode(reply)) is not None


@pytest.mark.parametrize("reply", IMPOSSIBLE, ids=range(len(IMPOSSIBLE)))
def test_a_reply_with_impossible_or_mismatched_values_is_refused(reply: Any) -> None:
    line = data.encode(reply)
    with pytest.raises(msgspec.ValidationError):
        data.decode(line)
