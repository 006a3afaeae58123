"""The conversation with one program: modes, ids, order, limits, and lists in parts."""

from typing import Any

import msgspec
import pytest
import trio

from golfnet.engine.cards import Seat
from golfnet.protocol.lines import LINE_LIMIT
from golfnet.server.budget import Addresses
from golfnet.server.commands.dispatch import LobbyAcceptor
from tests.server.house import House, Peer
from tests.server.null_transport import NullTransport


def kinds(objects: list[dict[str, Any]]) -> list[object]:
    return [thing["type"] for thing in objects]


async def raw(peer: Peer, line: str | bytes) -> list[dict[str, Any]]:
    """Send a line and return the resulting objects."""
    return [msgspec.json.decode(text) for text in (await peer.say(line)).splitlines()]


@pytest.mark.settings(commands_per_second=10, grace=33, outbox=70_000)
async def test_hello_is_answered_by_welcome_then_ok(house: House) -> None:
    peer = await house.connect()
    greeting = (await peer.take()).decode()
    assert 1 <= greeting.count("\r\n") <= 3
    assert "{" not in greeting, "a program skips it by looking for a brace"
    welcome, ok = await raw(peer, "1 hello 1 client=test/1.0")
    assert (welcome["type"], welcome["protocol"]) == ("welcome", 1)
    assert welcome["server"].startswith("golfnet/")
    assert isinstance(welcome["caps"], list)
    limits = {"line": 1024, "commands_per_second": 10, "grace_seconds": 33, "outbox": 70_000}
    assert limits.items() <= welcome["limits"].items()
    assert ok == {"type": "ok", "id": 1}


async def test_an_unsupported_protocol_is_refused_in_json_and_does_not_change_the_mode(house: House) -> None:
    peer = await house.connect()
    written, text = (await peer.say("4 hello 2 client=new/9")).splitlines()
    refusal = msgspec.json.decode(written)
    assert (refusal["type"], refusal["id"], refusal["code"]) == ("error", 4, "BAD_PROTOCOL")
    assert text.startswith("? BAD_PROTOCOL This server speaks only protocol 1")
    assert (await peer.say("version")).startswith("= ")
    assert kinds(await raw(peer, "hello 1"))[0] == "welcome"
    for line, code in (
        ("hello 2", "BAD_PROTOCOL"),
        ("hello", "BAD_ARGUMENT"),
        ("hello there", "BAD_ARGUMENT"),
    ):
        (again,) = await raw(peer, line)
        assert again["code"] == code


async def test_only_people_get_crlf_and_may_abbreviate_commands(house: House) -> None:
    person, program = await house.person("Bob"), await house.program("Ann")
    await program.take()
    text, machine = await person.say("help"), await program.say("help")
    assert text.count("\n") == text.count("\r\n") > 3
    assert "\r" not in machine
    assert machine.endswith("\n")
    assert (await person.say("vers")).startswith("= golfnet")
    assert await program.codes("vers", "d", "l") == ["UNKNOWN_VERB"] * 3


async def test_a_refusal_has_the_id_of_its_line_unless_that_is_too_long_or_not_text(house: House) -> None:
    program = await house.program("Ann")
    await program.take()
    for line in ("17 xyzzy", "17 swap x", '17 name "a', "17 swap 3 at=x", "17 3"):
        (error,) = await raw(program, line)
        assert (error["type"], error["id"]) == ("error", 17), line
    long, broken = b"5 say " + b"x" * LINE_LIMIT + b"\n", b"5 say \xc3\xfe\n"
    *errors, ok = await raw(program, long + broken + b"0 ping a\n")
    assert [(each["code"], "id" in each) for each in errors] == [
        ("LINE_TOO_LONG", False),
        ("BAD_ENCODING", False),
    ]
    assert ok == {"type": "ok", "id": 0, "key": "a", "note": "pong a"}


@pytest.mark.settings(commands_per_second=10)
async def test_the_command_limit_applies_to_any_one_second_and_not_to_pongs(house: House) -> None:
    program = await house.program("Ann")
    await trio.sleep(2)
    await raw(program, b"ping\n" * 5)
    await trio.sleep(0.6)
    objects = await raw(program, b"ping\n" * 5 + b"pong 1\n" * 50 + b"9 pong 1\n" * 20 + b"7 ping\n")
    assert kinds(objects) == ["ok"] * 5 + ["error"]
    error = objects[-1]
    assert (error["code"], error["id"], error["retry"]) == ("RATE_LIMITED", 7, True)
    assert error["wait_ms"] == pytest.approx(400, abs=2)
    await trio.sleep(error["wait_ms"] / 1000)
    assert kinds(await raw(program, b"ping\n" * 6)) == ["ok"] * 5 + ["error"]


async def test_long_lists_are_sent_in_parts_under_16_kib(house: House) -> None:
    program = await house.program("Ann")
    for number in range(80):
        await house.program(f"Player{number}", f'create six-card name="{"long name " * 4}"')
    for line, is_long in (("variants", False), ("rules multiples", True), ("tables", True)):
        written = (await program.say(f"4 {line}")).encode().splitlines(keepends=True)
        assert all(len(one) <= 16 * 1024 for one in written)
        *parts, ok = [msgspec.json.decode(one) for one in written]
        assert ok == {"type": "ok", "id": 4}
        assert {(part["type"], part["id"], part["kind"]) for part in parts} == {("rows", 4, line.split()[0])}
        assert [part["more"] for part in parts] == [True] * (len(parts) - 1) + [False]
        assert (len(parts) > 1) == is_long


@pytest.mark.parametrize(
    ("shown", "meant"),
    [
        ([], {9: 0}),
        ([(4, 1), (5, 2)], {0.9: 0, 1: 4, 1.9: 4, 2: 5, 9: 5}),
        ([(4, 1), (4, 3)], {2: 4}),
        ([(4, 4), (5, 5), (6, 6)], {4.5: 0, 5.5: 5, 6.5: 6}),
    ],
    ids=["none", "the last by then", "the first time it was shown", "the last two are kept"],
)
async def test_a_slam_without_a_number_means_the_last_discard_shown_by_then(
    house: House, shown: list[tuple[int, float]], meant: dict[float, int]
) -> None:
    session = LobbyAcceptor(house.dispatcher, Addresses(1)).welcome(NullTransport())
    start = trio.current_time()
    for number, at in shown:
        await trio.sleep_until(start + at)
        session._note_shown(Seat(0), number)
    for at, number in meant.items():
        session.arrived = start + at
        assert session.discard_meant == number
