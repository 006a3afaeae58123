"""Acceptors: every connection is accepted, or rejected for one reason, and closed connections make room."""

from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.protocol.errors import Code
from golfnet.server.accounts.sanctions import Sanction, Sanctions
from golfnet.server.budget import Addresses, Counters
from golfnet.server.commands.dispatch import Dispatcher, LobbyAcceptor
from golfnet.server.net.transport import TOO_MANY
from golfnet.storage.directory import SanctionKind
from tests.server.house import House
from tests.server.null_transport import KeepingTransport

BANNED = "89.160.20.112"
AT_HOME = "192.168.1.4"
ADDRESSES = (BANNED, AT_HOME, "81.2.69.142", "81.2.69.143", "2001:4860::1", "2001:4860::2")
"""One banned address, one exempt from limits, two of different origins, and two of the same origin."""

PER_ORIGIN = 2


def a_server(connections: int) -> Dispatcher:
    """Return what an acceptor needs to know about a server."""
    sanctions = Sanctions()
    sanctions.add(SanctionKind.BAN, Sanction(whom="89.160.20.0/24"))
    lobby = SimpleNamespace(
        sanctions=sanctions, connected=0, config=SimpleNamespace(connections=connections), counters=Counters()
    )
    return cast("Dispatcher", SimpleNamespace(lobby=lobby))


comings = st.lists(st.tuples(st.sampled_from(ADDRESSES), st.booleans(), st.booleans()), max_size=40)
"""Which address connects to which of two acceptors, or has a connection closed."""


@given(comings, st.integers(0, 8))
def test_accepted_connections_are_counted_until_closed_and_others_by_reason(
    comings: list[tuple[str, bool, bool]], most: int
) -> None:
    server, addresses = a_server(most), Addresses(PER_ORIGIN)
    lobby: Any = server.lobby
    doors = LobbyAcceptor(server, addresses), LobbyAcceptor(server, addresses, telnet=True)
    inside: Counter[str] = Counter()
    admitted, turned_away = 0, Counter[str]()
    for address, at_telnet, leaves in comings:
        door = doors[at_telnet]
        if leaves and inside[address]:
            door.gone(address)
            inside[address] -= 1
            lobby.connected -= 1
            continue
        origin = sum(inside[other] for other in ADDRESSES if other[:9] == address[:9] and ":" in other)
        here = origin if ":" in address else inside[address]
        reason = (
            "banned"
            if address == BANNED
            else "full"
            if sum(inside.values()) >= most
            else "address"
            if here >= PER_ORIGIN and address != AT_HOME
            else None
        )
        assert door.admit(address) == (reason is None)
        if reason is None:
            inside[address] += 1
            admitted += 1
            lobby.connected += 1
        else:
            turned_away[reason] += 1
    assert lobby.counters.connections == admitted
    assert lobby.counters.turned_away == turned_away


def test_rejected_connections_get_one_line_with_a_listed_code() -> None:
    sign, code, sentence = TOO_MANY.decode().removesuffix("\r\n").split(" ", 2)
    assert (sign, code) == ("!", Code.TOO_MANY)
    assert sentence.endswith(".")
    assert "\n" not in sentence


@pytest.mark.parametrize("telnet", [False, True])
async def test_each_port_greets_in_its_own_way_and_sessions_are_registered(
    house: House, *, telnet: bool
) -> None:
    line = KeepingTransport()
    session = LobbyAcceptor(house.dispatcher, Addresses(PER_ORIGIN), telnet=telnet).welcome(line)
    assert list(house.lobby.sessions) == [session]
    assert b"golfnet" in line.written.lower()
    assert (b"\xff" in line.written) == telnet, "only telnet negotiates"
