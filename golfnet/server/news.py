"""Announces new tables, and how to join them, to people without a seat; also sends shouts.

Invariants: private tables are not announced, nor those where receivers may not sit down or whose host they have muted;
programs get nothing; ``set lobby off`` turns announcements off. However many tables are opened, each receiver gets a
few lines a minute, and the server does a limited amount of work for them.
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
"""Limits per ``SECONDS``: lines to one receiver, announcements for one host, and announcements in all."""

SECONDS: Final = 60.0

_ALL: Final = ""


class LobbyNews:
    """Announces new tables to players without a seat; ``clock`` is the default number of seconds per turn."""

    def __init__(self, crowd: Crowd, players: Iterable[Player], *, clock: int) -> None:
        self._crowd = crowd
        self._players = players
        self._clock = clock
        self._heard = Budgets(HEARD, SECONDS)
        self._told = Budgets(TOLD, SECONDS)
        self._in_all = Budgets(TOLD_IN_ALL, SECONDS)

    def opened(self, table: Table, usual: RuleSet) -> None:
        """Announce a new table, unless it is private; ``usual`` is the rule set without changed options."""
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
        with contextlib.suppress(Refused):  # too many people are shouting, which has priority
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
"""Receivers per pass of the event loop: a millisecond of work."""

MOST_WAITING: Final = 20
"""The maximum number of queued messages: more come only with thousands connected, and are too many to read."""

_WAIT_MS: Final = 1000


Listener = TypeVar("Listener")


class Crowd:
    """Sends messages to many receivers, a limited number per pass of the event loop; ``spawn`` starts a task."""

    def __init__(self, spawn: Callable[[Callable[[], Awaitable[None]]], None]) -> None:
        self._spawn = spawn
        self._waiting: deque[tuple[Iterator[Any], Callable[[Any], None]]] = deque()

    def tell(self, listeners: Sequence[Listener], tell: Callable[[Listener], None]) -> None:
        """Call ``tell`` with each listener, after earlier messages; raises ``Refused`` if too many are queued."""
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
        """Send the first queued message to the next receivers."""
        listeners, tell = self._waiting[0]
        part = list(islice(listeners, TOLD_AT_ONCE))
        for listener in part:
            tell(listener)
        if len(part) < TOLD_AT_ONCE:
            self._waiting.popleft()
