"""Nothing exceeds its budget: calls and files per command, bytes per connection, what a start loads, lines.

A number in ``tests/benchmarks/budget.toml`` may fall (``python -m tests.benchmarks budget --lower`` writes those that
have fallen). It is raised only by hand, with the reason in the message of the same commit.
"""

import json
import subprocess
import sys

import pytest

from golfnet.server.net.hub import Hub
from tests.benchmarks.budget import ROOT, Weights, budget

MEASURE = "import json; from tests.benchmarks.budget import measured; print(json.dumps(measured()))"
"""Runs in a separate process: what other tests have loaded, cached or logged would be counted, too."""

VARIES = 0.02
"""How much some numbers may vary: sizes of dictionaries and lists depend on their history, and the calls of a
start on the version of Python. Everything else is the same in every run."""


def exceeded(now: Weights, allowed: Weights) -> list[str]:
    """Return what exceeds its budget or has none."""
    return [
        f"{table}.{name}: {number}, but only {most} are allowed"
        for table, numbers in now.items()
        for name, number in numbers.items()
        if (most := allowed.get(table, {}).get(name, 0)) < number * (1 - VARIES * varies(table, name))
    ]


def varies(table: str, name: str) -> bool:
    """Return whether a number may vary a little from run to run."""
    return table == "bytes" or (table, name) == ("start", "calls")


@pytest.mark.skipif(not Hub.is_supported(), reason="no hub here")
def test_nothing_exceeds_its_budget() -> None:
    done = subprocess.run([sys.executable, "-c", MEASURE], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    assert exceeded(json.loads(done.stdout), budget()) == []
