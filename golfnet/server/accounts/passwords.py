"""Passwords: registering, logging in, changing a password, and computing the hashes with argon2id in a fair queue.

Invariants: a wrong name and a wrong password get the same answer after the same time; a player who gets a new password
also gets a new token, and all other tokens are invalidated except those that may win the name back; nothing changes for
a player who leaves before the hash is ready (the task that waits for it is then cancelled).

One hash is computed at a time, in a low-priority thread, and at most ``QUEUE`` requests wait. Waiting origins take
turns, one hash each. When the queue is full, a new request replaces the last request of the origin that has the most,
so no origin can block the others. A cancelled request gives up its place, and its hash is discarded.
"""

import logging
import math
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, Final, TypeVar

import trio
from msgspec import Struct, field

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import skeleton
from golfnet.server.accounts.accounts import Accounts
from golfnet.server.accounts.claims import Identified
from golfnet.server.budget import Budgets, is_shared, origin_of, too_soon
from golfnet.server.lookups import carried_out
from golfnet.server.session.player import Player
from golfnet.storage.sqlite_files import lower_priority
from golfnet.storage.writes import PlayerKind

SECONDS: Final = 60.0
KNOWN: Final = 10
ORIGIN: Final = 20
PAIR: Final = 5
NAME: Final = 20

_TOO_MANY: Final = "Too many wrong passwords. Wait {}. If you have a token, resume TOKEN works at once."

_LINE: Final = 1000
"""Maximum number of attempts waiting for one budget. It limits the cost of picking one of them at random."""


class Guesses:
    """Counts wrong passwords on one server.

    An origin from which the player has logged in before (``is_known``) may send ``KNOWN`` wrong passwords for that name
    in ``SECONDS``. Every other origin may send ``PAIR`` for one name and ``ORIGIN`` for all names; together, these
    origins may send ``NAME`` for one name. An attempt over ``PAIR`` or ``ORIGIN`` is refused. An attempt over ``KNOWN``
    or ``NAME`` has to wait; each time the limit allows another attempt, one of those that wait is picked at random.
    """

    def __init__(self) -> None:
        self._origins = Budgets(ORIGIN, SECONDS)
        self._pairs = Budgets(PAIR, SECONDS)
        self._known = Budgets(KNOWN, SECONDS)
        self._names = Budgets(NAME, SECONDS)
        self._lines: dict[tuple[int, Hashable], dict[Hashable, trio.Event]] = {}
        """The attempts that are waiting for each budget; the event of an attempt is set when that attempt is picked."""

    async def judge(
        self,
        name: str,
        address: str,
        check: Callable[[], Awaitable[bool]],
        *,
        is_known: bool,
        waits: Callable[[], None],
    ) -> bool:
        """Return whether a password is right, according to ``check``; ``waits`` is called if the attempt has to wait.

        ``name`` is a skeleton. Raise ``Refused`` after too many wrong passwords, and whatever ``check`` raises.
        """
        origin = origin_of(address)
        pair, now = (name, origin), trio.current_time()
        spent: list[tuple[Budgets, Hashable]] = [] if is_known else [(self._pairs, pair)]
        if not (is_known or is_shared(address)):
            spent.insert(0, (self._origins, origin))
        for budgets, key in spent:
            if wait := budgets.wait(key, now):
                raise too_soon(wait, _TOO_MANY)
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
        """Spend one unit of a budget when it is this attempt's turn, or raise ``Refused``.

        ``lot`` stands for the attempt in the random draw. Of several attempts with the same lot, only one may wait.
        """
        place = (id(budgets), key)
        line = self._lines.get(place)
        if line is None:
            if not budgets.take(key, trio.current_time()):
                return
            line = self._lines[place] = {}
        if lot in line or len(line) >= _LINE:
            raise too_soon(budgets.wait(key, trio.current_time()) + 1, _TOO_MANY)
        served = line[lot] = trio.Event()
        waits()
        try:
            while not served.is_set():
                if wait := budgets.wait(key, trio.current_time()):
                    with trio.move_on_after(wait):
                        await served.wait()
                else:  # the attempt that wakes up first picks one of all that wait
                    line.pop(random.choice(list(line))).set()
                    budgets.spend(key, trio.current_time())
        finally:
            line.pop(lot, None)
            if not line and self._lines.get(place) is line:
                del self._lines[place]


def _give_back(spent: list[tuple[Budgets, Hashable]]) -> None:
    for budgets, key in spent:
        budgets.give_back(key)


