"""No world fails, of two hundred with one server and twenty clusters, and a seed always gives the same world."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.simulation.seeds import report_of, run_seed

TOGETHER = 10


@pytest.mark.parametrize("first", range(1, 201, TOGETHER))
def test_no_invariant_is_violated(first: int) -> None:
    failed = [seed for seed in range(first, first + TOGETHER) if run_seed(seed).violation is not None]
    if failed:
        pytest.fail(report_of(failed[0]), pytrace=False)


@pytest.mark.parametrize("first", range(1, 21, TOGETHER))
def test_no_invariant_is_violated_in_a_cluster(first: int) -> None:
    seeds = range(first, first + TOGETHER)
    failed = [seed for seed in seeds if run_seed(seed, cluster=True).violation is not None]
    if failed:
        pytest.fail(report_of(failed[0], cluster=True), pytrace=False)


def test_a_seed_gives_the_same_world_in_every_process() -> None:
    program = (
        "from tests.simulation.seeds import run_seed;"
        "print(*[run_seed(seed, cluster=seed > 6).hash for seed in range(1, 9)])"
    )
    hashes = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(hashes) == 1
    assert len(set(hashes.pop().split())) == 8
