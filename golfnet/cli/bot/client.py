"""A bot as a client of a server: which table it joins, when it is ready, how long it stays.

Like ``player``, which chooses the actions, this module does no I/O. Invariant: at most one command is pending, and the
next one is chosen only after its answer has arrived.
"""

from collections.abc import Callable
from math import inf
from typing import Any, Final

from msgspec import UNSET

from golfnet.bots.bot import BotPlayer, Executor
from golfnet.cli.bot.player import RemotePlayer, Task
from golfnet.connect import UNREADABLE, Connecting, ConnectionEvent, Disconnected, Untrusted
from golfnet.engine.cards import seat_letter
from golfnet.engine.events import MatchEnded
from golfnet.engine.rules import RuleSet
from golfnet.protocol.conversation import Entered, Greeted, NotUnderstood, TokenIssued
from golfnet.protocol.replies.fold import Gap, TableClosed
from golfnet.protocol.replies.presence import Left
from golfnet.protocol.replies.replies import (
    AnyReply,
    Bye,
    Error,
    Happened,
    Notice,
    Ok,
    Prompt,
    Rows,
    TableView,
)
from golfnet.protocol.witness import Witness

BREATHER: Final = 15.0
"""Seconds that the bot waits after a match before it proposes a rematch, so that people can read the result."""

ANSWER_SECONDS: Final = 60.0
"""Seconds without an answer after which the bot reconnects. A server answers at once unless its disk hangs, and the
other players must not wait for the bot forever."""

MOST_LEFT_OUT: Final = 2
"""The bot leaves when this many holes have been dealt without the text that it adds to the shuffle. One such hole may
be due to a lost connection."""

PATIENCE: Final = 1.0
"""Seconds before a refused command is retried, unless the server says how long to wait."""


