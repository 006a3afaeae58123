"""Seals as players make them, and programs at a table that use them."""

import hashlib

from tests.server.house import House, Program, all_done

TEXT = "a text that nobody guesses"
OTHER = "another text nobody guesses"


def sealed(name: str, text: str = TEXT, *, match: str = "m1", hole: int = 1) -> str:
    """Return a seal, computed as it would be in a shell."""
    return hashlib.sha256(f"golfnet-deal-v2 seal\n{match}\n{hole}\n{name}\n{text}".encode()).hexdigest()


async def seated(house: House, *names: str, holes: int = 2) -> list[Program]:
    return await house.opened(f"four-turn seats={len(names)} holes={holes} clock=0", *names)


async def sealing_closed(house: House, *names: str, sealers: int = 9) -> list[Program]:
    """Seat programs, seal a text for all of them or for the first ``sealers``, and close sealing."""
    programs = await seated(house, *names)
    for program in programs[:sealers]:
        await program.done(f"seal {sealed(program.name)}")
    await all_done(programs, "ready")
    return programs
