"""Who may use which command, in every state of a connection, and which connections are accepted."""

import re
from collections.abc import Callable
from typing import get_type_hints

import msgspec
import pytest

from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.commands.specs import CommandSpec, Where
from golfnet.server.budget import Addresses
from golfnet.server.commands import listings, seats
from golfnet.server.commands.dispatch import CONTEXTS, LobbyAcceptor
from golfnet.server.commands.handlers import HANDLERS
from golfnet.server.commands.manual import manual_for
from golfnet.server.config import Config
from golfnet.server.session.player import Player
from golfnet.server.table.membership import Membership
from golfnet.server.table.starting import Filling
from golfnet.storage.directory import Sanction, SanctionKind
from tests.server.house import House, Peer, Program

MARK = "a-word-for-objects"


@pytest.mark.parametrize("spec", COMMANDS.values(), ids=list(COMMANDS))
def test_every_handler_gets_the_context_it_needs(spec: CommandSpec) -> None:
    needed = get_type_hints(HANDLERS[spec.verb])["context"]
    given = get_type_hints(CONTEXTS[spec.where])["return"]
    assert issubclass(given, needed), (
        f"{spec.verb} is allowed {spec.where.name}, which has no {needed.__name__}"
    )


# --- where the sender may be

PLACES: dict[str, tuple[str, ...]] = {
    "seated": ("name peer{number}", "join {table}"),
    "watching": ("name peer{number}", "watch {table}"),
    "named": ("name peer{number}",),
    "stranger": (),
    "host": ("name peer{number}", "create cactus seats=3"),
}
"""What the senders in each place have typed; ``table`` is another player's."""


async def sender(house: House, place: str, number: int) -> Peer:
    """Connect a peer in text mode that also gets its answers as objects."""
    table = None
    if place in ("seated", "watching"):
        await sender(house, "host", number + 1000)
        *_, table = house.lobby.tables
    peer = await house.connect()
    for line in (f"objects {MARK}", *PLACES[place]):
        await peer.say(line.format(number=number, table=table))
    return peer


REFUSED: dict[Where, dict[str, str]] = {
    Where.STRANGER: dict.fromkeys(("named", "watching", "seated", "host"), "ALREADY_NAMED"),
    Where.UNSEATED: dict.fromkeys(("seated", "host"), "ALREADY_SEATED"),
    Where.NAMED: {"stranger": "NO_NAME"},
    Where.LOBBY: {"stranger": "NO_NAME", "seated": "ALREADY_SEATED", "host": "ALREADY_SEATED"},
    Where.TABLE: {"stranger": "NO_NAME", "named": "NOT_SEATED"},
    Where.SEATED: {"stranger": "NO_NAME", "named": "NOT_SEATED", "watching": "NOT_SEATED"},
    Where.HOST: {
        "stranger": "NO_NAME",
        "named": "NOT_SEATED",
        "watching": "NOT_SEATED",
        "seated": "NOT_HOST",
    },
}
"""The code with which a command is refused to a sender who is in the wrong place for it."""

FAULTY = {"PAUSED", "NO_NAME", "ALREADY_NAMED", "NOT_HOST", "UNKNOWN_VERB", "INTERNAL"}
"""Codes that a sender in the right place never gets for an example in the manual."""


def lines_of(spec: CommandSpec) -> list[str]:
    """Return the examples of a command in full, including what people would be prompted for."""
    asked = [f"secret-{parameter.name}" for parameter in spec.parameters if parameter.asked]
    return [" ".join([line, *asked]) for line, _ in manual_for(Config()).commands[spec.verb].rows]


def answers_in(written: bytes) -> list[str]:
    """Return ``ok`` or the code for each answer in the server's output, ignoring telnet commands."""
    found = re.findall(rb"(?:^|%b )({.*})" % MARK.encode(), written, re.MULTILINE)
    answers = [msgspec.json.decode(each) for each in found]
    return [each.get("code", "ok") for each in answers if each["type"] in ("ok", "error")]


