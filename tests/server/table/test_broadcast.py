"""What everybody at a table is told: equal numbers, own secrets, one encoding for all who may see the same."""

from typing import Any

import pytest
import trio

from golfnet.engine import wire
from golfnet.engine.layout import Seat
from golfnet.protocol.commands.settings import Settings, Style
from golfnet.protocol.replies.replies import Happened
from golfnet.protocol.text import text
from golfnet.protocol.text.typeset import TextLine
from tests.server.house import open_house

pytestmark = pytest.mark.usefixtures("each_transport")


async def test_what_all_may_see_is_written_once_for_all_and_for_the_log(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house() as house:
        ann, bob = await house.table("six-card seats=2", "Ann", "Bob")
        for number in range(20):
            watcher = await house.program(f"Watcher{number}")
            await watcher.done("watch t1")
        written: list[str] = []
        genuine = wire.public_fields

        def public_fields(event: wire.NamedEvent) -> dict[str, Any]:
            written.append(event.name)
            return genuine(event)

        monkeypatch.setattr(wire, "public_fields", public_fields)
        await ann.done("flip 1 2")
        assert written == ["flipped", "flipped"]
        await bob.done("flip 1 2")
        written.clear()
        await bob.done("draw")
        assert written == ["drew", "drew"]  # with its card for the log and for Bob, without it for all others


async def test_what_is_told_to_many_people_is_put_into_words_once(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house() as house:
        ann, _ = await house.table("six-card seats=2", "Ann", "Bob")
        people = [await house.person(f"Watcher{number}") for number in range(10)]
        for number, person in enumerate(people):
            await person.say(f"set style {'speech' if number < 3 else 'art'}")
            await person.say("watch t1")
        for person in people:
            await person.take()
        worded, genuine = list[Style](), text._happened

        def happened(event: Happened, settings: Settings, you: Seat | None) -> list[TextLine]:
            worded.append(settings.style)
            return genuine(event, settings, you)

        monkeypatch.setattr(text, "_happened", happened)
        await ann.done("flip 1 2")
        heard = [await person.take() for person in people]
        assert sorted(worded) == [Style.ART, Style.ART, Style.SPEECH, Style.SPEECH]
        assert len(set(heard)) == 2


async def test_prompts_come_only_when_something_has_changed(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, bob = await house.table("four-turn seats=2", "Ann", "Bob")
        await ann.done("peek 3 4")
        await bob.done("peek 3 4")
        for program in (ann, bob):
            await program.poll()
            program.objects.clear()
        await ann.done("say hello")
        eve = await house.program("Eve")
        await eve.done("watch t1")
        await ann.ask("swap 1")
        for program in (ann, bob):
            await program.poll()
            assert not [thing for thing in program.objects if thing["type"] == "prompt"]
        await bob.done("draw")
        assert [thing["type"] for thing in bob.objects].count("prompt") == 1


async def test_who_may_do_nothing_any_more_is_told_so(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, _ = await house.table("four-turn seats=2", "Ann", "Bob")
        await ann.done("peek 3 4")
        assert ann.last("prompt")["actions"] == []


async def test_people_who_play_cactus_on_a_plain_line_see_nothing_but_text(autojump_clock: object) -> None:
    """Measuring how long a line takes is for those who speak telnet or are programs."""
    async with open_house() as house:
        ann, bob = await house.person("Ann"), await house.person("Bob")
        said = (await ann.say("create cactus seats=2 clock=10")).encode()
        await bob.say("join t1")
        for _ in range(60):
            await trio.sleep(2)
            said += await ann.take()
        assert b"slam" in said.lower()
        assert not set(said) & ({*range(32), 127, 255} - {10, 13})


async def test_programs_are_pinged_and_need_not_answer(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, bob = await house.table("cactus seats=2", "Ann", "Bob")
        await ann.done("peek 3 4")
        await bob.done("peek 3 4")
        pings = [thing for thing in ann.objects if thing["type"] == "ping"]
        assert len(pings) == 1
        await ann.send(f"pong {pings[0]['key']}")
        [answered] = [s for s in house.lobby.sessions if s.player is not None and s.player.name == "Ann"]
        await ann.settle()
        assert answered.round_trips.link(trio.current_time()).round_trip == 0
