"""The planted faults: all their places in the source exist, and one fault, a different one every day, is found."""

import os
import random
from datetime import UTC, datetime

import pytest

from tests.faults.planting import FAULTS, NODES, Fault, seek

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
