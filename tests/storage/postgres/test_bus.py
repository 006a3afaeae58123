"""What nodes send each other through PostgreSQL: to one node or to all others, in order."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from queue import Queue

import psycopg
import pytest

from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres import bus as module
from golfnet.storage.postgres.bus import PAYLOAD_LIMIT, PostgresBus
from golfnet.storage.postgres.connections import LimitedConnection, connect
from tests.postgres import PATIENCE
from tests.storage.postgres.conftest import OpenStore


class Listener:
    """A bus and what it has received."""

    def __init__(self, bus: PostgresBus) -> None:
        self.bus = bus
        self.received: Queue[bytes] = Queue()
        self.losses = 0
        bus.listen(self.received.put, self.note_loss)
        assert bus.is_listening.wait(PATIENCE)

    def note_loss(self) -> None:
        self.losses += 1

    def next(self) -> bytes:
        return self.received.get(timeout=PATIENCE)


@pytest.fixture
def three(url: str, open_store: OpenStore) -> Iterator[list[Listener]]:
    open_store().close()
    with ExitStack() as opened:
        yield [Listener(opened.enter_context(closing(PostgresBus(url, node)))) for node in (1, 2, 3)]


def test_messages_reach_one_node_or_all_others_in_order(three: list[Listener]) -> None:
    one, two, three_ = three
    one.bus.send(b'"to two"', 2)
    one.bus.send('"to all: ä"'.encode())
    two.bus.send(b'"to one"', 1)
    three_.bus.send(b'"to oneself"', 3)
    assert [two.next(), two.next()] == [b'"to two"', '"to all: ä"'.encode()]
    assert {three_.next(), three_.next()} == {'"to all: ä"'.encode(), b'"to oneself"'}, "of two senders"
    assert one.next() == b'"to one"'
    assert three_.received.empty()


def test_many_messages_arrive_in_order_even_if_they_need_several_notifications(three: list[Listener]) -> None:
    sent = [b'"%d%s"' % (number, b"x" * (PAYLOAD_LIMIT - 10)) for number in range(20)]
    for payload in sent:
        three[0].bus.send(payload, 2)
    assert [three[1].next() for _ in sent] == sent


def test_a_node_listens_again_after_its_connection_was_lost(
    three: list[Listener], url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.05)
    with psycopg.connect(url, autocommit=True) as operator:
        operator.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'golfnet bus'"
        )
    three[0].bus.send(b'"may be lost"')
    while three[1].received.empty():
        three[0].bus.send(b'"again"')
        three[1].bus.is_listening.wait(0.1)
    assert three[1].next() in (b'"may be lost"', b'"again"')
    assert three[1].losses == 1


def test_an_outage_is_logged_when_it_begins_and_when_it_ends(
    url: str, open_store: OpenStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    open_store().close()
    tries = iter(range(5))

    def fail_at_first(url: str, *, name: str) -> LimitedConnection:
        if next(tries, None) is not None:
            raise StoreError(StoreReason.UNREACHABLE, "The database is away.")
        return connect(url, name=name)

    monkeypatch.setattr(module, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(module, "connect", fail_at_first)
    with closing(PostgresBus(url, 1)) as bus:
        Listener(bus)
    assert next(tries, None) is None
    assert caplog.messages == [
        "losing what other nodes send until the database answers: The database is away.",
        "receiving from other nodes again",
    ]


def test_a_message_sent_just_before_closing_arrives(three: list[Listener]) -> None:
    three[0].bus.send(b'"goodbye"')
    three[0].bus.close()
    assert three[2].next() == b'"goodbye"'


def test_other_notifications_are_ignored(three: list[Listener], url: str) -> None:
    with psycopg.connect(url, autocommit=True) as stranger:
        for text in ("", "nonsense", '[7,[["2","x"]]]'):
            stranger.execute("SELECT pg_notify('golfnet_' || md5(current_schema()), %s)", (text,))
    three[0].bus.send(b'"after it"')
    assert three[1].next() == b'"after it"'


def test_the_longest_payload_is_sent_even_after_one_that_is_too_long(three: list[Listener]) -> None:
    longest = b'"%s"' % (rb"\"" * (PAYLOAD_LIMIT // 2 - 1))
    assert len(longest) == PAYLOAD_LIMIT
    three[0].bus.send(longest + b" ", 2)
    three[0].bus.send(longest, 2)
    assert three[1].next() == longest
