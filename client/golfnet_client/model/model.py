"""Everything the client knows, as the server has told it and the person has chosen; drawing only reads it.

Pure: replies come in through ``receive``, with the time they came at; what the model needs to ask of the server it
puts into ``wants``. Times are seconds of any clock that only goes forward.
"""

from __future__ import annotations

import re
from collections import deque
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from msgspec import UNSET, UnsetType

from golfnet.engine.events import Dealt, Peeked, Slammed, SlamResult, TurnBegan
from golfnet.engine.notation import SEAT_LETTERS, position_text
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
from golfnet_client.model.lobby import LobbyLists
from golfnet_client.model.motion import FRAME, Motion, Timed, glimpse, motions_of, timed
from golfnet_client.model.pages import Pages, pages_of
from golfnet_client.model.story import Entry, Move, entries_of, move_of

if TYPE_CHECKING:
    from golfnet.protocol.replies.data import AnyEvent

KEPT_LINES: Final = 400
"""Lines of the log that can be scrolled back to."""

MOST_TABLES: Final = 100
"""Tables that are kept, the latest ones looked at."""

NEWS_SECONDS: Final = 6.0
"""How long a refusal or a notice stands in place of the headline."""

COUNT_SECONDS: Final = 0.15
"""How long each card is looked at when a hole is counted."""

BAR_SECONDS: Final = 0.1
"""How often the bar of a slam window is drawn anew."""


class Place(StrEnum):
    """Which screen is shown."""

    HOME = "home"
    WELCOME = "welcome"
    LOBBY = "lobby"
    CREATE = "create"
    TABLE = "table"
    REPLAY = "replay"


