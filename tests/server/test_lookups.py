"""Lookups in the store: only the player who asks waits, and an answer is not used if it is out of date by then."""

import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest
import trio
import trio.testing

from golfnet.protocol.errors import Code, Refused
from golfnet.server.accounts.claims import keep_forgetting
from golfnet.server.accounts.passwords import FairQueue
from golfnet.server.lookups import Lookups
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.sqlite import MemoryStore
from tests.server import house as house_module
from tests.server.house import House, open_house


class HeldLookups:
    """Runs queries at once; while ``holds`` is set, keeps their answers back until the test releases them."""

    def __init__(self) -> None:
        self.holds = False
        self.held: list[trio.Event] = []

    async def run(self, query: Callable[[], Any]) -> Any:
        answer = query()
        if self.holds:
            self.held.append(released := trio.Event())
            await released.wait()
        return answer

    async def release(self, *places: int) -> None:
        """Release the held answers in this order; without places, release all, even those held in the meantime."""
        for each in [self.held[place] for place in places] or self.held:
            each.set()
            await trio.testing.wait_all_tasks_blocked()
        self.held = [each for each in self.held if not each.is_set()]


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> HeldLookups:
    held = HeldLookups()
    monkeypatch.setattr(house_module, "run_query", held.run)
    return held


async def test_one_of_two_players_who_request_a_name_at_once_gets_it(house: House, slow: HeldLookups) -> None:
    first, second = await house.program(), await house.program()
    slow.holds = True
    for program in (first, second):
        await program.type("name Ann")
    await slow.release(1, 0)
    assert (await first.poll())[-1]["code"] == "NAME_TAKEN"
    assert (await second.poll())[-1]["name"] == "Ann"


async def test_a_name_taken_and_left_during_a_lookup_is_still_taken(house: House, slow: HeldLookups) -> None:
    """The answer is from before Ann took the name; when it is used, Ann has been stored and has left again."""
    late = await house.program(address="9.9.9.9")
    slow.holds = True
    await late.type("name Ann")
    slow.holds = False
    ann = await house.program("Ann", address="8.8.8.8")
    await ann.done("create six-card seats=2")
    await ann.done("leave")
    await ann.drop()
    await slow.release()
    assert (await late.poll())[-1]["code"] == "NAME_TAKEN"
    assert not house.lobby.accounts._by_skeleton, "it is forgotten once the answer has been used"
    assert (await late.ask("name Ann"))["code"] == "NAME_TAKEN"


async def test_a_guest_deleted_during_a_lookup_is_not_restored(house: House, slow: HeldLookups) -> None:
    ann = await house.program("Ann")
    await ann.drop()  # never sat down: the name is freed in ten minutes
    await trio.sleep(590)
    late = await house.program()
    house.lobby.accounts.by_token.clear()  # so that the token has to be looked up
    slow.holds = True
    await late.type(f"resume {ann.token}")
    await trio.sleep(20)
    await slow.release()
    assert (await late.poll())[-1]["code"] == "BAD_TOKEN"


async def test_a_lookup_for_a_disconnected_peer_has_no_effect(house: House, slow: HeldLookups) -> None:
    ann = await house.program()
    slow.holds = True
    await ann.type("name Ann")
    (session,) = house.lobby.sessions
    session.close(Code.KICKED, "Goodbye.")
    await slow.release()
    assert house.lobby.accounts.find("Ann") is None
    assert house.lobby.store.player_by_name("Ann") is None


async def test_only_the_asker_waits_and_requests_stay_in_order(house: House, slow: HeldLookups) -> None:
    ann, bob = await house.programs("Ann", "Bob")
    slow.holds = True
    await ann.type("1 history all\n2 ping x\n3 stats\n4 ping y")
    assert (await bob.done("ping z"))["key"] == "z"
    assert [thing for thing in await ann.poll() if thing["type"] == "ok"] == []
    await slow.release()
    assert [thing["id"] for thing in await ann.poll() if thing["type"] == "ok"] == [1, 2, 3, 4]


async def test_a_guest_who_returns_during_a_lookup_is_not_deleted(house: House, slow: HeldLookups) -> None:
    [ann] = await house.opened("six-card seats=2", "Ann")
    await ann.done("leave")
    await ann.drop()
    await trio.sleep(100 * 24 * 3600)
    slow.holds = True
    house.nursery.start_soon(keep_forgetting, house.lobby.accounts)
    await trio.testing.wait_all_tasks_blocked()
    slow.holds = False
    again = await house.resumed(ann)
    await again.drop()
    await slow.release()
    assert house.lobby.store.player_by_name("Ann") is not None