@pytest.mark.settings(names_per_hour=10_000)
@pytest.mark.parametrize(
    ("place", "is_paused"), [*((place, False) for place in PLACES), ("stranger", True), ("host", True)]
)
async def test_each_command_gets_one_answer_and_is_refused_exactly_where_its_specification_says(
    house: House, quick_passwords: None, place: str, is_paused: bool
) -> None:
    """One example of each command is sent from every place, the others only from one place that allows them."""
    for number in range(12):
        await sender(house, "host", 2000 + number)  # examples name such tables as t12
    typed = []
    for spec in COMMANDS.values():
        refusals = REFUSED.get(spec.where, {})
        is_home = place == next(place for place in PLACES if place not in refusals)
        typed += [(spec, line, refusals.get(place)) for line in lines_of(spec)[: None if is_home else 1]]
    peers = [await sender(house, place, number) for number, _ in enumerate(typed)]
    if is_paused:
        house.lobby.pause("the disk is full")
    for peer, (spec, line, refused) in zip(peers, typed, strict=True):
        await peer.take()
        await peer.send(line)
        answers = answers_in(await peer.take())
        if spec.verb == "pong":
            assert answers == []
        elif is_paused and spec.changes:
            assert answers == ["PAUSED"], line
        elif refused is not None:
            assert answers == [refused], line
        else:
            assert len(answers) == 1, line
            assert not {*answers} & FAULTY, line


# --- faults


async def test_a_fault_closes_only_the_table_that_the_command_is_about(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await house.table("four-turn seats=2", "Ann", "Bob")
    cid, dan = await house.table("four-turn seats=2", "Cid", "Dan")
    eve, tables, leave = await house.program("Eve", "watch t2"), house.lobby.tables, Membership.leave

    def leave_and_fail(membership: Membership, player: Player) -> None:
        leave(membership, player)
        raise ZeroDivisionError

    async def fails(
        program: Program, line: str, owner: object, name: str, bug: Callable[..., object]
    ) -> None:
        with monkeypatch.context() as planted:
            planted.setattr(owner, name, bug)
            assert (await program.ask(line))["code"] == "INTERNAL"

    await fails(cid, "history", listings, "history", lambda *_, **__: 1 / 0)
    await fails(eve, "create six-card", seats, "plan", lambda *_: 1 / 0)
    assert [*tables] == ["t1", "t2"]
    await fails(eve, "create six-card fill=30", Filling, "request", lambda *_: 1 / 0)
    assert [*tables] == ["t1", "t2"], "the new table is closed"
    await fails(cid, "watch t1", tables["t1"].gallery, "watch", lambda *_: 1 / 0)
    assert [*tables] == ["t2"]
    await fails(cid, "leave", Membership, "leave", leave_and_fail)
    assert not tables, "the table being left is closed"
    await dan.poll()
    assert "fault" in dan.events("closed")[-1]["reason"]
    assert caplog.text.count("closing table") == 3


# --- which connections are accepted


@pytest.mark.settings(connections=1)
async def test_banned_and_excess_connections_are_refused_and_counted_by_reason(house: House) -> None:
    lobby, addresses = house.lobby, Addresses(2)
    plain, telnet = (
        LobbyAcceptor(house.dispatcher, addresses, telnet=is_telnet) for is_telnet in (False, True)
    )
    lobby.sanctions.add(SanctionKind.BAN, Sanction(whom="89.160.20.0/24"))
    assert not plain.admit("89.160.20.112")
    admitted = [door.admit(f"2001:4860::{number}") for number, door in enumerate((plain, telnet, plain))]
    assert admitted == [True, True, False], "both ports count together"
    plain.gone("2001:4860::1")
    assert plain.admit("2001:4860::3")
    assert all(plain.admit("192.168.1.4") for _ in range(5)), "private addresses are exempt"
    await house.connect()
    assert not plain.admit("192.168.1.4")
    assert lobby.counters.connections == 8
    assert lobby.counters.turned_away == {"banned": 1, "address": 1, "full": 1}
