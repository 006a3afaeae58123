import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from golfnet.engine.cards import Seat
from golfnet.engine.errors import DivergedLog
from golfnet.engine.events import Drew
from golfnet.protocol.lines import OBJECT_LIMIT
from golfnet.protocol.replies import data
from golfnet.protocol.replies.data import log_body
from golfnet.protocol.replies.presence import Cause, Left
from golfnet.protocol.replies.replies import Happened
from golfnet.storage.records import (
    MAX_LINE,
    BadRecord,
    LogEntry,
    RecordLine,
    canonical,
    difference,
    entries,
    from_log_form,
    parse_lines,
    record_lines,
)
from golfnet.storage.writes import LoggedEvent
from tests.engine.strategies import VALUES
from tests.golden import GoldenFiles
from tests.storage.matches import STARTED, played, record_of, rules_of

GOLDEN = Path(__file__).with_name("golden") / "record.jsonl"


def objects(lines: list[bytes]) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines]


def logged(log: list[LogEntry]) -> list[LoggedEvent]:
    """Return a table's log, with an event from outside play in each gap between the events of the match."""
    bodies = {entry.seq: log_body(entry.event, ms=entry.ms, at=17) for entry in log}
    left = log_body(Left(seat=Seat(1), player="Ann", cause=Cause.QUIT), text="more")
    return [LoggedEvent(seq, bodies.get(seq, left)) for seq in range(1, log[-1].seq + 1)]


@pytest.mark.parametrize("variant", ["four-turn", "cactus", "six-card"])
def test_every_event_of_a_match_is_restored_from_its_log(variant: str) -> None:
    log = played(rules_of(variant))
    assert list(entries(logged(log))) == log


@pytest.mark.parametrize(
    ("body", "named"), [(b"", "JSON"), (b"[1]", "JSON"), (b'{"event":"drew","seat":"B"}', "stock")]
)
def test_a_log_with_a_malformed_event_raises(body: bytes, named: str) -> None:
    with pytest.raises(DivergedLog, match=named):
        list(entries([LoggedEvent(1, body)]))


@pytest.mark.parametrize("fields", [{"event": "flew"}, {"event": "left"}, {"event": 7}, {}])
def test_decoding_anything_but_an_event_raises(fields: dict[str, object]) -> None:
    with pytest.raises(DivergedLog, match=repr(fields.get("event"))):
        from_log_form(fields)


def test_a_record_has_the_form_that_records_md_describes(golden: GoldenFiles) -> None:
    record = b"".join(record_of(rules_of("four-turn", holes=2, turns=1), seats=2))
    golden.check(GOLDEN, record.decode())


@pytest.mark.parametrize("variant", ["six-card", "cactus"])
def test_event_lines_are_those_sent_to_clients_with_nothing_hidden(variant: str) -> None:
    log = played(rules_of(variant), seed=3)
    lines = record_lines("t1", log, match="m1", started=STARTED)
    told = [line for line in lines if b'"type":"event"' in line]
    sent = [
        data.encode(Happened(table="t1", seq=seq, event=event, names=(), ms=ms)) for seq, event, ms in log
    ]
    assert objects(told) == objects(sent)
    for line in objects(told):
        assert (
            line["event"] not in ("peeked", "drew", "swapped", "gave", "penalty")
            or {"card", "cards"} & line.keys()
        )


def test_lines_fit_the_size_limit_of_the_protocol() -> None:
    largest = rules_of("six-card", rows=3, columns=4, decks=8, jokers=4, holes=1)
    assert max(map(len, record_of(largest, seats=8))) <= OBJECT_LIMIT


@pytest.mark.parametrize(("match", "cut"), [("m1", 0), ("m1", 2), ("m1", -1), ("m7", None)])
def test_a_match_that_is_not_over_or_not_in_the_log_has_no_record(match: str, cut: int | None) -> None:
    log = played(rules_of("four-turn"))
    with pytest.raises(DivergedLog, match=match):
        list(record_lines("t1", log[:cut], match=match, started=STARTED))


