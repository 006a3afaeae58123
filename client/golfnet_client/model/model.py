"""Everything the client knows, from the server and from the player's choices; drawing only reads it.

This module does no I/O: replies arrive through ``receive``, with the time of their arrival, and ``wants`` collects the
command lines to send. Times are seconds of any monotonic clock.
"""

from collections import deque
from enum import StrEnum
from typing import Any, Final

from msgspec import UNSET

from golfnet.engine.cards import position_text
from golfnet.engine.events import Dealt, Peeked, Penalized, Slammed, SlamResult, TurnBegan
from golfnet.protocol.replies.fold import Gap, TableClosed, fold, prompted
from golfnet.protocol.replies.presence import Cause, Left
from golfnet.protocol.replies.replies import (
    AnyReply,
    Bye,
    Chat,
    Error,
    Happened,
    Notice,
    Ok,
    Prompt,
    Rows,
    TableView,
)
from golfnet_client.model.pages import LobbyLists, Pages, pages_of
from golfnet_client.model.story import (
    FRAME,
    GLIMPSE_SECONDS,
    Entry,
    Motion,
    Timed,
    actor_of,
    at_slot,
    entries_of,
    shown_as,
    slot_at,
    timed,
)

KEPT_LINES: Final = 400
"""Maximum number of log lines kept for scrolling back."""

MOST_TABLES: Final = 100
"""Maximum number of tables kept; those shown least recently are dropped."""

NEWS_SECONDS: Final = 6.0
"""Seconds for which a refusal or a notice replaces the headline."""

COUNT_SECONDS: Final = 0.15
"""Seconds spent on each card while a hole is being counted."""

BAR_SECONDS: Final = 0.1
"""Seconds between redraws of the bar for a slam window."""


class Place(StrEnum):
    """The screens of the client."""

    HOME = "home"
    WELCOME = "welcome"
    LOBBY = "lobby"
    CREATE = "create"
    TABLE = "table"
    REPLAY = "replay"


