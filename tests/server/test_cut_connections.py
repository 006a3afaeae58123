"""Attacks that keep a sealed text out of the deal by cutting its player's connection, and who is told about them."""

import random
from pathlib import Path

import pytest
import trio

from golfnet.cli.main import main
from golfnet.engine import fairdeal
from tests.server.house import House, Program
from tests.server.witnesses import Careful, best_text

LOST = "THIS HOLE WAS DEALT WITHOUT YOUR TEXT; your connection was lost just then."
LATE = "THIS HOLE WAS DEALT WITHOUT YOUR TEXT; your text did not arrive in time."


async def opened(house: House, *, holes: int) -> tuple[Careful, Program]:
    """Open a table; return its two players: an honest one, and an accomplice of the server's operator."""
    [eve] = await house.opened(f"four-turn holes={holes} seats=2 clock=0", "Eve")
    ann = Careful(await house.program("Ann"))
    await ann.program.done("join t1")
    await ann.attend()
    return ann, eve


async def attack(house: House, ann: Careful, eve: Program, *, hole: int = 1) -> str:
    """Seal the accomplice's best text without the victim's, and cut the victim off as soon as sealing is closed."""
    text = best_text(house.lobby.tables["t1"], 0, ("", ""))
    await eve.done(f"seal {fairdeal.seal('m1', hole, 'Eve', text)}")
    await ann.program.done("ready")
    await eve.done("ready")
    assert eve.events("seals_closed")
    await ann.program.drop()
    await eve.done(f"cut {text}")
    return text


async def swallowed(house: House) -> tuple[Careful, Program]:
    """Let the honest player send a text that never arrives."""
    ann, eve = await opened(house, holes=2)
    await ann.program.done("ready")
    await eve.done("ready")

    async def lost(text: str | bytes) -> None:
        assert str(text).startswith("cut ")

    sending, ann.program.send = ann.program.send, lost  # type: ignore[method-assign]
    await ann.attend()
    ann.program.send = sending  # type: ignore[method-assign]
    return ann, eve


async def back(house: House, ann: Careful) -> None:
    await ann.come_back(house)
    await ann.attend()


async def play_hole(ann: Careful, eve: Program, hole: int) -> None:
    chance = random.Random(2)
    for _ in range(1000):
        await trio.sleep(0.1)
        for program in (eve, ann.program):
            await program.poll()
            if program.is_closed:
                continue
            if len(eve.events("hole_ended")) == hole:
                await ann.attend()
                return
            actions = program.last("prompt")["actions"]
            if actions and "ready" not in actions:
                await program.ask(chance.choice(actions))
        await ann.attend()
    raise AssertionError("the hole did not end")


async def test_a_text_missing_because_of_an_attack_is_reported_to_its_player_and_in_the_record(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = house.lobby.store
    ann, eve = await opened(house, holes=2)
    for hole in (1, 2):
        await attack(house, ann, eve, hole=hole)
        await trio.sleep(11)
        assert eve.events("hole_started")[-1]["unrevealed"] == ["B"]
        await back(house, ann)
        assert ann.witness.left_out[hole - 1 :] == [f"Hole {hole} of match m1: {LOST}"]
        await play_hole(ann, eve, hole)
    assert len(ann.witness.left_out) == 2
    assert ann.witness.problems == []
    record, seen = tmp_path / "record", tmp_path / "seen"
    record.write_bytes(b"".join(store.record("m1") or ()))
    seen.write_bytes(b"".join(line + b"\n" for line in ann.kept["m1"]))
    assert main(["verify", str(record), "--seen", str(seen)]) == 0
    said = capsys.readouterr().out.splitlines()
    for hole in (1, 2):
        assert f"{record}: hole {hole}: dealt without the sealed text of B (Ann)" in said
        assert f"{seen}: hole {hole}: dealt without a sealed text from you, B (Ann)" in said


@pytest.mark.parametrize("sees_end", [True, False])
async def test_a_text_lost_with_the_connection_is_reported_missing_but_proves_no_cheating(
    house: House, *, sees_end: bool
) -> None:
    ann, eve = await swallowed(house)
    await ann.program.drop()
    await trio.sleep(11)
    if sees_end:
        await back(house, ann)
        assert ann.witness.left_out == []  # the text may have arrived
        await play_hole(ann, eve, 1)
        assert ann.witness.left_out == [f"Hole 1 of match m1: {LOST}"]
    else:
        await trio.sleep(200)  # the house plays
        await eve.done("look")
        await play_hole(ann, eve, 1)
        await back(house, ann)
        [said] = ann.witness.left_out
        assert "DEALT WITHOUT YOUR TEXT; as far as you were shown" in said
    assert ann.witness.problems == []


async def test_a_text_that_arrives_too_late_is_reported_missing_but_proves_no_cheating(house: House) -> None:
    ann, eve = await swallowed(house)
    await trio.sleep(4)
    await ann.attend()
    assert ann.witness.left_out == [f"Hole 1 of match m1: {LATE}"]
    await play_hole(ann, eve, 1)
    assert (len(ann.witness.left_out), ann.witness.problems) == (1, [])
