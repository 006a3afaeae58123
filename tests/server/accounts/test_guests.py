"""Guests who stay away for months are forgotten; whoever is here, sits, owns the name or is rated is not."""

from __future__ import annotations

import logging

import pytest
import trio
import trio.testing

from golfnet.protocol.commands.help import help_page
from golfnet.server.accounts import guests
from golfnet.server.accounts.guests import GUEST_DAYS, keep_forgetting
from golfnet.server.commands.manual import manual_for
from golfnet.server.config import Config
from golfnet.storage.errors import StoreError, StoreReason
from golfnet.storage.ratings import START_MU, START_SIGMA
from golfnet.storage.sqlite_memory import MemoryStore
from golfnet.storage.writes import PlayerKind, Rating, SaveRating
from tests.server.house import House, open_house

DAY = 24 * 3600.0

pytestmark = pytest.mark.usefixtures("quick_passwords")


async def gone(house: House, name: str) -> str:
    """Let a guest come, sit down somewhere and go; return its token."""
    guest = await house.program(name)
    await guest.done("create six-card seats=2")
    await guest.done("leave")
    await guest.drop()
    return guest.token


async def begins_to_forget(house: House) -> None:
    """Let the server forget guests from now on."""
    house.nursery.start_soon(keep_forgetting, house.lobby.accounts)
    await trio.testing.wait_all_tasks_blocked()


def known(store: MemoryStore, *names: str) -> list[bool]:
    return [store.player_by_name(name) is not None for name in names]


async def test_a_guest_is_forgotten_after_months_and_not_a_day_before(autojump_clock: object) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        await begins_to_forget(house)
        token = await gone(house, "Ann")
        await trio.sleep(GUEST_DAYS * DAY - DAY)
        await gone(house, "Bob")
        assert known(store, "Ann", "Bob") == [True, True]
        await trio.sleep(3 * DAY)
        assert known(store, "Ann", "Bob") == [False, True]
        late = await house.program()
        assert (await late.ask(f"resume {token}"))["code"] == "BAD_TOKEN"


async def test_who_is_here_sits_owns_the_name_or_is_rated_stays(autojump_clock: object) -> None:
    store = MemoryStore()
    async with open_house(store=store, idle_time=86400) as house:
        here = await house.program("Hera")
        host = await house.program("Hank")
        await host.done("create six-card seats=3")
        owner = await house.program("Olga")
        await owner.done("register seven-hearts")
        await owner.drop()
        await gone(house, "Rita")
        await gone(house, "Pat")
        rated = store.player_by_name("Rita")
        assert rated is not None
        rating = Rating(
            player=rated.id,
            variant="six-card",
            pool=PlayerKind.GUEST,
            mu=START_MU,
            sigma=START_SIGMA,
            matches=1,
            wins=0,
        )
        store.write([SaveRating(rating)])
        for _ in range(4 * GUEST_DAYS + 1):
            await trio.sleep(DAY / 4)
            for program in (here, host):
                await program.done("ping")
        await begins_to_forget(house)
        assert known(store, "Hera", "Hank", "Olga", "Rita", "Pat") == [True, True, True, True, False]
        assert not store.stale_guests(house.lobby.wall_clock() - 1)  # who is here was seen


async def test_a_seat_that_is_kept_is_a_reason_to_be_remembered(autojump_clock: object) -> None:
    store = MemoryStore()
    async with open_house(store=store, grace=0) as house:
        _, bob = await house.table("four-turn seats=2 clock=0", "Ann", "Bob")
        await bob.drop()
        await trio.sleep((GUEST_DAYS + 1) * DAY)
        await begins_to_forget(house)
        again = await house.program()
        await again.done(f"resume {bob.token}")
        assert again.last("view")["you"] == "B"


async def test_many_are_forgotten_in_batches_each_after_the_last_is_on_the_disk(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guests, "AT_ONCE", 2)
    store = MemoryStore()
    async with open_house(store=store) as house:
        for name in ("Ann", "Bob", "Cid", "Dee", "Eve"):
            await gone(house, name)
        await trio.sleep((GUEST_DAYS + 1) * DAY)
        await begins_to_forget(house)
        for left in (3, 1, 0):
            await trio.sleep(guests.PAUSE / 2)
            assert sum(known(store, "Ann", "Bob", "Cid", "Dee", "Eve")) == left
            await trio.sleep(guests.PAUSE / 2)


class Unreadable(MemoryStore):
    """A store whose guests cannot be listed."""

    def stale_guests(self, seen_before: float, *, limit: int = 100) -> tuple[str, ...]:
        """Fail."""
        raise StoreError(StoreReason.FAULTY, "The disk answers with an error.")


async def test_a_store_that_fails_is_asked_again_the_next_day(
    autojump_clock: object, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("golfnet.server.lookups.LOG_SECONDS", -1.0)  # of real time, of which none passes
    async with open_house(store=Unreadable()) as house:
        with caplog.at_level(logging.ERROR):
            await begins_to_forget(house)
            await trio.sleep(DAY + 1)
    assert caplog.text.count("The disk answers with an error.") == 2


def test_help_tells_how_long_a_token_is_good() -> None:
    assert GUEST_DAYS == 90
    assert "three months" in " ".join(help_page("resume", manual_for(Config())))
