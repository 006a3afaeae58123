"""A peer's side of a connection, byte by byte: logging in, queued and repeated lines, and what is reported."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from golfnet.protocol.conversation import (
    LIST_LIMIT,
    MOST_LINES,
    Conversation,
    ConversationEvent,
    Entered,
    Greeted,
    NotUnderstood,
    TokenIssued,
)
from golfnet.protocol.replies import data
from golfnet.protocol.replies.replies import Error, Happened, Limits, Notice, Ok, Welcome
from tests.client import tables


def spoken(talk: Conversation) -> list[str]:
    """Return the outgoing lines, without their numbers."""
    return [line.lstrip("0123456789").lstrip() for line in talk.outgoing().decode().splitlines()]


def wire(*objects: dict[str, Any]) -> bytes:
    return b"".join([json.dumps(each).encode() + b"\n" for each in objects])


def tell(talk: Conversation, *objects: dict[str, Any]) -> list[ConversationEvent]:
    return list(talk.receive(wire(*objects)))


def refusal(code: str, **more: Any) -> dict[str, Any]:
    return {"type": "error", "code": code, "message": "No.", "retry": False, **more}


def connected(**who: str) -> Conversation:
    talk = Conversation(client="test/1", name="Ann", **who)
    talk.start_connection()
    return talk


def entered() -> Conversation:
    """Return the conversation of a player who has logged in; ``hello`` was line 1 and the login line 2."""
    talk = connected()
    talk.outgoing()
    tell(talk, {"type": "ok", "id": 1}, {"type": "ok", "id": 2, "name": "Ann", "token": "secret"})
    return talk


def at_a_table(seq: int = 40) -> Conversation:
    """Return the conversation of a player who has seen event ``seq`` of a table."""
    talk = entered()
    tell(talk, json.loads(data.encode(replace(tables.six_card(), seq=seq))))
    return talk


def test_lines_are_queued_until_the_player_has_logged_in() -> None:
    talk = Conversation(client="test/1", name="Ann")
    talk.send("tables")
    talk.start_connection()
    assert spoken(talk) == ["hello 1 client=test/1", "name Ann"]
    assert tell(talk, {"type": "ok", "id": 1}) == [Greeted()]
    assert spoken(talk) == []
    told = tell(talk, {"type": "ok", "id": 2, "name": "Ann", "token": "secret"})
    assert told[:2] == [TokenIssued("Ann", "secret"), Entered()]
    assert isinstance(told[2], Ok)
    assert spoken(talk) == ["tables"]


def test_a_token_issued_with_a_new_password_replaces_the_old_one() -> None:
    talk = entered()
    talk.send("passwd seven-hearts eight-hearts")
    assert spoken(talk) == ["passwd seven-hearts eight-hearts"]
    told = tell(talk, {"type": "ok", "id": 3, "name": "Ann", "token": "new-secret"})
    assert told[0] == TokenIssued("Ann", "new-secret")
    talk.start_connection()
    assert spoken(talk)[1] == "resume new-secret"


def test_a_reconnect_resumes_and_repeats_only_what_can_be_repeated() -> None:
    talk = at_a_table(seq=39)
    tell(talk, {"type": "event", "table": "t1", "seq": 40, "event": "passed", "seat": "B"})
    for line in ("draw", "say hello", "slam B2 #3", "swap 2 at=39"):
        talk.send(line)
    talk.outgoing()
    for _ in range(2):  # The first new connection is lost before the player has logged in.
        talk.start_connection()
        assert not talk.has_entered
        assert spoken(talk) == ["hello 1 client=test/1", "resume secret"]
    tell(talk, {"type": "ok", "id": 10, "name": "Ann"})
    assert spoken(talk) == ["draw at=40"]
    talk.start_connection()  # The answer is lost again.
    talk.outgoing()
    tell(talk, {"type": "ok", "id": 13, "name": "Ann"})
    assert spoken(talk) == ["draw at=40"]


def test_a_repeated_line_refused_as_stale_is_not_reported_but_other_refusals_are() -> None:
    talk = at_a_table()
    talk.send("draw")
    talk.outgoing()
    talk.start_connection()
    talk.outgoing()
    tell(talk, {"type": "ok", "id": 5, "name": "Ann"})
    talk.send("take 2 at=40")
    talk.outgoing()
    assert tell(talk, refusal("STALE", id=6)) == []
    (refused,) = tell(talk, refusal("STALE", id=7))
    assert isinstance(refused, Error)


def test_refusals_of_commands_sent_quietly_are_not_reported() -> None:
    talk = entered()
    talk.send("seal 12", is_quiet=True)
    talk.send("seal 12")
    quiet, loud = [int(line.split()[0]) for line in talk.outgoing().decode().splitlines()]
    told = tell(talk, refusal("BAD_PHASE", id=quiet), refusal("BAD_PHASE", id=loud))
    assert [each.id for each in told if isinstance(each, Error)] == [loud]


def test_after_a_rejected_token_the_player_takes_the_name_as_a_newcomer() -> None:
    talk = connected(token="old")
    assert spoken(talk)[1] == "resume old"
    assert tell(talk, refusal("BAD_TOKEN", id=2)) == [TokenIssued("Ann", "")]
    assert spoken(talk) == ["name Ann"]


def test_after_a_rejected_token_unanswered_lines_do_not_keep_the_player_from_taking_another_name() -> None:
    talk = at_a_table()
    talk.send("draw")
    talk.outgoing()
    talk.start_connection()
    talk.outgoing()
    tell(talk, refusal("BAD_TOKEN", id=5))
    assert spoken(talk) == ["name Ann"]
    tell(talk, refusal("NAME_TAKEN", id=6))
    talk.send("name Bob")
    assert spoken(talk) == ["name Bob"]


def test_pings_are_answered_at_once_and_not_reported() -> None:
    talk = entered()
    talk.send("tables")
    talk.probe()
    assert tell(talk, {"type": "ping", "key": "9f2c"}) == []
    assert spoken(talk) == ["pong 9f2c", "ping still-there", "tables"]
    assert tell(talk, {"type": "ok", "id": 3, "key": "still-there"}) == []


def test_after_a_final_goodbye_or_another_protocol_nothing_is_reported() -> None:
    byes = [{"type": "bye", "code": code, "message": "Bye."} for code in ("KICKED", "SHUTDOWN")]
    for last in (refusal("BAD_PROTOCOL", id=1), *byes):
        talk = connected()
        talk.outgoing()
        told = tell(talk, last, {"type": "notice", "code": "X", "text": "x"})
        assert (len(told), talk.is_over) == ((2, False) if last["code"] == "SHUTDOWN" else (1, True))


def test_unknown_and_invalid_lines_are_skipped_and_reported_once() -> None:
    lines = b"golfnet: the card game Golf\r\n" + wire(
        {"type": "fireworks", "colour": "red"},
        {"type": "event", "table": "t1", "seq": 3, "event": "tea_served"},
        {"type": "event", "table": "t1", "seq": 4, "event": "swapped", "seat": "Ann"},
        {"type": "event", "table": "t1", "seq": 5, "event": "knocked", "seat": "B"},
        {"type": "notice", "code": "HI", "text": "grüß dich"},
    )
    talk = entered()
    told = [*talk.receive(lines[:100]), *talk.receive(lines[100:])]
    assert [type(each) for each in told] == [NotUnderstood, Happened, Notice]


def test_lines_wait_for_the_rate_limit_unless_they_are_discarded_but_pongs_do_not() -> None:
    talk = connected()
    limits = {name: 1 for name in Limits.__struct_fields__} | {"commands_per_second": 4}
    welcome = data.encode(Welcome(protocol=1, server="x", caps=(), limits=Limits(**limits)))
    assert [*talk.receive(welcome + wire({"type": "ok", "id": 2, "name": "Ann"}))]
    assert talk.rate == 4
    talk.outgoing(0)
    for number in range(5):
        talk.send(f"say {number}")
    tell(talk, {"type": "ping", "key": "k"})
    assert talk.outgoing(0) == b"pong k\n"
    assert talk.outgoing(3).count(b"\n") == 3
    assert talk.has_more
    assert talk.outgoing(1).count(b"\n") == 1
    talk.discard_unsent()
    assert not talk.has_more


# --- hostile servers


FLOODS: dict[str, dict[str, Any]] = {
    "pings": {"type": "ping", "key": "k" * 150},
    "long pings": {"type": "ping", "key": "k" * 15_000},
    "events": {"type": "event", "seq": 3, "event": "ready", "seat": "A", "name": "x"},
    "names": {"type": "ok", "id": 99, "name": "n" * 15_000, "token": "t" * 15_000},
    "refusals": refusal("BAD_TOKEN", id=2),
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_memory_is_limited_whatever_a_server_sends(flood: dict[str, Any]) -> None:
    talk = entered()
    for number in range(300):
        tell(talk, {"table": f"t{number}", **flood})
    held = [repr(each) for name, each in vars(talk).items() if name not in ("_reader", "_numbers")]
    assert len("".join(held)) < 2000
    assert len(talk.outgoing()) < 500


def test_the_number_of_unanswered_lines_is_limited() -> None:
    talk = entered()
    for _ in range(3 * MOST_LINES):
        talk.send("look")
        talk.outgoing()
    assert len(talk._sent) == len(talk._queue) == MOST_LINES
    tell(talk, {"type": "ok", "id": 2 + MOST_LINES})  # the last line sent
    assert len(spoken(talk)) == MOST_LINES


def test_rows_of_an_endless_list_are_ignored_until_the_next_answer() -> None:
    talk = entered()
    rows = {"type": "rows", "id": 3, "kind": "who", "rows": [{"name": "x" * 15_000}], "more": True}
    told = [each for _ in range(1000) for each in tell(talk, rows)]
    assert len(told) * 15_000 < LIST_LIMIT
    tell(talk, {"type": "ok", "id": 3})
    assert len(tell(talk, rows)) == 1


@pytest.mark.parametrize("word", ["a\nquit", "a b", "\x1b[2J", "", "x" * 300, "\u2028"])
def test_text_from_a_server_never_becomes_a_line_sent_back(word: str) -> None:
    talk = entered()
    told = tell(talk, {"type": "ok", "id": 9, "name": word, "token": word}, {"type": "ping", "key": word})
    assert not any(isinstance(each, TokenIssued) for each in told)
    assert spoken(talk) == []
    talk.start_connection()
    assert spoken(talk) == ["hello 1 client=test/1", "resume secret"]
