"""Names, tokens and their sessions, and the settings of a connection."""

import pytest
import trio

from golfnet.server.accounts.accounts import NEWCOMER_SECONDS, TOKENS
from golfnet.storage.sqlite import MemoryStore
from tests.server.conftest import HeldJournal
from tests.server.house import House, open_house

pytestmark = pytest.mark.usefixtures("quick_passwords", "late_answers")


# --- switching to another name


@pytest.mark.parametrize("how", ["resume", "login"])
async def test_a_player_who_first_typed_a_new_name_can_still_log_in(house: House, how: str) -> None:
    ann = await house.program("Ann", "register seven-hearts", "create six-card seats=2")
    await ann.drop()
    again = await house.program("Bert")
    ok = await again.done(f"resume {ann.token}" if how == "resume" else "login Ann seven-hearts")
    assert (ok["name"], ok["table"]) == ("Ann", "t1")
    assert again.last("view")["you"] == "A"
    assert house.lobby.accounts.find("Bert") is None
    assert house.lobby.store.player_by_name("Bert") is None
    await house.program("Bert")  # the name is free at once


async def test_a_watcher_can_switch_names_and_a_seated_player_is_told_to_leave_first(house: House) -> None:
    ann, ben = await house.program("Ann"), await house.program("Ben", "create six-card", "leave")
    table = (await ann.done("create six-card seats=2"))["table"]
    for line in (f"resume {ben.token}", f"resume {ann.token}", "login Ben seven-hearts"):
        error = await ann.ask(line)
        assert (error["code"], error["retry"]) == ("ALREADY_SEATED", True)
        assert "leave" in error["message"]
    await house.program("Hank", f"join {table}")
    await ann.done("leave", f"watch {table}")
    assert house.lobby.tables[table].watchers
    await ann.done(f"resume {ben.token}")
    assert not house.lobby.tables[table].watchers


# --- tokens and sessions


async def test_each_login_gets_a_token_listed_with_where_and_when_it_was_used(house: House) -> None:
    ann = await house.program("Ann", "register seven-hearts", address="8.8.8.8")
    await trio.sleep(100)
    phone = await house.program(None, "login Ann seven-hearts", address="2001:4860:1:2::3")
    rows = await phone.rows("sessions")
    assert [(row["session"], row["current"], row["from"]) for row in rows] == [
        (1, False, "8.8.8.8"),
        (2, True, "2001:4860:1:2::/64"),
    ]
    assert rows[1]["issued"] - rows[0]["issued"] == 100
    await trio.sleep(50)
    back = await house.program(None, f"resume {ann.token}", address="9.9.9.9")
    rows = await back.rows("sessions")
    assert [(row["current"], row["from"]) for row in rows] == [
        (True, "9.9.9.9"),
        (False, "2001:4860:1:2::/64"),
    ]
    assert rows[0]["used"] - rows[0]["issued"] == 150
    assert phone.token not in str(back.objects)
    person = await house.connect()
    await person.say("login Ann seven-hearts")
    said = await person.say("sessions")
    assert "this one" in said
    assert "9.9.9.9" in said


@pytest.mark.parametrize(
    "line", ["logout", "logout others", "logout all", "passwd seven-hearts eight-spades"]
)
async def test_a_revoked_token_stays_revoked_after_a_crash(autojump_clock: object, line: str) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        old = (await house.program("Ann", "register seven-hearts")).token
        phone = await house.program(None, "login Ann seven-hearts")
        own = phone.token
        journal = HeldJournal(store, is_open=False)
        house.lobby.gate._submit = journal.submit
        await phone.poll()
        await phone.send(line)
        while not any(thing["type"] == "ok" for thing in await phone.poll()):
            journal.store_waiting(1)  # the server stops once the answer is sent
    ended = {"logout": {own}, "logout others": {old}}.get(line, {old, own})
    async with open_house(store=store) as house:
        codes = await (await house.program()).codes(f"resume {old}", f"resume {own}")
        assert codes == ["BAD_TOKEN" if token in ended else "ok" for token in (old, own)]


async def test_tokens_per_account_are_limited_and_the_least_recently_used_is_revoked(house: House) -> None:
    ann = await house.program("Ann", "register seven-hearts")
    tokens = [ann.token]
    for _ in range(TOKENS - 1):
        await trio.sleep(10)
        tokens.append((await ann.done("login Ann seven-hearts"))["token"])
    await trio.sleep(10)
    await ann.done(f"resume {tokens[0]}")
    await trio.sleep(10)
    tokens.append((await ann.done("login Ann seven-hearts"))["token"])
    assert len(await ann.rows("sessions")) == TOKENS
    codes = await ann.codes(*[f"resume {token}" for token in tokens])
    assert codes == ["ok", "BAD_TOKEN", *["ok"] * (TOKENS - 1)]


async def test_a_session_can_be_ended_by_its_number_and_all_can_be_ended_at_once(house: House) -> None:
    ann = await house.program("Ann", "register seven-hearts")
    tokens = [ann.token]
    tokens += [(await ann.done("login Ann seven-hearts"))["token"] for _ in range(3)]
    assert await ann.codes("logout 0", "logout 5", "logout x", "logout ²") == ["BAD_ARGUMENT"] * 4
    await ann.done("logout 2")
    codes = await ann.codes(*[f"resume {token}" for token in tokens])
    assert codes == ["ok", "BAD_TOKEN", "ok", "ok"]
    assert await ann.codes("logout 1", f"resume {tokens[0]}") == ["ok", "BAD_TOKEN"]
    await ann.done("logout all")
    assert ann.last("bye")["code"] == "QUIT"
    await house.program(None, "login Ann seven-hearts")


