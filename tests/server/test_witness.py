"""A program's witness, which checks that deals are as committed: it misses no cheating and raises no false alarm."""

import random
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
import trio.testing
from hypothesis import given, strategies as st

from golfnet.cli.main import main
from golfnet.engine import fairdeal, match as matches
from golfnet.engine.fairdeal import Scheme
from golfnet.engine.frozen import replaced
from golfnet.protocol.replies import data
from golfnet.protocol.witness import MOST_PROBLEMS, Witness
from golfnet.server.table.sealing import Sealing
from tests.server.house import House, Program, open_house, play_at_random
from tests.server.witnesses import Careful, attend, careful_table, play, ready


async def test_an_honest_match_raises_no_alarm_and_has_everybodys_text(house: House) -> None:
    create = "six-card-final holes=2 dealer=random jokers=2 seats=3"
    players = await careful_table(house, create, "Ann", "Bob", "Cid")
    await ready(players)
    await play(players, random.Random(3))
    assert [player.witness.problems for player in players] == [[], [], []]
    for ended in players[0].program.events("hole_ended"):
        assert all(len(cut) == 32 for cut in ended["cuts"])
        assert None not in ended["seals"]
    for started in players[0].program.events("hole_started"):
        assert started["unrevealed"] == []


@pytest.mark.settings(seed=5)
async def test_losing_the_connection_at_any_time_raises_no_alarm(house: House) -> None:
    players = await careful_table(house, "cactus holes=3 seats=2 slam=order", "Ann", "Bob")
    chance = random.Random(7)
    await ready(players)
    programs = [player.program for player in players]

    async def listen() -> None:
        if chance.random() < 0.08:
            await chance.choice(players).come_back(house)
            programs[:] = [player.program for player in players]
        await attend(players)

    await play_at_random(
        programs, chance, listen, until=lambda: any(each.events("match_ended") for each in programs)
    )
    assert [player.witness.problems for player in players] == [[], []]


async def test_the_players_words_become_part_of_the_sealed_text(house: House) -> None:
    players = ann, bob = await careful_table(house, "four-turn holes=1 seats=2", "Ann", "Bob")
    assert ann.witness.add('"a red\u200b  nose"')
    assert bob.witness.add("ö" * 150)
    await attend(players)
    await ready(players)
    assert not ann.witness.add("too late")
    await play(players, random.Random(1))
    [ended] = ann.program.events("hole_ended")
    assert ended["cuts"][0].startswith('"a red  nose" ')
    assert len(ended["cuts"][1].encode()) <= 200
    assert ann.witness.problems == bob.witness.problems == []


async def test_a_text_sealed_by_hand_is_left_alone(house: House) -> None:
    text = "by hand, with sixteen bytes"
    players = ann, bob = await careful_table(house, "four-turn holes=1 seats=2", "Ann", "Bob")
    await ann.program.done(f"seal {fairdeal.seal('m1', 1, 'Ann', text)}")
    await ready(players)
    assert not bob.program.events("hole_started")
    await ann.program.done(f"cut {text}")
    await play(players, random.Random(1))
    assert ann.program.events("hole_ended")[0]["cuts"][0] == text
    assert ann.witness.problems == []


