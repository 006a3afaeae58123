from __future__ import annotations

import importlib.util
import inspect
import os
import sys
from typing import TYPE_CHECKING

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_property_tries_the_same_examples_whatever_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []

    @settings(max_examples=300, database=None)
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


@pytest.mark.skipif("HYPOTHESIS_PROFILE" in os.environ, reason="another profile was asked for")
def test_the_quick_profile_repeats_itself() -> None:
    seen: list[list[int]] = []

    @given(st.integers())
    def record(number: int) -> None:
        seen[-1].append(number)

    for _ in range(2):
        seen.append([])
        record()
    assert seen[0] == seen[1]
    assert len(set(seen[0])) > settings().max_examples / 2


def test_trio_runs_are_watched() -> None:
    assert inspect.unwrap(trio.run) is not trio.run
