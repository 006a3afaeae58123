"""Password prompts: what is typed at them goes nowhere else; ``conversations/passwords.txt`` shows them."""

import logging

import pytest
import trio
import trio.testing
from hypothesis import HealthCheck, given, settings, strategies as st

from golfnet.protocol.commands.parse import Request
from golfnet.server.commands.dispatch import Dispatcher
from golfnet.server.session.session import TYPED_AHEAD_SECONDS, Session
from tests.server.house import House, open_house

pytestmark = pytest.mark.usefixtures("quick_passwords", "late_answers")


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
