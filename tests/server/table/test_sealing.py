"""Sealed cuts: players send them once all are sealed; the table waits 3 seconds, or 10 if somebody is away."""

import hashlib
import random
from functools import partial

import msgspec
import pytest
import trio

from golfnet.engine import match as matches
from golfnet.engine.fairdeal import Scheme
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.verification import verify
from tests.server.house import House, Program, all_done, hole_played, open_house, play_at_random

TEXT = "a text that nobody guesses"
OTHER = "another text nobody guesses"


def sealed(name: str, text: str = TEXT, *, match: str = "m1", hole: int = 1) -> str:
    """Return a seal, computed as it would be in a shell."""
    return hashlib.sha256(f"golfnet-deal-v2 seal\n{match}\n{hole}\n{name}\n{text}".encode()).hexdigest()


async def seated(house: House, *names: str, holes: int = 2) -> list[Program]:
    return await house.opened(f"four-turn seats={len(names)} holes={holes} clock=0", *names)


async def sealing_closed(house: House, *names: str, sealers: int = 9) -> list[Program]:
    """Seat programs, seal a text for all of them or for the first ``sealers``, and close sealing."""
    programs = await seated(house, *names)
    for program in programs[:sealers]:
        await program.done(f"seal {sealed(program.name)}")
    await all_done(programs, "ready")
    return programs


async def test_sealed_texts_are_sent_once_all_are_sealed_and_then_the_hole_is_dealt(house: House) -> None:
    ann, bob, cid = programs = await seated(house, "Ann", "Bob", "Cid", holes=1)
    eve = await house.program("Eve", "watch t1")
    committed = ann.events("committed")[0]
    assert committed["deal"] == "golfnet-deal-v2"
    await ann.done(f"seal {sealed('Ann', OTHER)}", f"seal {sealed('Ann')}")
    for text in ("replaced", '"in the open"'):
        await bob.done(f"cut {text}")
    await cid.done(f"seal {sealed('Cid', OTHER)}")
    shown = ann.events("sealed")[-1]
    assert (shown["seat"], shown["name"], shown["seal"]) == ("C", "Cid", sealed("Cid", OTHER))
    for program in (ann, cid, eve):
        await program.ask("seal")
        assert "in the open" not in str(program.objects), "no text is shown before sealing is closed"
    await all_done(programs, "ready")
    [closed] = bob.events("seals_closed")
    assert closed["seals"] == [sealed("Ann"), None, sealed("Cid", OTHER)]
    assert (closed["cuts"], closed["ms"]) == (["", "in the open", ""], 3000)
    assert not bob.events("hole_started")
    assert (bob.last("prompt")["actions"], bob.last("prompt")["ms"]) == ([], 3000)
    assert (await ann.ask("cut not the text that was sealed"))["code"] == "CUT_MISMATCH"
    await ann.done(f"cut {TEXT}")
    began = trio.current_time()
    await cid.done(f'cut "{OTHER}"')
    assert trio.current_time() == began
    assert [event["seat"] for event in bob.events("cut")] == ["B", "B", "A", "C"]
    [started] = bob.events("hole_started")
    assert started["unrevealed"] == []
    await hole_played(programs)
    [ended] = ann.events("hole_ended")
    assert ended["cuts"] == [TEXT, "in the open", OTHER]
    assert ended["seals"] == closed["seals"]
    assert started["commitment"] == committed["commitment"]
    record = list(house.lobby.store.record("m1") or ())
    assert len(verify(record).match.scores) == 1


async def test_a_seal_is_for_one_hole_and_the_end_of_the_pause_closes_sealing(house: House) -> None:
    ann, bob = programs = await seated(house, "Ann", "Bob")
    await all_done(programs, "ready")
    assert (await ann.ask(f"seal {sealed('Ann')}"))["code"] == "BAD_PHASE"
    await hole_played(programs)
    await ann.done(f"seal {sealed('Ann', hole=2)}")
    await trio.sleep(16)
    assert len(bob.events("seals_closed")) == 1
    await ann.done(f"cut {TEXT}")
    assert bob.events("hole_started")[-1] | {"hole": 2, "unrevealed": []} == bob.events("hole_started")[-1]


async def test_a_sealed_text_has_16_to_200_bytes(house: House) -> None:
    texts = {"Ann": "x" * 15, "Bob": "x" * 16, "Cid": "x" * 200, "Dan": "x" * 201}
    programs = await seated(house, *texts)
    for program in programs:
        await program.done(f"seal {sealed(program.name, texts[program.name])}")
    await all_done(programs, "ready")
    codes = [await program.codes(f"cut {texts[program.name]}") for program in programs]
    assert codes == [["BAD_ARGUMENT"], ["ok"], ["ok"], ["BAD_ARGUMENT"]]
    assert not programs[0].events("hole_started")


async def test_a_text_counts_if_its_player_returns_and_sends_it_within_ten_seconds(house: House) -> None:
    ann, bob = await sealing_closed(house, "Ann", "Bob")
    await bob.done(f"cut {TEXT}")
    await ann.drop()
    await trio.sleep(9.9)
    again = await house.resumed(ann)
    assert again.last("view")["sealing_ms"] == 100
    await again.done(f"cut {TEXT}")
    assert again.events("hole_started")[0]["unrevealed"] == []