class Model:
    """The state of the client."""

    def __init__(self, *, server: str = "") -> None:
        self.server = server
        self.name = ""
        self.link = "connecting"
        self.retry: Timed | None = None
        """The time until the next attempt to connect, or None if none is planned."""
        self.lost_at: float | None = None
        """When the connection was lost, or None while connected or before the first connection."""
        self.is_solo = False
        """Whether the server runs in this process, for this player alone."""
        self.place = Place.WELCOME
        self.tables: dict[str, TableView] = {}
        self.focus: str | None = None
        self.log: deque[Entry] = deque(maxlen=KEPT_LINES)
        self.older = 0
        """How many of the newest log lines are hidden because the player has scrolled back."""
        self.lobby = LobbyLists()
        self.pages: Pages | None = None
        self.cursor: str | None = None
        self.marks: list[str] = []
        self.moves: dict[str, str] = {}
        """What each seat did last, in words, until its next turn."""
        self.changed: dict[str, str] = {}
        """The positions that changed in each seat's last turn, each with the seat that changed it last."""
        self.count: Timed | None = None
        """Set while the cards of a finished hole are being counted one by one."""
        self.motions: list[Motion] = []
        self.is_still = False
        """Whether motion is switched off."""
        self.glimpses: dict[str, Timed] = {}
        """Face-down cards shown for a moment, by position; a glimpse also ends when its card moves."""
        self.news: Entry | None = None
        """The latest notice: refused (drawn in red), done, server, chat or coming. The log skips it meanwhile."""
        self._news_ends = 0.0
        self.clock: Timed | None = None
        self.window: Timed | None = None
        self.pause: Timed | None = None
        self.line = "", 0
        """The table where the player is waiting for a seat, and their place in line, or 0 if they are not waiting."""
        self.filling: Timed | None = None
        """The level of the bots that will take the free seats of the shown table, and the time until they do."""
        self.asked = ""
        """The list that the player has asked for, of those that the client asks for on its own."""
        self.hintless: str | None = None
        """The match in which a hint was refused, or None."""
        self.wants: list[str] = []
        self.record: list[dict[str, Any]] = []
        """A received record: to be stored if its match is in ``keeps``, otherwise to be shown."""
        self.keeps: set[str] = set()
        """Matches whose records were requested in order to store them."""
        self.alarms: tuple[str, ...] = ()
        """Messages about deals that were not as promised; they stay until the program exits."""
        self.left_out: tuple[str, ...] = ()
        """Messages about holes dealt without the player's text."""
        self.rings = False
        self.lesson = False
        self._parts: list[Any] = []
        """The rows received so far of a list that is sent in parts."""
        self._unseen: set[str] = set()
        """The tables not yet shown since the connection was lost."""
        self._time = 0.0

    @property
    def link_sentence(self) -> str:
        """Return the state of the connection as a sentence."""
        left = 0 if self.retry is None else self.retry.seconds_left(self._time)
        when = f" Next try in {left} s." if left else ""
        return f"{self.link[:1].upper()}{self.link[1:]}{'.' if when else ' ...'}{when}"

    @property
    def is_connected(self) -> bool:
        """Whether the server can be reached, so that keys have an effect."""
        return self.link == "connected"

    def linked(self, state: str, now: float, wait: float = 0.0) -> None:
        """Store the state of the connection: connected, or what is wrong and when the next attempt begins."""
        was_lost = self.lost_at is not None
        self.link, self._time = state, now
        self.retry = Timed(state, now + wait, wait) if wait else None
        if not self.is_connected:
            self.line = "", 0
            self._parts.clear()
            # The table of a replay has a blank in its name.
            self._unseen = {table for table in self.tables if " " not in table}
            if self.name and not was_lost:
                self.lost_at = now
        elif was_lost:
            self.lost_at = None
            self.notify("Connected again.", now, "done")

    @property
    def table(self) -> TableView | None:
        """The table that is shown."""
        return self.tables.get(self.focus) if self.focus is not None else None

    @property
    def shown(self) -> TableView:
        """The table that is shown. Use this only if there is one."""
        assert self.table is not None
        return self.table

    @property
    def is_seated(self) -> bool:
        """Whether the player has a seat at the shown table."""
        return self.table is not None and self.table.you is not None

    def slot(self, position: str) -> str | None:
        """Return what lies at a position of the shown table, or None if there is no such position."""
        return None if self.table is None else slot_at(self.table, position)

    def add_line(self, kind: str, text: str) -> None:
        """Add a line to the log."""
        self._write([Entry(kind, text)])

    def notify(self, text: str, now: float, kind: str = "refused") -> None:
        """Show the player a notice; the log shows it later, unless it is a countdown or about another name."""
        self.news, self._news_ends = Entry(kind, text), now + NEWS_SECONDS
        if kind != "coming" and not (kind == "refused" and self.place is Place.WELCOME):
            if not self.log or self.log[-1] != self.news:
                self._write([self.news])
            self.news = self.log[-1]

    @property
    def refusal(self) -> str:
        """The refusal that is shown, or ``""`` if there is none."""
        return self.news.text if self.news is not None and self.news.kind == "refused" else ""

    def drop_answer(self) -> None:
        """Hide the notice if it is an answer to the player, who has done something else since."""
        if self.news is not None and self.news.kind in ("refused", "done"):
            self.news = None

    def pass_time(self, now: float) -> None:
        """Remove whatever has been shown for its full time."""
        if self.count is not None and self.count.ends <= now:
            self.count = None
        self.motions = [motion for motion in self.motions if motion.ends > now]
        self._time = now
        self.glimpses = {at: seen for at, seen in self.glimpses.items() if seen.ends > now}
        if self.news is not None and self._news_ends <= now:
            self.news = None

    def changes_in(self, now: float) -> float | None:
        """Return the seconds until the picture next changes by itself, or None if it does not."""
        # Without a connection, all clocks stop except the one that counts down to the next attempt.
        clocks = (self.clock, self.pause, self.filling) if self.lost_at is None else ()
        waits = [timed.changes_in(now) for timed in (*clocks, self.retry) if timed is not None]
        waits += [seen.ends - now for seen in self.glimpses.values()]
        is_lobby_counting = self.place is Place.LOBBY and any(row.get("filling") for row in self.lobby.tables)
        others = (
            (self._news_ends - now, self.news is not None),
            (BAR_SECONDS, self.window is not None and self.window.ends > now and self.lost_at is None),
            (FRAME, bool(self.motions) or self.count is not None),
            (1.0, is_lobby_counting),
        )
        waits += [wait for wait, is_shown in others if is_shown]
        return min([wait for wait in waits if wait is not None and wait >= 0], default=None)

    def receive(self, reply: AnyReply, now: float) -> None:
        """Update the model with a reply from the server."""
        match reply:
            case TableView():
                self._look(reply, now)
            case Happened():
                self._happened(reply, now)
            case Prompt():
                self._prompt(reply, now)
            case Rows():
                self._rows(reply, now)
            case Chat():
                aside = "" if reply.to in ("table", "lobby") else f" (to {reply.to})"
                self.add_line("chat", f"{reply.speaker}{aside}: {reply.text}")
            case Error():
                self._parts.clear()
                self.notify(reply.message, now)
                if reply.code == "NOT_AVAILABLE" and " hints" in reply.message and self.table is not None:
                    self.hintless = self.table.match
            case Ok():
                self._parts.clear()  # all rows of a list arrive before the reply to its command
                self._done(reply, now)
            case Notice(code="IN_LINE", table=str() as table, place=int() as place):
                self.line = (table, place) if place else ("", 0)
                self.notify(reply.text, now, "server")
            case Notice() if reply.code not in _SILENT:
                self.notify(reply.text, now, "coming" if reply.code == "STARTING" else "server")
            case Bye():
                self.notify(reply.text, now, "server")

    def leave_table(self, table: str) -> None:
        """Forget a table that was left or closed."""
        self.tables.pop(table, None)
        self.line = "", 0
        if self.focus == table:
            self.focus_on(next(iter(self.tables), None))
            if not self.tables and self.place is Place.TABLE:
                self.place = Place.LOBBY
            self.wants += ["tables", "who"]

    def focus_on(self, table: str | None) -> None:
        """Show a table, and forget the glimpses and marks at the previous one."""
        if table == self.focus:
            return
        self.focus, self.cursor, self.marks = table, None, []
        self.log = deque([each for each in self.log if each.kind not in _PLAY], KEPT_LINES)
        self.older = 0
        self.glimpses, self.moves, self.changed, self.motions = {}, {}, {}, []
        self.clock = self.window = self.pause = self.filling = None

    def _write(self, entries: list[Entry]) -> None:
        """Add lines to the log; a player who has scrolled back keeps seeing the same lines."""
        self.log.extend(entries)
        self.older = min(self.older + len(entries), len(self.log)) if self.older else 0

    # --- replies

    def _look(self, view: TableView, now: float) -> None:
        before = self.tables.pop(view.table, None)
        self.tables[view.table] = view
        self._unseen.discard(view.table)
        while len(self.tables) > MOST_TABLES:
            del self.tables[next(iter(self.tables))]
        if self.place is Place.REPLAY and view.you is None:
            return  # only the player's own table takes the place of a replay
        self.focus_on(view.table)
        self.motions = []
        if before is None or before.seq != view.seq:
            self.glimpses = {}  # events are missing: the cards may have moved
        if self.place is not Place.HOME:
            self.place = Place.TABLE
        self.clock = None
        self._set_clocks(None, view, now)
        self.pause = None if view.pause_ms is None else timed("next", view.pause_ms, now)
        if view.state == "open" and not any(row.get("table") == view.table for row in self.lobby.tables):
            self.wants.append("tables")  # only the list says whether the table is private

    def _set_clocks(self, before: TableView | None, view: TableView, now: float) -> None:
        """Start the clocks that have begun since the previous view, and stop those that have ended."""
        if view.clock is None:
            self.clock = None
        elif before is None or view.clock is not before.clock:
            self.clock = timed(view.clock.seat, view.clock.ms, now, self.clock)
        if view.slam is None or view.slam.won:
            self.window = None
        elif before is None or before.slam is None or before.slam.discard_no != view.slam.discard_no:
            self.window = timed(view.slam.card, view.slam.ms, now)
            self.rings = self.rings or before is not None
        if view.filling is None:
            self.filling = None
        elif before is None or view.filling is not before.filling:
            self.filling = timed(view.filling.level, view.filling.ms, now)

    def _happened(self, happened: Happened, now: float) -> None:
        before = self.tables.get(happened.table)
        if before is None:
            return
        try:
            view = fold(before, happened)
        except Gap:
            if happened.table == self.focus:
                self._write(entries_of(before, before, happened))
            self.wants.append("look")
            return
        except TableClosed as closed:
            self.notify(f"The table is closed: {closed}.", now, "server")
            self.leave_table(happened.table)
            return
        if view is before:
            return
        event = happened.event
        if isinstance(event, Left) and event.cause is Cause.KICKED and event.player == self.name:
            if event.seat is not None:  # watchers get a notice from the server instead
                self.notify(f"The host of {happened.table} has removed you.", now, "server")
            self.leave_table(happened.table)
            return
        self.tables[happened.table] = view
        if happened.table == self.focus:
            self._write(entries_of(before, view, happened))
            self._note(before, view, happened, now)

    def _note(self, before: TableView, view: TableView, happened: Happened, now: float) -> None:
        """Update what an event changes besides the view: times, glimpses, marks, the bell."""
        event = happened.event
        self._set_clocks(before, view, now)
        words, motions = shown_as(before, view, event, now)
        moved = {place for motion in motions for place in (motion.source, motion.target)}
        if not self.is_still:
            # Cards still moving to any of the places involved land at once.
            self.motions = [each for each in self.motions if each.target not in moved] + motions
            if event.name == "hole_ended":
                seconds = COUNT_SECONDS * max([len(seat.slots) for seat in view.seats], default=0)
                self.count = Timed("count", now + seconds, seconds)
        actor = actor_of(event)
        if actor is not None and words:
            self.moves[actor] = words
            slots = moved - {"stock", "discard", "held"}
            seen = [self.glimpses.pop(at) for at in slots & self.glimpses.keys()]
            self.changed |= dict.fromkeys(slots, actor)
            if isinstance(event, Penalized) and seen:
                # A card that was slammed by mistake stays visible for a while in its new slot (C15).
                self.glimpses[at_slot(event.seat, event.slot)] = seen[0]
        match event:
            case Peeked(at=places, cards=cards) if cards is not None:
                for place, card in zip(places, cards, strict=True):
                    self.glimpses[position_text(place)] = Timed(card.text, now + GLIMPSE_SECONDS)
            case Slammed(at=place, card=card, result=result) if result is not SlamResult.HIT:
                self.glimpses[position_text(place)] = Timed(card.text, now + GLIMPSE_SECONDS)
            case TurnBegan():
                self.marks = []
                self.moves.pop(actor or "", None)
                self.changed = {at: seat for at, seat in self.changed.items() if seat != actor}
                self.rings = self.rings or view.you == actor
            case Dealt():
                self.marks, self.moves, self.changed, self.glimpses = [], {}, {}, {}
                self.pause = self.cursor = None
                if self.news is not None and self.news.kind == "coming":
                    self.news = None

    def _prompt(self, prompt: Prompt, now: float) -> None:
        view = self.tables.get(prompt.table)
        if view is None:
            return
        view = self.tables[prompt.table] = prompted(view, prompt)
        if prompt.table != self.focus:
            return
        if view.state == "between":
            self.pause = None if prompt.ms is None else timed("next", prompt.ms, now, self.pause)
        elif view.clock is not None and prompt.ms is not None:
            self.clock = timed(view.clock.seat, view.clock.ms, now, self.clock)

    def _done(self, ok: Ok, now: float) -> None:
        if ok.name is not UNSET:
            self.name, self.lost_at = ok.name, None
            if self.refusal:
                self.news = None  # the refusal was about another name
            if self.place is Place.WELCOME:
                self.place = Place.LOBBY
            if not self.lobby.variants:
                self.wants += ["variants"]
            self.wants += ["tables", "who"]
            # The server shows a seat's table again before it answers; a watcher has to ask.
            for table in self._unseen & self.tables.keys():
                if self.tables[table].you is None:
                    self.wants.append(f"watch {table}")
                else:
                    self.notify(f"You have no seat at {table} any more.", now, "server")
                self.leave_table(table)
            self._unseen.clear()
        if ok.table is not UNSET and ok.place is not UNSET:
            self.line = ok.table, ok.place
        # The client itself sets the width, for rules and help.
        if ok.note is not UNSET and ok.note and "width" not in (ok.setting or ()):
            self.notify(ok.note, now, "done")

    def _rows(self, rows: Rows, now: float) -> None:
        self._parts += rows.rows
        if rows.more:
            return
        parts, self._parts = self._parts, []
        is_asked = rows.kind == self.asked
        self.asked = "" if is_asked else self.asked
        if self.lobby.store(rows.kind, parts, now) and not is_asked:
            return
        if rows.kind == "record":
            self.record = parts
        else:
            self.pages = pages_of(rows.kind, parts)


_PLAY: Final = ("event", "mine", "scores")
"""The kinds of log lines that are about the shown table only."""

_SILENT: Final = frozenset(("GREETING", "TEXT"))
