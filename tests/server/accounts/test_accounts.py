"""Guests, accounts and passwords, and what happens while a password is checked."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio

from golfnet.server.accounts.passwords import Hashing
from golfnet.server.session.player import Player
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.writes import PlayerRow
from tests.server.conftest import HeldJournal
from tests.server.house import House, open_house

pytestmark = pytest.mark.usefixtures("quick_passwords", "each_answer")


def ann_of(house: House) -> Player:
    return house.lobby.accounts.find("Ann") or pytest.fail("nobody")


def stored_ann(house: House) -> PlayerRow:
    return house.lobby.store.player_by_name("Ann") or pytest.fail("nobody")


def lose_ann(house: House) -> Player:
    """Let Ann's connection fail, and return her player."""
    player = ann_of(house)
    house.session("Ann").lost("lost")
    return player


def held_up(monkeypatch: pytest.MonkeyPatch) -> trio.Event:
    """Delay all further hashing and checking of passwords until the returned event is set."""
    goes_on = trio.Event()

    def after(compute: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def wait(*arguments: object) -> Any:
            await goes_on.wait()
            await trio.lowlevel.checkpoint_if_cancelled()
            return await compute(*arguments)

        return wait

    for name in ("check", "make"):
        monkeypatch.setattr(Hashing, name, after(getattr(Hashing, name)))
    return goes_on


@pytest.mark.settings(name_time=5)
async def test_under_attack_an_owner_waits_at_a_new_address_but_not_at_a_known_address(house: House) -> None:
    await (await house.program("Ann", 'register "seven hearts"', address="8.8.8.8")).drop()
    guessers = [await house.program(address=f"9.9.9.{n}") for n in range(20)]
    for guesser in guessers:
        for _ in range(6):
            await guesser.send("login Ann guessing")
        await guesser.settle()
    error = guessers[0].last("error")
    assert error["code"] == "RATE_LIMITED"
    assert "resume" in error["message"]
    began = trio.current_time()
    await house.program(None, 'login Ann "seven hearts"', address="8.8.8.8")
    assert trio.current_time() == began
    other = await house.program(address="8.8.4.4")
    await other.send('1 login Ann "seven hearts"')
    await other.poll()
    assert other.last("notice")["code"] == "WAIT"
    await trio.sleep(3600)
    await other.poll()
    assert other.last("ok")["name"] == "Ann", "who waits is not disconnected for giving no name"


async def test_passwd_counts_guesses_like_login(house: House) -> None:
    ann = await house.program("Ann", 'register "seven hearts"')
    for _ in range(30):
        await ann.send("passwd wrong-one another-one")
    await trio.sleep(3600)
    await ann.poll()
    codes = [thing["code"] for thing in ann.objects if thing["type"] == "error"]
    assert codes == ["LOGIN_FAILED"] * 30
    assert len(ann.notices("WAIT")) == 20


async def test_accounts_survive_a_restart_and_no_secret_is_stored(autojump_clock: object) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        ann = await house.program("Ann", 'register "seven hearts"')
    async with open_house(store=store) as house:
        await house.program(None, 'login Ann "seven hearts"')
    kept = store._reader.serialize()
    assert kept.count(b"seven hearts") == kept.count(b"hash of seven hearts") > 0
    assert ann.token.encode() not in kept


@pytest.mark.parametrize("how", ["lost", "lost without a seat", "end of input"])
async def test_a_player_who_disconnects_during_the_password_check_is_not_logged_in(
    house: House, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    ann = await house.program("Ann", 'register "seven hearts"')
    if how != "lost without a seat":
        await ann.done("create four-turn seats=2")
    await ann.drop()
    goes_on = held_up(monkeypatch)
    again = await house.program()
    await again.send('1 login Ann "seven hearts"')
    await again.settle()
    if how == "end of input":
        await again.stream.send_eof()  # type: ignore[attr-defined]
    else:
        [session] = house.lobby.sessions
        session.lost("lost")
    await again.settle()
    goes_on.set()
    await again.poll()
    here = [(player.name, player.session) for player in house.lobby.accounts]
    assert here == ([] if how == "lost without a seat" else [("Ann", None)])
    if how == "end of input":
        assert again.last("ok")["id"] == 1


async def test_a_slow_login_does_not_take_over_a_connection_opened_in_the_meantime(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await house.program("Ann", 'register "seven hearts"')
    await ann.drop()
    goes_on = held_up(monkeypatch)
    early = await house.program()
    await early.send('1 login Ann "seven hearts"')
    await early.settle()
    await trio.sleep(1)
    later = await house.program(None, f"resume {ann.token}")
    goes_on.set()
    await early.poll()
    assert (early.last("error")["id"], early.last("error")["code"]) == (1, "MOVED")
    await later.done("ping")
    await early.done('login Ann "seven hearts"')
    await later.poll()
    assert later.objects[-1]["code"] == "TAKEN_OVER"


@pytest.mark.parametrize("how", ["lost", "taken over"])
@pytest.mark.parametrize("line", ["register seven-hearts", "passwd seven-hearts eight-hearts"])
async def test_a_password_is_dropped_if_its_owner_disconnects_while_it_is_hashed(
    house: House, monkeypatch: pytest.MonkeyPatch, line: str, how: str
) -> None:
    """Otherwise the old and the new session would have two copies of the player, and the last to be saved would win."""
    ann = await house.program("Ann", "create six-card seats=2")
    if line.startswith("passwd"):
        await ann.done("register seven-hearts")
    before = stored_ann(house)
    goes_on = held_up(monkeypatch)
    await ann.send(f"1 {line}")
    await ann.settle()
    player = lose_ann(house) if how == "lost" else ann_of(house)
    again = await house.resumed(ann)
    goes_on.set()
    await again.settle()
    assert ann_of(house) is player
    await again.done("leave")
    await again.drop()
    for after in (player, stored_ann(house)):
        assert (after.kind, after.password_hash) == (before.kind, before.password_hash)
    assert [token.hash for token in stored_ann(house).tokens] == [token.hash for token in before.tokens]


async def test_a_login_fails_if_the_password_changes(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = await house.program("Ann", 'register "seven hearts"')
    goes_on = held_up(monkeypatch)
    again = await house.program()
    await again.send('1 login Ann "seven hearts"')
    await again.settle()
    player = ann_of(house)
    player.password_hash = "hash of eight hearts"
    goes_on.set()
    await again.poll()
    assert again.last("error")["code"] == "LOGIN_FAILED"
    await ann.done("ping")


async def test_a_player_who_reconnects_while_writes_are_waiting_is_not_read_from_the_store(
    house: House, held_journal: HeldJournal
) -> None:
    """The store still has the old password, so reading the player from it would undo the change."""
    ann = await house.program("Ann", "create six-card seats=2", "register seven-hearts", "leave")
    held_journal.is_open = False
    await ann.send("1 passwd seven-hearts eight-hearts")
    await ann.settle()
    player = lose_ann(house)
    assert house.lobby.accounts.find("Ann") is None
    again = await house.program()
    assert (await again.ask(f"resume {ann.token}"))["code"] == "BAD_TOKEN"
    await again.send("2 login Ann eight-hearts")
    await again.settle()
    assert ann_of(house) is player
    held_journal.go_on()
    await again.poll()
    assert again.last("ok")["name"] == "Ann"
    await again.drop()
    assert not house.lobby.accounts._leaving
    assert stored_ann(house).password_hash == "hash of eight-hearts"


async def test_a_fault_during_a_password_check_is_answered(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ann = await house.program("Ann")

    async def broken(hashing: Hashing, password: str, origin: str) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(Hashing, "make", broken)
    assert (await ann.ask("register long-enough"))["code"] == "INTERNAL"
    await ann.done("ping")
    assert "register" in caplog.text


async def test_people_are_warned_about_passwords_on_an_unencrypted_connection(house: House) -> None:
    for n, (address, is_told) in enumerate(
        (("8.8.8.8", True), ("192.168.1.9", True), ("127.0.0.1", False), ("::1", False))
    ):
        for name, line in ((f"Ann{n}", "register"), (f"Ben{n}", "register seven-hearts")):
            person = await house.connect(address=address)
            await person.say(f"name {name}")
            assert ("not encrypted" in await person.say(line)) is is_told
    program = await house.program("Cid", address="8.8.8.8")
    assert "encrypted" not in (await program.done("register seven-hearts"))["note"]
