"""What the person does, and what comes of it: keys, clicks and typed lines become command lines of the protocol.

Knows neither the terminal nor the network: keys come by name, lines go out through ``send``, pictures are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.protocol.commands.parse import parse, unparse
from golfnet.protocol.errors import Refused
from golfnet_client.model.manual import FIRST_STEPS, alarm_pages, manual
from golfnet_client.model.model import Place
from golfnet_client.model.replay import replay_of
from golfnet_client.screens.form import draw_form
from golfnet_client.screens.lobby_screen import (
    LEAST_HEIGHT,
    LEAST_WIDTH,
    draw_lobby,
    draw_pages,
    draw_small,
    draw_welcome,
)
from golfnet_client.screens.panels import draw_alarm, draw_header
from golfnet_client.screens.table_screen import draw_table
from golfnet_client.terminal.desk import ACCEPT, Desk
from golfnet_client.terminal.lobby_keys import choose_row, press_form, press_lobby, press_pages, press_replay
from golfnet_client.terminal.table_keys import keep_cursor, press_table

if TYPE_CHECKING:
    from golfnet.protocol.replies.replies import AnyReply
    from golfnet_client.screens.canvas import Canvas


class Client(Desk):
    """The person's side of the program."""

    # --- what the server says

    def heard(self, reply: AnyReply) -> None:
        """Take over a reply, and ask for what the model then wants."""
        model, place = self.model, self.model.place
        model.receive(reply, self.now())
        if self.witness is not None:
            self.witness.receive(reply)
            self.send_sealed()
            if len(self.witness.problems) > len(model.alarms):
                self._raise_alarm(tuple(self.witness.problems))
        if model.place is Place.REPLAY and model.record:
            self.replay = replay_of(model.record)
            model.news = None
            model.record = []
            self.replay.show(model)
        if model.place is Place.TABLE and place is not Place.TABLE:
            self.is_leaving = False
        if self.offers_lesson and place is Place.WELCOME and model.place is Place.LOBBY:
            self.offers_lesson = False
            model.pages, model.scroll = FIRST_STEPS, 0
        elif model.place is Place.TABLE and model.pages is FIRST_STEPS:
            model.pages = None
        keep_cursor(self)
        wants, model.wants = list(dict.fromkeys(model.wants)), []
        for line in wants:
            self.send(line)

    def _raise_alarm(self, problems: tuple[str, ...]) -> None:
        """Show that a deal was not what was promised, so that nobody can miss or forget it."""
        for problem in problems[len(self.model.alarms) :]:
            self.model.say("refused", f"THE DEAL IS NOT WHAT WAS PROMISED. {problem}")
        self.model.alarms, self.model.rings = problems, True
        self.model.pages, self.model.scroll = alarm_pages(problems, self.evidence()), 0

    # --- what is shown

    def changes_in(self) -> float | None:
        """Return after how many seconds the picture will be another one by time alone, None for never."""
        return self.model.changes_in(self.now())

    def picture(self, width: int, height: int) -> Canvas:
        """Return the screen as it is now."""
        model, now = self.model, self.now()
        model.pass_time(now)
        if width < LEAST_WIDTH or height < LEAST_HEIGHT:
            self.canvas = draw_small(model, width, height)
            if model.alarms:
                draw_alarm(self.canvas)
            return self.canvas
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
        if model.alarms:
            draw_alarm(canvas)
        self.canvas = canvas
        return canvas

    @property
    def types(self) -> bool:
        """Whether the person has to type now, and keys have no other meaning."""
        return (self.model.place is Place.WELCOME and self.model.pages is None) or self.edits is not None

    @property
    def label(self) -> str:
        """What stands before the command line."""
        if self.edits is not None:
            return f"{self.edits}="
        if self.model.place is Place.WELCOME:
            return "server: " if self.connect is not None else "name: "
        return ": "

    # --- what the person does

    def press(self, key: str) -> None:
        """Act on a key; one without a meaning here does nothing."""
        if self.model.pages is not None:
            press_pages(self, key)
            return
        if key == "!" and self.model.alarms:
            self.model.pages, self.model.scroll = alarm_pages(self.model.alarms, self.evidence()), 0
        elif key == "?":
            self.model.pages, self.model.scroll = manual(self.model.place.value), 0
        elif key == "z":
            self.next_theme = True
        elif key == "Z":
            self.next_felt = True
        elif key == ":":
            self.asks = ""
        elif key == "'":
            self.asks = "say " if self.model.table is not None else "shout "
        else:
            {
                Place.TABLE: press_table,
                Place.REPLAY: press_replay,
                Place.CREATE: press_form,
            }.get(self.model.place, press_lobby)(self, key)
        if key != "q":
            self.is_leaving = False

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
                choose_row(self, int(what))
            case "page":
                again = self.model.scroll == int(what)
                self.model.scroll_to(int(what))
                if again:
                    self.press("enter")

    def wheel(self, key: str) -> None:
        """Act on the mouse wheel, ``up`` or ``down``: the log at the table, lists and texts elsewhere."""
        if self.model.place is Place.TABLE and self.model.pages is None:
            self.scroll_log({"up": "older", "down": "newer"}[key])
        else:
            self.press(key)

    def typed(self, line: str) -> str:
        """Carry out a typed line; return what is to stay on the command line."""
        text = " ".join(line.splitlines()).strip()
        if not _is_text(text):
            self.model.tell("What the terminal sent is no UTF-8, and goes nowhere.", self.now())
            return line
        if self.edits is not None and self.form is not None:
            self.form.change(self.edits, text)
            self.edits = None
            return ""
        if not text:
            return ""
        if self.connect is not None:
            self.connect(text)
            return ""
        if self.accept is not None and text.lower() in (ACCEPT, ACCEPT[1:]):
            accept, self.accept = self.accept, None
            accept()
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
        self.carry_out(unparse(request))
        return ""

    def cancel_typing(self) -> None:
        """Leave the command line; what stands there stays there."""
        self.edits = None


def _is_text(text: str) -> bool:
    """Tell whether a text can be written: a terminal's bytes that are no UTF-8 come as lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