@pytest.mark.usefixtures("each_answer")
async def test_a_lookup_in_an_unreadable_store_is_refused_and_the_reason_is_logged(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(player: str) -> None:
        raise StoreError(StoreReason.FAULTY, "The disk answers with an error.")

    ann = await house.program("Ann")
    monkeypatch.setattr(house.lobby.store, "stats", fail)
    with caplog.at_level(logging.ERROR):
        error = await ann.ask("stats")
    assert (error["code"], error["retry"]) == ("PAUSED", True)
    assert "disk" not in error["message"]
    assert "The disk answers with an error." in caplog.text
    await ann.done("ping")


async def test_nobody_waits_forever_for_a_hanging_disk(autojump_clock: object) -> None:
    hangs, told = threading.Event(), list[tuple[Any, Any]]()
    lookups = Lookups(is_immediate=False)
    try:
        with pytest.raises(Refused) as refused:
            await lookups.ask(hangs.wait, lambda answer: None)
        assert refused.value.code is Code.PAUSED
        async with trio.open_nursery() as nursery:  # both queries are run together
            for query in (hangs.wait, lambda: 1):
                lookups.ask_soon(query, lambda *answer: told.append(answer), nursery.start_soon)
        assert [(answer, problem.code) for answer, problem in told] == [(None, Code.PAUSED)] * 2
    finally:
        hangs.set()


async def test_a_callback_that_waits_for_queries_runs_when_earlier_queries_are_done() -> None:
    held, called = HeldLookups(), list[str]()
    held.holds = True
    lookups = Lookups(is_immediate=False, run=held.run)
    async with trio.open_nursery() as nursery:

        async def ask(what: str) -> None:
            await lookups.ask(lambda: what, called.append)

        async def begin(what: str) -> None:
            nursery.start_soon(ask, what)
            await trio.testing.wait_all_tasks_blocked()

        lookups.once_answered(lambda: called.append("nothing to wait for"))
        await begin("first")
        await begin("second")
        lookups.once_answered(lambda: called.append("after both"))
        await begin("third")
        lookups.once_answered(lambda: called.append("after all"))
        await held.release(1, 0)
        assert called == ["nothing to wait for", "second", "first", "after both"]
        await held.release()
        assert called[4:] == ["third", "after all"]


class Observed(MemoryStore):
    """A store that says it is slow; ``readers`` are the threads that have read it."""

    immediate = False

    def __init__(self) -> None:
        super().__init__()
        self.readers: set[int] = set()

    def _all(self, sql: str, *values: Any) -> list[Any]:
        self.readers.add(threading.get_ident())
        return super()._all(sql, *values)


@pytest.mark.usefixtures("quick_passwords")
async def test_a_slow_store_is_never_read_in_the_main_thread() -> None:
    """Runs in real time, as a virtual clock does not wait for threads."""
    store = Observed()
    async with open_house(store=store, clock=0, pause=0) as house:
        house.lobby.evenings = FairQueue(1)
        store.readers.clear()  # the server may read while it starts, since no player is waiting yet
        house.nursery.start_soon(keep_forgetting, house.lobby.accounts)
        ann = await house.program()

        async def answered(line: str) -> None:
            await ann.send(line)
            while True:
                if any(thing["type"] in ("ok", "error") for thing in await ann.poll()):
                    return
                await trio.lowlevel.checkpoint()

        for line in (
            "name Ann", "register seven-hearts", "history all", "history", "history t1", "record m1", "top", "stats",
            "stats Bob", "evening",
        ):  # fmt: skip
            await answered(line)
        ann = await house.program()
        for line in ("resume nonsense", "login Bob wrong", "login Ann seven-hearts"):
            await answered(line)
        assert store.readers
        assert threading.get_ident() not in store.readers


async def test_queries_from_one_turn_are_read_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("golfnet.server.lookups.TOGETHER", 2)
    runs, waits, told = list[None](), list[float](), list[tuple[Any, Exception | None]]()
    problem = Refused(Code.PAUSED, "Later.")

    async def run(query: Callable[[], Any]) -> Any:
        if not runs:
            lookups.once_answered(lambda: told.append(("those read", None)))
        runs.append(None)
        return query()

    def fail() -> None:
        raise problem

    lookups = Lookups(is_immediate=False, run=run, measure=waits.append)
    async with trio.open_nursery() as nursery:
        for query in (lambda: 1, fail, lambda: 3):
            lookups.ask_soon(query, lambda *answer: told.append(answer), nursery.start_soon)
    assert told == [(1, None), (None, problem), ("those read", None), (3, None)]
    assert (len(runs), len(waits)) == (2, 3)
