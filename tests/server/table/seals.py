"""Seals as players make them, and programs at a table that use them."""

import hashlib

from tests.server.house import House, Program

TEXT = "a text that nobody guesses"
OTHER = "another text nobody guesses"


def sealed(name: str, text: str = TEXT, *, match: str = "m1", hole: int = 1) -> str:
    """Return a seal, computed as it would be in a shell."""
    return hashlib.sha256(f"golfnet-deal-v2 seal\n{match}\n{hole}\n{name}\n{text}".encode()).hexdigest()


async def seated(house: House, *names: str, create: str = "four-turn", holes: int = 2) -> list[Program]:
    """Return programs at an open table, not yet ready."""
    programs = await house.programs(*names)
    await programs[0].done(f"create {create} seats={len(names)} holes={holes} clock=0")
    for program in programs[1:]:
        await program.done("join t1")
    return programs


async def all_ready(programs: list[Program]) -> None:
    for program in programs:
        await program.done("ready")
