"""Limits on wrong passwords, which must not lock owners out, and the queue for hashing, which must be fair.

The addresses here are public ones, since those reserved for documentation count as private.
"""

import os
import sys
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
import trio
from argon2 import PasswordHasher, extract_parameters
from trio.testing import wait_all_tasks_blocked

from golfnet.protocol.errors import Code, Refused
from golfnet.server.accounts.passwords import KNOWN, NAME, NOBODY, ORIGIN, PAIR, FairQueue, Guesses, Hashing
from golfnet.storage.sqlite_files import lower_priority


class Guesser:
    """Tries passwords for names; the correct one is ``right``."""

    def __init__(self) -> None:
        self.guesses = Guesses()
        self.checked: list[str] = []
        """The addresses whose guesses were checked."""
        self.waited = 0
        self.refusal: Refused | None = None
        self.may_check = trio.Event()
        self.may_check.set()

    async def guess(self, name: str, address: str, password: str = "wrong", *, is_known: bool = False) -> str:
        """Return right, wrong, or the refusal's code."""

        async def check() -> bool:
            self.checked.append(address)
            await self.may_check.wait()
            return password == "right"

        def waits() -> None:
            self.waited += 1

        try:
            is_right = await self.guesses.judge(name, address, check, is_known=is_known, waits=waits)
        except Refused as refused:
            self.refusal = refused
            return refused.code.value
        return "right" if is_right else "wrong"


async def test_an_origin_has_a_few_wrong_guesses_per_name(autojump_clock: object) -> None:
    guesser = Guesser()
    answers = [await guesser.guess("ann", "8.8.8.8") for _ in range(PAIR + 2)]
    assert answers == ["wrong"] * PAIR + ["RATE_LIMITED"] * 2
    assert guesser.refusal is not None
    assert guesser.refusal.wait_ms == 12_000
    assert await guesser.guess("ann", "8.8.8.8", "right") == "RATE_LIMITED"
    assert await guesser.guess("ann", "8.8.4.4", "right") == "right"
    assert await guesser.guess("ben", "8.8.8.8", "right") == "right"
    await trio.sleep(60 / PAIR)
    assert await guesser.guess("ann", "8.8.8.8", "right") == "right"


@pytest.mark.parametrize("address", ["2001:4860:4860::{}", "8.8.8.8"])
async def test_one_origin_cannot_use_up_a_names_guesses(autojump_clock: object, address: str) -> None:
    """All addresses of a /64 are one origin. Guesses that are refused do not count against a name."""
    guesser = Guesser()
    answers = [await guesser.guess(f"name{n}", address.format(n)) for n in range(ORIGIN)]
    assert answers == ["wrong"] * ORIGIN
    for n in range(100):
        assert await guesser.guess("ann", address.format(n)) == "RATE_LIMITED"
    for n in range(NAME):
        assert await guesser.guess("ann", f"9.9.9.{n}") == "wrong"
    assert not guesser.waited


async def test_under_attack_an_owner_at_a_new_address_waits_and_logs_in(autojump_clock: object) -> None:
    guesser = Guesser()

    async def attack(address: str) -> None:
        while True:
            if await guesser.guess("ann", address) == "RATE_LIMITED":
                await trio.sleep(1)

    async with trio.open_nursery() as nursery:
        for n in range(30):
            nursery.start_soon(attack, f"9.9.9.{n}")
        await trio.sleep(120)
        before, began = len(guesser.checked), trio.current_time()
        assert await guesser.guess("ann", "8.8.8.8", "right") == "right"
        assert trio.current_time() - began < 3600
        assert guesser.waited
        assert before <= NAME + 2 * NAME + 1
        assert len({*guesser.checked}) > 15, "no single address gets all the turns"
        nursery.cancel_scope.cancel()
    assert not guesser.guesses._lines


