"""Guests who stay away for months are deleted, unless they are connected, seated, registered or rated."""

import logging

import pytest
import trio
import trio.testing

from golfnet.protocol.names import skeleton
from golfnet.server.accounts import claims
from golfnet.server.accounts.claims import GUEST_DAYS, keep_forgetting, renew_skeletons, renewed
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.results import START_MU, START_SIGMA
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.store import Store
from golfnet.storage.writes import PlayerKind, PlayerRow, Rating, SavePlayer, SaveRating
from tests.server.house import House, open_house
from tests.storage.conftest import store as store_of_each_kind
from tests.storage.rows import ACCOUNT, GUEST, player

DAY = 24 * 3600.0

pytestmark = pytest.mark.usefixtures("quick_passwords")


async def gone(house: House, name: str) -> str:
    """Let a guest connect, sit down and leave; return their token."""
    guest = await house.program(name)
    await guest.done("create six-card seats=2")
    await guest.done("leave")
    await guest.drop()
    return guest.token


async def begins_to_forget(house: House) -> None:
    """Let the server delete stale guests from now on."""
    house.nursery.start_soon(keep_forgetting, house.lobby.accounts)
    await trio.testing.wait_all_tasks_blocked()


def known(store: MemoryStore, *names: str) -> list[bool]:
    return [store.player_by_name(name) is not None for name in names]


async def test_guests_are_deleted_after_months_and_not_a_day_earlier(house: House) -> None:
    store = house.lobby.store
    await begins_to_forget(house)
    token = await gone(house, "Ann")
    await trio.sleep(GUEST_DAYS * DAY - DAY)
    await gone(house, "Bob")
    assert known(store, "Ann", "Bob") == [True, True]
    await trio.sleep(3 * DAY)
    assert known(store, "Ann", "Bob") == [False, True]
    late = await house.program()
    assert (await late.ask(f"resume {token}"))["code"] == "BAD_TOKEN"


@pytest.mark.settings(idle_time=86400)
async def test_guests_who_are_connected_seated_registered_or_rated_are_kept(house: House) -> None:
    store = house.lobby.store
    here = await house.program("Hera")
    host = await house.program("Hank", "create six-card seats=3")
    owner = await house.program("Olga", "register seven-hearts")
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
    assert not store.stale_guests(house.lobby.wall_clock() - 1)  # connected guests count as seen


@pytest.mark.settings(grace=0)
async def test_guests_with_a_reserved_seat_are_kept(house: House) -> None:
    _, bob = await house.table("four-turn seats=2 clock=0", "Ann", "Bob")
    await bob.drop()
    await trio.sleep((GUEST_DAYS + 1) * DAY)
    await begins_to_forget(house)
    again = await house.resumed(bob)
    assert again.last("view")["you"] == "B"


async def test_guests_are_deleted_in_batches_each_after_the_last_is_on_disk(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "FORGOTTEN_AT_ONCE", 2)
    store = MemoryStore()
    async with open_house(store=store) as house:
        for name in ("Ann", "Bob", "Cid", "Dee", "Eve"):
            await gone(house, name)
        await trio.sleep((GUEST_DAYS + 1) * DAY)
        await begins_to_forget(house)
        for left in (3, 1, 0):
            await trio.sleep(claims.BETWEEN_BATCHES / 2)
            assert sum(known(store, "Ann", "Bob", "Cid", "Dee", "Eve")) == left
            await trio.sleep(claims.BETWEEN_BATCHES / 2)


class Unreadable(MemoryStore):
    """A store that cannot list its guests."""

    def stale_guests(self, seen_before: float, *, limit: int = 100) -> tuple[str, ...]:
        """Fail."""
        raise StoreError(StoreReason.FAULTY, "The disk answers with an error.")


