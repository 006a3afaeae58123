"""None of 120 worlds with one server and twelve clusters fails, and a seed always gives the same world."""

import os
import sys

import pytest

from tests.e2e.service import printed
from tests.simulation.seeds import report_of, run_seed


@pytest.mark.parametrize(
    ("first", "is_cluster"),
    [*[(first, False) for first in range(1, 121, 10)], *[(first, True) for first in range(1, 13, 4)]],
)
def test_no_invariant_is_violated(first: int, is_cluster: bool) -> None:
    seeds = range(first, first + (4 if is_cluster else 10))
    failed = [seed for seed in seeds if run_seed(seed, cluster=is_cluster).violation is not None]
    if failed:
        pytest.fail(report_of(failed[0], cluster=is_cluster), pytrace=False)


def test_a_seed_gives_the_same_world_in_every_process() -> None:
    program = (
        "from tests.simulation.seeds import run_seed;"
        "print(*[run_seed(seed, cluster=seed > 3).hash for seed in range(1, 5)])"
    )
    environs = [os.environ | {"PYTHONHASHSEED": hash_seed} for hash_seed in ("1", "2")]
    hashes = {printed(sys.executable, "-c", program, env=environ) for environ in environs}
    assert len(hashes) == 1
    assert len(set(hashes.pop().split())) == 4
