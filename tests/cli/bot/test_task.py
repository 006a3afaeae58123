"""The commands that lead to a table."""

from __future__ import annotations

from typing import Any

import pytest

from golfnet.cli.bot.task import MOST_TABLES, Task
from golfnet.protocol.commands.parse import parse


def row(table: str, **changes: Any) -> dict[str, Any]:
    return {"table": table, "state": "open", "taken": 1, "seats": 4, "private": False} | changes


ROWS = [
    row("t1", state="playing"),
    row("t2", taken=4),
    row("t3", private=True),
    row("t4"),
    row("t5"),
]


@pytest.mark.parametrize(
    ("task", "line"),
    [
        (Task(), ""),
        (Task(table="t3"), "join t3"),
        (Task(table="3", password="open sesame"), 'join 3 password="open sesame"'),
        (Task(rules="cactus", options=("seats=3", "slam=order")), "seek cactus seats=3 slam=order"),
    ],
)
def test_the_way_to_what_it_was_sent_for_is_one_command(task: Task, line: str) -> None:
    assert task.line == line
    if line:
        assert parse(line, machine=True).verb == line.split()[0]


def test_without_more_to_go_by_it_is_any_open_table_or_else_a_new_one() -> None:
    assert Task().lines_for(ROWS) == ["join t4", "join t5", "seek six-card"]
    assert Task(password="x").lines_for(ROWS) == ['join t3 password="x"', "seek six-card"]
    assert Task().lines_for([]) == ["seek six-card"]


@pytest.mark.parametrize(
    "changes",
    [
        {"table": "t1\nshout gotcha"},
        {"table": "t1 password=x"},
        {"table": 7},
        {"table": "t" + "1" * 2000},
        {"taken": "none"},
        {"seats": None},
        {"state": ["open"]},
    ],
)
def test_a_row_that_no_server_should_send_is_passed_over(changes: dict[str, Any]) -> None:
    assert Task().lines_for([{**row("t4"), **changes}, {}]) == ["seek six-card"]


def test_only_a_limited_number_of_tables_is_tried() -> None:
    lines = Task().lines_for(row(f"t{number}") for number in range(10_000))
    assert len(lines) == MOST_TABLES + 1
    assert lines[-1] == "seek six-card"