async def test_a_failing_store_is_asked_again_the_next_day(
    autojump_clock: object, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("golfnet.server.lookups.LOG_SECONDS", -1.0)  # real seconds, none of which pass here
    async with open_house(store=Unreadable()) as house:
        with caplog.at_level(logging.ERROR):
            await begins_to_forget(house)
            await trio.sleep(DAY + 1)
    assert caplog.text.count("The disk answers with an error.") == 2


store = store_of_each_kind

IVO = "\u0456\u0475\u043e"  # all Cyrillic
OTHER_IVO = "\u03b9\u0475\u03bf"
GREEK_IVO = "\u03b9\u03bd\u03bf"  # its small nu looks like v, its capital like N


def stored(number: int, name: str, bones: str, kind: PlayerKind = GUEST) -> PlayerRow:
    row = player(number, name, kind=kind)
    return type(row)(**{key: getattr(row, key) for key in row.__struct_fields__} | {"skeleton": bones})


def save(store: Store, *rows: PlayerRow) -> None:
    store.write([SavePlayer(row) for row in rows])


def skeletons_of(store: Store, *players: str) -> list[str]:
    rows = [store.player(each) for each in players]
    return [row.skeleton for row in rows if row is not None]


def test_names_are_stored_under_their_new_skeleton(store: Store) -> None:
    before = stored(2, "Ольга", "old")
    save(store, before, stored(3, "Zoë", "zoë"), stored(4, "Ann", "ann"))
    renew_skeletons(store)
    after = store.player_by_skeleton(skeleton("Ольга"))
    assert after is not None
    assert after.skeleton == skeleton("Ольга")
    assert (after.id, after.name, after.kind, after.tokens) == ("p2", before.name, before.kind, before.tokens)
    assert renewed(store) == []


def test_the_holder_of_a_skeleton_keeps_it_and_the_other_loses_nothing_else(store: Store) -> None:
    save(store, stored(1, IVO, "old", ACCOUNT), stored(2, "Ivo", "ivo"))
    renew_skeletons(store)
    assert skeletons_of(store, "p1", "p2") == ["ivo p1", "ivo"]
    row = store.player_by_name(IVO)
    assert row is not None
    assert (row.kind, row.password_hash) == (ACCOUNT, "$argon2id$x")
    assert renewed(store) == []


def test_if_two_names_come_to_look_alike_accounts_take_precedence_then_the_older(store: Store) -> None:
    save(
        store,
        stored(1, IVO, "old1"),
        stored(2, OTHER_IVO, "old2", ACCOUNT),
        stored(3, "\u0474o", "old3"),
    )
    renew_skeletons(store)
    assert skeletons_of(store, "p1", "p2", "p3") == ["ivo p1", "ivo", "vo"]


def test_two_names_may_swap_skeletons(store: Store) -> None:
    save(store, stored(1, "Zoë", "söm"), stored(2, "Söm", "zoë"))
    renew_skeletons(store)
    assert skeletons_of(store, "p1", "p2") == ["zoë", "söm"]


def test_a_name_set_aside_gets_its_skeleton_once_it_is_free(store: Store) -> None:
    save(store, stored(1, IVO, "ivo p1"))
    renew_skeletons(store)
    assert skeletons_of(store, "p1") == ["ivo"]


def test_an_unwritable_store_does_not_prevent_the_start(caplog: pytest.LogCaptureFixture) -> None:
    class Full(MemoryStore):
        is_full = False

        def write(self, batch: object) -> None:
            if self.is_full:
                raise StoreError(StoreReason.FULL, "The disk is full.")
            super().write(batch)  # type: ignore[arg-type]

    store = Full()
    save(store, stored(1, "Zoë", "old"))
    store.is_full = True
    renew_skeletons(store)
    assert "The disk is full." in caplog.text
    assert skeletons_of(store, "p1") == ["old"]


async def test_a_player_set_aside_logs_in_plays_and_is_saved_as_before(autojump_clock: object) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        token = (await house.program("Tmp")).token
    (row,) = [store.player("p1")]
    assert row is not None
    renamed = {key: getattr(row, key) for key in row.__struct_fields__} | {"name": IVO, "skeleton": "old"}
    save(store, PlayerRow(**renamed), stored(2, "Ivo", "ivo", ACCOUNT))
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
    assert skeletons_of(store, "p1", "p2") == ["ivo p1", "ivo"]


async def test_a_name_resembling_another_in_lower_case_is_also_taken(house: House) -> None:
    await house.program("Ivo")
    other = await house.program()
    assert (await other.ask(f"name {GREEK_IVO}"))["code"] == "NAME_TAKEN"
    await other.done(f"name {GREEK_IVO[:2]}")
