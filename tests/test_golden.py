"""Golden files are compared exactly, and written only by a run with ``--renew``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.golden import GoldenFiles, summary

if TYPE_CHECKING:
    from pathlib import Path


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


def test_a_file_written_by_two_tests_is_named_once() -> None:
    assert summary(["b.txt", "a.txt", "b.txt"]).splitlines()[:2] == ["a.txt", "b.txt"]


def test_a_run_without_the_option_renews_nothing(golden: GoldenFiles, request: pytest.FixtureRequest) -> None:
    assert golden.renew is request.config.getoption("--renew")
