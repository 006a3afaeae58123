"""What the lobby is told of open tables: one line for people who have nothing to do, with what to type to play.

What stays true: nothing is told of a private table, nor of one at which the listener may not sit down or whose host it
has muted; programs are told nothing; ``set lobby off`` silences it. However many tables are opened, each listener gets
a few lines a minute, and the server does a bounded amount of work for it.
"""

from __future__ import annotations

import contextlib
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

import trio

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.replies import Notice
from golfnet.server.budget import Budgets
from golfnet.server.seeking import game_of
from golfnet.server.table.gallery import is_welcome

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence

    from golfnet.engine.rules import RuleSet
    from golfnet.server.session.player import Player
    from golfnet.server.table.table import Table

HEARD: Final = 4
TOLD: Final = 2
TOLD_IN_ALL: Final = 30
"""Lines in ``SECONDS``: to one listener, of the tables of one host, and of all tables."""

SECONDS: Final = 60.0

_ALL: Final = ""


class LobbyNews:
    """Tells the players who sit at no table that somebody wants to play; ``clock`` is the usual one."""

    def __init__(self, crowd: Crowd, players: Iterable[Player], *, clock: int) -> None:
        self._crowd = crowd
        self._players = players
        self._clock = clock
        self._heard = Budgets(HEARD, SECONDS)
        self._told = Budgets(TOLD, SECONDS)
        self._in_all = Budgets(TOLD_IN_ALL, SECONDS)

    def opened(self, table: Table, usual: RuleSet) -> None:
        """Tell of a table that was just opened, unless it is private; ``usual`` are the rules under its name."""
        host, now = table.host, trio.current_time()
        if table.is_private or host is None:
            return
        if self._told.wait(host.id, now) or self._in_all.wait(_ALL, now):
            return
        self._told.spend(host.id, now)
        self._in_all.spend(_ALL, now)
        game = game_of(table, usual, self._clock)
        text = f"{host.name} wants to play {game}. To play too, type: join {table.id}"
        notice = Notice(code="LOBBY", text=text)
        with contextlib.suppress(Refused):  # everybody talks at once; this is the least of it
            self._crowd.tell(list(self._players), lambda player: self._tell(player, host, table, notice))

    def _tell(self, player: Player, host: Player, table: Table, notice: Notice) -> None:
        session = player.session
        if session is None or player is host or player.is_at_a_table:
            return
        if session.writer.machine or not session.writer.settings.lobby:
            return
        now = trio.current_time()
        if player.has_muted(host.name) or not is_welcome(table, player) or self._heard.wait(player.id, now):
            return
        self._heard.spend(player.id, now)
        session.send(notice)


TOLD_AT_ONCE: Final = 256
"""Players who are told something in one turn: a millisecond of work."""

MOST_WAITING: Final = 20
"""Things that may wait to be told; more are shouted only where thousands are, and too fast to be read."""

_WAIT_MS: Final = 1000


Listener = TypeVar("Listener")


class Crowd:
    """All who hear what is shouted; ``spawn`` starts a task."""

    def __init__(self, spawn: Callable[[Callable[[], Awaitable[None]]], None]) -> None:
        self._spawn = spawn
        self._waiting: deque[tuple[Iterator[Any], Callable[[Any], None]]] = deque()

    def tell(self, listeners: Sequence[Listener], tell: Callable[[Listener], None]) -> None:
        """Call ``tell`` with each listener, behind what was to be told before; raises ``Refused`` for too much."""
        if len(self._waiting) >= MOST_WAITING:
            raise Refused(
                Code.RATE_LIMITED,
                "Too many people are shouting at once. Wait a second, then try again.",
                wait_ms=_WAIT_MS,
            )
        if not self._waiting and len(listeners) <= TOLD_AT_ONCE:
            for listener in listeners:
                tell(listener)
            return
        self._waiting.append((iter(listeners), tell))
        if len(self._waiting) == 1:
            self._tell_some()
            if self._waiting:
                self._spawn(self._tell_all)

    async def _tell_all(self) -> None:
        while self._waiting:
            await trio.lowlevel.checkpoint()
            self._tell_some()

    def _tell_some(self) -> None:
        """Tell the thing that waits longest to the next listeners."""
        listeners, tell = self._waiting[0]
        part = list(islice(listeners, TOLD_AT_ONCE))
        for listener in part:
            tell(listener)
        if len(part) < TOLD_AT_ONCE:
            self._waiting.popleft()