PASSWORD_LENGTH: Final = (6, 200)

CHANGES: Final = 3
CHANGES_SECONDS: Final = 60.0
"""An account's password may be changed ``CHANGES`` times in ``CHANGES_SECONDS``: each change costs two hashes."""


class Passwords:
    """Password operations for one server.

    ``register``, ``login`` and ``change`` take the ``address`` of the request, may raise ``Refused``, and return a new
    token with the ticket of the write. They call ``waits`` if a request is delayed by others' wrong passwords.
    """

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        self._guesses = Guesses()
        self._hashing = Hashing()
        self._changes = Budgets(CHANGES, CHANGES_SECONDS)

    async def register(self, player: Player, password: str, address: str) -> tuple[str, int]:
        """Register a guest's name as an account."""
        need_length(password)
        self._accounts.count_name(address)
        hashed = await self._hashing.make(password, origin_of(address))
        player.kind = PlayerKind.ACCOUNT
        return self._renew(player, hashed, address)

    async def login(self, name: str, password: str, address: str, waits: Callable[[], None]) -> Identified:
        """Return the account with the given name and password."""
        bones, origin = skeleton(name), origin_of(address)
        row = await carried_out(self._accounts.named(name))
        hashed = row.password_hash if row is not None and row.name.casefold() == name.casefold() else None
        tokens = () if row is None or hashed is None else row.tokens
        right = await self._guesses.judge(
            bones,
            address,
            lambda: self._hashing.check(hashed or NOBODY, password, origin),
            is_known=origin in [token.origin for token in tokens],
            waits=waits,
        )
        player = await carried_out(self._accounts.brought(row.id)) if right and row is not None else None
        if player is None or player.password_hash != hashed:  # the password may just have been changed
            raise Refused(Code.LOGIN_FAILED, "The name or the password is wrong.")
        return Identified(player, self._accounts.issue(player, address), self._accounts.save(player))

    async def change(
        self, player: Player, old: str, new: str, address: str, waits: Callable[[], None]
    ) -> tuple[str, int]:
        """Change an account's password."""
        known, origin = self.need_account(player), origin_of(address)
        need_length(new)
        now = trio.current_time()
        if wait := math.ceil(self._changes.wait(player.id, now)):
            raise too_soon(wait, "You have changed your password too often. Wait {}.")
        right = await self._guesses.judge(
            skeleton(player.name),
            address,
            lambda: self._hashing.check(known, old, origin),
            is_known=origin in [token.origin for token in player.tokens.values()],
            waits=waits,
        )
        if not right:
            raise Refused(Code.LOGIN_FAILED, "The old password is wrong.")
        self._changes.spend(player.id, now)
        return self._renew(player, await self._hashing.make(new, origin), address)

    def need_account(self, player: Player) -> str:
        """Return the hash of a player's password, or raise ``Refused`` for a guest, who has none."""
        if player.password_hash is None:
            raise Refused(Code.NO_ACCOUNT, "You are a guest. To register your name, type: register PASSWORD")
        return player.password_hash

    def _renew(self, player: Player, hashed: str, address: str) -> tuple[str, int]:
        accounts, player.password_hash = self._accounts, hashed
        accounts.end_tokens(player, player.tokens.keys() - accounts.protected(player))
        return accounts.issue(player, address), accounts.save(player)


def need_length(password: str) -> None:
    """Raise ``Refused`` if a password is too short or too long."""
    low, high = PASSWORD_LENGTH
    if not low <= len(password) <= high:
        raise Refused(Code.BAD_ARGUMENT, f"A password needs {low} to {high} characters.")


log = logging.getLogger(__name__)

T = TypeVar("T")

_NICENESS: Final = 10
"""The niceness of the hashing thread, which gives it a tenth of the usual processor time. At the lowest priority, a
hash would take half a minute on a busy machine."""

QUEUE: Final = 32
"""Maximum number of waiting hashes: a few seconds of work."""

_LANES: Final = 1
"""Threads per hash: more would take more processors away from play, and hashes are rarely needed."""

_EACH_MS: Final = 200
"""Processor time of one hash in milliseconds; it also needs 64 MiB of memory."""

_AGAIN_MS: Final = 5000
"""How long a player is asked to wait when there is not enough memory for a hash."""

_BUSY: Final = "The server is busy; try again in a moment."

