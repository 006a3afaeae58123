"""``hint``: what a good bot would do, for the player to move in an unrated match."""

from __future__ import annotations

import pytest
import trio

from golfnet.engine.actions import Flip
from golfnet.engine.layout import Seat
from golfnet.engine.variants import VARIANTS
from golfnet.server.lobby import HINT_SECONDS, HINTS_EACH
from tests.server.cluster import open_cluster, playing
from tests.server.house import House, Program, open_house


async def at_play(house: House, create: str = "six-card clock=0", *names: str) -> Program:
    """Start a match between two programs; return the first, which has a decision to make."""
    return (await house.table(f"{create} seats=2", *(names or ("Ann", "Ben"))))[0]


async def test_a_program_gets_the_command_and_the_reason_for_it(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await at_play(house)
        answer = await ann.done("7 hint")
        assert answer["line"] == "flip 1"
        assert answer["note"] == "Turn up slot 1: it is as good as turning up slot 2."
        assert (answer["id"], answer["table"], answer["seq"]) == (7, "t1", ann.last("prompt")["seq"])


async def test_a_program_gets_a_reason_that_it_can_show_to_a_person(autojump_clock: object) -> None:
    async with open_house() as house:
        _, ben = await house.table("four-turn clock=0 seats=2 start=none", "Ann", "Ben")
        assert (await ben.done("hint"))["note"].endswith("more than taking 7♦ into slot 1.")


@pytest.mark.parametrize("create", VARIANTS)
async def test_a_whole_hole_can_be_played_by_hints_alone(autojump_clock: object, create: str) -> None:
    async with open_house() as house:
        programs = await house.table(f"{create} clock=0 seats=2 holes=1 turn_cap=8", "Ann", "Ben")
        for _ in range(200):
            for program in programs:
                await program.poll()
            if programs[0].events("match_ended"):
                return
            for program in programs:
                if program.last("prompt")["actions"]:
                    hint = await program.ask("hint")
                    if hint["type"] == "ok":
                        await trio.sleep(0.2)  # slams sooner than a person could react are refused
                        answer = await program.ask(hint["line"])
                        assert answer["type"] == "ok" or hint["line"].startswith(("slam", "pass"))
                    else:
                        assert hint["code"] in ("RATE_LIMITED", "BAD_PHASE")
                        await trio.sleep(hint.get("wait_ms", 500) / 1000)
        raise AssertionError("the match did not end")


async def test_a_person_is_told_what_to_type_in_their_card_style(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await house.program("Ann")
        await ann.done("create four-turn clock=0 seats=2 start=none")
        olga = await house.person("Olga")
        await olga.say("join t1")
        await olga.say("ready")
        await ann.done("start")
        why = "= Draw: it is worth about 2.5 points more than taking {} into slot 1. Type: draw"
        assert why.format("K♦") in await olga.say("hint")
        await olga.say("set style speech")
        spoken = " ".join((await olga.say("hint")).split())
        assert why.format("the king of diamonds") in spoken


async def test_there_is_no_hint_without_a_decision_to_make(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await house.program("Ann")
        await ann.done("create six-card clock=0")
        assert (await ann.ask("hint"))["code"] == "BAD_PHASE"
        cem = await house.program("Cem")
        await cem.done("watch t1")
        assert (await cem.ask("hint"))["code"] == "NOT_SEATED"


@pytest.mark.parametrize(
    ("create", "says"),
    [
        ("six-card", "This match is rated, so there are no hints. See: help rated"),
        ("six-card clock=0 hints=off", "The host of this table has turned hints off."),
    ],
)
async def test_there_are_no_hints_in_rated_matches_or_if_the_host_disabled_them(
    autojump_clock: object, create: str, says: str
) -> None:
    async with open_house() as house:
        ann = await at_play(house, create)
        answer = await ann.ask("hint")
        assert (answer["code"], answer["message"]) == ("NOT_AVAILABLE", says)


async def test_a_player_alone_against_bots_gets_hints_whatever_the_clock(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await house.program("Ann")
        for line in ("create six-card seats=2", "bot easy", "start"):
            await ann.done(line)
        assert (await ann.done("hint"))["line"] == "flip 1"


async def test_a_table_on_another_node_gives_the_same_hints(autojump_clock: object) -> None:
    async with open_cluster() as cluster:
        (ann, ben), table = await playing(cluster, "four-turn clock=0", "Ann", "Ben")
        for program in (ann, ben):
            hint = await program.done("hint")
            assert (hint["table"], hint["line"]) == (table, "peek 3")


async def test_the_operator_can_disable_hints(autojump_clock: object) -> None:
    async with open_house(hints=False) as house:
        ann = await at_play(house)
        assert (await ann.ask("hint"))["message"] == "There are no hints on this server."


async def test_hints_are_rate_limited(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await at_play(house)
        for _ in range(HINTS_EACH):
            await ann.done("hint")
        refused = await ann.ask("hint")
        assert refused["code"] == "RATE_LIMITED"
        assert 0 < refused["wait_ms"] <= 1000 * HINT_SECONDS


async def test_a_hint_is_dropped_if_something_has_happened_meanwhile(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house() as house:
        ann = await at_play(house)
        table = house.lobby.tables["t1"]
        run = house.lobby.coach.run

        async def run_late(origin: str, work: object) -> object:
            table.act(Seat(1), Flip((1,)))
            return await run(origin, work)  # type: ignore[arg-type]

        monkeypatch.setattr(house.lobby.coach, "run", run_late)
        assert (await ann.ask("hint"))["code"] == "STALE"
