"""The command line as a whole: typos, output that cannot be encoded, and loading without garbage collection."""

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from golfnet.cli.main import loading
from tests.cli.conftest import Golfnet


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    gc.enable()
    gc.unfreeze()


def test_loaded_code_is_exempt_from_garbage_collection() -> None:
    frozen = gc.get_freeze_count()
    loaded: list[list[int]] = []
    with loading():
        assert not gc.isenabled()
        loaded.extend([number] for number in range(1000))
    assert gc.isenabled()
    assert gc.get_freeze_count() >= frozen + len(loaded)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("serve --prot 1", "golfnet serve: there is no option --prot; did you mean --port?"),
        ("serve --prot=1", "golfnet serve: there is no option --prot; did you mean --port?"),
        (
            "discover here",
            "golfnet discover: there is no argument here; to see all of them: golfnet discover --help",
        ),
    ],
)
def test_a_typo_is_reported_with_the_nearest_word(typed: str, told: str, golfnet: Golfnet) -> None:
    assert golfnet(*typed.split()) == (2, "", f"{told}\n")


def test_a_name_that_the_output_cannot_encode_causes_no_failure(record: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "golfnet.cli.main", "verify", record.rename(record.with_name("♥.jsonl"))],
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
        capture_output=True,
    )
    assert (told.returncode, told.stderr) == (0, b"")
    assert b"?.jsonl: verified." in told.stdout
