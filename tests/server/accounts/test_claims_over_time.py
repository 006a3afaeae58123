"""Names in the long run: guests who stay away for months are deleted, and look-alikes are found by the newest rules."""

import pytest
import trio
import trio.testing
from msgspec.structs import replace

from golfnet.protocol.names import skeleton
from golfnet.server.accounts import claims
from golfnet.server.accounts.claims import keep_forgetting, renew_skeletons, renewed
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.writes import FinishMatch, PlayerKind, PlayerRow, SavePlayer
from tests.server.house import House, open_house
from tests.storage.rows import ACCOUNT, GUEST, match, player, seat

DAY = 24 * 3600.0
GUEST_DAYS = 7
"""Fewer days than in production, so that fewer timers fire."""

pytestmark = pytest.mark.usefixtures("quick_passwords")


@pytest.fixture(autouse=True)
def _few_days(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "GUEST_DAYS", GUEST_DAYS)


async def gone(house: House, name: str) -> str:
    """Let a guest connect, sit down, leave and disconnect; return their token."""
    guest = await house.program(name, "create six-card seats=2", "leave")
    await guest.drop()
    return guest.token


async def begins_to_forget(house: House) -> None:
    """Let the server delete stale guests from now on."""
    house.nursery.start_soon(keep_forgetting, house.lobby.accounts)
    await trio.testing.wait_all_tasks_blocked()


def known(house: House, *names: str) -> list[bool]:
    return [house.lobby.store.player_by_name(name) is not None for name in names]


async def test_guests_are_deleted_after_months_and_not_a_day_earlier(house: House) -> None:
    await begins_to_forget(house)
    token = await gone(house, "Ann")
    await trio.sleep(GUEST_DAYS * DAY - DAY)
    await gone(house, "Bob")
    assert known(house, "Ann", "Bob") == [True, True]
    await trio.sleep(3 * DAY)
    assert known(house, "Ann", "Bob") == [False, True]
    late = await house.program()
    assert (await late.ask(f"resume {token}"))["code"] == "BAD_TOKEN"


@pytest.mark.settings(idle_time=86400, grace=0)
async def test_guests_who_are_connected_seated_registered_or_rated_are_kept(house: House) -> None:
    store = house.lobby.store
    here = await house.program("Hera")
    seated, away = await house.table("four-turn seats=2 clock=0", "Hank", "Sue")
    await away.drop()
    owner = await house.program("Olga", "register seven-hearts")
    await owner.drop()
    await gone(house, "Rita")
    await gone(house, "Pat")
    rated = store.player_by_name("Rita")
    assert rated is not None
    guests = seat(int(rated.id[1:]), 1, kind=GUEST), seat(99, 2, kind=GUEST)
    store.write([FinishMatch(match(99, *guests), b"")])
    for _ in range(4 * GUEST_DAYS + 1):
        await trio.sleep(DAY / 4)
        for program in (here, seated):
            await program.done("ping")
    await begins_to_forget(house)
    assert known(house, "Hera", "Hank", "Sue", "Olga", "Rita") == [True] * 5
    assert known(house, "Pat") == [False]
    assert not store.stale_guests(house.lobby.wall_clock() - 1)  # connected guests count as seen
    assert (await house.resumed(away)).last("view")["you"] == "B"


async def test_guests_are_deleted_in_batches_with_pauses_in_between(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "FORGOTTEN_AT_ONCE", 2)
    names = ("Ann", "Bob", "Cid", "Dee", "Eve")
    for name in names:
        await gone(house, name)
    await trio.sleep((GUEST_DAYS + 1) * DAY)
    await begins_to_forget(house)
    for left in (3, 1, 0):
        await trio.sleep(claims.BETWEEN_BATCHES / 2)
        assert sum(known(house, *names)) == left
        await trio.sleep(claims.BETWEEN_BATCHES / 2)


