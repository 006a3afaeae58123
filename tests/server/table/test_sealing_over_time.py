"""Sealed cuts across stops, pauses and older servers."""

import random
from functools import partial

import msgspec
import pytest
import trio
import trio.testing

from golfnet.engine import match as matches
from golfnet.engine.fairdeal import Scheme
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.verification import verify
from tests.server.house import House, all_done, hole_played, open_house, play_at_random
from tests.server.table.seals import TEXT, sealed, sealing_closed, seated


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
