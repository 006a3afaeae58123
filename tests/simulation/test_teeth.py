"""The faults that are put in on purpose can still be put in, and the simulation finds one of each great kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.simulation.teeth.__main__ import seek
from tests.simulation.teeth.patches import PATCHES, ROOT, apply

if TYPE_CHECKING:
    from pathlib import Path


def test_there_are_faults_enough() -> None:
    assert len(PATCHES) >= 25


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_fault_can_still_be_put_in(patch: Path, tmp_path: Path) -> None:
    for name in re.findall(r"^--- a/(.+)$", patch.read_text(), re.MULTILINE):
        copy = tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / name).read_bytes())
    apply(patch, tmp_path)


@pytest.mark.parametrize(
    "name", ["commit-left-out", "drawn-card-shown", "node-forgets-nobody", "table-not-closed"]
)
def test_a_fault_is_found(name: str) -> None:
    (patch,) = [patch for patch in PATCHES if patch.stem == name]
    assert seek(patch, 40).partition(" ")[0].isdigit()
