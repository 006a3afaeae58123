import gc
from collections.abc import Iterator

import pytest

from golfnet.cli.main import loading


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    gc.enable()
    gc.unfreeze()


def test_what_is_loaded_is_not_looked_through_for_garbage() -> None:
    frozen = gc.get_freeze_count()
    loaded: list[list[int]] = []
    with loading():
        assert not gc.isenabled()
        loaded.extend([number] for number in range(1000))
    assert gc.isenabled()
    assert gc.get_freeze_count() >= frozen + len(loaded)


def test_a_collector_that_is_off_stays_off() -> None:
    gc.disable()
    with loading():
        pass
    assert not gc.isenabled()
