"""Lookups in the store or the directory: a slow disk or database delays only the command that needs it.

A query uses nothing but the store or directory, so any thread may run it. With a store in memory, queries run at once;
otherwise they run in a few worker threads for at most ``ANSWER_SECONDS``, and queries from one pass of the event loop
run together. Code that needs answers is a generator of ``Steps``. It runs to its end at once if no answer takes time.

An answer may be out of date when it is used, because other data was stored in the meantime. That data must then still
be in memory, so stored data is dropped from memory only through ``once_answered``.
"""

import logging
from collections import deque
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from math import inf
from time import monotonic
from typing import Any, Final, TypeVar

import trio
from msgspec import Struct, field

from golfnet.protocol.errors import Code, Refused
from golfnet.storage.faults import StoreError

T = TypeVar("T")
R = TypeVar("R")

AT_ONCE: Final = 4
"""Threads for lookups. More would not help: SQLite answers one query at a time, and a database server is also busy
with writes."""

TOGETHER: Final = 32
"""How many queries one thread answers in one go: a few milliseconds if each is quick."""

ANSWER_SECONDS: Final = 15.0
"""The timeout of a lookup: longer than a sleeping disk takes to spin up."""

LOG_SECONDS: Final = 30.0
"""How long before the same problem is logged again, since nodes ask several times a second."""

log = logging.getLogger(__name__)


class Question(Struct, frozen=True):
    """A query for ``lookups``; without ``lookups``, ``query`` is an async function."""

    lookups: "Lookups | None"
    query: Callable[[], Any]


Answer = tuple[Any, Exception | None]
"""The answer to a query, or the exception that it raised."""

Then = Callable[[Any, Exception | None], None]
"""The callback for an answer."""

Spawn = Callable[[Callable[[], Awaitable[None]]], None]
"""Starts a task."""

Steps = Generator[Question, Any, T]
"""A generator that yields questions, and is sent the answer to each."""


class Lookups(Struct, kw_only=True, eq=False):
    """Runs queries on one store or directory; ``is_immediate`` means that queries take no time.

    ``run`` runs a query that takes time, and is cancelled once nobody is waiting for the answer; ``measure`` is
    called with the seconds that a query took.
    """

    is_immediate: bool
    run: Callable[[Callable[[], Any]], Awaitable[Any]] | None = None
    measure: Callable[[float], None] = lambda _: None
    _limiter: trio.CapacityLimiter = field(default_factory=lambda: trio.CapacityLimiter(AT_ONCE))
    _logged: tuple[str, float] = ("", -inf)
    """The last logged problem, and when it was logged."""
    _begun: int = 0
    _open: dict[int, None] = {}
    """The numbers of lookups whose answers have not been used yet, in ascending order."""
    _waiting: deque[tuple[int, Callable[[], None]]] = field(default_factory=deque)
    """Callbacks, each with the number of the last lookup that has to end before the call."""
    _asked: list[tuple[Callable[[], Any], Then]] = []
    """The queries from this pass of the event loop, with their callbacks."""

    def asked(self, query: Callable[[], T]) -> Steps[T]:
        """Return the answer to a query, as steps; may raise ``Refused``."""
        answer: T = yield Question(self, query)
        return answer

    async def ask(self, query: Callable[[], T], then: Callable[[T], R], *, count: int = 1) -> R:
        """Return ``then(answer)``, unless cancelled; may raise ``Refused``. The query answers ``count`` queries."""
        self._begun += 1
        number = self._begun
        self._open[number] = None
        try:
            began = trio.current_time()
            try:
                answer: T = await (self.run or self._in_thread)(lambda: self.read(query))
            finally:
                for _ in range(count):
                    self.measure(trio.current_time() - began)
            await trio.lowlevel.checkpoint_if_cancelled()
            return then(answer)
        finally:
            del self._open[number]
            oldest = next(iter(self._open), self._begun + 1)
            while self._waiting and self._waiting[0][0] < oldest:
                self._waiting.popleft()[1]()

    def ask_soon(self, query: Callable[[], Any], then: Then, spawn: Spawn) -> None:
        """Call ``then``, which must not raise, with the answer to a query.

        One task answers the queries from one pass of the event loop, up to ``TOGETHER`` of them.
        """
        if len(self._asked) % TOGETHER == 0:
            spawn(self._answer_together)
        self._asked.append((query, then))

    async def _answer_together(self) -> None:
        asked, self._asked = self._asked[:TOGETHER], self._asked[TOGETHER:]

        def read_all() -> list[Answer]:
            return [self._captured(query) for query, _ in asked]

        def use(answers: list[Answer]) -> None:
            for (_, then), answer in zip(asked, answers, strict=True):
                then(*answer)

        try:
            await self.ask(read_all, use, count=len(asked))
        except Refused as late:
            use([(None, late)] * len(asked))

    async def _in_thread(self, query: Callable[[], T]) -> T:
        """Return a worker thread's answer to a query, or raise ``Refused`` if it takes too long.

        An abandoned query still runs to its end, and occupies its thread until then.
        """
        with trio.move_on_after(ANSWER_SECONDS):
            return await trio.to_thread.run_sync(query, limiter=self._limiter, abandon_on_cancel=True)
        log.error("the database did not answer within %g seconds", ANSWER_SECONDS)
        raise _unreadable()

    def _captured(self, query: Callable[[], Any]) -> Answer:
        try:
            return self.read(query), None
        except Exception as problem:  # for ``then``
            return None, problem

    def once_answered(self, call: Callable[[], None]) -> None:
        """Call back once all current lookups have ended; if there are none, at once."""
        if self._open:
            self._waiting.append((self._begun, call))
        else:
            call()

    def read(self, query: Callable[[], T]) -> T:
        """Return the answer to a query, or raise ``Refused`` if the store cannot be read; may run in any thread."""
        try:
            return query()
        except StoreError as problem:
            now = monotonic()
            if self._logged[0] != problem.sentence or now > self._logged[1] + LOG_SECONDS:
                self._logged = problem.sentence, now
                log.error("the database cannot be read: %s", problem.sentence)
            raise _unreadable() from problem


def advance(steps: Steps[None], answer: Any = None) -> Question | None:
    """Run steps up to the next question that takes time; return that question, or None if there is none."""
    try:
        question = steps.send(answer)
        while question.lookups is not None and question.lookups.is_immediate:
            question = steps.send(question.lookups.read(question.query))
    except StopIteration:
        return None
    return question


async def carry_on(steps: Steps[None], question: Question | None) -> None:
    """Answer a question, and run the remaining steps."""
    try:
        while question is not None:
            if question.lookups is None:
                question = advance(steps, await question.query())
            else:
                question = await question.lookups.ask(question.query, partial(advance, steps))
    finally:
        steps.close()


async def carried_out(steps: Steps[T]) -> T:
    """Run steps and return their result, or raise ``Refused``."""
    results: list[T] = []

    def keep() -> Steps[None]:
        results.append((yield from steps))

    keeping = keep()
    await carry_on(keeping, advance(keeping))
    return results[0]


def _unreadable() -> Refused:
    return Refused(Code.PAUSED, "The server cannot read what it has saved. Try again later.")