async def test_the_wait_for_a_player_already_away_begins_when_sealing_closes(house: House) -> None:
    programs = ann, bob = await seated(house, "Ann", "Bob")
    await all_done(programs, "ready")
    await hole_played(programs)
    await ann.done(f"seal {sealed('Ann', hole=2)}")
    await ann.drop()
    await bob.done("ready")
    assert bob.events("seals_closed")[0]["ms"] == 10_000
    assert "notice" not in [thing["type"] for thing in bob.objects[-4:]]
    await trio.sleep(10.1)
    assert bob.events("hole_started")[-1]["unrevealed"] == ["A"]


async def test_seats_played_by_the_house_or_given_up_are_not_awaited(house: House) -> None:
    ann, bob, cid = await sealing_closed(house, "Ann", "Bob", "Cid")
    await cid.done(f"cut {TEXT}")
    await bob.done("leave")
    began = trio.current_time()
    for drop in (1, 2, 3):  # with the third drop the house plays
        assert not cid.events("hole_started")
        await ann.drop()
        if drop < 3:
            ann = await house.resumed(ann)
    assert cid.events("hole_started")[0]["unrevealed"] == ["A", "B"]
    assert trio.current_time() == began


async def test_a_seal_whose_owner_has_left_does_not_count(house: House) -> None:
    ann, bob, cid = programs = await seated(house, "Ann", "Bob", "Cid")
    await all_done(programs, "ready")
    await hole_played(programs)
    await bob.done(f"seal {sealed('Bob', hole=2)}", "leave")
    await all_done((ann, cid), "ready")
    assert len(cid.events("hole_started")) == 2
    assert not cid.events("seals_closed")


async def test_a_persons_program_gets_what_it_needs_for_sealing_alongside_the_text(house: House) -> None:
    eve, ann = await house.person("Eve"), await house.program("Ann")
    word = "w" * 20
    assert "BAD_ARGUMENT" in await eve.say(f"objects {word} everything")
    await eve.say(f"objects {word} table")
    await eve.say("create four-turn seats=2")
    await ann.done("join t1", f"seal {sealed('Ann')}")
    told = (await eve.take()).decode().splitlines()
    objects = [msgspec.json.decode(line.removeprefix(word)) for line in told if line.startswith(word)]
    assert [thing["event"] for thing in objects if thing["type"] == "event"] == ["seated", "sealed"]
    assert not [line for line in told if not line.startswith(word) and "seals" in line]
    said = await eve.say("look")
    assert f'{word} {{"type":"view"' in said


# --- stops, pauses and older servers


async def test_stopping_does_not_deal_before_the_texts_are_sent(autojump_clock: object) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        ann, _ = await sealing_closed(house, "Ann", "Bob", sealers=1)
        house.lobby.drain()
        house.lobby.stop()
        await trio.sleep(1)
        assert house.lobby.tables["t1"].hole is None
    async with open_house(store=store) as house:
        again = await house.resumed(ann)
        await again.done(f"cut {TEXT}")
        assert again.events("hole_started")[0]["unrevealed"] == []


async def test_after_a_pause_the_wait_for_texts_starts_again(house: House) -> None:
    ann, _ = await sealing_closed(house, "Ann", "Bob", sealers=1)
    house.lobby.pause("the disk is full")
    await trio.sleep(60)
    assert (await ann.ask(f"cut {TEXT}"))["code"] == "PAUSED"
    assert not ann.events("hole_started")
    house.lobby.resume()
    await trio.sleep(2)
    await ann.done(f"cut {TEXT}")
    assert ann.events("hole_started")[0]["unrevealed"] == []


@pytest.mark.parametrize("is_playing", [False, True])
async def test_a_hole_committed_by_an_older_server_is_dealt_as_committed_and_the_next_one_has_seals(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch, *, is_playing: bool
) -> None:
    store = MemoryStore()
    with monkeypatch.context() as older:
        older.setattr(matches, "commit", partial(matches.commit, scheme=Scheme.V1))
        async with open_house(store=store) as house:
            before = await seated(house, "Ann", "Bob")
            if is_playing:
                await all_done(before, "ready")
            assert "deal" not in before[0].events("committed")[0]
    async with open_house(store=store) as house:
        programs = ann, _ = [await house.resumed(program) for program in before]
        assert ann.last("view")["deal"] == "golfnet-deal-v1"
        if not is_playing:
            assert (await ann.ask(f"seal {sealed('Ann')}"))["code"] == "NOT_AVAILABLE"
            await ann.done("cut seven")
            await all_done(programs, "ready")
        await hole_played(programs)
        assert "seals" not in ann.events("hole_ended")[0]
        assert ann.events("committed")[-1]["deal"] == "golfnet-deal-v2"
        await ann.done(f"seal {sealed('Ann', hole=2)}")
        await all_done(programs, "ready")
        await ann.done(f"cut {TEXT}")
        await play_at_random(programs, random.Random(1))
    record = list(store.record("m1") or ())
    assert verify(record).finished
    holes = [line for line in map(msgspec.json.decode, record) if "deck" in line]
    assert [hole.get("deal") for hole in holes] == [None, "golfnet-deal-v2"]
    assert ["seals" in hole for hole in holes] == [False, True]