async def test_a_known_origin_is_slowed_down_and_never_refused(autojump_clock: object) -> None:
    """A player who shares an address with a guesser, such as a school's or a proxy's, waits a while."""
    guesser = Guesser()

    async def attack() -> None:
        while True:
            assert await guesser.guess("ann", "192.168.1.1", is_known=True) == "wrong"

    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(attack)
        await trio.sleep(600)
        assert KNOWN <= len(guesser.checked) <= KNOWN + 10 * KNOWN + 1
        assert await guesser.guess("ann", "192.168.1.1", "right", is_known=True) == "right"
        assert await guesser.guess("ben", "192.168.1.1", "right", is_known=True) == "right"
        nursery.cancel_scope.cancel()


async def test_wrong_logins_on_shared_addresses_do_not_block_other_names(autojump_clock: object) -> None:
    guesser = Guesser()
    for address in ("127.0.0.1", "172.17.0.1", "fd00::1"):
        for n in range(3 * ORIGIN):
            assert await guesser.guess(f"name{n}", address) == "wrong"
        assert await guesser.guess("ann", address, "right") == "right"


async def test_attempts_in_progress_count_until_they_prove_correct(autojump_clock: object) -> None:
    guesser, answers = Guesser(), list[str]()
    guesser.may_check = trio.Event()

    async def guess() -> None:
        answers.append(await guesser.guess("ann", "8.8.8.8", "right"))

    async with trio.open_nursery() as nursery:
        for _ in range(2 * PAIR):
            nursery.start_soon(guess)
        await wait_all_tasks_blocked()
        assert answers == ["RATE_LIMITED"] * PAIR
        guesser.may_check.set()
    assert answers.count("right") == PAIR
    assert await guesser.guess("ann", "8.8.8.8") == "wrong"


async def test_unchecked_attempts_are_not_counted(autojump_clock: object) -> None:
    guesser = Guesser()

    async def busy() -> bool:
        raise Refused(Code.RATE_LIMITED, "busy", wait_ms=1)

    for _ in range(100):
        with pytest.raises(Refused, match="busy"):
            await guesser.guesses.judge("ann", "8.8.8.8", busy, is_known=False, waits=lambda: None)
    assert await guesser.guess("ann", "8.8.8.8", "right") == "right"


async def test_a_player_who_disconnects_while_a_login_waits_leaves_the_queue(autojump_clock: object) -> None:
    guesser = Guesser()
    for n in range(NAME):
        await guesser.guess("ann", f"9.9.9.{n}")
    with trio.move_on_after(0.5) as scope:
        await guesser.guess("ann", "8.8.8.8", "right")
    assert scope.cancelled_caught
    assert guesser.waited == 1
    assert not guesser.guesses._lines
    assert await guesser.guess("ann", "8.8.8.8", "right") == "right"


# --- hashing