async def test_nothing_is_sealed_unless_both_sides_can(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seals, scheme in (("Ann", False, Scheme.V2), ("Bob", True, Scheme.V1)):
        monkeypatch.setattr(matches.commit, "__defaults__", (scheme,))
        player = Careful(await house.program(name), seals=seals)
        await player.program.done("create four-turn seats=2")
        await player.attend()
        assert not player.program.events("sealed")


# --- attackers who cut the connection of a player whose text is sealed


ACCOMPLICE = "the text that gives an accomplice the best cards"

LOST = "THIS HOLE WAS DEALT WITHOUT YOUR TEXT; your connection was lost just then."
LATE = "THIS HOLE WAS DEALT WITHOUT YOUR TEXT; your text did not arrive in time."


async def opened(house: House, *, holes: int) -> tuple[Careful, Program]:
    """Open a table; return its two players: an honest one, and an accomplice of the server's operator."""
    [eve] = await house.opened(f"four-turn holes={holes} seats=2 clock=0", "Eve")
    ann = Careful(await house.program("Ann"))
    await ann.program.done("join t1")
    await ann.attend()
    return ann, eve


async def swallowed(house: House) -> tuple[Careful, Program]:
    """Let the honest player send a text that never arrives."""
    ann, eve = await opened(house, holes=2)
    await ann.program.done("ready")
    await eve.done("ready")
    ann.loses_texts = True
    await ann.attend()
    ann.loses_texts = False
    return ann, eve


async def play_hole(ann: Careful, eve: Program, hole: int) -> None:
    async def listen() -> None:
        await eve.poll()
        await ann.attend()

    await play_at_random(
        [eve, ann.program], random.Random(2), listen, until=lambda: len(eve.events("hole_ended")) == hole
    )


async def test_a_text_missing_because_of_an_attack_is_reported_to_its_player_and_in_the_record(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = house.lobby.store
    ann, eve = await opened(house, holes=2)
    for hole in (1, 2):
        await eve.done(f"seal {fairdeal.seal('m1', hole, 'Eve', ACCOMPLICE)}")
        await ann.program.done("ready")
        await eve.done("ready")
        assert eve.events("seals_closed")
        await ann.program.drop()
        await eve.done(f"cut {ACCOMPLICE}")
        await trio.sleep(11)
        assert eve.events("hole_started")[-1]["unrevealed"] == ["B"]
        await ann.come_back(house)
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
async def test_a_text_lost_with_the_connection_is_reported_missing(house: House, *, sees_end: bool) -> None:
    ann, eve = await swallowed(house)
    await ann.program.drop()
    await trio.sleep(11)
    if sees_end:
        await ann.come_back(house)
        assert ann.witness.left_out == []  # the text may have arrived
        await play_hole(ann, eve, 1)
        assert ann.witness.left_out == [f"Hole 1 of match m1: {LOST}"]
    else:
        await trio.sleep(200)  # the house plays
        await eve.done("look")
        await play_hole(ann, eve, 1)
        await ann.come_back(house)
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


# --- servers that cheat


CHEATS = {
    "another sealed text": "the seal of Bob was changed after sealing was closed",
    "another open text": "the text of Cid was changed after sealing was closed",
    "own text left out": "your own text was sent but is not in the deal",
    "own seal left out": "the seal of Ann was changed after sealing was closed",
}
"""How a server changes texts once it knows all of them, and what Ann's witness says about it."""


def cheat(monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """Let servers cheat in one of the ways in ``CHEATS``."""
    honest = Sealing.take

    def take(sealing: Sealing) -> Any:
        chairs, promised = [chair for chair in sealing._table.seating], sealing._table.match.next_deal
        assert promised is not None
        match how:
            case "another sealed text":
                chairs[1].cut = ACCOMPLICE
                chairs[1].seal = fairdeal.seal(promised.match, promised.hole, chairs[1].name, ACCOMPLICE)
            case "another open text":
                chairs[2].cut = ACCOMPLICE
            case "own text left out":
                chairs[0].cut = ""
            case "own seal left out":
                chairs[0].cut, chairs[0].seal = "", None
        return honest(sealing)

    monkeypatch.setattr(Sealing, "take", take)


@pytest.mark.parametrize("how", CHEATS)
async def test_changed_texts_are_found_out(house: House, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    cheat(monkeypatch, how)
    ann, bob = await careful_table(house, "four-turn holes=1 seats=3", "Ann", "Bob")
    cid = Careful(await house.program("Cid"), seals=False)
    await cid.program.done("join t1", "cut in the open")
    players = [ann, bob, cid]
    await ready(players)
    assert ann.program.events("hole_started")
    await play(players, random.Random(2))
    assert f"Hole 1 of match m1: {CHEATS[how]}." in ann.witness.problems


async def test_a_seed_that_was_not_committed_is_found(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = matches.deal

    def deal(match: matches.Match, *texts: Any) -> matches.Step:
        assert match.next_deal is not None
        return honest(match._replace(next_deal=replaced(match.next_deal, seed=bytes(32))), *texts)

    monkeypatch.setattr(matches, "deal", deal)
    players = await careful_table(house, "four-turn holes=1 seats=2", "Ann", "Bob")
    await ready(players)
    await play(players, random.Random(2))
    for player in players:
        assert "the seed does not match the commitment that was announced" in player.witness.problems[0]


# --- servers that send garbage


@cache
def honest_objects() -> list[dict[str, Any]]:
    """Return everything that one player in an honest match was sent."""

    async def record() -> list[dict[str, Any]]:
        async with open_house() as house:
            players = await careful_table(house, "cactus holes=1 recall=always seats=2", "Ann", "Bob")
            await ready(players)
            await play(players, random.Random(3))
            return players[0].program.objects

    return trio.run(record, clock=trio.testing.MockClock(autojump_threshold=0))


def witnessed(things: list[dict[str, Any]]) -> Witness:
    """Return a witness who has received the objects, except those that are invalid."""
    witness = Witness(entropy=random.Random(1).randbytes, keep=lambda match, line: None)
    for thing in things:
        with suppress(msgspec.MsgspecError):
            if (reply := data.decode(msgspec.json.encode(thing))) is not None:
                witness.receive(reply)
                assert all(line.startswith(("seal ", "cut ")) for line in witness.lines)
    return witness


def test_a_card_that_the_promised_deck_does_not_give_is_found() -> None:
    things = honest_objects()
    at = next(at for at, thing in enumerate(things) if thing.get("event") == "swapped")
    other = things[at] | {"discard": "2C"}
    (problem,) = witnessed([*things[:at], other, *things[at + 1 :]]).problems
    assert "the deck does not give what was shown" in problem
    assert witnessed(things).problems == []


def garbled(things: list[dict[str, Any]], chance: random.Random) -> list[dict[str, Any]]:
    """Return the objects with some omitted, duplicated or moved, and some values replaced by others."""
    things = [dict(thing) for thing in things]
    for _ in range(chance.randint(1, 6)):
        at, other = chance.randrange(len(things)), chance.randrange(len(things))
        match chance.choice(("drop", "double", "move", "value", "value", "empty", "seats")):
            case "drop":
                del things[at]
            case "double":
                things.insert(other, things[at])
            case "move":
                things[at], things[other] = things[other], things[at]
            case "value":
                shared = [key for key in things[at] if key in things[other] and key != "type"]
                for key in shared[:1]:
                    things[at][key] = things[other][key]
            case "empty":
                lists = [key for key, value in things[at].items() if isinstance(value, list)]
                for key in lists[:1]:
                    things[at][key] = []
            case "seats":
                for key in {"seat", "you", "dealer", "slot", "by"} & things[at].keys():
                    things[at][key] = chance.choice(("L", "A", 99, None))
    return things


@given(st.randoms(use_true_random=False))
def test_nothing_a_server_sends_makes_the_witness_fail(chance: random.Random) -> None:
    assert len(witnessed(garbled(honest_objects(), chance)).problems) <= MOST_PROBLEMS
