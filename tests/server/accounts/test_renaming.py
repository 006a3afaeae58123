"""Names stored under another skeleton than this program's: brought up to date, and nobody loses anything."""

import pytest

from golfnet.protocol.names.skeletons import skeleton
from golfnet.server.accounts.renaming import renew_skeletons, renewed
from golfnet.storage.errors import StoreError, StoreReason
from golfnet.storage.sqlite_memory import MemoryStore
from golfnet.storage.store import Store
from golfnet.storage.writes import PlayerKind, PlayerRow, SavePlayer
from tests.server.house import open_house
from tests.storage.conftest import store as store_of_each_kind
from tests.storage.rows import ACCOUNT, GUEST, player

pytestmark = pytest.mark.usefixtures("quick_passwords")

store = store_of_each_kind

IVO = "\u0456\u0475\u043e"  # all Cyrillic
OTHER_IVO = "\u03b9\u0475\u03bf"
GREEK_IVO = "\u03b9\u03bd\u03bf"  # whose small nu looks like v, and whose capital like N


def stored(number: int, name: str, bones: str, kind: PlayerKind = GUEST) -> PlayerRow:
    row = player(number, name, kind=kind)
    return type(row)(**{key: getattr(row, key) for key in row.__struct_fields__} | {"skeleton": bones})


def save(store: Store, *rows: PlayerRow) -> None:
    store.write([SavePlayer(row) for row in rows])


def skeletons_of(store: Store, *players: str) -> list[str]:
    rows = [store.player(each) for each in players]
    return [row.skeleton for row in rows if row is not None]


def test_a_name_is_stored_under_its_new_skeleton(store: Store) -> None:
    before = stored(2, "Ольга", "old")
    save(store, before, stored(3, "Zoë", "zoë"), stored(4, "Ann", "ann"))
    renew_skeletons(store)
    after = store.player_by_skeleton(skeleton("Ольга"))
    assert after is not None
    assert after.skeleton == skeleton("Ольга")
    assert (after.id, after.name, after.kind, after.tokens) == ("p2", before.name, before.kind, before.tokens)
    assert renewed(store) == []


def test_who_has_the_skeleton_keeps_it_and_the_other_loses_nothing_else(store: Store) -> None:
    save(store, stored(1, IVO, "old", ACCOUNT), stored(2, "Ivo", "ivo"))
    renew_skeletons(store)
    assert skeletons_of(store, "p1", "p2") == ["ivo p1", "ivo"]
    row = store.player_by_name(IVO)
    assert row is not None
    assert (row.kind, row.password_hash) == (ACCOUNT, "$argon2id$x")
    assert renewed(store) == []


def test_of_two_that_come_to_look_alike_accounts_come_first_then_the_older(store: Store) -> None:
    save(
        store,
        stored(1, IVO, "old1"),
        stored(2, OTHER_IVO, "old2", ACCOUNT),
        stored(3, "\u0474o", "old3"),
    )
    renew_skeletons(store)
    assert skeletons_of(store, "p1", "p2", "p3") == ["ivo p1", "ivo", "vo"]


def test_two_may_exchange_their_keys(store: Store) -> None:
    save(store, stored(1, "Zoë", "söm"), stored(2, "Söm", "zoë"))
    renew_skeletons(store)
    assert skeletons_of(store, "p1", "p2") == ["zoë", "söm"]


def test_one_set_aside_gets_the_key_once_it_is_free(store: Store) -> None:
    save(store, stored(1, IVO, "ivo p1"))
    renew_skeletons(store)
    assert skeletons_of(store, "p1") == ["ivo"]


def test_a_store_that_cannot_be_written_does_not_end_the_start(caplog: pytest.LogCaptureFixture) -> None:
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


async def test_who_was_set_aside_comes_in_plays_and_is_saved_as_before(autojump_clock: object) -> None:
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
        ann = await house.program("Ann")
        await ann.done(f"tell {IVO} hello")
        await again.poll()
        assert again.last("chat")["text"] == "hello"
        assert (await ann.ask("tell Ivo hello"))["code"] == "NO_SUCH_PLAYER"
        await again.done("quit")
    assert skeletons_of(store, "p1", "p2") == ["ivo p1", "ivo"]


async def test_a_name_that_resembles_another_by_its_small_letters_is_taken_too(
    autojump_clock: object,
) -> None:
    async with open_house() as house:
        await house.program("Ivo")
        other = await house.program()
        assert (await other.ask(f"name {GREEK_IVO}"))["code"] == "NAME_TAKEN"
        await other.done(f"name {GREEK_IVO[:2]}")