class Works:
    """Jobs in a queue where four can wait. A job runs until the test ends it; ``a1`` is the first one of origin a."""

    def __init__(self, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(trio.to_thread, "run_sync", self._run)
        self.queue = FairQueue(4)
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.refused: dict[str, int | None] = {}
        self.scopes: dict[str, trio.CancelScope] = {}
        self._nursery = nursery
        self.may_end: dict[str, trio.Event] = {}

    async def start(self, *names: str) -> None:
        for name in names:
            self.scopes[name], self.may_end[name] = trio.CancelScope(), trio.Event()
            self._nursery.start_soon(self._do, name)
            await wait_all_tasks_blocked()

    async def end(self, *names: str) -> None:
        for name in names:
            self.may_end[name].set()
            await wait_all_tasks_blocked()

    async def _do(self, name: str) -> None:
        with self.scopes[name]:
            try:
                await self.queue.run(name[0], lambda: name)
            except Refused as refused:
                self.refused[name] = refused.wait_ms
            else:
                self.ended.append(name)

    async def _run(self, work: Callable[[], str], *, limiter: object) -> str:
        """Replace ``trio.to_thread.run_sync``. As with a real thread, the work continues if its task is cancelled."""
        name = work()
        self.begun.append(name)
        with trio.CancelScope(shield=True):
            await self.may_end[name].wait()
        return name


@pytest.fixture
async def works(nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Works]:
    works = Works(nursery, monkeypatch)
    try:
        yield works
    finally:
        for may_end in works.may_end.values():
            may_end.set()


async def test_origins_take_turns_in_the_queue(works: Works) -> None:
    await works.start("a1", "a2", "a3", "b1", "b2")
    assert works.begun == ["a1"], "one job runs at a time"
    await works.end("a1", "a2", "b1", "a3", "b2")
    assert works.begun == works.ended == ["a1", "a2", "b1", "a3", "b2"]
    assert not works.refused


async def test_an_origin_that_fills_the_queue_makes_room_for_others(works: Works) -> None:
    await works.start("a1", "a2", "a3", "a4", "a5", "a6", "b1", "c1", "b2", "d1")
    # a6 finds no room. b1 displaces a5, and c1 displaces a4. b2 is refused because b would then have as many
    # waiting as a. d1 displaces a3. Each is told to wait for five hashes: those of the queue, and the one in progress.
    assert [*works.refused.items()] == [(name, 5 * 200) for name in ("a6", "a5", "a4", "b2", "a3")]
    assert len(works.queue._waiting) == 4


async def test_cancelled_jobs_leave_the_queue_and_their_results_are_dropped(works: Works) -> None:
    await works.start("a1", "b1", "c1")
    works.scopes["b1"].cancel()
    await wait_all_tasks_blocked()
    assert len(works.queue._waiting) == 1
    works.scopes["a1"].cancel()
    await works.end("a1", "c1")
    assert works.begun == ["a1", "c1"]
    assert works.ended == ["c1"]
    await works.start("d1")
    await works.end("d1")
    assert works.ended == ["c1", "d1"]


async def test_a_job_that_fails_does_not_block_the_next_one() -> None:
    queue = FairQueue(4)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            await queue.run("a", partial(divmod, 1, 0))
    assert await queue.run("a", lambda: 7) == 7


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has thread priorities")
async def test_a_hash_is_computed_at_low_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    priorities: list[int] = []

    def note(hasher: PasswordHasher, password: str) -> str:
        priorities.append(priority())
        return "hash"

    monkeypatch.setattr(PasswordHasher, "hash", note)
    await Hashing().make("seven hearts", "a")
    assert priorities == [max(10, priority())]
    assert await trio.to_thread.run_sync(priority) == priority()
    with ThreadPoolExecutor(1) as thread:
        # As if the server had been started with a niceness of 15, which must not be lowered.
        thread.submit(lower_priority, 15).result()
        thread.submit(lower_priority, 10).result()
        assert thread.submit(priority).result() == max(15, priority())


def priority() -> int:
    """Return the niceness of this thread."""
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


async def test_passwords_are_hashed_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    # A hash at low priority would be slow on a busy machine.
    monkeypatch.setattr("golfnet.server.accounts.passwords._NICENESS", 0)
    hashing = Hashing()
    hashed = await hashing.make("seven hearts", "a")
    assert hashed.startswith("$argon2id$")
    # With other parameters, checking a name that does not exist and a wrong password would differ in time.
    assert extract_parameters(NOBODY) == extract_parameters(hashed)
    assert extract_parameters(hashed).parallelism == 1
    assert await hashing.check(hashed, "seven hearts", "a")
    assert not await hashing.check("no hash", "seven hearts", "a")
    of_four_threads = PasswordHasher(parallelism=4, memory_cost=64)  # golfnet 0.1.0 used four threads
    assert await hashing.check(of_four_threads.hash("seven hearts"), "seven hearts", "a")
    assert not await hashing.check(of_four_threads.hash("seven hearts"), "eight hearts", "a")
