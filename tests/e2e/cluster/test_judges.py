"""The judges detect each problem they look for when it is planted on purpose."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from tests.e2e.cluster.crowd import Told
from tests.e2e.cluster.history import Stored
from tests.e2e.cluster.judges import Judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.cluster.crowd import Crowd
    from tests.e2e.cluster.history import History
    from tests.e2e.cluster.nodes import Node


class FakeHistory:
    """A database whose rows a test provides; the first node owns t1 unless the test says otherwise."""

    def __init__(self, *stored: Stored) -> None:
        self.stored = list(stored)
        self.logs: dict[str, dict[int, dict[str, Any]]] = {}
        self.live = [(1, 1, None, b'{"chairs":[{"player":"p1"},null]}', False)]

    def new(self) -> Iterator[Stored]:
        while self.stored:
            yield self.stored.pop(0)

    def events(self) -> dict[str, dict[int, dict[str, Any]]]:
        return self.logs

    def records(self, after: int) -> list[tuple[int, str, str, list[bytes]]]:
        return []

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self.live if sql.startswith("SELECT number, owner") else []


def event(seq: int, **fields: object) -> dict[str, Any]:
    """Return an event as players are told of it."""
    return {"type": "event", "table": "t1", "seq": seq, "event": "drew", "seat": "A", **fields}


def stored(seq: int, writer: int = 1, **fields: object) -> Stored:
    """Return an event as it is stored."""
    return Stored("t1", seq, {"event": "drew", "seat": "A", "card": "7H", **fields}, writer)


NODES = [cast("Node", SimpleNamespace(name=f"node{number}", number=number)) for number in range(3)]


def crowd(*told: tuple[float, dict[str, Any]], door: int = 1) -> Crowd:
    """Return a crowd of one player, who was told these objects over one connection."""
    player = SimpleNamespace(name="Ann", faults=[])
    connection = _Connection([Told(at, said) for at, said in told], player, NODES[door])
    return cast("Crowd", SimpleNamespace(changed=_Lock(), connections=[connection], players=[player]))


class _Connection:
    def __init__(self, told: list[Told], player: object, door: Node) -> None:
        self.told, self.player, self.door = told, player, door
        self.judged = 0


class _Lock:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


def judged(history: FakeHistory, told: Crowd) -> list[str]:
    return Judge(cast("History", history)).judge(told)


@pytest.mark.parametrize(
    ("written", "heard", "found"),
    [
        ([stored(1), stored(2)], [event(1), event(2, card="7H")], ""),
        ([stored(1)], [event(1), event(2)], "which is not stored"),
        ([stored(1)], [event(1, card="8H")], "is stored"),
        ([stored(1)], [event(1), event(1)], "was told event 1 of t1 after 1"),
        ([stored(1), stored(3)], [], "event 3 of t1 was stored after 1"),
        ([stored(1), stored(1)], [], "event 1 of t1 was stored after 1"),
        ([stored(1), stored(2, writer=2), stored(3)], [], "node 1 wrote event 3 of t1 after 2"),
    ],
    ids=[
        "right",
        "not stored",
        "stored differently",
        "told again",
        "a gap",
        "a duplicate",
        "by a node that lost the table",
    ],
)
def test_differences_between_what_players_saw_and_the_database_are_found(
    written: list[Stored], heard: list[dict[str, Any]], found: str
) -> None:
    problems = judged(FakeHistory(*written), crowd(*enumerate(heard, 1)))
    assert len(problems) == bool(found)
    assert all(found in each for each in problems)


def test_an_event_from_the_old_owner_long_after_the_new_owners_first_is_found() -> None:
    history = FakeHistory(stored(1), stored(2), stored(3, writer=2))
    told = crowd((1.0, event(1)), (2.0, event(3)))
    told.connections += crowd((2.7, event(2))).connections
    (found,) = judged(history, told)
    assert "was told event 2 of t1 by 1, 0.700 s after 2" in found


def test_a_view_from_a_resumed_node_is_found() -> None:
    judge = Judge(cast("History", FakeHistory(stored(1), stored(2, writer=2))))
    judge.woke(5.0, NODES[1])
    (found,) = judge.judge(
        crowd((4.9, {"type": "view", "table": "t1"}), (5.1, {"type": "view", "table": "t1"}))
    )
    assert "0.100 s after that node had resumed" in found


def test_a_stored_event_that_was_lost_is_found() -> None:
    history = FakeHistory(stored(1), stored(2))
    judge = Judge(cast("History", history))
    assert judge.judge(crowd()) == []
    history.logs = {"t1": {1: stored(1).body}}
    (found,) = judge.kept()
    assert found.startswith("event 2 of t1 was")


def test_a_player_with_two_seats_and_a_table_without_a_living_owner_are_found() -> None:
    history = FakeHistory()
    history.live.append((2, 2, None, b'{"chairs":[{"player":"p1"}]}', True))
    found = [*Judge(cast("History", history)).placed()]
    assert found == ["t2 belongs to 2, which is gone", "p1 has seats at t2 and t1"]
