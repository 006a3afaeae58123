"""Whom a node takes for silent, and whom not."""

from __future__ import annotations

from golfnet.server.ownership.looking import Watch
from golfnet.storage.directory import NodeState

LEASE = 3.0


def node(number: int, batch: int, *, is_writing: bool = False) -> NodeState:
    return NodeState(number, batch, is_writing, f"node {number}", f"10.0.0.{number}:1")


def silent(watch: Watch, now: float, *nodes: NodeState) -> list[int]:
    return [each.node for each in watch.silent(nodes, now)]


def test_who_commits_nothing_for_a_whole_lease_is_silent() -> None:
    watch = Watch(1, LEASE)
    assert silent(watch, 10.0, node(2, 5), node(3, 5)) == []
    assert silent(watch, 12.9, node(2, 5), node(3, 6)) == []
    assert silent(watch, 13.0, node(2, 5), node(3, 6)) == [2]
    assert silent(watch, 13.1, node(2, 6), node(3, 6)) == []  # it lives after all
    assert silent(watch, 15.9, node(2, 6), node(3, 6)) == [3]


def test_who_is_just_being_written_for_is_not_silent() -> None:
    watch = Watch(1, LEASE)
    assert silent(watch, 10.0, node(2, 5)) == []
    assert silent(watch, 14.0, node(2, 5, is_writing=True)) == []
    assert silent(watch, 16.9, node(2, 5)) == []
    assert silent(watch, 17.0, node(2, 5)) == [2]


def test_a_node_does_not_judge_itself() -> None:
    watch = Watch(1, LEASE)
    assert silent(watch, 10.0, node(1, 5)) == []
    assert silent(watch, 20.0, node(1, 5)) == []


def test_what_was_before_an_outage_counts_for_nothing() -> None:
    watch = Watch(1, LEASE)
    assert silent(watch, 10.0, node(2, 5)) == []
    watch.forget()
    assert silent(watch, 14.0, node(2, 5)) == []
    assert silent(watch, 16.9, node(2, 5)) == []
    assert silent(watch, 17.0, node(2, 5)) == [2]
