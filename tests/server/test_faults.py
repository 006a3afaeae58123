"""A fault boundary contains a bug in the server, reports it, and lets everything else propagate."""

import logging
import re
from pathlib import Path

import pytest

from golfnet.server.faults import fault_boundary

log = logging.getLogger(__name__)
SERVER = Path(__file__).parents[2] / "golfnet/server"


def test_a_fault_is_logged_with_its_traceback_and_those_affected_are_notified(
    caplog: pytest.LogCaptureFixture,
) -> None:
    notified: list[str] = []
    with fault_boundary(log, "a fault", on_fault=lambda: notified.append("without one")):
        pass
    with fault_boundary(log, "a fault at %s", "t7", on_fault=lambda: notified.append("t7")):
        notified.remove("a bug")
    assert notified == ["t7"]
    (record,) = caplog.records
    assert record.getMessage() == "a fault at t7"
    assert record.exc_info is not None
    assert record.exc_info[0] is ValueError


@pytest.mark.parametrize("leaves", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_exceptions_that_are_not_faults_propagate(leaves: type[BaseException]) -> None:
    with pytest.raises(leaves), fault_boundary(log, "a fault"):
        raise leaves


def test_a_fault_in_the_callback_is_handled_by_the_next_boundary(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise LookupError("another bug")

    with fault_boundary(log, "outer"), fault_boundary(log, "inner", on_fault=fail):
        fail()
    assert [record.getMessage() for record in caplog.records] == ["inner", "outer"]


def test_no_other_code_in_the_server_swallows_arbitrary_exceptions() -> None:
    """Only the modules listed here may do so; other code has to raise the exception again within a boundary."""
    catching = {
        str(path.relative_to(SERVER))
        for path in SERVER.rglob("*.py")
        if re.search(
            r"except Exception(?!.*\n +with [\w.]+\(.*\):.*\n +raise\n)", path.read_text(encoding="utf-8")
        )
    }
    assert catching <= {"faults.py", "tables.py", "lobby.py", "lookups.py"}