async def test_a_guest_who_logs_out_gives_up_the_name_but_a_seated_guest_cannot_log_out(house: House) -> None:
    [ann] = await house.opened("six-card seats=2", "Ann")
    assert (await ann.ask("logout"))["code"] == "ALREADY_SEATED"
    await ann.done("logout others", "leave", "logout")
    assert house.lobby.store.player_by_name("Ann") is None
    other = await house.program("Ann")
    assert (await other.ask(f"resume {ann.token}"))["code"] == "BAD_TOKEN"


# --- names


async def test_a_guest_who_neither_sat_down_nor_registered_frees_the_name_on_quit(house: House) -> None:
    for _ in range(3):
        await house.program("Ann", "shout hello", "quit")
        assert house.lobby.store.player_by_name("Ann") is None
    assert not house.lobby.accounts.by_token


async def test_after_a_lost_connection_the_name_is_kept_for_a_while(house: House) -> None:
    ann = await house.program("Ann")
    for _ in range(2):  # the time limit starts again whenever the player returns
        await ann.drop()
        await trio.sleep(NEWCOMER_SECONDS - 1)
        other = await house.program(address="9.9.9.9")
        assert (await other.ask("name Ann"))["code"] == "NAME_TAKEN"
        assert house.lobby.accounts.find("Ann") is None
        again = await house.resumed(ann)
        ann.stream = again.stream
    await ann.drop()
    await trio.sleep(NEWCOMER_SECONDS + 1)
    assert house.lobby.store.player_by_name("Ann") is None
    new, other = await house.program("Ann"), await house.program()
    assert (await other.ask(f"resume {ann.token}"))["code"] == "BAD_TOKEN"
    assert new.token != ann.token


@pytest.mark.parametrize(
    ("does", "seconds"),
    [("create six-card seats=2", 3 * NEWCOMER_SECONDS), ("register seven-hearts", 10 * 24 * 3600)],
)
async def test_sitting_down_or_registering_keeps_the_name(house: House, does: str, seconds: float) -> None:
    ann = await house.program("Ann", does, "quit")
    await trio.sleep(seconds)
    again = await house.program(address="9.9.9.9")
    assert (await again.ask("name Ann"))["code"] == "NAME_TAKEN"
    await again.done(f"resume {ann.token}")


async def test_a_freed_name_that_is_still_on_disk_has_no_owner(
    house: House, held_journal: HeldJournal
) -> None:
    store = house.lobby.store
    ann = await house.program("Ann")
    held_journal.is_open = False
    await ann.done("quit")
    assert store.player_by_name("Ann") is not None
    again = await house.program()
    assert (await again.ask(f"resume {ann.token}"))["code"] == "BAD_TOKEN"
    await again.send("name Ann")
    await again.settle()
    held_journal.go_on()
    await again.poll()
    assert again.last("ok")["name"] == "Ann"
    stored = store.player_by_name("Ann")
    assert stored is not None
    assert not house.lobby.accounts._deleted
    assert store.player_by_token(next(iter(stored.tokens)).hash) == stored


@pytest.mark.settings(names_per_hour=5)
async def test_new_names_per_origin_and_hour_are_limited(house: House) -> None:
    async def comes(name: str, address: str) -> str:
        program = await house.program(address=address)
        [code] = await program.codes(f"name {name}")
        await program.drop()
        return code

    got = [await comes(f"Ann{n}", f"2001:4860:1:2::{n}") for n in range(7)]
    assert got == ["ok"] * 5 + ["RATE_LIMITED"] * 2
    assert await comes("Ben", "2001:4860:1:3::1") == "ok"
    assert [await comes(f"Cid{n}", "192.168.1.9") for n in range(20)] == ["ok"] * 20
    await trio.sleep(3600 / 5)
    assert await comes("Dee", "2001:4860:1:2::1") == "ok"
    assert await comes("Eve", "2001:4860:1:2::1") == "RATE_LIMITED"


@pytest.mark.settings(names_per_hour=3)
async def test_registering_an_account_counts_as_a_new_name(house: House) -> None:
    await house.program("Ann", "register seven-hearts", address="8.8.8.8")
    ben = await house.program("Ben", address="8.8.8.8")
    error = await ben.ask("register seven-hearts")
    assert error["code"] == "RATE_LIMITED"
    assert error["wait_ms"] > 0


# --- the connection


async def test_colour_and_bell_are_sent_only_on_request(house: House) -> None:
    ann = await house.person("Ann", "set color on", "set bell on", "create four-turn seats=2")
    bob = await house.person("Bob", "join t1")
    await ann.send("ready")
    await bob.send("ready")
    await trio.sleep(6)
    for peer, line in ((ann, "peek 3 4"), (bob, "peek 3 4"), (bob, "draw"), (bob, "discard")):
        await peer.send(line)
        await peer.settle()
    hers, his = await ann.take(), await bob.take()
    assert b"\x1b[" in hers
    assert b"\x07" in hers
    assert not set(his) & {7, 27}
