"""A server with a database file, and two tables at which people play."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from tests.e2e.served import Served, served


@asynccontextmanager
async def played(database: Path, env: Mapping[str, str] | None = None, *flags: str) -> AsyncIterator[Served]:
    """Run a server and play at two tables; at the end, check that the database has everything players were told."""
    async with served("--db", str(database), *flags, env=env) as run:
        for variant in ("four-turn", "six-card"):
            await run.open(f"{variant} holes=1 pause=0")
        await run.all_act()
        yield run
    assert run.told.missing_in(database) == []
