"""Any sequence of batches leaves every kind of store in the state a simple model predicts, even after reopening."""

import copy
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from golfnet.storage.faults import StoreReason
from golfnet.storage.store import IdKind, TableLog
from golfnet.storage.writes import (
    AppendEvent,
    CloseTable,
    DeletePlayer,
    FinishMatch,
    LoggedEvent,
    MatchResult,
    OpenTable,
    PlayerRow,
    ReserveMatch,
    SavePlayer,
    SaveTable,
    SeatEnding,
    SetAside,
    TrimTable,
    Write,
)
from tests.storage.conftest import NewDatabase, refused
from tests.storage.rows import ACCOUNT, GUEST, match, player, seat, tables_aside

small = st.integers(1, 4)
tables = st.sampled_from(["t2", "t9", "t10", "t11"])
bodies = st.sampled_from([b"a", b"b"])
writes: st.SearchStrategy[Write] = st.one_of(
    st.builds(OpenTable, tables, bodies),
    st.builds(AppendEvent, tables, small, bodies),
    st.builds(AppendEvent, tables, small, bodies),
    st.builds(SaveTable, tables, bodies),
    st.builds(CloseTable, tables),
    st.builds(SetAside, tables, st.just("why")),
    st.builds(TrimTable, tables, small, small.map("m{}".format)),
    st.builds(ReserveMatch, small.map("m{}".format)),
    st.builds(DeletePlayer, small.map("p{}".format)),
    st.builds(
        lambda number, name, **fields: SavePlayer(player(number, f"Ñ{name}", **fields)),
        small,
        small,
        kind=st.sampled_from([ACCOUNT, GUEST]),
        tokens=st.lists(small.map(lambda token: b"%d" % token), max_size=3).map(tuple),
        claimed=st.sampled_from([0.0, 12.5]),
        settings=bodies,
    ),
    st.builds(
        lambda n, variant, **end: FinishMatch(
            match(n, seat(1, 1, **end), seat(2, 2), variant=variant), b"%d\n" % n
        ),
        small,
        st.sampled_from(["cactus", "six-card"]),
        ending=st.sampled_from(SeatEnding),
        rank=small,
    ),
)


@dataclass
class Table:
    row: bytes
    events: dict[int, bytes] = field(default_factory=dict)
    aside: str | None = None


class Contradiction(Exception):
    pass


def demand(condition: bool) -> None:
    if not condition:
        raise Contradiction


@dataclass
class Model:
    """The contract of a store, implemented as simply as possible."""

    tables: dict[int, Table] = field(default_factory=dict)
    players: dict[str, PlayerRow] = field(default_factory=dict)
    matches: dict[str, MatchResult] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=lambda: dict.fromkeys("tmp", 0))

    def apply(self, write: Write) -> None:
        match write:
            case OpenTable(table, row):
                here = self.tables.setdefault(self.number(table), Table(row))
                demand(here.row == row)
            case AppendEvent(table, seq, body):
                demand(self.open(table).events.setdefault(seq, body) == body)
            case SaveTable(table, row):
                self.open(table).row = row
            case CloseTable(table):
                self.tables.pop(int(table[1:]), None)
            case TrimTable(table, before, match):
                trimmed = self.tables.get(int(table[1:]))
                if match in self.matches and trimmed is not None:
                    trimmed.events = {seq: body for seq, body in trimmed.events.items() if seq >= before}
            case SetAside(table, why):
                self.open(table).aside = why
            case ReserveMatch(name):
                self.number(name)
            case DeletePlayer(name):
                self.players.pop(name, None)
            case SavePlayer(new):
                others = [each for each in self.players.values() if each.id != new.id]
                demand(new.skeleton not in [each.skeleton for each in others])
                hashes = [token.hash for token in new.tokens]
                demand(len(set(hashes)) == len(hashes))
                demand(not {token.hash for each in others for token in each.tokens}.intersection(hashes))
                self.number(new.id)
                self.players[new.id] = new
            case FinishMatch(result):
                self.number(result.id)
                demand(self.matches.setdefault(result.id, result) == result)

    def number(self, identity: str) -> int:
        number = int(identity[1:])
        self.last[identity[0]] = max(self.last[identity[0]], number)
        return number

    def open(self, table: str) -> Table:
        demand(int(table[1:]) in self.tables)
        return self.tables[int(table[1:])]

    def logs(self, *, aside: bool) -> list[TableLog]:
        return [
            TableLog(
                f"t{number}", table.row, tuple(LoggedEvent(*event) for event in sorted(table.events.items()))
            )
            for number, table in sorted(self.tables.items())
            if (table.aside is not None) == aside
        ]


class AnyStore(RuleBasedStateMachine):
    def __init__(self, new_database: NewDatabase) -> None:
        super().__init__()
        self.model = Model()
        self.open = new_database()
        self.store = self.open()

    @rule()
    def restart(self) -> None:
        self.store.close()
        self.store = self.open()

    @rule(batch=st.lists(writes, max_size=3))
    def write(self, batch: list[Write]) -> None:
        changed = copy.deepcopy(self.model)
        try:
            for each in batch:
                changed.apply(each)
        except Contradiction:
            with refused(StoreReason.CONFLICT):
                self.store.write(batch)
        else:
            self.store.write(batch)
            self.model = changed

    @invariant()
    def agrees_with_the_model(self) -> None:
        store, model = self.store, self.model
        assert list(store.tables()) == model.logs(aside=False)
        assert tables_aside(store) == {log: "why" for log in model.logs(aside=True)}
        assert store.numbers() == {kind: model.last[kind] + 1 for kind in IdKind}
        assert store.matches() == tuple(reversed(model.matches.values()))
        assert store.players(["p1", "p2", "p3", "p4"]) == model.players
        names = {each.name: each for each in model.players.values()}
        tokens = {token.hash: each for each in model.players.values() for token in each.tokens}
        for name, token in (("Ñ1", b"1"), ("Ñ2", b"2")):
            assert store.player_by_name(name) == store.player_by_skeleton(name.casefold()) == names.get(name)
            assert store.player_by_token(token) == tokens.get(token)
        assert store.player_by_name("ñ1") is None
        assert store.player("p1") == model.players.get("p1")

    def teardown(self) -> None:
        self.store.close()


def test_every_store_behaves_like_a_model(new_database: NewDatabase, request: pytest.FixtureRequest) -> None:
    share = 0.12 if "postgres" in request.node.name else 0.5  # PostgreSQL is slower
    few = settings(
        max_examples=round(share * settings().max_examples),
        stateful_step_count=15,
        suppress_health_check=[HealthCheck.too_slow],
    )
    run_state_machine_as_test(lambda: AnyStore(new_database), settings=few)  # type: ignore[arg-type]