CHARACTERS = st.sampled_from('aÄ桜🂡\x00\x1f\x7f\x80\n"\\/ ')


@given(st.dictionaries(st.text(CHARACTERS, max_size=4), VALUES | st.text(CHARACTERS)))
def test_the_digest_of_any_line_matches_records_md(line: dict[str, object]) -> None:
    text = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=True) + "\n"
    assert canonical(line) == text.encode()


def test_a_log_body_is_small() -> None:
    # Log bodies are most of what a server ever writes.
    assert len(log_body(Drew(seat=Seat(3), stock=40, card=None))) < 60


def test_lines_are_numbered_and_blank_ones_are_skipped() -> None:
    lines = [b'{"a":1}\r\n', b"\n", b"  \t\n", b' { "b" : [ true , null ] } ']
    assert list(parse_lines(lines)) == [RecordLine(1, {"a": 1}), RecordLine(4, {"b": [True, None]})]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"nonsense", "Expecting value"),
        (b'{"a":1', "Expecting"),
        (b'{"a":1} {"b":2}', "Extra data"),
        (b"[1,2]", r"\[1,2\]"),
        (b'"text"', "text"),
        (b"null", "null"),
        (b'{"a":1,"a":2}', "twice"),
        (b'{"x":{"a":1,"a":1}}', "twice"),
        (b'{"a":1.5}', "1.5"),
        (b'{"a":1e3}', "1e3"),
        (b'{"a":NaN}', "NaN"),
        (b'{"a":-Infinity}', "Infinity"),
        (b'{"a":"\xff"}', "utf-8"),
        (b'{"a":"\\ud800"}', "surrogates"),
        (b'{"a":"\x01"}', "control"),
        (b"[" * 5000, "recursion"),
        (b'{"a":' + b"9" * 5000 + b"}", "digits"),
        (b'{"a":"' + b"x" * MAX_LINE + b'"}', "16"),
    ],
    ids=range(18),
)
def test_ambiguous_or_malformed_lines_are_refused(line: bytes, found: str) -> None:
    with pytest.raises(BadRecord, match=found) as caught:
        list(parse_lines([b'{"a":1}', line]))
    assert caught.value.line == 2


def test_a_bad_field_is_reported_with_what_was_expected_and_found() -> None:
    line = RecordLine(7, {"at": ["A1", "B2"], "n": 1})
    line.need("at", ["A1", "B2"])
    with pytest.raises(BadRecord, match=r'line 7, at\[2\]: expected "B3", found "B2"'):
        line.need("at", ["A1", "B3"])
    with pytest.raises(BadRecord, match='line 7, card: expected "7H", found nothing'):
        line.need("card", "7H")
    with pytest.raises(BadRecord, match="n: expected text, found 1"):
        line.text("n")
    with pytest.raises(BadRecord, match="n: expected a list of strings"):
        line.texts("n")
    assert line.texts("at") == ("A1", "B2")
    with pytest.raises(BadRecord) as caught:
        line.need("n", "x" * 5000)
    assert len(str(caught.value)) < 300, "long values are shortened"


@pytest.mark.parametrize(
    ("expected", "found", "path"),
    [
        (1, 1, None),
        (1, True, "x"),
        (1, "1", "x"),
        (None, 0, "x"),
        ([], {}, "x"),
        ([1, 2], [1, 2], None),
        ([1, 2], [1, 3], "x[2]"),
        ([1, 2], [1], "x"),
        ({"a": [1]}, {"a": [2]}, "x.a[1]"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, None),
        ({"a": 1}, {"a": 1, "b": 2}, "x"),
        ([["7H", "-"]], [["7H", "8H"]], "x[1][2]"),
    ],
)
def test_the_first_difference_is_found(expected: object, found: object, path: str | None) -> None:
    place = difference("x", expected, found)
    assert (place and place[0]) == path
