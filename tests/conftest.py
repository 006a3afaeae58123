"""What every test stands on: repeatable Hypothesis runs, a watchdog for trio, and the programs a test calls.

Two runs of the same tests do the same, and no test is left out unseen: with CI=true a missing program is a
failure.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
import trio
from hypothesis import HealthCheck, settings

from tests.watchdog import watched

if TYPE_CHECKING:
    from collections.abc import Callable

# Far more than any one run needs on a busy machine with two cores.
HANGING_SECONDS = 60.0

# The same few examples in every run, and with HYPOTHESIS_PROFILE=thorough many new ones each time.
settings.register_profile("quick", derandomize=True, deadline=None, max_examples=50)
settings.register_profile(
    "thorough",
    deadline=None,
    max_examples=2000,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

_patch = pytest.MonkeyPatch()


def pytest_configure() -> None:
    # In place of trio.run itself, because everything goes through that name: pytest-trio, with its fixtures
    # and with Hypothesis, and code under test that starts trio on its own.
    _patch.setattr(trio, "run", watched(trio.run, seconds=HANGING_SECONDS))


def pytest_unconfigure() -> None:
    _patch.undo()


@pytest.fixture(scope="session")
def needs_tool() -> Callable[[str], str]:
    """Return a function that gives a program's path by its name, and fails or skips a test that lacks it."""

    def path_of(name: str) -> str:
        path = shutil.which(name)
        if path is None:
            if os.environ.get("CI") == "true":
                pytest.fail(f"{name} is not installed, and with CI=true it has to be", pytrace=False)
            pytest.skip(f"{name} is not installed")
        return path

    return path_of
