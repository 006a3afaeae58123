"""The directory in PostgreSQL and the fake one give the same answers, whatever several nodes do.

Tests of several nodes and the simulation rely on the fake directory.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from random import Random
from typing import Any, NamedTuple

import pytest

from golfnet.storage.directory import NodeState, Sanction, SanctionKind, Stay, TableOffer
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres.directory import PostgresDirectory
from golfnet.storage.postgres.store import PostgresStore
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.store import IdKind, Store
from golfnet.storage.writes import (
    AppendEvent,
    CloseTable,
    GiveTable,
    OpenTable,
    PlayerRow,
    SaveTable,
    SetAside,
)
from tests.postgres import PostgresServer
from tests.server.cluster import SharedStore
from tests.server.shared_directory import FakeDirectory, SharedState
from tests.storage.rows import player


class Node(NamedTuple):
    """One node's access to the database."""

    store: Store | SharedStore
    directory: PostgresDirectory

    @property
    def number(self) -> int:
        return self.directory.node


Start = Callable[[], Node]


@pytest.fixture
def start(postgres: PostgresServer) -> Iterator[Start]:
    """Yield a function that starts a node on the same database as the others."""
    url = postgres.emptied_url()
    with ExitStack() as running:

        def start_one() -> Node:
            store = running.enter_context(closing(PostgresStore(url, link="10.0.0.1:7790")))
            return Node(store, running.enter_context(closing(PostgresDirectory(url, store.node))))

        yield start_one


def offer(table: str, node: int, fit: str = "six-card", *, is_opening: bool = False) -> TableOffer:
    row = b"" if is_opening else f"row of {table}".encode()
    return TableOffer(table=table, node=node, fit=fit, terms=b"{}", row=row, is_opening=is_opening)


PLAYERS = [f"p{number}" for number in range(1, 7)]


class Given(NamedTuple):
    """The arguments of a node's action; ``stay`` is the number of a stay, usually the player's current one."""

    who: str
    some: tuple[str, ...]
    table: str
    tables: tuple[str, ...]
    mine: tuple[str, ...]
    """A table of the node's own, if it has any."""
    new: str
    """A table that no node has opened yet."""
    other: int
    number: int
    stay: int = 0

    @property
    def row(self) -> PlayerRow:
        who = int(self.who[1:])
        return player(who, f"Name{who % 3}", tokens=())

    @property
    def namesake(self) -> str:
        return f"p{(int(self.who[1:]) + 2) % 6 + 1}"

    @property
    def kind(self) -> SanctionKind:
        return list(SanctionKind)[self.number % 2]

    @property
    def sanction(self) -> Sanction:
        return Sanction(whom=self.who, reason="rude", since=self.number)


Act = Callable[[Node, Given], Any]

ACTS: tuple[Act, ...] = (
    lambda at, it: at.directory.reserve(IdKind.MATCH, it.number),
    lambda at, it: at.directory.claim_name(it.row, None),
    lambda at, it: at.directory.claim_name(it.row, it.namesake),
    lambda at, it: at.store.players(PLAYERS),
    lambda at, it: at.directory.arrive(it.who),
    lambda at, it: at.directory.take(it.who, it.stay),
    lambda at, it: at.directory.depart([(it.who, it.stay)]),
    lambda at, it: [Stay(kept, 0, who) for who, kept in sorted(at.directory.keep(it.some).items())],
    lambda at, it: at.directory.place_of(it.who),
    lambda at, it: at.directory.place_of(it.who, it.table),
    lambda at, it: at.directory.staying(PLAYERS),
    lambda at, it: at.directory.find(it.row.skeleton),
    lambda at, it: sorted(at.directory.residents(9)[1], key=str),
    lambda at, it: at.directory.seek(offer(it.table, at.number, is_opening=True), it.tables),
    lambda at, it: at.directory.publish([offer(it.table, at.number)], (), dict.fromkeys(it.some, True)),
    lambda at, it: at.directory.publish([offer(it.table, at.number, "")], (), dict.fromkeys(it.some, False)),
    lambda at, it: at.directory.publish((), it.tables, {}),
    lambda at, it: at.directory.place_of("", it.table),
    lambda at, it: at.directory.listed(it.number),
    lambda at, it: at.directory.unowned(9),
    lambda at, it: at.directory.sanction(it.kind, it.sanction),
    lambda at, it: at.directory.lift(it.kind, it.who),
    lambda at, it: at.directory.sanctions(),
    lambda at, it: at.directory.heirs(),
    lambda at, it: at.directory.drain() if it.number == 1 else None,
    lambda at, it: at.directory.look().are_tables_waiting,
    lambda at, it: at.directory.take_tables(it.number, it.tables),
    lambda at, it: at.store.write([OpenTable(it.new, b"row", it.some)]),
    lambda at, it: at.store.write([SaveTable(it.table, b"row", it.some)]),
    lambda at, it: at.store.write([AppendEvent(it.table, it.number, b"event")]),
    lambda at, it: at.store.write([CloseTable(table) for table in it.mine]),
    lambda at, it: at.store.write(
        [
            GiveTable(table, b"given", it.other, tuple([(who, it.stay) for who in it.some]))
            for table in it.mine
        ]
    ),
)

NOTHING = Given(who="p9", some=(), table="t1", tables=(), mine=(), new="t1", other=0, number=1)


