"""A bot seals its cuts, and leaves a server that breaks its promises about deals."""

from pathlib import Path
from typing import Any

import pytest
import trio
import trio.lowlevel

from golfnet.cli.bot.player import Task
from golfnet.protocol.witness import LEFT_OUT
from tests.cli.bot.remote_bots import RemoteBot
from tests.cli.conftest import Golfnet
from tests.server.house import House, Program, hole_played
from tests.server.test_witness import cheat


@pytest.mark.settings(seed=4, pause=3)
async def test_bots_seal_and_reveal_their_texts_without_delay(house: House) -> None:
    task = Task(rules="six-card-final", options=("seats=3", "holes=2"), matches=1)
    bots = [RemoteBot(house.line, task, name, seals=True) for name in ("Ann", "Bea", "Cem")]
    for bot in bots:
        house.nursery.start_soon(bot.runner.run)
    await trio.sleep(3600)
    for bot in bots:
        assert (bot.client.is_over, bot.client.problem, bot.witness.problems) == (True, "", [])
        assert not [line for line, _ in bot.client.refusals if (line or "").startswith(("seal", "cut"))]
        ended = [event for event in bot.client.played if event.name == "hole_ended"]
        assert len(ended) == 2
        for event in ended:
            assert all(len(cut) == 32 for cut in event.cuts)  # type: ignore[union-attr]


async def at_a_table(house: House, *, holes: int) -> tuple[RemoteBot, Program]:
    """Return a bot and the other player at its table; their match begins in five seconds."""
    task = Task(rules="four-turn", options=("seats=2", f"holes={holes}", "clock=20"), matches=1)
    ann = RemoteBot(house.line, task, seals=True)
    house.nursery.start_soon(ann.runner.run)
    await trio.sleep(0.1)
    eve = await house.program("Eve")
    await eve.done("join t1")
    return ann, eve


@pytest.mark.settings(seed=4, pause=20)
async def test_a_bot_reports_a_hole_dealt_without_its_text_and_leaves_after_a_second(house: House) -> None:
    ann, eve = await at_a_table(house, holes=9)
    for hole in (1, 2):
        ann.is_cut_at_closing = True
        while len(eve.events("hole_started")) < hole:
            await trio.sleep(1)
            await eve.poll()
        assert eve.events("hole_started")[-1]["unrevealed"] == ["A"]
        ann.is_down = ann.is_cut_at_closing = False
        await trio.sleep(16)
        said = [sentence for sentence in ann.client.news if "DEALT WITHOUT YOUR TEXT" in sentence]
        assert len(said) == hole
        assert said[-1].startswith(
            f"Hole {hole} of match m1: {LEFT_OUT}; your connection was lost just then."
        )
        assert said[-1].endswith(f"Such holes so far: {hole}.")
        await hole_played([eve])
    await eve.poll()
    assert eve.events("left")[-1]["seat"] == "A"
    assert ann.client.is_over


@pytest.mark.settings(seed=4, pause=3)
async def test_a_bot_does_not_wait_forever_if_its_text_never_arrives(house: House) -> None:
    ann, eve = await at_a_table(house, holes=2)
    ann.is_swallowing = True
    await trio.sleep(10)
    await eve.poll()
    assert eve.events("hole_started")[0]["unrevealed"] == ["A"]
    with trio.move_on_after(1200) as waiting:
        while not eve.events("match_ended"):
            await trio.sleep(5)
            await eve.poll()
            if "ready" in eve.last("prompt")["actions"]:
                await eve.ask("ready")
    assert not waiting.cancelled_caught
    assert len(ann.attempts) == 2
    assert any(event.name == "hole_ended" for event in ann.client.played)
    assert (len(ann.witness.left_out), ann.witness.problems) == (1, [])


@pytest.mark.settings(seed=4, pause=3)
async def test_a_bot_leaves_if_its_text_is_replaced(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    cheat(monkeypatch, "another sealed text")
    task = Task(rules="four-turn", options=("seats=2", "holes=9"))
    bots = [RemoteBot(house.line, task, name, seals=True) for name in ("Ann", "Bea")]
    for bot in bots:
        house.nursery.start_soon(bot.runner.run)
    await trio.sleep(300)
    cheated = [each for each in bots if each.witness.problems]
    assert cheated
    for bot in cheated:
        assert bot.client.is_over
        assert any("THE DEAL IS NOT WHAT WAS PROMISED" in sentence for sentence in bot.client.news)


@pytest.mark.parametrize(("holes", "problems", "status"), [(1, 0, 0), (2, 0, 3), (0, 1, 3)])
def test_the_exit_status_shows_broken_promises_about_deals(
    golfnet: Golfnet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, holes: int, problems: int, status: int
) -> None:
    def run(until: object, runner: Any) -> None:
        witness = runner._client._witness
        witness._keep("m1", b"{}")
        witness.left_out += [f"Hole {hole}: {LEFT_OUT}." for hole in range(1, holes + 1)]
        witness.problems += ["Hole 1 of match m1: the seed does not fit."] * problems

    monkeypatch.setattr(trio, "run", run)
    ran = golfnet("bot", "--connect", "127.0.0.1:1", "--quiet", "--seen", tmp_path)
    assert ran.status == status
    assert ran.err.count(LEFT_OUT) == holes
    assert ("may have chosen 2 deals" in ran.err) == (holes == 2)
    alarm = "THE DEAL IS NOT WHAT WAS PROMISED. Hole 1 of match m1: the seed does not fit."
    assert ran.err.count(alarm) == problems
    assert (f"see {next(tmp_path.iterdir())}" in ran.err) == (status == 3)
