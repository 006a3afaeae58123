import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from golfnet.cli.main import loading, main
from tests.storage.matches import record_of, rules_of


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
        ("serve --prot 1", "golfnet serve: there is no option --prot; did you mean --port?\n"),
        ("serve --prot=1", "golfnet serve: there is no option --prot; did you mean --port?\n"),
        (
            "discover here",
            "golfnet discover: there is no argument here; to see all of them: golfnet discover --help\n",
        ),
    ],
)
def test_a_typo_is_reported_with_the_nearest_word(
    typed: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(typed.split())
    assert ended.value.code == 2
    assert capsys.readouterr().err == told


def test_a_name_that_the_output_cannot_encode_causes_no_failure(tmp_path: Path) -> None:
    record = tmp_path / "♥.jsonl"
    record.write_bytes(b"".join(record_of(rules_of("six-card", holes=1), seed=1)))
    told = subprocess.run(
        [sys.executable, "-m", "golfnet.cli.main", "verify", record],
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
        capture_output=True,
    )
    assert (told.returncode, told.stderr) == (0, b"")
    assert b"?.jsonl: verified." in told.stdout
