"""The compiled shim, once for each process of tests."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.crash.shim import compile_shim

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="session")
def shim_library(needs_tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    if sys.platform != "linux":
        pytest.skip("the shim knows the calls of Linux only")
    return compile_shim(needs_tool("gcc"), tmp_path_factory.mktemp("shim"))
