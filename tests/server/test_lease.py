"""The lease of a node: valid while its heartbeats are stored; without them the node is silent about its tables."""

import contextlib
from collections.abc import AsyncIterator, Callable

import pytest
import trio

from golfnet.server.nodes import BEATS, Lease

SECONDS = 10.0


class Beats:
    """Stores heartbeats, at once or later."""

    def __init__(self) -> None:
        self.is_slow = False
        self.waiting: list[Callable[[], None]] = []

    def submit(self, then: Callable[[], None]) -> None:
        if self.is_slow:
            self.waiting.append(then)
        else:
            then()

    def store(self) -> None:
        waiting, self.waiting = self.waiting, []
        for then in waiting:
            then()


class Steps:
    """A lease that is being kept, with the callbacks it has made."""

    def __init__(self) -> None:
        self.beats = Beats()
        self.lease = Lease(self.beats.submit, SECONDS)
        self.called: list[str] = []
        self.lease.on_lapse = lambda: self.called.append("lapse")
        self.lease.on_renewal = lambda: self.called.append("renewal")


@contextlib.asynccontextmanager
async def keeping() -> AsyncIterator[Steps]:
    """Keep a lease for the duration of the block."""
    async with trio.open_nursery() as nursery:
        steps = Steps()
        nursery.start_soon(steps.lease.keep)
        await trio.sleep(0.5)
        yield steps
        nursery.cancel_scope.cancel()


async def test_a_heartbeat_counts_from_its_submission_not_from_its_answer(
    autojump_clock: object,
) -> None:
    async with keeping() as kept:
        kept.beats.is_slow = True
        await trio.sleep(SECONDS)
        kept.beats.is_slow = False
        kept.beats.store()  # the latest submission is fresh, the first is not
        assert kept.lease.is_sure()
        kept.beats.is_slow = True
        await trio.sleep(5 * SECONDS)  # no more heartbeats are submitted than fit in a lease
        assert len(kept.beats.waiting) == BEATS
        kept.beats.store()
        assert not kept.lease.is_sure()
        kept.beats.is_slow = False
        await trio.sleep(SECONDS / BEATS)
        assert kept.lease.is_sure()
        assert kept.called == ["lapse", "renewal", "lapse", "renewal"]


@pytest.mark.parametrize("rounds", [1, 7])
async def test_commits_that_take_a_third_of_a_lease_keep_it_valid(
    autojump_clock: object, rounds: int
) -> None:
    async with keeping() as kept:
        kept.beats.is_slow = True
        for _ in range(rounds * 3):
            under_way, kept.beats.waiting = kept.beats.waiting, []
            await trio.sleep(SECONDS / 3)
            for then in under_way:
                then()
            assert kept.lease.is_sure()