class Twins:
    """Three nodes on PostgreSQL; each has a twin with the same number, which does the same on the fake directory."""

    def __init__(self, start: Start, chance: Random) -> None:
        self.start, self.chance = start, chance
        self.state = SharedState(MemoryStore())
        self.stays: tuple[list[int], list[int]] = [0], [0]
        """The numbers of stays on both sides, in the order of their appearance."""
        self.opened = 0
        self.twins = [self.started() for _ in range(3)]

    def started(self) -> tuple[Node, Node]:
        """Start a node and its twin. Both delete what dead nodes had, except for seated players and open tables."""
        state, real = self.state, self.start()
        for who, stay in [*state.stays.items()]:
            if stay.node in state.gone and who not in state.seats:
                del state.stays[who]
                state.connected.pop(who, None)
        for table, each in [*state.offers.items()]:
            if each.node in state.gone and table not in state.owners:
                del state.offers[table]
        state.batches[real.number] = 0
        return real, Node(SharedStore(state, real.number), FakeDirectory(state, real.number))

    def do_something(self) -> None:
        """Have a node do something at random, or declare another one gone."""
        chance, node = self.chance, self.chance.randrange(3)
        here, other = self.twins[node][0].number, (node + chance.randint(1, 2)) % 3
        if chance.random() < 0.04:
            self.declare_gone(node, other, is_late=chance.random() < 0.5)
            return
        tables = [f"t{number}" for number in range(max(1, self.opened - 4), self.opened + 2)]
        mine = [table for table in tables if self.state.owners.get(table) == here]
        who, known = chance.choice(PLAYERS), self.stays[1]
        current = self.state.stays.get(who)
        given = Given(
            who=who,
            some=tuple(chance.sample(PLAYERS, chance.randint(0, 3))),
            table=chance.choice(tables),
            tables=tuple(chance.sample(tables, chance.randint(0, 1))),
            mine=tuple(chance.sample(mine, min(len(mine), 1))),
            new=tables[-1],
            other=chance.choice([self.twins[other][0].number, *self.state.gone]),
            number=chance.randint(1, 6),
            stay=known.index(current.number)
            if current and chance.random() < 0.8
            else chance.randrange(len(known)),
        )
        self.do(node, chance.choice(ACTS), given)
        self.opened += given.new in self.state.owners

    def do(self, node: int, act: Act, given: Given = NOTHING) -> Any:
        """Have a node and its twin do something; check that both have the same answer, and return it."""
        real, fake = [
            comparable(answer(act, twin, given._replace(stay=stays[given.stay])), stays)
            for twin, stays in zip(self.twins[node], self.stays, strict=True)
        ]
        assert real == fake
        return real

    def declare_gone(self, node: int, other: int, *, is_late: bool) -> None:
        """Let a node declare another node gone; that fails if the other has stored something since it was seen."""
        gone = self.twins[other][0].number
        batches = self.do(node, lambda at, _: {each.node: each.batch for each in at.directory.look().nodes})
        seen = NodeState(gone, batches[gone], "", "")
        assert self.do(node, lambda at, _: bool(at.directory.link_of(gone)))
        if is_late:
            self.do(other, lambda at, _: at.store.write([]))
        assert self.do(node, lambda at, _: at.directory.declare_gone(seen)) is not is_late
        if not is_late:
            assert self.do(other, lambda at, _: at.store.write([])) is StoreReason.FENCED
            assert self.do(other, lambda at, it: at.directory.arrive(it.who)) is StoreReason.FENCED
            assert self.do(other, lambda at, it: at.directory.take(it.who, 1)) is None
            assert self.do(other, lambda at, _: at.directory.take_tables(9, ())) == ()
            assert self.do(node, lambda at, _: at.directory.link_of(gone)) is None
            self.twins[other] = self.started()


def answer(act: Act, at: Node, given: Given) -> Any:
    """Return the answer that a node gets, or the reason why it is refused."""
    for _ in range(2):  # a node whose connection was closed learns the reason when it reconnects
        try:
            return act(at, given)
        except StoreError as error:
            reason = error.reason
            if reason is not StoreReason.UNREACHABLE:
                break
    return reason


def comparable(found: Any, stays: list[int]) -> Any:
    """Return an answer with its numbers of stays replaced by the order of their appearance."""
    match found:
        case Stay(number=number):
            stays.extend({number}.difference(stays))
            return Stay(stays.index(number), found.node, found.table)
        case [Stay(), *_]:
            return [comparable(each, stays) for each in found]
    return found


@pytest.mark.parametrize("seed", range(5))
def test_both_directories_give_equal_answers(start: Start, seed: int) -> None:
    twins = Twins(start, Random(seed))
    for _ in range(250):
        twins.do_something()


def test_concurrent_arrivals_of_a_player_lead_to_one_node(start: Start) -> None:
    nodes = [start() for _ in range(2)]
    with ThreadPoolExecutor(8) as threads:
        stays = list(threads.map(lambda n: nodes[n % 2].directory.arrive(f"p{1 + n // 8}"), range(64)))
    for number in range(8):
        assert len({stay.node for stay in stays[8 * number : 8 * number + 8]}) == 1


def test_nodes_that_take_tables_at_once_get_different_ones(start: Start) -> None:
    one, two, three = [start() for _ in range(3)]
    tables = {f"t{number}" for number in range(1, 61)}
    one.store.write([OpenTable(table, b"row") for table in {*tables, "t99"}])
    one.store.write([SetAside("t99", "a fault")])
    assert two.directory.declare_gone(two.directory.look().nodes[0])

    def take_all(node: Node) -> set[str]:
        taken: set[str] = set()
        while found := node.directory.take_tables(3, taken):
            taken |= {each.table for each in found}
        return taken

    with ThreadPoolExecutor(2) as threads:
        ours, theirs = threads.map(take_all, (two, three))
    assert ours | theirs == tables
    assert not ours & theirs


def test_the_fake_directory_overrides_every_query() -> None:
    asked = [name for name, each in vars(PostgresDirectory).items() if callable(each) and name[0] != "_"]
    assert len(asked) > 10
    assert [name for name in asked if name not in vars(FakeDirectory)] == []