NOBODY: Final = (
    "$argon2id$v=19$m=65536,t=3,p=1$YmVpbmcgbm9ib2R5ISEhIQ$4y0aUYqWCHcPyBgVXcPQ7eN0ZCZrXy4N6sW0V9sQk1I"
)
"""A hash that no password matches, so that a wrong name takes as long as a wrong password."""


class Hashing:
    """Computes and checks the password hashes of one server."""

    def __init__(self) -> None:
        self._queue = FairQueue(QUEUE)

    async def make(self, password: str, origin: str) -> str:
        """Return a new hash of a password, or raise ``Refused`` if too many are waiting."""
        return await self._queue.run(
            origin,
            lambda: _with_library(lambda argon2: argon2.PasswordHasher(parallelism=_LANES).hash(password)),
        )

    async def check(self, hashed: str, password: str, origin: str) -> bool:
        """Return whether a password matches a hash, or raise ``Refused`` if too many are waiting."""

        def verify(argon2: Any) -> bool:
            try:
                return bool(argon2.PasswordHasher().verify(hashed, password))
            except (argon2.exceptions.VerifyMismatchError, argon2.exceptions.InvalidHashError):
                return False

        return await self._queue.run(origin, lambda: _with_library(verify))


class FairQueue:
    """Runs functions in threads, one at a time; at most ``length`` others can wait."""

    def __init__(self, length: int) -> None:
        self._threads = trio.CapacityLimiter(1)
        self._length = length
        self._is_running = False
        self._waiting: list[_QueuePlace] = []
        """Each origin's places in the order of arrival. The origin of the first place is served next."""

    async def run(self, origin: str, work: Callable[[], T]) -> T:
        """Run ``work`` in a thread when it is the origin's turn, and return its result, or raise ``Refused``."""
        await self._enter(origin)
        try:
            result = await trio.to_thread.run_sync(work, limiter=self._threads)
        finally:
            self._leave()
        await trio.lowlevel.checkpoint_if_cancelled()
        return result

    async def _enter(self, origin: str) -> None:
        if not self._is_running:
            self._is_running = True
            return
        if len(self._waiting) >= self._length:
            self._make_room(origin)
        place = _QueuePlace(origin)
        self._waiting.append(place)
        try:
            await place.called.wait()
        except trio.Cancelled:
            if place.is_served:
                self._leave()
            elif place in self._waiting:
                self._waiting.remove(place)
            raise
        if not place.is_served:
            raise self._busy()

    def _make_room(self, origin: str) -> None:
        """Remove a place of the origin that has the most, or raise ``Refused`` if that would be unfair."""
        counts = Counter(place.origin for place in self._waiting)
        greediest = max(counts, key=counts.__getitem__)
        if counts[greediest] <= counts[origin] + 1:
            raise self._busy()
        displaced = next(place for place in reversed(self._waiting) if place.origin == greediest)
        self._waiting.remove(displaced)
        displaced.called.set()

    def _leave(self) -> None:
        """Let the next request in the queue run; its origin's other requests move to the end."""
        if not self._waiting:
            self._is_running = False
            return
        place = self._waiting.pop(0)
        self._waiting.sort(key=lambda other: other.origin == place.origin)
        place.is_served = True
        place.called.set()

    def _busy(self) -> Refused:
        return Refused(Code.RATE_LIMITED, _BUSY, wait_ms=(len(self._waiting) + 1) * _EACH_MS)


class _QueuePlace(Struct, eq=False):
    """A place in the queue; ``called`` is set when the place is served or lost to another request."""

    origin: str
    called: trio.Event = field(default_factory=trio.Event)
    is_served: bool = False


def _with_library(work: Callable[[Any], T]) -> T:
    """Run ``work`` with the hashing library in a low-priority thread, and return its result.

    Log a failure and raise ``Refused`` if memory runs out or a file of the library cannot be opened. Each call uses a
    new thread, since a lowered priority cannot be raised again.
    """
    try:
        # Imported on first use, to keep startup fast.
        from concurrent.futures import ThreadPoolExecutor

        import argon2

        with ThreadPoolExecutor(1, initializer=lower_priority, initargs=(_NICENESS,)) as thread:
            try:
                return thread.submit(work, argon2).result()
            except argon2.exceptions.Argon2Error as error:
                raise MemoryError(str(error)) from error
    # RuntimeError: no thread can be started
    except (MemoryError, OSError, ImportError, RuntimeError) as error:
        log.error("a password cannot be hashed: %s", str(error) or "out of memory")
        raise Refused(Code.RATE_LIMITED, _BUSY, wait_ms=_AGAIN_MS) from error
