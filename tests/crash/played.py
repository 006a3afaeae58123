"""A server on a file with two tables of people who play."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tests.e2e.served import served

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from tests.e2e.served import Served


@asynccontextmanager
async def played(
    database: Path, env: Mapping[str, str] | None = None, *flags: str, is_kept: bool = True
) -> AsyncIterator[Served]:
    """Run a server, and wait until two tables play; all that they are told is in the database in the end."""
    async with served("--db", str(database), *flags, env=env) as run:
        for variant in ("four-turn", "six-card"):
            await run.open(f"{variant} holes=1 pause=0")
        await run.all_act()
        yield run
    if is_kept:
        assert run.told.missing_in(database) == []
