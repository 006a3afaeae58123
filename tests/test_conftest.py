"""The tools of the tests: repeatable examples, required programs, golden files, and the watchdog for trio."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from tests.golden import GoldenFiles
from tests.watchdog import Hanging, watched

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_property_tries_the_same_examples_whatever_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []

    @settings(settings.get_profile("quick"), max_examples=300, database=None)
    @given(st.integers())
    def draw(number: int) -> None:
        drawn.append(number)

    draw()
    before, path = drawn.copy(), tmp_path / "constants.py"
    drawn.clear()
    path.write_text("".join(f"A{number} = {number}\n" for number in range(70_001, 72_000, 13)))
    spec = importlib.util.spec_from_file_location("constants", path)
    assert spec is not None
    monkeypatch.setitem(sys.modules, "constants", importlib.util.module_from_spec(spec))
    draw()
    assert drawn == before
    assert len(set(drawn)) > 150


@pytest.mark.parametrize(("ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_missing_tool_fails_under_ci_and_skips_elsewhere(
    needs_tool: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
    ci: str,
    outcome: type[BaseException],
) -> None:
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="no-such-tool is not installed"):
        needs_tool("no-such-tool")


# Golden files.


@pytest.mark.parametrize("known", ["heads\n", None], ids=["different text", "no file"])
def test_a_different_text_fails_and_leaves_the_golden_file(tmp_path: Path, known: str | None) -> None:
    path = tmp_path / "coin.txt"
    if known is not None:
        path.write_text(known)
    with pytest.raises(AssertionError, match=r"coin\.txt has a different text; see pytest --renew"):
        GoldenFiles(renew=False).check(path, "tails\n")
    assert (path.read_text() if path.exists() else None) == known


def test_renewing_writes_what_has_changed_and_names_it(tmp_path: Path) -> None:
    kept, changed, added = tmp_path / "kept.txt", tmp_path / "changed.txt", tmp_path / "new" / "added.txt"
    kept.write_text("heads\n")
    changed.write_text("heads\n")
    renewed: list[Path] = []
    files = GoldenFiles(renew=True, on_renewed=renewed.append)
    files.check(kept, "heads\n")
    files.check(changed, "tails\n")
    files.check(added, "tails\n")
    assert (kept.read_text(), changed.read_text(), added.read_text()) == ("heads\n", "tails\n", "tails\n")
    assert renewed == [changed, added]
    GoldenFiles(renew=False).check(added, "tails\n")


# The watchdog.

impatient = watched(trio.run, seconds=0.05)


@pytest.mark.parametrize("options", [{}, {"clock": MockClock(autojump_threshold=0)}], ids=["real", "virtual"])
def test_a_hanging_run_is_cancelled_and_cleans_up(options: dict[str, Any]) -> None:
    report: list[str] = []

    async def hang() -> None:
        try:
            await trio.sleep_forever()
        finally:
            report.append("cleaned up")

    with pytest.raises(Hanging, match=r"0\.05 s"):
        impatient(hang, **options)
    assert report == ["cleaned up"]


def test_a_run_that_fails_when_cancelled_counts_as_hanging() -> None:
    async def fail_when_cancelled() -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise ValueError("in the clean-up")

    with pytest.raises(Hanging) as caught:
        impatient(fail_when_cancelled)
    assert isinstance(caught.value.__cause__, ValueError)


def test_a_run_in_time_is_left_alone_and_leaves_no_thread() -> None:
    async def cancel_itself(*numbers: int) -> int:
        with trio.CancelScope() as scope:
            scope.cancel()
            await trio.sleep_forever()
        return sum(numbers)

    async def fail() -> None:
        await trio.lowlevel.checkpoint()
        raise ValueError("mine")

    patient, before = watched(trio.run, seconds=60), threading.active_count()
    assert patient(cancel_itself, 2, 3) == 5
    with pytest.raises(ValueError, match="mine"):
        patient(fail)
    assert threading.active_count() == before


def test_trio_runs_are_watched() -> None:
    assert inspect.unwrap(trio.run) is not trio.run
