"""Fixtures: the shim, compiled once per test process, and a folder for many temporary files."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.crash.shim import compile_shim

# The shim intercepts calls of Linux, and only Linux lets a test change the limits of another process.
collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]


@pytest.fixture(scope="session")
def shim_library(needs_tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_shim(needs_tool("gcc"), tmp_path_factory.mktemp("shim"))


@pytest.fixture
def fast_folder() -> Iterator[Path]:
    """Yield a folder, in memory if possible, since a test writes hundreds of disk images."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