class BotClient:
    """One bot at one server; ``names`` are the names to try, in order, and ``name`` the one tried last.

    ``problem`` says why the task failed, if it did; ``notify`` is called with messages for the user. The bot seals its
    cuts with the ``witness``. It leaves a server if a deal does not match its commitment, or if two holes were dealt
    without the bot's cut.
    """

    def __init__(
        self,
        task: Task,
        names: tuple[str, ...],
        make: Callable[[RuleSet], BotPlayer],
        *,
        hurries: bool,
        witness: Witness,
        notify: Callable[[str], None],
    ) -> None:
        self.is_over = False
        """Whether the task has ended."""
        self._is_leaving = False
        self._left_out = 0
        self.problem = ""
        self.has_entered = self._was_in = False
        self._task = task
        self.name, *self._names = names
        self._player = RemotePlayer(make, hurries=hurries)
        self._witness = witness
        self._notify = notify
        self._breather = 0.0 if hurries else BREATHER
        self._table: str | None = None
        self._was_at = ""
        self._is_opener = False
        self._matches = 0
        self._last_match = ""
        self._rows: list[dict[str, Any]] = []
        self._tries: list[str] = []
        self._line: str | None = None
        """A line to send before anything that the bot itself wants to send."""
        self._pending: str | None = None
        self._pending_since = 0.0
        self._rematch_at = inf
        self._not_before = -inf

    def fail(self, problem: str) -> None:
        """End the task as failed."""
        self.is_over, self.problem = True, problem

    def leave(self) -> None:
        """Give up the seat, if there is one, and then quit."""
        self._is_leaving = True
        self.is_over = self.is_over or (self._table is None and self._pending is None)

    # --- receiving

    def receive(self, event: ConnectionEvent, now: float) -> None:
        """Handle an event on the connection."""
        match event:
            case NotUnderstood():
                self._notify(UNREADABLE)  # the bot may be waiting for this very reply
            case Untrusted():
                self.fail(str(event))  # nobody is there to decide whether to trust the server anyway
            case Connecting() | Greeted() | TokenIssued():
                pass
            case _ if self.is_over:
                pass
            case Entered():
                self.has_entered = self._was_in = True
                if self._table is None:  # the server has not put the bot back in its seat
                    self._seek_table()
            case Disconnected(reason=reason, retry_in=seconds):
                self.has_entered = False
                # A pending command is lost with the connection.
                self._table = self._pending = self._line = None
                self._player.lose_sight()
                self.is_over = self._is_leaving
                if not self._was_in:
                    nobody = "no golfnet server answers there, or it is not letting anybody in now"
                    self.fail(f"no connection ({reason})" if reason else nobody)
                elif reason:
                    self._notify(f"No connection ({reason}); trying again in {seconds:g} s.")
                else:
                    self._notify("The connection was lost; reconnecting.")
            case reply:
                self._handle_reply(reply, now)

    def _handle_reply(self, reply: AnyReply, now: float) -> None:
        self._witness.receive(reply)
        match reply:
            case TableView() if reply.you is not None:
                self._sat(reply, now)
            case Happened() if reply.table == self._table:
                self._happened(reply, now)
            case Prompt() if reply.table == self._table:
                self._player.receive_prompt(reply)
            case Rows(kind="tables"):
                self._rows += reply.rows
            case Ok():
                self._handle_ok()
                self._rows.clear()
            case Error() if reply.id is not UNSET:
                self._handle_error(reply, now)
                self._rows.clear()
            case Notice(code="IDLE"):
                self._line = self._line or "ping"
            case Notice(code="PAUSED" | "RESUMED" | "SHUTTING_DOWN"):
                self._notify(reply.text)
            case Bye():
                self._notify(reply.text)
                if reply.code in ("TAKEN_OVER", "KICKED", "FLOOD", "BAD_PROTOCOL"):
                    self.fail(reply.text)
        self._distrust()  # must come last: ``leave`` has to know about a seat given in this reply

    def _distrust(self) -> None:
        """Leave the server if a deal did not match its commitment, or if two holes were dealt without the bot's cut."""
        witness = self._witness
        for sentence in witness.left_out[self._left_out :]:
            self._left_out += 1
            self._notify(f"{sentence} Such holes so far: {self._left_out}.")
        if self._is_leaving:
            return
        for problem in witness.problems:
            self._notify(f"THE DEAL IS NOT WHAT WAS PROMISED. {problem}")
        if witness.problems or self._left_out >= MOST_LEFT_OUT:
            self.leave()

    def _sat(self, view: TableView, now: float) -> None:
        if self._table is None:
            self._notify(f"At {view.table}, seat {view.you}: {view.variant}.")
            self._rematch_at = now + self._breather
            if view.table != self._was_at:
                self._is_opener = any(seat.host and seat.seat == view.you for seat in view.seats)
        self._table = self._was_at = view.table
        self._player.receive_view(view, now)
        self._see_end(view, now)

    def _happened(self, happened: Happened, now: float) -> None:
        event = happened.event
        if isinstance(event, Left) and event.seat is not None and self._you == seat_letter(event.seat):
            if event.cause != "left":
                self.fail(f"The bot has lost its seat at {happened.table} ({event.cause}).")
            return
        try:
            self._player.receive_event(happened, now)
        except Gap:
            self._line = "look"
        except TableClosed as closed:
            self._closed(happened.table, str(closed))
            return
        if isinstance(event, MatchEnded):
            self._report_result(event)
        if self._player.view is not None:
            self._see_end(self._player.view, now)

    def _see_end(self, view: TableView, now: float) -> None:
        if view.state != "finished":
            self._rematch_at = inf
        elif view.match != self._last_match:
            self._last_match = view.match
            self._matches += 1
            self._rematch_at = now + self._breather
            if self._matches == self._task.matches:
                self.leave()

    def _closed(self, table: str, why: str) -> None:
        self._notify(f"{table} is closed: {why}.")
        self._table = None
        self._player.lose_sight()
        if self._task.table:
            self.is_over = True
        else:
            self._seek_table()

    def _report_result(self, event: MatchEnded) -> None:
        view = self._player.view
        letters = [] if view is None else [seat.seat for seat in view.seats]
        if self._you in letters:
            seat = letters.index(self._you)
            place, total = event.places[seat], event.totals[seat]
            self._notify(f"Match {event.match} is over: place {place} of {len(letters)}, total {total}.")

    # --- answers

    def _handle_ok(self) -> None:
        if not self.has_entered:
            return  # the answer to a line that was sent before the bot logged in
        line, self._pending = self._pending, None
        if line == "leave" or (self._is_leaving and self._table is None):
            self.is_over = True
        elif line == "tables":
            self._line, *self._tries = self._task.lines_for(self._rows)
        elif line is not None:
            self._player.is_news = True

    def _handle_error(self, error: Error, now: float) -> None:
        if not self.has_entered:
            self._not_named(error, now)
            return
        line, self._pending = self._pending, None
        verb = "" if line is None else line.split(" ", 1)[0]
        is_for_now = _is_for_now(error)
        view = self._player.view
        # Any event, even of an unknown kind, may have been received since the line was sent.
        has_moved_on = view is None or not (line or "").endswith(f" at={view.seq}")
        # Whether the line came too late.
        is_past = (error.code == "STALE" and has_moved_on) or (verb == "slam" and not is_for_now)
        if not is_past:
            self._not_before = now + _wait(error)
        match verb:
            case "join" | "seek" | "tables" | "look" | "rematch" | "seal" | "cut" if is_for_now:
                self._line = line
            case "join" if self._tries:
                self._line = self._tries.pop(0)
            case "join" if error.code == "WRONG_PASSWORD" and not self._task.password:
                self.fail(f"{self._task.table} is private. Give its password with --password WORD.")
            case "join" | "seek" | "tables":
                self.fail(error.message)
            case "look":
                self._closed(self._table or "the table", error.message)
            case "rematch":
                self._rematch_at = now + BREATHER
            case "leave":
                self.is_over = not is_for_now
            case "" | "seal" | "cut":
                pass
            case _:
                self._player.on_refused(line or "")
                if not is_past and not is_for_now:
                    self._line = "look"  # the view is wrong: get a new one
        self.is_over = self.is_over or (self._is_leaving and self._table is None)

    def _not_named(self, error: Error, now: float) -> None:
        """Try the next name; after several tries the server may require a pause."""
        if _is_for_now(error):
            self._not_before = now + _wait(error)
        elif error.code == "NAME_TAKEN" and self._names:
            self.name = self._names.pop(0)
        else:
            self.fail(error.message)
            return
        self._line = f"name {self.name}"

    # --- finding a table

    def _seek_table(self) -> None:
        self._rows, self._tries = [], []
        self._line = self._task.line or "tables"

    # --- acting

    @property
    def due(self) -> float:
        """When to call ``act`` next, or infinity if the bot waits for a reply."""
        if self._pending is not None or self.is_over:
            return inf
        if self._line is not None or self._is_leaving or self._witness.lines:
            return self._not_before
        return max(self._not_before, min(self._player.due, self._rematch_at))

    @property
    def gives_up_at(self) -> float:
        """When the pending command counts as lost, or infinity if no command is pending."""
        return inf if self._pending is None or self.is_over else self._pending_since + ANSWER_SECONDS

    @property
    def is_thinking(self) -> bool:
        """Whether the executor is computing a choice."""
        return self._player.is_thinking

    def act(self, now: float, executor: Executor) -> str | None:
        """Do what is due; return the line to be sent, if any. The executor computes slow choices."""
        line, self._line = self._line, None
        if self.has_entered:
            if self._is_leaving:
                line = "leave"
            elif line is None:
                # The witness's next line for the coming deal is a seal, or later the sealed cut.
                line = self._witness.lines.pop(0) if self._witness.lines else None
                line = line or self._attend(now) or self._player.act(now, executor)
            self._pending, self._pending_since = line, now
        return line

    def _attend(self, now: float) -> str | None:
        view = self._player.view
        if view is None:
            return None
        if "ready" in view.actions:
            return "ready"
        are_ready = all(seat.ready or seat.kind != "human" for seat in view.seats)
        if "start" in view.actions and not self._is_opener and are_ready:
            return "start"
        if "rematch" in view.actions and self._rematch_at <= now:
            self._rematch_at = inf
            return "rematch"
        return None

    @property
    def _you(self) -> str | None:
        return None if self._player.view is None else self._player.view.you


def _is_for_now(error: Error) -> bool:
    return error.code in ("RATE_LIMITED", "PAUSED")


def _wait(error: Error) -> float:
    return error.wait_ms / 1000 if isinstance(error.wait_ms, int) else PATIENCE
