"""The environment of somebody who follows the hosting guide."""

import os
import tempfile
from collections.abc import Iterator

import pytest

from tests.e2e.service import GOLFNET


@pytest.fixture
def newcomer() -> Iterator[dict[str, str]]:
    """The environment of a user with an empty home, which has a short path, since servers put their sockets there."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        yield kept | {"HOME": home, "PATH": f"{GOLFNET.parent}:{os.environ['PATH']}"}
