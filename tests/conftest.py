"""What every test relies on: repeatable Hypothesis runs, a watchdog for trio, golden files, a server, and programs.

Two runs of the same tests do the same, and no test is silently skipped: with CI=true a missing program is a
failure.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any

import pytest
import trio
from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from trio.testing import MockClock

from tests.watchdog import watched

# Registered before the import below, so that failing assertions in this module show their values.
pytest.register_assert_rewrite("tests.golden")
from tests.golden import GoldenFiles  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from tests.postgres import PostgresServer
    from tests.server.house import House

# Far more than any run needs: a test that starts ten servers takes a minute on a busy machine with two cores. It
# must be less than faulthandler_timeout. Waiting for a single condition has a time limit of its own.
HANGING_SECONDS = 150.0

# The same few examples in every run; with HYPOTHESIS_PROFILE=thorough, many new ones each time.
settings.register_profile("quick", derandomize=True, deadline=None, max_examples=50)
# For planted faults, it is enough that a test fails: finding the smallest example would take minutes.
settings.register_profile("unshrunk", settings.get_profile("quick"), phases=[Phase.explicit, Phase.generate])
settings.register_profile(
    "thorough",
    deadline=None,
    max_examples=2000,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

_patch = pytest.MonkeyPatch()
# Hypothesis would also pick constants from all modules loaded so far, so each process would try other examples.
_patch.setattr(providers, "_get_local_constants", Constants)


def pytest_collection_finish() -> None:
    # Exempts the ten thousand test items from garbage collection. They never change, and looking at them again and
    # again would take a tenth of the run.
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew", action="store_true", help="rewrite golden files that have changed")


def pytest_configure() -> None:
    # Programs under test have to stop on these signals. If the tests run under nohup or with "&", the signals are
    # ignored, and programs would inherit that; but they do not inherit a handler.
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    # Replaces trio.run itself, because everything calls it by that name: pytest-trio for tests, fixtures and
    # Hypothesis, and code under test that starts trio.
    _patch.setattr(trio, "run", watched(trio.run, seconds=HANGING_SECONDS))


def pytest_unconfigure() -> None:
    _patch.undo()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> GoldenFiles:
    """Return the golden files, which ``--renew`` rewrites."""
    return GoldenFiles(renew=request.config.getoption("--renew"))


@pytest.fixture
def virtual_time() -> None:
    """Run an async test with a clock that jumps to the next deadline."""


def pytest_itemcollected(item: pytest.Item) -> None:
    # pytest-trio would only take a clock from the test's own arguments.
    if "virtual_time" in getattr(item, "fixturenames", ()) and iscoroutinefunction(
        getattr(item, "obj", None)
    ):
        item.add_marker(pytest.mark.trio(run=run_in_virtual_time))


def run_in_virtual_time(main: Callable[..., Any], *, clock: MockClock | None, instruments: Any) -> Any:
    return trio.run(main, clock=clock or MockClock(autojump_threshold=0), instruments=instruments)


@pytest.fixture(name="house")
async def open_house(virtual_time: None, request: pytest.FixtureRequest) -> AsyncIterator[House]:
    """Yield a server in virtual time; tests that need their own store open one themselves."""
    from tests.server import house

    settings = request.node.get_closest_marker("settings") or pytest.mark.settings().mark
    async with house.open_house(**settings.kwargs) as opened:
        yield opened


@pytest.fixture(scope="session")
def needs_tool() -> Callable[[str], str]:
    """Return a function that returns the path of a named program, or fails or skips the test if it is missing."""

    def path_of(name: str) -> str:
        path = shutil.which(name)
        if path is None:
            if os.environ.get("CI") == "true":
                pytest.fail(f"{name} is not installed, and with CI=true it has to be", pytrace=False)
            pytest.skip(f"{name} is not installed")
        return path

    return path_of


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Yield a PostgreSQL server; without PostgreSQL, tests are skipped, or fail with CI=true."""
    from golfnet.storage.postgres import connections
    from tests.postgres import PATIENCE, PostgresServer, binaries

    _patch.setattr(connections, "READ_SECONDS", PATIENCE)  # a busy machine must not look like a failed store
    programs = binaries()
    if programs is None:
        if os.environ.get("CI") == "true":
            pytest.fail("PostgreSQL is not installed, and with CI=true it has to be", pytrace=False)
        pytest.skip("PostgreSQL is not installed")
    server = PostgresServer(programs)
    yield server
    server.close()
