"""Lookups: a disk or an engine that is slow to answer holds up nobody but who asked.

What stays true: a query looks at nothing but the store or the directory that it asks, so that any thread may run it.
What is in memory is asked at once; anything else in worker threads, few at a time and what is asked in one turn
together, and nobody waits longer than ``ANSWER_SECONDS``. What needs answers on its way is a generator of ``Steps``,
carried out in one go where all of them come at once.

An answer tells of the time at which it was read. So what is forgotten because the store has it now is forgotten by
``once_answered``: whatever a query was too early to see is still known when its answer is used.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Generator
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import trio

from golfnet.protocol.errors import Code, Refused
from golfnet.storage.faults import StoreError

if TYPE_CHECKING:
    from collections.abc import Awaitable

T = TypeVar("T")
R = TypeVar("R")

AT_ONCE: Final = 4
"""Lookups in threads at the same time: SQLite answers one, and an engine has more to do than reads."""

TOGETHER: Final = 32
"""Queries that one thread answers before it tells the answers: some milliseconds where each is quick."""

ANSWER_SECONDS: Final = 15.0
"""How long somebody waits for an answer: longer than a sleeping disk takes to spin up."""

LOG_SECONDS: Final = 30.0
"""How often the same problem is logged again: nodes ask several times a second."""

log = logging.getLogger(__name__)


class Question(NamedTuple):
    """A query, and what asks it, ``after`` so many seconds; without lookups it is something to await."""

    lookups: Lookups | None
    query: Callable[[], Any]
    after: float = 0.0


Answer = tuple[Any, Exception | None]
"""What a query answered, and what it raised."""

Then = Callable[[Any, Exception | None], None]
"""What is done with an answer."""

Steps = Generator[Question, Any, T]
"""Something that is done in steps: each question that it yields is answered before the next."""


class Lookups:
    """Asks one store or directory; ``is_immediate`` is whether that takes no time.

    ``run`` runs a query that takes time, and is cancelled when nobody waits for its answer any more; ``measure`` is
    called with the seconds that it took.
    """

    def __init__(
        self,
        *,
        is_immediate: bool,
        run: Callable[[Callable[[], Any]], Awaitable[Any]] | None = None,
        measure: Callable[[float], None] = lambda _: None,
    ) -> None:
        self.is_immediate = is_immediate
        self._measure = measure
        self._run = _Threads().run if run is None else run
        self._logged: tuple[str, float] | None = None
        """The problem that was logged last, and when; seconds of the monotonic clock."""
        self._begun = 0
        self._open: dict[int, None] = {}
        """The numbers of the lookups whose answers were not used yet, in the order in which they began."""
        self._waiting: deque[tuple[int, Callable[[], None]]] = deque()
        """What to call once the lookups up to a number are over."""
        self._asked: list[tuple[int, Callable[[], Any], Then]] = []
        """What is to be asked once the turn is over, with the numbers."""

    def asked(self, query: Callable[[], T], *, after: float = 0.0) -> Steps[T]:
        """Return the answer to a query, within steps; raises ``Refused``."""
        answer: T = yield Question(self, query, after)
        return answer

    async def ask(self, query: Callable[[], T], then: Callable[[T], R]) -> R:
        """Return ``then`` of the answer, which is called unless the caller is cancelled before; raises ``Refused``."""
        if self.is_immediate:
            return then(self.read(query))
        number = self._begin()
        try:
            answer = await self._answered(lambda: self.read(query))
            await trio.lowlevel.checkpoint_if_cancelled()
            return then(answer)
        finally:
            self._end(number)

    def ask_soon(
        self, query: Callable[[], Any], then: Then, spawn: Callable[[Callable[[], Awaitable[None]]], None]
    ) -> None:
        """Call ``then``, which never raises, with the answer: a task answers what is asked in one turn."""
        if len(self._asked) % TOGETHER == 0:
            spawn(self._answer_together)
        self._asked.append((self._begin(), query, then))

    async def _answer_together(self) -> None:
        """Answer what was asked in a turn, as much as one thread is for."""
        asked, self._asked = self._asked[:TOGETHER], self._asked[TOGETHER:]

        def read_all() -> list[Answer]:
            return [self._captured(query) for _, query, _ in asked]

        try:
            try:
                answers = await self._answered(read_all, len(asked))
            except Refused as late:
                answers = [(None, late)] * len(asked)
            for (number, _, then), answer in zip(asked, answers, strict=True):
                then(*answer)
                self._end(number)
        finally:
            for number, _, _ in asked:
                if number in self._open:
                    self._end(number)

    async def _answered(self, query: Callable[[], T], count: int = 1) -> T:
        """Return what a thread answers to so many at once; raises ``Refused``."""
        began = trio.current_time()
        try:
            answer: T = await self._run(query)
            return answer
        finally:
            for _ in range(count):
                self._measure(trio.current_time() - began)

    def _captured(self, query: Callable[[], Any]) -> Answer:
        """Return the answer to a query, or what it raised."""
        try:
            return self.read(query), None
        except Exception as problem:  # who asked is told
            return None, problem

    def _begin(self) -> int:
        """Return the number of a lookup that begins."""
        self._begun += 1
        self._open[self._begun] = None
        return self._begun

    def once_answered(self, call: Callable[[], None]) -> None:
        """Call back once the answers of all lookups that have begun were used, at once where there are none."""
        if self._open:
            self._waiting.append((self._begun, call))
        else:
            call()

    def read(self, query: Callable[[], T]) -> T:
        """Return the answer to a query, in any thread; raises ``Refused`` where the store cannot be read."""
        try:
            return query()
        except StoreError as problem:
            now = monotonic()
            if (
                self._logged is None
                or self._logged[0] != problem.sentence
                or now > self._logged[1] + LOG_SECONDS
            ):
                self._logged = problem.sentence, now
                log.error("the database cannot be read: %s", problem.sentence)
            raise _unreadable() from problem

    def _end(self, number: int) -> None:
        """Note that an answer was used, or is not wanted any more."""
        del self._open[number]
        oldest = next(iter(self._open), self._begun + 1)
        while self._waiting and self._waiting[0][0] < oldest:
            self._waiting.popleft()[1]()


def advance(steps: Steps[None], answer: Any = None) -> Question | None:
    """Go on with steps as long as answers come at once; return the first question that takes time, None at the end."""
    try:
        question = steps.send(answer)
        while question.lookups is not None and question.lookups.is_immediate:
            question = steps.send(question.lookups.read(question.query))
    except StopIteration:
        return None
    return question


async def carry_on(steps: Steps[None], question: Question | None) -> None:
    """Carry out the rest of steps, from a question on; where that is cancelled, nothing more of them is done."""
    try:
        while question is not None:
            if question.after:
                await trio.sleep(question.after)
            if question.lookups is None:
                question = advance(steps, await question.query())
            else:
                question = await question.lookups.ask(question.query, partial(advance, steps))
    finally:
        steps.close()


async def carried_out(steps: Steps[T]) -> T:
    """Return what steps return; raises ``Refused``."""
    results: list[T] = []

    def keep() -> Steps[None]:
        results.append((yield from steps))

    keeping = keep()
    await carry_on(keeping, advance(keeping))
    return results[0]


class _Threads:
    """Worker threads for lookups; one that is given up runs to its end, and counts until then."""

    def __init__(self) -> None:
        self._limiter = trio.CapacityLimiter(AT_ONCE)

    async def run(self, query: Callable[[], T]) -> T:
        """Return the answer to a query; raises ``Refused`` where it takes too long."""
        with trio.move_on_after(ANSWER_SECONDS):
            return await trio.to_thread.run_sync(query, limiter=self._limiter, abandon_on_cancel=True)
        log.error("the database takes longer than %g seconds to answer", ANSWER_SECONDS)
        raise _unreadable()


def _unreadable() -> Refused:
    """Return what players are told: no file and no advice for the operator."""
    return Refused(Code.PAUSED, "The server cannot read what it has saved. Try again later.")
