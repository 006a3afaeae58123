"""A bot seals its cuts, and leaves a server whose deals are not what was promised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.lowlevel

from golfnet.cli.bot.task import Task
from golfnet.cli.main import main
from tests.cli.bot.remote_bots import RemoteBot
from tests.server.house import open_house
from tests.server.test_witness import CHEATS, choosing

if TYPE_CHECKING:
    from pathlib import Path

    from golfnet.cli.bot.runner import BotRunner


async def test_bots_seal_and_send_their_texts_without_delay(autojump_clock: object) -> None:
    async with open_house(seed=4, pause=3) as house, trio.open_nursery() as nursery:
        task = Task(rules="six-card-final", options=("seats=3", "holes=2"), matches=1)
        bots = [RemoteBot(house, task, names=(name,), seals=True) for name in ("Ann", "Bea", "Cem")]
        for bot in bots:
            nursery.start_soon(bot.runner.run)
    for bot in bots:
        assert bot.witness is not None
        assert bot.witness.problems == []
        assert not bot.client.problem
        assert not [line for line, _ in bot.client.refusals if (line or "").startswith(("seal", "cut"))]
        ended = [event for event in bot.client.played if event.name == "hole_ended"]
        assert len(ended) == 2
        for event in ended:
            assert all(len(cut) == 32 for cut in event.cuts)  # type: ignore[union-attr]


async def test_a_bot_that_loses_its_connection_between_seal_and_text_raises_no_alarm(
    autojump_clock: object,
) -> None:
    async with open_house(seed=4, pause=3) as house, trio.open_nursery() as nursery:
        task = Task(rules="four-turn", options=("seats=2", "holes=1"), matches=1)
        ann = RemoteBot(house, task, names=("Ann",), seals=True)
        nursery.start_soon(ann.runner.run)
        await trio.sleep(0.1)
        eve = await house.program("Eve")
        await eve.done("join t1")
        await ann.cut()
        await eve.done("ready")
        await eve.poll()
        assert eve.events("hole_started")[0]["unrevealed"] == ["A"]
        await trio.sleep(20)
        await eve.done("leave")
        await trio.sleep(300)
        nursery.cancel_scope.cancel()
    assert ann.witness is not None
    assert ann.witness.problems == []
    assert any(event.name == "hole_ended" for event in ann.client.played)


@pytest.mark.parametrize("how", ["another sealed text", "own text left out"])
async def test_a_bot_leaves_where_a_cut_was_chosen_after_its_own_was_sent(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    choosing(CHEATS[how][0])(monkeypatch)
    async with open_house(seed=4, pause=3) as house, trio.open_nursery() as nursery:
        task = Task(rules="four-turn", options=("seats=2", "holes=9"))
        bots = [RemoteBot(house, task, names=(name,), seals=True) for name in ("Ann", "Bea")]
        for bot in bots:
            nursery.start_soon(bot.runner.run)
        await trio.sleep(300)
        cheated = [each for each in bots if each.witness is not None and each.witness.problems]
        assert cheated
        for bot in cheated:
            assert bot.client.is_over
            assert any("THE DEAL IS NOT WHAT WAS PROMISED" in sentence for sentence in bot.notifications)
        nursery.cancel_scope.cancel()


def test_the_exit_status_shows_that_a_deal_did_not_match_its_commitment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def run(until: Any, runner: BotRunner) -> None:
        witness = runner._client._witness
        assert witness is not None
        assert witness._keep is not None
        witness._keep("m1", b"{}")
        witness.problems.append("Hole 1 of match m1: the seed does not fit.")

    monkeypatch.setattr(trio, "run", run)
    assert main(["bot", "--connect", "127.0.0.1:1", "--quiet", "--seen", str(tmp_path)]) == 3
    error = capsys.readouterr().err
    assert "THE DEAL IS NOT WHAT WAS PROMISED. Hole 1 of match m1: the seed does not fit." in error
    assert f"see {next(tmp_path.iterdir())}" in error
