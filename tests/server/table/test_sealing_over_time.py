"""Sealed cuts across restarts, stops, pauses and older servers, and in any order of actions."""

import random
from functools import partial

import msgspec
import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st

from golfnet.engine import fairdeal
from golfnet.engine import match as matches
from golfnet.engine.fairdeal import Scheme
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.verification import verify
from tests.server.following import Follower
from tests.server.house import House, hole_played, open_house, play_at_random
from tests.server.table.seals import OTHER, TEXT, all_ready, sealed, sealing_closed, seated


async def test_a_restart_while_texts_are_sent_loses_nothing(autojump_clock: object) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        ann, bob, _ = await sealing_closed(house, "Ann", "Bob", "Cid", sealers=2)
        await ann.done(f"cut {TEXT}")
        seals = ann.events("seals_closed")[0]["seals"]
    async with open_house(store=store) as house:
        await trio.sleep(20)
        again = await house.resumed(bob)
        view = again.last("view")
        assert [seat.get("seal") for seat in view["seats"]] == seals
        assert [seat.get("told", False) for seat in view["seats"]] == [True, False, False]
        assert not again.events("hole_started")
        assert (await again.ask(f"seal {sealed('Bob', OTHER)}"))["code"] == "BAD_PHASE"
        await again.done(f"cut {TEXT}")
        assert again.events("hole_started")[0]["unrevealed"] == []


async def test_after_a_restart_nobody_is_awaited_endlessly(autojump_clock: object) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        _, bob = await sealing_closed(house, "Ann", "Bob", sealers=1)
    async with open_house(store=store) as house:
        again = await house.resumed(bob)
        await trio.sleep(34)
        assert again.events("hole_started")[0]["unrevealed"] == ["A"]


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
                await all_ready(before)
            assert "deal" not in before[0].events("committed")[0]
    async with open_house(store=store) as house:
        programs = ann, _ = [await house.resumed(program) for program in before]
        assert ann.last("view")["deal"] == "golfnet-deal-v1"
        if not is_playing:
            assert (await ann.ask(f"seal {sealed('Ann')}"))["code"] == "NOT_AVAILABLE"
            await ann.done("cut seven")
            await all_ready(programs)
        await hole_played(programs)
        assert "seals" not in ann.events("hole_ended")[0]
        assert ann.events("committed")[-1]["deal"] == "golfnet-deal-v2"
        await ann.done(f"seal {sealed('Ann', hole=2)}")
        await all_ready(programs)
        await ann.done(f"cut {TEXT}")
        await play_at_random(programs, random.Random(1))
    record = list(store.record("m1") or ())
    assert verify(record).finished
    holes = [line for line in map(msgspec.json.decode, record) if "deck" in line]
    assert [hole.get("deal") for hole in holes] == [None, "golfnet-deal-v2"]
    assert ["seals" in hole for hole in holes] == [False, True]


DOINGS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.sampled_from(["seal", "reseal", "cut", "tell", "wrong", "drop", "back", "ready", "wait", "leave"]),
    ),
    max_size=25,
)


@settings(max_examples=15, deadline=None)
@given(DOINGS)
def test_the_deal_is_correct_in_any_order_of_sealing_sending_and_dropping(
    doings: list[tuple[int, str]],
) -> None:
    trio.run(any_order, doings, clock=trio.testing.MockClock(autojump_threshold=0))


async def any_order(doings: list[tuple[int, str]]) -> None:
    names = ("Ann", "Bob", "Cid")
    async with open_house() as house:
        programs = await seated(house, *names, holes=1)
        watcher = await house.program("Eve", "watch t1")
        followers = [Follower(program) for program in (watcher, *programs)]
        away: set[int] = set()
        for seat, doing in doings:
            program = programs[seat]
            if doing == "wait":
                await trio.sleep(4)
            elif doing == "back" and seat in away:
                programs[seat] = await house.program()
                programs[seat].token = program.token
                if (await programs[seat].ask(f"resume {program.token}"))["type"] == "ok":
                    away.discard(seat)
            elif seat not in away and doing == "drop":
                await program.drop()
                away.add(seat)
                followers = [each for each in followers if each.peer is not program]
            elif seat not in away and doing != "back":
                await program.ask(line_for(doing, names[seat]))
                if doing == "leave":
                    followers = [each for each in followers if each.peer is not program]
            if "t1" in house.lobby.tables:
                for follower in followers:
                    await follower.compare()
        table = house.lobby.tables.get("t1")
        if table is None or table.match.started is None:
            return
        await trio.sleep(60)
        assert table.view(None).sealing_ms is None
        started, name_of = table.match.started, table.seating.names
        assert started.seals is not None
        for seat, (cut, seal) in enumerate(zip(started.cuts, started.seals, strict=True)):
            assert (seat in (started.unrevealed or ())) == (seal is not None and not cut)
            assert seal is None or not cut or fairdeal.seal("m1", 1, name_of[seat], cut) == seal


def line_for(doing: str, name: str) -> str:
    return {
        "seal": f"seal {sealed(name)}",
        "reseal": f"seal {sealed(name, OTHER)}",
        "cut": "cut open words",
        "tell": f"cut {TEXT}",
        "wrong": "cut no sealed text at all",
        "ready": "ready",
        "leave": "leave",
    }[doing]
