"""Password prompts: they are repeated after a mistake, and what is typed at them goes nowhere else."""

import logging

import pytest
import trio
import trio.testing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from golfnet.protocol.commands.parse import Request
from golfnet.server.commands.dispatch import Dispatcher
from golfnet.server.session.session import TYPED_AHEAD_SECONDS, Session
from tests.server.house import House, Peer, open_house

pytestmark = pytest.mark.usefixtures("quick_passwords", "late_answers")

CHOOSE = "Choose a password, at least 6 characters (Enter alone cancels):"


async def say(person: Peer, line: str) -> str:
    """Type a line; return the reply as one line."""
    return " ".join((await person.say(line)).split())


async def test_a_password_that_is_too_short_is_prompted_for_again(house: House) -> None:
    person = await house.person("Nora", "register")
    assert await say(person, "short") == f"! A password needs 6 to 200 characters. {CHOOSE}"
    assert "again" in await say(person, "nora-nora")
    assert await say(person, "nora-norb") == f"! The two passwords are different. {CHOOSE}"
    await person.say("nora-nora")
    assert "Your name Nora is registered" in await say(person, "nora-nora")
    assert "golfnet" in await say(person, "version")


async def test_a_wrong_password_is_prompted_for_again(house: House) -> None:
    await (await house.program("Nora")).done("register nora-nora")
    person = await house.connect()
    await person.say("login Nora")
    assert await say(person, "'nora-norb") == "! The name or the password is wrong. Password:"
    assert "You are Nora" in await say(person, "nora-nora")
    await person.say("passwd")
    for line in ("'old", "new-nora"):
        await person.say(line)
    assert await say(person, "new-nora") == "! The old password is wrong. Old password:"
    for line in ("nora-nora", "new-nora"):
        await person.say(line)
    assert "Your password has been changed" in await say(person, "new-nora")


@pytest.mark.parametrize(
    ("begun", "answers", "why"),
    [
        ("register", ["short", "'hi", "tiny"], "A password needs 6 to 200 characters. Nothing was done"),
        ("register", ["seven-hearts", "seven-spades"] * 3, "The two passwords are different. Nothing was"),
        ("login Ann", ["'wrong"] * 3, "LOGIN_FAILED The name or the password is wrong. Nothing was done"),
        ("register", [""], "You did not type a password, so nothing was done."),
        ("register", ["seven-hearts", ""], "You did not type a password, so nothing was done."),
        ("login Ann", [""], "You did not type a password, so nothing was done."),
    ],
)
async def test_prompting_ends_after_some_mistakes_or_enter_and_the_next_lines_are_ignored(
    house: House, begun: str, answers: list[str], why: str
) -> None:
    await (await house.program("Ann")).done("register seven-hearts")
    host = await house.program("Eve", "create four-turn seats=2")
    person = await house.person("Nora")
    if begun == "register":
        await person.say("join t1")
    await person.say(begun)
    for answer in answers[:-1]:
        assert (await say(person, answer)).startswith("! ")
    assert why in await say(person, answers[-1])
    assert "right after a password prompt" in await say(person, "'seven-hearts")
    await host.poll()
    assert "chat" not in [thing["type"] for thing in host.objects]
    await trio.sleep(TYPED_AHEAD_SECONDS)
    assert "right after" not in await say(person, "version")


async def test_a_password_typed_where_no_prompt_comes_is_not_sent_as_chat(house: House) -> None:
    host = await house.person("Eve", "create four-turn seats=2")
    person = await house.person("Nora", "join t1")
    await host.take()
    for line, refusal in (("login Ann", b"ALREADY_SEATED"), ("passwd", b"NO_ACCOUNT")):
        await person.send(f"{line}\n'seven-hearts\n".encode())
        assert refusal in await person.take()
        await trio.sleep(TYPED_AHEAD_SECONDS)
    assert await host.take() == b""
    ann = await house.person("Ann", "register seven-hearts")
    assert "ALREADY_NAMED" in await ann.say("register")


async def test_a_line_end_that_arrives_in_two_parts_is_not_an_empty_answer(house: House) -> None:
    person = await house.person("Nora")
    for part in (b"register\r", b"\n", b"nora-nora\r", b"\n", b"nora-nora\r"):
        await person.send(part)
        await trio.testing.wait_all_tasks_blocked()
    assert b"is registered" in await person.take()


TYPED = (
    "register|login Ann|passwd|seven-hearts|'secret|say secret|quit secret|stop|!secret|tell Eve secret|"
    "shout secret|s1|ENTER|PAUSE"
)
LINES = st.lists(st.sampled_from([*TYPED.split("|"), "x" * 1100]), max_size=12)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LINES, st.booleans())
def test_what_is_typed_at_a_password_prompt_is_neither_executed_logged_nor_shown(
    caplog: pytest.LogCaptureFixture, lines: list[str], at_once: bool
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.clear()
    carried_out: list[str] = []
    handle = Dispatcher.handle

    def watched(dispatcher: Dispatcher, session: Session, request: Request) -> None:
        if session.player is not None and session.player.name == "Nora" and not request.typed:
            carried_out.append(session.line)
        handle(dispatcher, session, request)

    async def typed() -> tuple[list[str], bytes]:
        """Type the lines; return those that answered prompts, and everything that Eve was sent."""
        answers = []
        async with open_house() as house:
            await (await house.program("Ann")).done("register seven-hearts")
            eve = await house.person("Eve", "create four-turn seats=2")
            person = await house.person("Nora", "join t1")
            await eve.take()
            if at_once:
                answers = [f"{line}{number}" for number, line in enumerate(lines)]  # all different
                await person.send("".join(f"{line}\n" for line in ("register", *answers)))
                await person.take()
                return answers, await eve.take()
            said = ""
            for number, line in enumerate(lines):
                if line == "PAUSE":
                    await trio.sleep(TYPED_AHEAD_SECONDS)
                    continue
                is_asked = said.rstrip().endswith(":")
                marked = "" if line == "ENTER" else f"{line}{number}" if is_asked else line
                answers += [marked] if is_asked and marked else []
                said = await person.say(marked)
            return answers, await eve.take()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dispatcher, "handle", watched)
        answers, heard = trio.run(typed, clock=trio.testing.MockClock(autojump_threshold=0))
    for answer in answers:
        assert answer not in carried_out
        assert answer.lstrip("'") not in heard.decode()
        assert answer not in caplog.text
