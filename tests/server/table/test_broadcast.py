"""What players and watchers are told: all get the same event numbers, but only their own secrets."""

from random import Random
from typing import Any

import pytest

from golfnet.engine import wire
from golfnet.protocol.commands.settings import Settings, Style
from golfnet.protocol.text import text
from golfnet.protocol.text.typeset import TextLine
from tests.engine.drawing import THREE
from tests.server.house import House, play_at_random
from tests.server.slamming import open_window
from tests.server.table.test_membership import at_a_turn


async def test_an_event_is_encoded_once_for_all_programs_and_worded_once_per_style_for_all_people(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob = await house.table("six-card seats=2", "Ann", "Bob")
    for number in range(10):
        await house.program(f"Program{number}", "watch t1")
        await house.person(f"Person{number}", f"set style {'speech' if number < 3 else 'art'}", "watch t1")
    encoded, worded = list[str](), list[Style]()
    encode, word = wire.event_fields, text._happened

    def event_fields(event: wire.NamedEvent, *, internal: bool = False) -> dict[str, Any]:
        encoded.append(event.name)
        return encode(event, internal=internal)

    def happened(settings: Settings, *what: Any) -> list[TextLine]:
        worded.append(settings.style)
        return word(settings, *what)

    monkeypatch.setattr(wire, "event_fields", event_fields)
    monkeypatch.setattr(text, "_happened", happened)
    await ann.done("flip 1 2")
    assert encoded == ["flipped", "flipped"]
    assert sorted(worded) == [Style.ART, Style.ART, Style.SPEECH, Style.SPEECH]
    await bob.done("flip 1 2")
    encoded.clear()
    await bob.done("draw")
    assert encoded == ["drew", "drew"], "once with the card, for the log and Bob, and once without it"


async def test_a_program_that_asks_for_views_gets_one_after_the_events_of_each_step(house: House) -> None:
    ann = await house.program("Ann", "create cactus seats=2 holes=1")
    others = []
    for name, line in (("Bob", "join t1"), ("Eve", "watch t1")):
        program = await house.program()
        await program.done("hello 1 caps=view", f"name {name}", line)
        others.append(program)
    await ann.done("ready")
    await others[0].done("ready")
    await play_at_random([ann, others[0]], Random(1))
    for program in others:
        heard, view = 0, program.last("view")
        for thing in program.objects:
            if thing["type"] == "view":
                heard, view = thing["seq"], thing
            elif thing["type"] == "event":
                heard = thing["seq"]
            elif thing["type"] == "prompt" and thing["seq"] == view["seq"]:
                view = {**view, "actions": thing["actions"], "targets": thing["targets"]}
        assert heard == view["seq"], "the last step was followed by a view"
        now = await program.look("t1")
        assert now == view
        assert (now["state"], now["you"]) == ("finished", "B" if program is others[0] else None)
    assert len([thing for thing in ann.objects if thing["type"] == "view"]) == 1, "when she opened the table"


async def test_prompts_are_sent_only_when_something_has_changed(house: House) -> None:
    bob, ann = await at_a_turn(house, "four-turn seats=2")
    for program in (ann, bob):
        program.objects.clear()
    await ann.done("say hello")
    await house.program("Eve", "watch t1")
    await ann.ask("swap 1")
    for program in (ann, bob):
        assert not [thing for thing in program.objects if thing["type"] == "prompt"]
    await bob.done("draw")
    assert [thing["type"] for thing in bob.objects].count("prompt") == 1


async def test_in_a_window_prompts_have_its_remaining_time_or_the_clock_of_a_power(house: House) -> None:
    slam = await open_window(house, THREE, stock="JC 5D", options="slam_window=3")
    await slam.until(1000)
    for seat, ms in (("A", 59_000), ("B", 2000), ("C", 2000)):
        back = await house.resumed(slam.seats[seat])
        prompt, view = back.last("prompt"), back.last("view")
        assert "slam" in prompt["actions"]
        assert (prompt["ms"], view["slam"]["ms"]) == pytest.approx((ms, 2000), abs=1)
