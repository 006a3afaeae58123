from __future__ import annotations

import threading
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from tests.watchdog import Hanging, watched

impatient = watched(trio.run, seconds=0.05)


async def hang(report: list[str]) -> None:
    try:
        await trio.sleep_forever()
    finally:
        report.append("cleaned up")


async def fail_when_cancelled() -> None:
    try:
        await trio.sleep_forever()
    finally:
        raise ValueError("in the clean-up")


async def cancel_itself() -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        await trio.sleep_forever()


async def add(left: int, right: int) -> int:
    await trio.lowlevel.checkpoint()
    return left + right


@pytest.mark.parametrize("options", [{}, {"clock": MockClock(autojump_threshold=0)}], ids=["real", "virtual"])
def test_a_hanging_run_is_cancelled_and_cleans_up(options: dict[str, Any]) -> None:
    report: list[str] = []
    with pytest.raises(Hanging, match=r"0\.05 s"):
        impatient(hang, report, **options)
    assert report == ["cleaned up"]


def test_a_run_that_fails_when_cancelled_counts_as_hanging() -> None:
    with pytest.raises(Hanging) as caught:
        impatient(fail_when_cancelled)
    assert isinstance(caught.value.__cause__, ValueError)


def test_a_run_in_time_is_left_alone() -> None:
    assert impatient(add, 2, 3) == 5
    impatient(cancel_itself)


def test_an_error_in_time_is_left_alone() -> None:
    async def fail() -> None:
        await trio.lowlevel.checkpoint()
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        impatient(fail)


def test_no_thread_outlives_its_run() -> None:
    before = threading.active_count()
    impatient(add, 1, 1)
    assert threading.active_count() == before
