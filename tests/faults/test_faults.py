"""The planted faults: each has its place in the source, and one of them, a different one every day, is found."""

from __future__ import annotations

import os
import random
from datetime import UTC, datetime

import pytest

from tests.faults.planting import FAULTS, NODES, Fault, run, seek

DAY = os.environ.get("GOLFNET_FAULTS_DAY") or datetime.now(tz=UTC).date().isoformat()
TODAY = random.Random(DAY).choice([fault for fault in FAULTS if fault.found_by != NODES])


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_every_fault_has_a_place_in_the_source(fault: Fault) -> None:
    compile(fault.source(), fault.module, "exec")


def test_the_fault_of_the_day_is_found() -> None:
    if not seek(TODAY, timeout=240):
        again = f"python -m tests.faults {TODAY.name}"
        pytest.fail(
            f"{TODAY.name}, chosen for {DAY}, is not found by {TODAY.found_by}: {again}", pytrace=False
        )


@pytest.mark.parametrize(
    ("function", "place", "times"),
    [
        ("Timers.at", "self._look()", 0),
        ("Timers.never", "self._look()", 0),
        ("Timers", "self.cancelled = 0", 2),
    ],
)
def test_a_place_has_to_occur_exactly_once(function: str, place: str, times: int) -> None:
    with pytest.raises(LookupError):
        Fault("a-fault", "why", "server.clock", function, "worlds", place, "None").source()


def test_a_fault_is_planted_in_every_process_that_a_program_starts() -> None:
    source = "ABOVE = 7"
    program = (
        "import multiprocessing, subprocess, sys; from golfnet.server.clock import ABOVE; print(ABOVE, flush=True)\n"
        "if sys.argv[1:]: subprocess.run([sys.executable, '-c', sys.argv[1]], check=True)"
    )
    assert run("server.clock", source, ["-c", program, program], 60).stdout.split() == ["7", "7"]
