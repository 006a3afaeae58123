"""Nothing exceeds its budget: calls and files per command, bytes per connection, what a start loads, lines.

A number in ``tests/benchmarks/budget.toml`` may fall (``python -m tests.benchmarks budget --lower`` writes those that
have fallen). It is raised only by hand, with the reason in the message of the same commit.
"""

import json
import subprocess
import sys

import pytest

from golfnet.server.net.hub import Hub
from tests.benchmarks.budget import ROOT, budget

MEASURE = "import json; from tests.benchmarks.budget import measured; print(json.dumps(measured()))"
"""Runs in a separate process: what other tests have loaded, cached or logged would be counted, too."""

VARIES = 0.02
"""How much some numbers may vary: sizes of dictionaries and lists depend on their history, and the calls of a
start on the version of Python. Everything else is the same in every run."""


@pytest.mark.skipif(not Hub.is_supported(), reason="no hub here")
def test_nothing_exceeds_its_budget() -> None:
    done = subprocess.run([sys.executable, "-c", MEASURE], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    allowed, exceeded = budget(), []
    for table, numbers in json.loads(done.stdout).items():
        for name, number in numbers.items():
            most = allowed.get(table, {}).get(name, 0)
            varies = VARIES if table == "bytes" or (table, name) == ("start", "calls") else 0.0
            if most < number * (1 - varies):
                exceeded.append(f"{table}.{name}: {number}, but only {most} are allowed")
    assert exceeded == []
