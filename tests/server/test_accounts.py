"""Who a player is: guests, accounts, passwords, and what happens while one is checked."""

import pytest
import trio

from golfnet.server.accounts import Accounts
from golfnet.storage.memory import MemoryStore
from tests.server.house import House, Program, open_house

pytestmark = pytest.mark.usefixtures("quick_passwords")


async def account(house: House, name: str, password: str = "seven hearts") -> Program:
    program = await house.program(name)
    await program.done(f'register "{password}"')
    return program


async def test_a_guest_becomes_an_account_and_logs_in_from_anywhere(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await account(house, "Ann")
        await ann.done("create four-turn seats=2")
        await ann.drop()
        again = await house.program()
        ok = await again.done('7 login ann "seven hearts"'.replace("ann", "Ann"))
        assert (ok["id"], ok["name"], ok["table"]) == (7, "Ann", "t1")
        assert ok["token"]
        assert again.last("view")["you"] == "A"


async def test_a_login_takes_over_as_a_token_does(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await account(house, "Ann")
        again = await house.program()
        await again.done('login Ann "seven hearts"')
        await ann.poll()
        assert ann.objects[-1]["code"] == "TAKEN_OVER"


@pytest.mark.parametrize(
    "line", ['login Ann "eight hearts"', 'login Nobody "seven hearts"', 'login Bob "x y z z y"']
)
async def test_a_wrong_name_and_a_wrong_password_are_answered_alike(
    autojump_clock: object, line: str
) -> None:
    async with open_house() as house:
        await account(house, "Ann")
        await house.program("Bob")
        stranger = await house.program()
        error = await stranger.ask(line)
        assert (error["code"], error["message"]) == ("LOGIN_FAILED", "The name or the password is wrong.")


async def test_guessing_passwords_is_held_up(autojump_clock: object) -> None:
    async with open_house() as house:
        await account(house, "Ann")
        stranger = await house.program()
        answers = [await stranger.ask("login Ann guessing") for _ in range(7)]
        codes = [answer["code"] for answer in answers]
        assert codes[0] == "LOGIN_FAILED"
        assert codes[-1] == "RATE_LIMITED"
        assert answers[-1]["wait_ms"] > 0
        await trio.sleep(answers[-1]["wait_ms"] / 1000)
        stranger = await house.program()
        assert (await stranger.done('login Ann "seven hearts"'))["name"] == "Ann"


async def test_passwords_have_bounds_and_an_owner(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await house.program("Ann")
        assert (await ann.ask("passwd old newer-one"))["code"] == "NO_ACCOUNT"
        for password in ("short", "x" * 201):
            assert (await ann.ask(f"register {password}"))["code"] == "BAD_ARGUMENT"
        assert (await ann.ask("register"))["code"] == "BAD_ARGUMENT"
        await ann.done("register long-enough")
        assert (await ann.ask("register long-enough"))["code"] == "ALREADY_NAMED"
        assert (await ann.ask("passwd wrong-one another-one"))["code"] == "LOGIN_FAILED"
        await ann.done("passwd long-enough another-one")
        stranger = await house.program()
        assert (await stranger.ask("login Ann long-enough"))["code"] == "LOGIN_FAILED"
        await stranger.done("login Ann another-one")


async def test_an_account_s_name_is_never_free_again(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await account(house, "Ann")
        await ann.drop()
        await trio.sleep(10 * 24 * 3600)
        stranger = await house.program()
        assert (await stranger.ask("name Ann"))["code"] == "NAME_TAKEN"


async def test_accounts_outlive_a_restart(autojump_clock: object) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        await account(house, "Ann")
    async with open_house(store=store) as house:
        again = await house.program()
        await again.done('login Ann "seven hearts"')
    assert all("seven hearts" not in str(player.token_hash) for player in store._players.values())


async def test_a_token_is_kept_as_its_hash_alone(autojump_clock: object) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        ann = await house.program("Ann")
    assert ann.token not in repr(store.__dict__)


class Slow:
    """Passwords that take a while to check."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done = trio.Event()
        monkeypatch.setattr(Accounts, "_verify", self.verified)

    async def verified(self, known: str, password: str) -> bool:
        await self.done.wait()
        return known == f"hash of {password}"


async def test_what_comes_while_a_password_is_checked_is_answered_after_it(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house() as house:
        ann = await account(house, "Ann")
        await ann.drop()
        slow = Slow(monkeypatch)
        again = await house.program()
        await again.send(b'1 login Ann "seven hearts"\n2 ping\n3 who\n')
        assert await again.poll() == []
        slow.done.set()
        assert [thing["id"] for thing in await again.poll() if thing["type"] == "ok"] == [1, 2, 3]


@pytest.mark.parametrize("how", ["lost", "end of input"])
async def test_who_is_gone_when_the_password_is_checked_is_not_here(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    async with open_house() as house:
        ann = await account(house, "Ann")
        await ann.done("create four-turn seats=2")
        await ann.drop()
        slow = Slow(monkeypatch)
        again = await house.program()
        await again.send('1 login Ann "seven hearts"')
        await again.settle()
        if how == "lost":
            [session] = house.lobby.sessions
            session.lost("lost")
        else:
            await again.stream.send_eof()  # type: ignore[attr-defined]
        await again.settle()
        slow.done.set()
        await again.settle()
        player = house.lobby.accounts.find("Ann")
        assert player is not None
        assert player.session is None
        if how != "lost":
            await again.poll()
            assert again.last("ok")["id"] == 1


async def test_who_is_gone_and_has_no_seat_is_forgotten_again(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house() as house:
        await (await account(house, "Ann")).drop()
        assert not list(house.lobby.accounts)
        slow = Slow(monkeypatch)
        again = await house.program()
        await again.send('login Ann "seven hearts"')
        await again.settle()
        [session] = house.lobby.sessions
        session.lost("lost")
        slow.done.set()
        await again.settle()
        assert not list(house.lobby.accounts)


async def test_a_fault_while_a_password_is_checked_is_answered(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_house() as house:
        ann = await house.program("Ann")

        async def broken(accounts: Accounts, password: str) -> str:
            raise ZeroDivisionError

        monkeypatch.setattr(Accounts, "_hash_password", broken)
        assert (await ann.ask("register long-enough"))["code"] == "INTERNAL"
        await ann.done("ping")
        assert "register" in caplog.text


async def test_people_are_asked_for_passwords_and_programs_are_not(autojump_clock: object) -> None:
    async with open_house() as house:
        person = await house.person("Ann")
        assert "password" in await person.say("register")
        assert "account" in await person.say("seven hearts")
        assert "Old password" in await person.say("passwd")
        assert "New password" in await person.say("seven hearts")
        assert "changed" in await person.say("eight hearts")
        program = await house.program()
        assert (await program.ask("login Ann"))["code"] == "BAD_ARGUMENT"
