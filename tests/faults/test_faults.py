"""The planted faults: each has its place in the source, and two of them, different ones every day, are found."""

from __future__ import annotations

import os
import random
from datetime import UTC, datetime

import pytest

from tests.faults.planting import FAULTS, NODES, Fault, run, seek

DAY = os.environ.get("GOLFNET_FAULTS_DAY") or datetime.now(tz=UTC).date().isoformat()
TODAY = random.Random(DAY).sample([fault for fault in FAULTS if fault.found_by != NODES], 2)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_every_fault_has_a_place_in_the_source(fault: Fault) -> None:
    compile(fault.source(), fault.module, "exec")


@pytest.mark.parametrize("number", range(len(TODAY)))
def test_a_fault_of_the_day_is_found(number: int) -> None:
    fault = TODAY[number]
    if not seek(fault, timeout=240):
        again = f"python -m tests.faults {fault.name}"
        pytest.fail(
            f"{fault.name}, chosen for {DAY}, is not found by {fault.found_by}: {again}", pytrace=False
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