async def test_the_search_for_stale_guests_is_repeated_the_day_after_a_store_error(
    house: House, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StoreError(StoreReason.FAULTY, "The disk answers with an error.")

    monkeypatch.setattr("golfnet.server.lookups.LOG_SECONDS", -1.0)  # so that the second error is logged
    monkeypatch.setattr(house.lobby.store, "stale_guests", fail)
    await begins_to_forget(house)
    await trio.sleep(DAY + 1)
    assert caplog.text.count("The disk answers with an error.") == 2


IVO = "\u0456\u0475\u043e"  # all Cyrillic
OTHER_IVO = "\u03b9\u0475\u03bf"
GREEK_IVO = "\u03b9\u03bd\u03bf"  # the small letter nu looks like v, the capital like N


def stored(number: int, name: str, bones: str, kind: PlayerKind = GUEST) -> PlayerRow:
    return replace(player(number, name, kind=kind), skeleton=bones)


def save(store: MemoryStore, *rows: PlayerRow) -> None:
    store.write([SavePlayer(row) for row in rows])


@pytest.mark.parametrize(
    ("rows", "skeletons"),
    [
        # The new skeleton is stored.
        ([stored(2, "Ольга", "old"), stored(3, "Zoë", "zoë")], [skeleton("Ольга"), "zoë"]),
        # The name that has the skeleton keeps it.
        ([stored(1, IVO, "old", ACCOUNT), stored(2, "Ivo", "ivo")], ["ivo p1", "ivo"]),
        # An account gets it before a guest.
        ([stored(1, IVO, "old1"), stored(2, OTHER_IVO, "old2", ACCOUNT)], ["ivo p1", "ivo"]),
        ([stored(3, "\u0474o", "old3")], ["vo"]),
        # Two names swap their skeletons.
        ([stored(1, "Zoë", "söm"), stored(2, "Söm", "zoë")], ["zoë", "söm"]),
        # A name set aside gets the skeleton once it is free.
        ([stored(1, IVO, "ivo p1")], ["ivo"]),
    ],
)
def test_renewing_gives_each_name_a_unique_skeleton_and_changes_nothing_else(
    rows: list[PlayerRow], skeletons: list[str]
) -> None:
    store = MemoryStore()
    save(store, *rows)
    renew_skeletons(store)
    for row, bones in zip(rows, skeletons, strict=True):
        assert store.player(row.id) == store.player_by_skeleton(bones) == replace(row, skeleton=bones)
    assert renewed(store) == []


def test_an_unwritable_store_does_not_prevent_the_start(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(batch: object) -> None:
        raise StoreError(StoreReason.FULL, "The disk is full.")

    store = MemoryStore()
    save(store, stored(1, "Zoë", "old"))
    monkeypatch.setattr(store, "write", fail)
    renew_skeletons(store)
    assert "The disk is full." in caplog.text
    assert store.player_by_skeleton("old")


async def test_a_player_whose_name_was_set_aside_still_logs_in_and_is_saved(autojump_clock: object) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        token = (await house.program("Tmp")).token
    row = store.player("p1")
    assert row is not None
    save(store, replace(row, name=IVO, skeleton="old"), stored(2, "Ivo", "ivo", ACCOUNT))
    renew_skeletons(store)
    async with open_house(store=store) as house:
        ivo = await house.program()
        assert (await ivo.done(f"resume {token}"))["name"] == IVO
        await ivo.done("register ivos-secret")
        await ivo.drop()
        again = await house.program()
        assert (await again.ask("name Ivo"))["code"] == "NAME_TAKEN"
        assert (await again.done(f"login {IVO} ivos-secret"))["name"] == IVO
        ann = await house.program("Ann", f"tell {IVO} hello")
        await again.poll()
        assert again.last("chat")["text"] == "hello"
        assert (await ann.ask("tell Ivo hello"))["code"] == "NO_SUCH_PLAYER"
        await again.done("quit")
    rows = [store.player_by_skeleton(bones) for bones in ("ivo p1", "ivo")]
    assert [row and row.name for row in rows] == [IVO, "Ivo"]


async def test_a_name_whose_lower_case_looks_like_another_name_is_taken(house: House) -> None:
    await house.program("Ivo")
    other = await house.program()
    assert (await other.ask(f"name {GREEK_IVO}"))["code"] == "NAME_TAKEN"
    await other.done(f"name {GREEK_IVO[:2]}")
