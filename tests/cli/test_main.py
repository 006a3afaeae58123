"""The command line as a whole: typos, output that cannot be encoded, and loading without garbage collection."""

import gc
import os
import subprocess
import sys
from pathlib import Path

from golfnet.cli.main import loading


def test_loaded_code_is_exempt_from_garbage_collection() -> None:
    frozen = gc.get_freeze_count()
    loaded: list[list[int]] = []
    with loading():
        assert not gc.isenabled()
        loaded.extend([number] for number in range(1000))
    assert gc.isenabled()
    assert gc.get_freeze_count() >= frozen + len(loaded)


def test_a_name_that_the_output_cannot_encode_causes_no_failure(record: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "golfnet.cli.main", "verify", record.rename(record.with_name("♥.jsonl"))],
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
        capture_output=True,
    )
    assert (told.returncode, told.stderr) == (0, b"")
    assert b"?.jsonl: verified." in told.stdout
