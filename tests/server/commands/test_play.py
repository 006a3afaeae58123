"""Commands during play: empty lines and ``hint``; ``conversations`` show most other answers."""

import pytest
import trio

from golfnet.engine.actions import Flip
from golfnet.engine.cards import Seat
from golfnet.server.commands import play
from golfnet.server.session.session import ENTER_SECONDS
from tests.server.house import House, Program, poll_all


async def test_actions_that_name_hundreds_of_cards_are_not_kept(house: House) -> None:
    ann, _ = await house.table("four-turn", "Ann", "Ben")
    kept = play._parse_once.cache_info().currsize
    for slot in range(1, 9):
        await ann.ask(f"peek {slot}{' 1' * 400}")
    assert play._parse_once.cache_info().currsize == kept


@pytest.mark.parametrize("telnet", [False, True])
async def test_every_line_end_counts_as_one_empty_line_and_a_held_key_is_rate_limited(
    house: House, *, telnet: bool
) -> None:
    ann = await house.connect(telnet=telnet)
    await ann.say("name Ann")
    for pieces in ([b"\r\n"], [b"\r\0"], [b"\n"], [b"\r", b"\n"], [b"\r", b"\0"], [b"\n\n\n"]):
        await trio.sleep(ENTER_SECONDS)
        told = "".join([await ann.say(piece) for piece in pieces])
        assert told.count("Next:") == 1, pieces
    await trio.sleep(ENTER_SECONDS)
    told = ""
    for _ in range(60):
        told += await ann.say(b"\r\n")
        await trio.sleep(ENTER_SECONDS / 30)
    assert told.count("Next:") == 2


# --- hints


async def at_play(house: House, create: str = "six-card clock=0", *names: str) -> Program:
    """Start a match between two programs; return the first, which has a decision to make."""
    return (await house.table(f"{create} seats=2", *(names or ("Ann", "Ben"))))[0]


@pytest.mark.parametrize("create", ["six-card", "cactus"])
async def test_a_whole_hole_can_be_played_by_hints_alone(house: House, create: str) -> None:
    programs = await house.table(f"{create} clock=0 seats=2 holes=1 turn_cap=8", "Ann", "Ben")
    for _ in range(200):
        await poll_all(programs)
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


@pytest.mark.settings(hints=False)
async def test_the_operator_can_disable_hints(house: House) -> None:
    ann = await at_play(house)
    assert (await ann.ask("hint"))["message"] == "There are no hints on this server."


async def test_a_hint_that_comes_too_late_is_dropped(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = await at_play(house)
    table = house.lobby.tables["t1"]
    run = house.lobby.coach.run

    async def run_late(origin: str, work: object) -> object:
        table.act(Seat(1), Flip((1,)))
        return await run(origin, work)  # type: ignore[arg-type]

    monkeypatch.setattr(house.lobby.coach, "run", run_late)
    assert (await ann.ask("hint"))["code"] == "STALE"
