"""Guessing passwords is slow, and whoever guesses cannot keep the owner of a name out.

Only wrong passwords cost anything; a try that is under way counts as wrong until it was right. Tries are counted by
name and by origin, which is an IPv4 address or the /64 of an IPv6 one. The rule, in the order in which it is applied:

1. An origin is *known* for a name when its owner has come in from there, and the token of that time is still good. It
   may be wrong ``KNOWN`` times in a minute. What happens at other origins does not touch that, and who shares the
   origin with a guesser is not refused: with nothing left, tries wait for their turn.
2. Any other origin may be wrong ``ORIGIN`` times in a minute about all names together (loopback and private networks,
   where a whole school may share one, are exempt), and ``PAIR`` times about one name. What is more is refused, and a
   refused try costs no name anything.
3. All origins that are not known share ``NAME`` wrong tries a minute about one name. With nothing left, tries wait for
   their turn, so that an attack from many places slows an owner at a new place down and does not refuse it.

Whose turn is next is drawn by lot, and an origin draws one lot for a name, however many connections it has. So nobody
tries more than ``NAME`` passwords a minute about a name, and ``KNOWN`` more from each place where its owner was.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.text.words import seconds as in_words
from golfnet.server.throttle import Budgets, is_shared, origin_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable

SECONDS: Final = 60.0
KNOWN: Final = 10
ORIGIN: Final = 20
PAIR: Final = 5
NAME: Final = 20

_LINE: Final = 1000
"""Tries that may wait for one budget: bounds what drawing lots costs."""


class Guesses:
    """Counts the wrong passwords of one server."""

    def __init__(self) -> None:
        self._origins = Budgets(ORIGIN, SECONDS)
        self._pairs = Budgets(PAIR, SECONDS)
        self._known = Budgets(KNOWN, SECONDS)
        self._names = Budgets(NAME, SECONDS)
        self._lines: dict[tuple[int, Hashable], dict[Hashable, trio.Event]] = {}
        """Those who wait for a budget: an event for each lot, set when it was drawn."""

    async def judge(
        self,
        name: str,
        address: str,
        check: Callable[[], Awaitable[bool]],
        *,
        is_known: bool,
        waits: Callable[[], None],
    ) -> bool:
        """Return whether a password is right, which ``check`` tells; ``waits`` is called where it has to wait.

        ``name`` is a skeleton. Raises ``Refused`` where too many were wrong, and what ``check`` raises.
        """
        origin = origin_of(address)
        pair, now = (name, origin), trio.current_time()
        spent: list[tuple[Budgets, Hashable]] = []
        if not is_known:
            spent = [(self._pairs, pair)]
            if not is_shared(address):
                spent.insert(0, (self._origins, origin))
            for budgets, key in spent:
                if wait := budgets.wait(key, now):
                    raise too_many(wait)
            for budgets, key in spent:
                budgets.spend(key, now)
        shared, key, lot = (self._known, pair, object()) if is_known else (self._names, name, origin)
        try:
            await self._turn(shared, key, lot, waits)
            spent.append((shared, key))
            right = await check()
        except Refused:  # nothing was checked
            _give_back(spent)
            raise
        if right:
            _give_back(spent)
        return right

    async def _turn(self, budgets: Budgets, key: Hashable, lot: Hashable, waits: Callable[[], None]) -> None:
        """Spend one of a budget as soon as it is this try's turn; raises ``Refused``."""
        place = (id(budgets), key)
        line = self._lines.get(place)
        if line is None:
            if not budgets.wait(key, trio.current_time()):
                budgets.spend(key, trio.current_time())
                return
            line = self._lines[place] = {}
        if lot in line or len(line) >= _LINE:
            raise too_many(budgets.wait(key, trio.current_time()) + 1)
        served = line[lot] = trio.Event()
        waits()
        try:
            while not served.is_set():
                if wait := budgets.wait(key, trio.current_time()):
                    with trio.move_on_after(wait):
                        await served.wait()
                else:  # the first to wake draws for all
                    drawn = random.choice(list(line))
                    line.pop(drawn).set()
                    budgets.spend(key, trio.current_time())
        finally:
            line.pop(lot, None)
            if not line and self._lines.get(place) is line:
                del self._lines[place]


def too_many(wait: float) -> Refused:
    """Return what a try is told that came too soon by so many seconds."""
    return Refused(
        Code.RATE_LIMITED,
        f"Too many wrong passwords. Wait {in_words(math.ceil(wait) * 1000)}. If you have a token, resume "
        "TOKEN works at once.",
        wait_ms=math.ceil(wait * 1000),
    )


def _give_back(spent: list[tuple[Budgets, Hashable]]) -> None:
    for budgets, key in spent:
        budgets.give_back(key)
