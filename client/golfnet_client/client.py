"""What the person does, and what comes of it: keys, clicks and typed lines become command lines of the protocol.

Knows neither the terminal nor the network: keys come by name, lines go out through ``send``, pictures are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.engine.variants import VARIANTS
from golfnet.protocol.commands import parse, unparse
from golfnet.protocol.errors import Refused
from golfnet_client.choices import line_for_digit, line_for_key, pickable, picking
from golfnet_client.faces import Look
from golfnet_client.form import Form, draw_form, new_form
from golfnet_client.lobby_screen import draw_lobby, draw_pages, draw_welcome
from golfnet_client.manual import manual
from golfnet_client.model import Model, Place
from golfnet_client.pages import Pages
from golfnet_client.panels import draw_header, score_lines
from golfnet_client.replay import Replay, replay_of
from golfnet_client.table_screen import draw_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.protocol.replies import AnyReply
    from golfnet_client.canvas import Canvas

_ARROWS: Final = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
GUIDED: Final = ("create six-card seats=2 holes=1 clock=0 name=Tutorial", "bot easy", "start")
"""The lines that open a first hole against a bot."""


class Client:
    """The person's side of the program."""

    def __init__(
        self, model: Model, *, send: Callable[[str], None], now: Callable[[], float], look: Look | None = None
    ) -> None:
        self.model = model
        self.look = look or Look()
        self.form: Form | None = None
        self.replay: Replay | None = None
        self.canvas: Canvas | None = None
        self.is_over = False
        self.asks: str | None = None
        """What the command line is opened with: the screen takes it and sets it to None."""
        self.next_theme = False
        self.connect: Callable[[str], None] | None = None
        """Where a server's address goes while there is none yet."""
        self._send = send
        self.now = now
        self._leaving = False
        self._edits: str | None = None

    # --- what the server says

    def heard(self, reply: AnyReply) -> None:
        """Take over a reply, and ask for what the model then wants."""
        model, place = self.model, self.model.place
        model.receive(reply, self.now())
        if model.place is Place.REPLAY and model.record:
            self.replay = replay_of(model.record)
            model.news = None
            model.record = []
            self.replay.show(model)
        if model.place is Place.TABLE and place is not Place.TABLE:
            self._leaving = False
        self._keep_cursor()
        wants, model.wants = list(dict.fromkeys(model.wants)), []
        for line in wants:
            self._send(line)

    # --- what is shown

    def picture(self, width: int, height: int) -> Canvas:
        """Return the screen as it is now."""
        model, now = self.model, self.now()
        model.pass_time(now)
        match model.place:
            case Place.TABLE | Place.REPLAY:
                canvas = draw_table(model, width, height, self.look, now)
                if model.place is Place.REPLAY and self.replay is not None:
                    at = f"replay, {self.replay.at + 1} of {len(self.replay.views)}"
                    draw_header(canvas, model, f"{model.focus} {self.look.dot} {at}", self.look)
            case Place.CREATE if self.form is not None:
                canvas = draw_form(self.form, model, width, height, self.look)
            case Place.WELCOME:
                canvas = draw_welcome(model, width, height, self.look, now)
            case _:
                canvas = draw_lobby(model, width, height, self.look, now)
        if model.pages is not None:
            draw_pages(canvas, model, self.look)
        self.canvas = canvas
        return canvas

    @property
    def types(self) -> bool:
        """Whether the person has to type now, and keys have no other meaning."""
        return (self.model.place is Place.WELCOME and self.model.pages is None) or self._edits is not None

    @property
    def label(self) -> str:
        """What stands before the command line."""
        if self._edits is not None:
            return f"{self._edits}="
        if self.model.place is Place.WELCOME:
            return "server: " if self.connect is not None else "name: "
        return ": "

    # --- what the person does

    def press(self, key: str) -> None:
        """Act on a key; one without a meaning here does nothing."""
        if self.model.pages is not None:
            self._press_pages(key)
            return
        if key == "?":
            self.model.pages, self.model.scroll = manual(self.model.place.value), 0
        elif key == "z":
            self.next_theme = True
        elif key == ":":
            self.asks = ""
        elif key == "'":
            self.asks = "say " if self.model.table is not None else "shout "
        else:
            {
                Place.TABLE: self._press_table,
                Place.REPLAY: self._press_replay,
                Place.CREATE: self._press_form,
            }.get(self.model.place, self._press_lobby)(key)
        if key != "q":
            self._leaving = False

    def click(self, x: int, y: int) -> None:
        """Act on a click."""
        target = self.canvas.target_at(x, y) if self.canvas is not None else None
        if target is None:
            if self.model.pages is not None:
                self.press("escape")
            return
        kind, _, what = target.partition(" ")
        match kind:
            case "key":
                self.press({"esc": "escape", "del": "delete"}.get(what, what))
            case "card" if self.model.cursor == what:
                self.press("enter")
            case "card":
                self.model.cursor = what
            case "pile":
                self.press({"stock": "d", "discard": "t", "held": "x"}[what])
            case "row":
                self._choose_row(int(what))
            case "page":
                again = self.model.scroll == int(what)
                self.model.scroll = int(what)
                if again:
                    self.press("enter")

    def typed(self, line: str) -> str:
        """Carry out a typed line; return what is to stay on the command line."""
        text = line.strip()
        if self._edits is not None and self.form is not None:
            self.form.change(self._edits, text)
            self._edits = None
            return ""
        if not text:
            return ""
        if self.connect is not None:
            self.connect(text)
            return ""
        if self.model.place is Place.WELCOME and " " not in text:
            text = f"name {text}"
        view = self.model.table
        try:
            holding = view is not None and view.you is not None and view.holding == view.you
            request = parse(text, machine=False, holding=holding)
        except Refused as refused:
            self.model.tell(refused.message, self.now())
            return line
        self._carry_out(unparse(request))
        return ""

    def cancel_typing(self) -> None:
        """Leave the command line; what stands there stays there."""
        self._edits = None

    def guided(self) -> None:
        """Open the tutorial."""
        self.model.lesson = True
        for line in GUIDED:
            self._send(line)

    # --- inside

    def _carry_out(self, line: str) -> None:
        verb = line.partition(" ")[0]
        model, view = self.model, self.model.table
        match verb:
            case "quit":
                self._send(line)
                self.is_over = True
            case "score" | "hand" | "turn" | "top-card" if view is not None:
                self._show_scores()
            case "leave" | "unseek" | "unwatch" if view is not None:
                self._send(line)
                model.lesson = False
                model.leave_table(view.table)
                self._send_wants()
            case _:
                self._send(line)

    def _send_wants(self) -> None:
        wants, self.model.wants = self.model.wants, []
        for line in wants:
            self._send(line)

    def _press_pages(self, key: str) -> None:
        model, pages = self.model, self.model.pages
        page = max(1, (self.canvas.height if self.canvas is not None else 24) - 8)
        steps = {
            "up": -1,
            "down": 1,
            "pageup": -page,
            "pagedown": page,
            "space": page,
            "home": -9999,
            "end": 9999,
        }
        if key in steps:
            model.scroll += steps[key]
        elif key == "enter" and pages is not None and pages.rows:
            command = pages.rows[model.scroll]
            if command.startswith("connect ") and self.connect is not None:
                model.pages = None
                self.connect(command.removeprefix("connect "))
            else:
                self._send(command)
        elif key in ("escape", "q", "enter", "?", "v"):
            model.pages = None

    def _press_table(self, key: str) -> None:
        model, view = self.model, self.model.table
        if view is None:
            return
        if key in _ARROWS and self.canvas is not None:
            target = self.canvas.neighbour(
                f"card {model.cursor}" if model.cursor else None, *_ARROWS[key], "card "
            )
            if target is not None:
                model.cursor = target.partition(" ")[2]
            return
        if key == "tab":
            self._next_pickable()
            return
        if key.isdigit():
            self._digit("10" if key == "0" else key)
            return
        line = line_for_key(model, key, self.look)
        if line is not None:
            self._do(line)
        elif key == "v":
            self._show_scores()
        elif key == "u":
            self._send("rules")
        elif key == "q":
            self._leave()
        elif key == "enter" and model.cursor is not None and view.targets:
            self._mark(model.cursor)

    def _do(self, line: str) -> None:
        """Send a line of play, or do what only the client knows."""
        if line.startswith("mark "):
            self._mark(line.partition(" ")[2])
            return
        if line.startswith("switch"):
            self.model.marks = []
        self._send(line)

    def _mark(self, position: str) -> None:
        view, marks = self.model.table, self.model.marks
        if position in marks:
            marks.remove(position)
        elif view is not None and position in view.targets and "switch" in view.actions:
            self.model.marks = [*marks, position][-2:]

    def _digit(self, digit: str) -> None:
        view = self.model.table
        if view is None or view.you is None:
            return
        at = f"{view.you}{digit}"
        if self.model.slot(at) is None:
            return
        self.model.cursor = at
        # A power or a slam is too much for a digit; everything else asks for exactly one own slot.
        if picking(view) is not None and view.phase != "power":
            line = line_for_digit(self.model, digit)
            if line is not None:
                self._send(line)

    def _next_pickable(self) -> None:
        view, model = self.model.table, self.model
        offers = pickable(view) if view is not None else []
        if not offers:
            self._next_table()
            return
        at = offers.index(model.cursor) + 1 if model.cursor in offers else 0
        model.cursor = offers[at % len(offers)]

    def _next_table(self) -> None:
        """Look at the next of several tables: one's own and those that are watched."""
        model = self.model
        names = list(model.tables)
        if model.focus in names and len(names) > 1:
            model.focus = names[(names.index(model.focus) + 1) % len(names)]
            model.cursor = model.clock = model.window = model.pause = None

    def _keep_cursor(self) -> None:
        """See that a card is chosen where one is asked for."""
        view, model = self.model.table, self.model
        if model.cursor is not None and model.slot(model.cursor) is None:
            model.cursor = None
        if view is not None and model.cursor is None and view.you is not None and model.slot(f"{view.you}1"):
            model.cursor = next(iter(pickable(view)), f"{view.you}1")

    def _leave(self) -> None:
        """Leave the table; a seat in a running match only when asked for twice."""
        view = self.model.table
        if view is None:
            return
        if view.you is None:
            self._carry_out(f"unwatch {view.table}")
        elif view.state in ("open", "finished") or self._leaving:
            self._carry_out("leave")
        else:
            self._leaving = True
            self.model.tell(
                "q once more gives your seat to the house; ctrl-c closes and keeps it.", self.now()
            )

    def _show_scores(self) -> None:
        view = self.model.table
        if view is not None:
            title = f"Scores, {view.variant}"
            self.model.pages, self.model.scroll = Pages(title=title, lines=tuple(score_lines(view))), 0

    def _press_lobby(self, key: str) -> None:
        lobby = self.model.lobby
        chosen = lobby.tables[lobby.chosen]["table"] if lobby.tables else None
        match key:
            case "up" | "down":
                step = 1 if key == "down" else -1
                lobby.chosen = max(0, min(lobby.chosen + step, len(lobby.tables) - 1))
            case "enter" if chosen is not None:
                if lobby.tables[lobby.chosen].get("private"):
                    self.asks = f"join {chosen} password="
                else:
                    self._send(f"join {chosen}")
            case "w" if chosen is not None:
                self._send(f"watch {chosen}")
            case "c":
                self.form = new_form(lobby.variants, VARIANTS)
                self.model.place = Place.CREATE
            case "s":
                self.asks = "seek "
            case "g":
                self.guided()
            case "h":
                self._send("history")
            case "l":
                self._send("top")
            case "q":
                self._carry_out("quit")

    def _press_form(self, key: str) -> None:
        form = self.form
        if form is None:
            return
        name = form.lines[form.at].name
        match key:
            case "up" | "down":
                form.at = max(0, min(form.at + (1 if key == "down" else -1), len(form.lines) - 1))
            case "left" | "right":
                form.step(1 if key == "right" else -1)
            case "pageup" | "pagedown":
                form.at = max(0, min(form.at + (8 if key == "pagedown" else -8), len(form.lines) - 1))
            case "e":
                self._edits, self.asks = name, form.value(name)
            case "delete":
                form.change(name, "")
            case "u":
                self._send(f"rules {form.variant}")
            case "enter":
                form.problem = form.check()
                if not form.problem:
                    self._send(form.command())
            case "escape" | "q":
                self.model.place = Place.LOBBY

    def _choose_row(self, row: int) -> None:
        if self.model.place is Place.CREATE and self.form is not None:
            self.form.at = row
        elif self.model.lobby.chosen == row:
            self.press("enter")
        else:
            self.model.lobby.chosen = row

    def _press_replay(self, key: str) -> None:
        replay, model = self.replay, self.model
        if replay is None:
            return
        match key:
            case "right" | "space" | "enter":
                replay.go(1)
            case "left":
                replay.go(-1)
            case "n" | "pagedown":
                replay.to_hole(1)
            case "p" | "pageup":
                replay.to_hole(-1)
            case "home":
                replay.go(-len(replay.views))
            case "end":
                replay.go(len(replay.views))
            case "v":
                self._show_scores()
                return
            case "q" | "escape":
                model.place = Place.LOBBY
                if model.focus is not None:
                    model.tables.pop(model.focus, None)
                model.focus = next(iter(model.tables), None)
                self.replay = None
                return
        replay.show(model)
