"""The shim, compiled once per test process, a folder for many temporary files, and a server on which people play."""

import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.crash.shim import compile_shim
from tests.e2e.served import Served, served

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


@asynccontextmanager
async def played(database: Path, env: Mapping[str, str] | None = None, *flags: str) -> AsyncIterator[Served]:
    """Run a server and play at two tables; at the end, check that the database has everything players were told."""
    async with served("--db", str(database), *flags, env=env) as run:
        for variant in ("four-turn", "six-card"):
            await run.open(f"{variant} holes=1 pause=0")
        await run.all_act()
        yield run
    assert run.told.missing_in(database) == []
