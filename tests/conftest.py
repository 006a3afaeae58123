"""What every test stands on: repeatable Hypothesis runs, a watchdog for trio, golden files, and programs to call.

Two runs of the same tests do the same, and no test is left out unseen: with CI=true a missing program is a
failure.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
from typing import TYPE_CHECKING

import pytest
import trio
from hypothesis import HealthCheck, Phase, settings

from tests.watchdog import watched

# Before its import below: what its assertions compare is then shown.
pytest.register_assert_rewrite("tests.golden")
from tests.golden import GoldenFiles, shown, summary  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.postgres import PostgresServer

# Far more than any one run needs on a busy machine with two cores, where one that starts a server ten times takes a
# minute; less than faulthandler_timeout. What waits for one thing has a patience of its own.
HANGING_SECONDS = 150.0

RENEWED = "renewed"
"""The property of a test's report that names a golden file it has written."""

# The same few examples in every run, and with HYPOTHESIS_PROFILE=thorough many new ones each time.
settings.register_profile("quick", derandomize=True, deadline=None, max_examples=50)
# For planted faults: that a test fails is enough, and to find the smallest example takes minutes.
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


def pytest_collection_finish() -> None:
    # Ten thousand tests stay as they are: looking through them in each collection of garbage takes a tenth of the run.
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew", action="store_true", help="write golden files anew where they have changed")


def pytest_configure() -> None:
    # Ignored signals are inherited, as by what runs under nohup or behind a "&"; programs that are tested have to end
    # by them. A handler is not inherited.
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    # In place of trio.run itself, because everything goes through that name: pytest-trio, with its fixtures
    # and with Hypothesis, and code under test that starts trio on its own.
    _patch.setattr(trio, "run", watched(trio.run, seconds=HANGING_SECONDS))


def pytest_unconfigure() -> None:
    _patch.undo()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [each for each in terminalreporter.getreports("passed") if isinstance(each, pytest.TestReport)]
    if renewed := [str(path) for each in reports for name, path in each.user_properties if name == RENEWED]:
        terminalreporter.section("golden files")
        terminalreporter.write_line(summary(renewed))


@pytest.fixture
def golden(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> GoldenFiles:
    """Return the golden files, which ``--renew`` writes anew."""
    return GoldenFiles(
        renew=request.config.getoption("--renew"),
        on_renewed=lambda path: record_property(RENEWED, shown(path)),
    )


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


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Return a PostgreSQL server; tests that have none are skipped, or fail with CI=true."""
    from golfnet.storage.postgres import reads
    from tests.postgres import PATIENCE, PostgresServer, binaries

    _patch.setattr(reads, "READ_SECONDS", PATIENCE)  # a busy machine is no failure of the store
    programs = binaries()
    if programs is None:
        if os.environ.get("CI") == "true":
            pytest.fail("PostgreSQL is not installed, and with CI=true it has to be", pytrace=False)
        pytest.skip("PostgreSQL is not installed")
    server = PostgresServer(programs)
    yield server
    server.close()