class Model:
    """The state of the client; ``wants`` holds command lines that are to be sent for the model's own sake."""

    def __init__(self, *, server: str = "") -> None:
        self.server = server
        self.name = ""
        self.link = "connecting"
        self.retry: Timed | None = None
        """Until the next attempt to connect."""
        self.lost_at: float | None = None
        """Since when there is no connection, None while there is one, or was none yet."""
        self.is_solo = False
        """Whether the server is in this program, for this person alone."""
        self.place = Place.WELCOME
        self.tables: dict[str, TableView] = {}
        self.focus: str | None = None
        self.log: deque[Entry] = deque(maxlen=KEPT_LINES)
        self.older = 0
        """How many of the newest lines of the log are passed over, because the person looks at older ones."""
        self.lobby = LobbyLists()
        self.pages: Pages | None = None
        self.scroll = 0
        self.cursor: str | None = None
        self.marks: list[str] = []
        self.moves: dict[str, Move] = {}
        """What each seat did last, until its next turn."""
        self.count: Timed | None = None
        """While the cards of a hole that is over are counted one after the other."""
        self.motions: list[Motion] = []
        """Cards on their way."""
        self.is_still = False
        """Whether nothing is to be set in motion."""
        self.glimpses: dict[str, Timed] = {}
        """Face-down cards that were shown, by position; the event that moves a card ends its glimpse."""
        self.news: Timed | None = None
        """What was said last to the person; it goes into the log once it is no longer shown."""
        self.news_kind = ""
        """The kind of the news: refused, which is red, or done or server."""
        self.clock: Timed | None = None
        self.window: Timed | None = None
        self.pause: Timed | None = None
        self.line = "", 0
        """The table at which the person waits for a seat, and the place in line there; 0 for none."""
        self.filling: Timed | None = None
        """Until bots of a level take the free seats of the table that is looked at."""
        self.wants: list[str] = []
        self.record: list[dict[str, Any]] = []
        """A record that came, to be shown or, if its match is among ``keeps``, to be kept."""
        self.keeps: set[str] = set()
        """Matches whose records are asked for to be kept, not to be shown."""
        self.alarms: tuple[str, ...] = ()
        """Deals that were not what was promised, as sentences; they stay to the end of the program."""
        self.left_out: tuple[str, ...] = ()
        """Holes that were dealt without the person's text, in the same way."""
        self.rings = False
        self.lesson = False
        self._parts: list[Any] = []
        self._parts_of = ""
        """The kind of list that they belong to."""
        self._time = 0.0

    @property
    def link_sentence(self) -> str:
        """How the connection stands, as a sentence."""
        left = 0 if self.retry is None else self.retry.seconds_left(self._time)
        when = f" Trying again in {left} s." if left else ""
        return f"{self.link[:1].upper()}{self.link[1:]}{'.' if when else ' ...'}{when}"

    @property
    def is_connected(self) -> bool:
        """Whether the server can be reached, so that keys do something."""
        return self.link == "connected"

    def linked(self, state: str, now: float, wait: float = 0.0) -> None:
        """Take over how the connection stands: connected, or what is the matter, and when it is tried again."""
        was_lost = self.lost_at is not None
        self.link, self._time = state, now
        self.retry = Timed(state, now + wait, wait) if wait else None
        if not self.is_connected:
            self.line = "", 0
            if self.name and not was_lost:
                self.lost_at = now
        elif was_lost:
            self.lost_at = None
            self.tell("Connected again.", now, "done")

    @property
    def table(self) -> TableView | None:
        """The table that is looked at."""
        return self.tables.get(self.focus) if self.focus is not None else None

    @property
    def changed(self) -> dict[str, str]:
        """The positions that changed in somebody's last turn, with the seat whose turn it was."""
        return {at: move.seat for move in self.moves.values() for at in move.changed}

    @property
    def is_asked(self) -> bool:
        """Whether a match waits for the person to do something."""
        view = self.table
        if view is None or self.place is not Place.TABLE or view.you is None or not view.actions:
            return False
        return view.state == "playing"

    @property
    def is_seated(self) -> bool:
        """Whether the person has a seat at the table that is looked at."""
        return self.table is not None and self.table.you is not None

    def slot(self, position: str) -> str | None:
        """Return what lies at a position such as ``B3``, None where there is no such place."""
        view = self.table
        for seat in view.seats if view is not None else ():
            if seat.seat == position[:1] and position[1:].isdigit() and int(position[1:]) <= len(seat.slots):
                return seat.slots[int(position[1:]) - 1]
        return None

    def scroll_to(self, line: int) -> None:
        """Scroll the pages to a line, or choose a row of a list; there is always one that is chosen."""
        rows = len(self.pages.rows) if self.pages is not None else 0
        self.scroll = max(0, min(line, rows - 1) if rows else line)  # a text's end depends on the screen

    def say(self, kind: str, text: str) -> None:
        """Add a line to the log."""
        self._write([Entry(kind, text)])

    def tell(self, text: str, now: float, kind: str = "refused") -> None:
        """Say something to the person at once; it stays in the log after that."""
        self._file_news()
        self.news, self.news_kind = Timed(text, now + NEWS_SECONDS), kind

    def _file_news(self) -> None:
        """Put the news that are shown into the log."""
        if self.news is not None:
            self.say(self.news_kind, self.news.what)
            self.news = None

    def drop_refusal(self) -> None:
        """Show a refusal no longer: the person has gone on."""
        if self.news_kind == "refused":
            self._file_news()

    def pass_time(self, now: float) -> None:
        """Forget what was to be shown for a while only."""
        if self.count is not None and self.count.ends <= now:
            self.count = None
        if self.motions:
            self.motions = [motion for motion in self.motions if motion.ends > now]
        self._time = now
        self.glimpses = {at: seen for at, seen in self.glimpses.items() if seen.ends > now}
        if self.news is not None and self.news.ends <= now:
            self._file_news()

    def changes_in(self, now: float) -> float | None:
        """Return after how many seconds time alone changes what is to be shown, None for never."""
        # Without a connection the clocks stand still, and only the wait for it is counted.
        clocks = (self.clock, self.pause, self.filling) if self.lost_at is None else ()
        counted = [timed for timed in (*clocks, self.retry) if timed is not None]
        waits = [timed.changes_in(now) for timed in counted]
        waits += [timed.ends - now for timed in (*self.glimpses.values(), self.news) if timed is not None]
        if self.window is not None and self.window.ends > now and self.lost_at is None:
            waits.append(BAR_SECONDS)
        if self.motions or self.count is not None:
            waits.append(FRAME)
        if self.place is Place.LOBBY and self.lobby.counts_seconds:
            waits.append(1.0)
        return min([wait for wait in waits if wait is not None and wait >= 0], default=None)

    def receive(self, reply: AnyReply, now: float) -> None:
        """Take over what the server said."""
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
                self._chat(reply)
            case Error():
                self._parts.clear()
                self.tell(reply.message, now)
            case Ok():
                self._parts.clear()  # a list is complete before its answer
                self._done(reply, now)
            case Notice(code="IN_LINE"):
                self._stand_in_line(reply.table, reply.text)
                self.tell(reply.text, now, "server")
            case Notice() if reply.code not in _SILENT:
                self.tell(reply.text, now, "server")
            case Bye():
                self.tell(reply.text, now, "server")
            case _:
                pass

    def leave_table(self, table: str) -> None:
        """Forget a table that the person has left or that is closed."""
        self.tables.pop(table, None)
        self.line = "", 0
        if self.focus == table:
            self.focus_on(next(iter(self.tables), None))
            if not self.tables and self.place is Place.TABLE:
                self.place = Place.LOBBY
            self.wants += ["tables", "who"]

    def focus_on(self, table: str | None) -> None:
        """Look at a table; what was remembered of another one, by positions that both have, goes."""
        if table == self.focus:
            return
        self.focus, self.cursor, self.marks = table, None, []
        self.glimpses, self.moves, self.motions = {}, {}, []
        self.clock = self.window = self.pause = self.filling = None

    def _write(self, entries: list[Entry]) -> None:
        """Add lines to the log; who looks at older ones goes on looking at the same."""
        self.log.extend(entries)
        if self.older:
            self.older = min(self.older + len(entries), len(self.log))

    # --- replies

    def _look(self, view: TableView, now: float) -> None:
        before = self.tables.pop(view.table, None)
        self.tables[view.table] = view
        self.focus_on(view.table)
        self.motions = []
        if before is None or before.seq != view.seq:
            self.glimpses = {}  # what has happened meanwhile may have moved the cards
        while len(self.tables) > MOST_TABLES:
            del self.tables[next(iter(self.tables))]
        if self.place in (Place.WELCOME, Place.LOBBY, Place.CREATE):
            self.place = Place.TABLE
        self.clock = None if view.clock is None else timed(view.clock.seat, view.clock.ms, now)
        self.window = None if view.slam is None or view.slam.won else timed(view.slam.card, view.slam.ms, now)
        self.pause = None if view.pause_ms is None else timed("next", view.pause_ms, now)
        self._await_bots(view, now)
        if view.state == "open" and not any(row.get("table") == view.table for row in self.lobby.tables):
            self.wants.append("tables")  # which say whether it is private

    def _await_bots(self, view: TableView, now: float) -> None:
        self.filling = None if view.filling is None else timed(view.filling.level, view.filling.ms, now)

    def _happened(self, happened: Happened, now: float) -> None:
        before = self.tables.get(happened.table)
        if before is None:
            return
        try:
            view = fold(before, happened)
        except Gap:
            self._write(entries_of(before, before, happened))
            self.wants.append("look")
            return
        except TableClosed as closed:
            self.tell(f"The table is closed: {closed}.", now, "server")
            self.leave_table(happened.table)
            return
        if view is before:
            return
        event = happened.event
        if isinstance(event, Left) and event.cause is Cause.KICKED and event.player == self.name:
            if event.seat is not None:  # a watcher is told by a notice
                self.tell(f"The host of {happened.table} has sent you away.", now, "server")
            self.leave_table(happened.table)
            return
        self.tables[happened.table] = view
        self._write(entries_of(before, view, happened))
        if happened.table == self.focus:
            self._note(before, view, happened, now)

    def _note(self, before: TableView, view: TableView, happened: Happened, now: float) -> None:
        """Take over what an event means for the screen beside the table: times, glimpses, marks, the bell."""
        event = happened.event
        if view.clock is None:
            self.clock = None
        elif view.clock is not before.clock:
            self.clock = timed(view.clock.seat, view.clock.ms, now, self.clock)
        if view.slam is None or view.slam.won:
            self.window = None
        elif before.slam is None or before.slam.discard_no != view.slam.discard_no:
            self.window = timed(view.slam.card, view.slam.ms, now)
            self.rings = True
        if view.filling is not before.filling:
            self._await_bots(view, now)
        self._note_move(view, event)
        if not self.is_still:
            self._move(motions_of(before, view, event, now))
            if event.name == "hole_ended":
                slots = max([len(seat.slots) for seat in view.seats], default=0)
                self.count = Timed("count", now + COUNT_SECONDS * slots, COUNT_SECONDS * slots)
        match event:
            case Peeked(at=at, cards=cards) if cards is not None:
                for place, card in zip(at, cards, strict=True):
                    self.glimpses[position_text(place)] = glimpse(card.text, now)
            case Slammed(at=place, card=card, result=result) if result is not SlamResult.HIT:
                self.glimpses[position_text(place)] = glimpse(card.text, now)
            case TurnBegan(seat=seat):
                self.marks = []
                self.rings = self.rings or view.you == SEAT_LETTERS[seat]
            case Dealt():
                self.marks, self.glimpses, self.pause = [], {}, None
                self.cursor = None
            case _:
                pass

    def _move(self, motions: list[Motion]) -> None:
        """Set cards in motion; one that is moved again is where it was going to."""
        places = {place for motion in motions for place in (motion.source, motion.target)}
        kept = [motion for motion in self.motions if motion.target not in places]
        self.motions = [*kept, *motions]

    def _note_move(self, view: TableView, event: AnyEvent) -> None:
        """Keep what a seat did, together with what it did before in the same turn; no glimpse outlives its card."""
        if isinstance(event, TurnBegan):
            self.moves.pop(SEAT_LETTERS[event.seat], None)
        elif isinstance(event, Dealt):
            self.moves = {}
        elif (move := move_of(event, view)) is not None:
            for at in move.changed:
                self.glimpses.pop(at, None)
            before = self.moves.get(move.seat)
            changed = (*before.changed, *move.changed) if before is not None else move.changed
            self.moves[move.seat] = move._replace(changed=tuple(dict.fromkeys(changed)))

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

    def _chat(self, chat: Chat) -> None:
        aside = "" if chat.to in ("table", "lobby") else f" (to {chat.to})"
        self.say("chat", f"{chat.speaker}{aside}: {chat.text}")

    def _done(self, ok: Ok, now: float) -> None:
        if ok.name is not UNSET:
            self.name, self.lost_at = ok.name, None
            if self.news_kind == "refused":
                self.news = None  # it was about a name that could not be had
            if self.place is Place.WELCOME:
                self.place = Place.LOBBY
            if not self.lobby.variants:
                self.wants += ["variants"]
            self.wants += ["tables", "who"]
        if ok.note is not UNSET and ok.note:
            self._stand_in_line(ok.table, ok.note)
            self.tell(ok.note, now, "done")

    def _stand_in_line(self, table: str | UnsetType, text: str) -> None:
        """Take over the place in line that a sentence tells, and that there is none any more."""
        if self.is_seated or " no more" in text:
            self.line = "", 0
        elif table is not UNSET and (found := re.search(r"\bnumber (\d+) in line\b", text)):
            self.line = table, int(found[1])

    def _rows(self, rows: Rows, now: float) -> None:
        if rows.kind != self._parts_of:
            self._parts.clear()
        self._parts_of = rows.kind
        self._parts += rows.rows
        if rows.more:
            return
        parts, self._parts = self._parts, []
        if self.lobby.take(rows.kind, parts, now):
            return
        if rows.kind == "record":
            self.record = parts
            if parts and parts[0].get("match") not in self.keeps:
                self.place, self.pages = Place.REPLAY, None
        else:
            self.pages, self.scroll = pages_of(rows.kind, parts), 0


_SILENT: Final = frozenset(("GREETING", "TEXT"))
