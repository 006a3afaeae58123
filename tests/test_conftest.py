"""The tools of the tests: required programs, golden files, and the watchdog for trio."""

import inspect
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from tests.golden import GoldenFiles
from tests.watchdog import Hanging, watched


@pytest.mark.parametrize(("ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_missing_tool_fails_under_ci_and_skips_elsewhere(
    needs_tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="no-such-tool is not installed"):
        needs_tool("no-such-tool")


def test_a_golden_file_that_differs_or_is_missing_fails_until_it_is_renewed(tmp_path: Path) -> None:
    path = tmp_path / "new" / "coin.txt"
    for text in ("heads\n", "tails\n"):
        with pytest.raises(AssertionError, match=r"coin\.txt has a different text; see pytest --renew"):
            GoldenFiles(renew=False).check(path, text)
        GoldenFiles(renew=True).check(path, text)
        GoldenFiles(renew=False).check(path, text)


@pytest.mark.parametrize("options", [{}, {"clock": MockClock(autojump_threshold=0)}], ids=["real", "virtual"])
@pytest.mark.parametrize("fault", [None, ValueError("in the clean-up")])
def test_a_hanging_run_is_cancelled_and_cleans_up(options: dict[str, Any], fault: Exception | None) -> None:
    report: list[str] = []

    async def hang() -> None:
        try:
            await trio.sleep_forever()
        finally:
            report.append("cleaned up")
            if fault is not None:
                raise fault

    with pytest.raises(Hanging, match=r"0\.05 s") as caught:
        watched(trio.run, seconds=0.05)(hang, **options)
    assert report == ["cleaned up"]
    assert caught.value.__cause__ is fault


def test_a_run_that_ends_in_time_is_left_alone_and_leaves_no_thread() -> None:
    async def cancel_itself(*numbers: int) -> int:
        with trio.CancelScope() as scope:
            scope.cancel()
            await trio.sleep_forever()
        return sum(numbers)

    before = threading.active_count()
    assert watched(trio.run, seconds=60)(cancel_itself, 2, 3) == 5
    assert threading.active_count() == before
    assert inspect.unwrap(trio.run) is not trio.run, "all runs are watched"
