"""A session that goes on as another object, from nothing but bytes: it says what it would have said."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest
import trio
from hypothesis import example, given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from golfnet.protocol.links.handover import Handover
from golfnet.protocol.text.stage import Joining
from golfnet.server.commands.answers import Answering
from golfnet.server.commands.connection import HANDLERS
from golfnet.server.commands.contexts import Anyone
from golfnet.server.config import Config
from golfnet.server.counters import Counters
from golfnet.server.journal.journal import DurabilityGate
from golfnet.server.session import incoming
from golfnet.server.session.session import Session
from tests.server import test_conversations as conversations
from tests.server.house import open_house
from tests.server.null_transport import NullTransport

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from golfnet.protocol.commands.parse import Request
    from golfnet.storage.writes import Write
    from tests.golden import GoldenFiles
    from tests.server.house import House, Peer


def renew(house: House) -> None:
    """Let every session that can go on elsewhere do so, here, as another object."""
    sessions = house.lobby.sessions
    for session in list(sessions):
        if session.is_settled and not session.is_suspended:
            successor = Session(house.dispatcher, session.transport)
            state = Handover.decode(session.snapshot().encode())
            successor.restore(state)
            player = session.player
            if player is not None:
                player.session, successor.player = successor, player
            sessions.leave(session)
            sessions.enter(successor)
            session.transport.exchange_peer(successor)
            successor.go_on(state)


@pytest.mark.usefixtures("each_transport", "quick_passwords")
@pytest.mark.parametrize("name", conversations.SCRIPTS)
async def test_a_conversation_with_a_hand_over_after_every_line_goes_as_its_page_says(
    autojump_clock: object, golden: GoldenFiles, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    async def say(
        house: House, peers: dict[str, Peer], who: str, what: str, style: str, lines: list[str]
    ) -> None:
        await original(house, peers, who, what, style, lines)
        await peers[who].settle()
        renew(house)

    original = conversations.say
    monkeypatch.setattr(conversations, "say", say)
    script, style = conversations.SCRIPTS[name]
    told = await conversations.spoken(conversations.filled(script), style)
    golden.check(conversations.PAGES / f"{name}.txt", told)


async def test_a_big_screen_goes_on_with_how_to_join(autojump_clock: object) -> None:
    async with open_house() as house:
        house.lobby.joining = Joining(ways=(("Linux, Mac", "nc 192.168.1.20 7777"),), code=("\u2588\u2580",))
        ann, eve = await house.program("Ann"), await house.person("Eve")
        await ann.done("create six-card")
        before = await eve.say("watch t1 style=stage")
        house.lobby.joining = Joining()
        renew(house)
        await ann.done("ready")
        after = (await eve.take()).decode()
        for part in ("nc 192.168.1.20 7777", "join t1", "\u2588\u2580"):
            assert part in before
            assert part in after


class Kept(NullTransport):
    """Keeps what is written."""

    def __init__(self) -> None:
        self.written = b""

    def write(self, data: bytes) -> None:
        self.written += data


class Instant:
    """A log that is durable at once."""

    def submit(self, writes: Sequence[Write], then: Callable[[], None]) -> None:
        then()


class Echo:
    """A server that answers each request with its line, and asks twice after ``passwd``."""

    def __init__(self) -> None:
        self.config = Config(commands_per_second=5)
        self.gate = DurabilityGate(Instant())
        self.counters = Counters()

    def handle(self, session: Session, request: Request) -> None:
        if request.verb in ("hello", "set", "objects", "telnet", "ping"):
            with Answering(session, request):
                HANDLERS[request.verb](Anyone(self, None, session), request)  # type: ignore[arg-type]
        elif request.verb == "passwd" and len(request.typed) < 2:
            session.ask_password("Password:", request)
        else:
            session.transport.write(f"{request.verb} {request.words} {request.typed}\r\n".encode())

    def entered(self, session: Session) -> None:
        session.transport.write(b"entered\r\n")

    def ended(self, session: Session, cause: str) -> None:
        session.transport.write(f"ended: {cause}".encode())

    def mssp(self) -> Mapping[str, str | Sequence[str]]:
        return {"NAME": "golfnet"}


PIECES = [
    *(b"ping 1\r\n", b"ping \xc3\xa4\n", b"hello 1\n", b"who\r\n", b"x" * 1100, b"\b", b"\n", b"\0", b"\xc3"),
    *(b"\xff\xfa\x18\x00xterm", b"\xff\xf0", b"\xff\xfb\x18", b"\xff\xfd\x2a", b"\xff\xfb\x1f"),
    *(
        b"\xff\xfa\x1f\0\x50\0\x18",
        b"\xff\xfd\x46",
        b"\xff\xfd\xc9",
        b'\xff\xfa\xc9Golf.Command "ping 7"\xff\xf0',
    ),
    *(b"\xff\xf6", b"\xff\xfe\x03", b"\xff\xff", b"\xff\xfd\x06", b"\xff\xfa\x2a\x02UTF-8\xff\xf0"),
    *(b"\xff\xfb\x2a", b"\xff\xf7", b"\xff\xfd\x01", b"telnet on\n", b"set style plain\n", b"set width 40\n"),
    *(
        b"set page 5\n",
        b"set\n",
        b"\n",
        b"passwd\n",
        b"secret\n",
        b"q\n",
        b"1 ping\n",
        b"objects " + b"a" * 16 + b"\n",
    ),
    *(b"GET", b" / HT", b"Host: x\n", b"SSH-2"),
]


async def spoken(data: bytes, handed: set[int]) -> bytes:
    """Return what is said to bytes that come one by one, with hand-overs before some of them."""
    transport, server = Kept(), Echo()
    session = Session(server, transport)
    for at in range(len(data)):
        if at in handed and session.is_settled:
            successor = Session(server, transport)
            state = Handover.decode(session.snapshot().encode())
            successor.restore(state)
            successor.go_on(state)
            session = successor
        session.receive(data[at : at + 1], trio.current_time())
        while session.is_open and session._list is not None:
            session.proceed()
    return transport.written


@settings(max_examples=60)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join), st.data())
@example(b"passwd\nsecret\nsecret\nping\n", None)
def test_a_session_handed_over_between_any_two_bytes_says_the_same(
    data: bytes, draw: st.DataObject | None
) -> None:
    async def both() -> tuple[bytes, bytes]:
        everywhere = set(range(len(data)))
        some = everywhere if draw is None else draw.draw(st.sets(st.integers(0, max(0, len(data) - 1))))
        return await spoken(data, set()), await spoken(data, some | set())

    stayed, moved = trio.run(both, clock=MockClock())
    assert moved == stayed


async def test_bytes_that_are_not_decoded_yet_go_along_and_what_they_cost(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = count()
    monkeypatch.setattr(
        incoming, "perf_counter", lambda: float(next(seconds))
    )  # a turn is over after each piece
    transport, server = Kept(), Echo()
    session = Session(server, transport)
    session.receive(b"\xff\xf1" * 1000 + b"ping 1\nping 2", trio.current_time())
    session.end_of_input()
    successor = Session(server, transport)
    state = Handover.decode(session.snapshot().encode())
    successor.restore(state)
    assert 0 < successor._rate.spent == session._rate.spent
    successor.go_on(state)
    while successor.is_open:
        successor.proceed()
    assert transport.written.endswith(b"= pong 1\r\n= pong 2\r\nended: lost")
