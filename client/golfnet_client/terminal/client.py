"""The controller: keys, clicks and typed lines become command lines of the protocol, and replies change the model.

It knows neither the terminal nor the network: keys arrive by name, lines leave through ``send``. Replies are passed to
the model and the witness; they may open menus and replays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.protocol.commands.parse import spelled_out
from golfnet.protocol.errors import Refused
from golfnet.protocol.lines import clean_text
from golfnet_client.model.model import Model, Place
from golfnet_client.model.pages import alarm_pages, left_out_pages, manual
from golfnet_client.screens.canvas import Canvas
from golfnet_client.screens.form import draw_form
from golfnet_client.screens.lobby_screen import (
    LEAST_HEIGHT,
    LEAST_WIDTH,
    draw_home,
    draw_lobby,
    draw_small,
    draw_welcome,
    home_top,
)
from golfnet_client.screens.overlays import draw_menu, draw_pages, draw_toast
from golfnet_client.screens.panels import draw_alarm
from golfnet_client.screens.table_screen import draw_replay, draw_table
from golfnet_client.terminal.desk import ACCEPT, Desk
from golfnet_client.terminal.lobby_keys import press_form, press_lobby, press_pages, press_replay
from golfnet_client.terminal.menus import home_menu, welcome_menu
from golfnet_client.terminal.table_keys import click_card, confirm, keep_cursor, press_table

if TYPE_CHECKING:
    from golfnet.protocol.replies.replies import AnyReply
    from golfnet.protocol.witness import Witness
    from golfnet_client.model.pages import Menu


class Client(Desk):
    """The controller: what the player sees and does."""

    # --- what is shown

    def changes_in(self) -> float | None:
        """Return the seconds until the picture next changes by itself, or None if it does not."""
        waits = [self.model.changes_in(self.now())]
        if self.replay is not None and self.replay.next_at is not None:
            waits.append(max(0.0, self.replay.next_at - self.now()))
        return min([wait for wait in waits if wait is not None], default=None)

    def picture(self, width: int, height: int) -> Canvas:
        """Return the current screen."""
        model, now = self.model, self.now()
        model.pass_time(now)
        if self.replay is not None and self.replay.pass_time(now):
            self.replay.show(model)
        canvas = self.canvas = Canvas(width, height, "felt", self.look)
        if width < LEAST_WIDTH or height < LEAST_HEIGHT:
            draw_small(canvas)
        else:
            self._draw(canvas, now if model.lost_at is None else model.lost_at)
            if model.pages is not None:
                draw_pages(canvas, model)
            draw_toast(canvas, model)
        if self.menu is not None:
            is_home = model.place is Place.HOME and height >= LEAST_HEIGHT + 1
            draw_menu(canvas, self.menu, home_top(height) if is_home else None)
        if model.alarms:
            draw_alarm(canvas)
        return canvas

    def _draw(self, canvas: Canvas, now: float) -> None:
        """Draw the current place; ``now`` is frozen while there is no connection."""
        model = self.model
        match model.place:
            case Place.TABLE:
                draw_table(canvas, model, now)
            case Place.REPLAY if self.replay is not None:
                draw_replay(canvas, self.replay, model, now)
            case Place.CREATE if self.form is not None:
                draw_form(canvas, self.form, model)
            case Place.HOME:
                draw_home(canvas, model, "" if self.field is None else self.field.hint)
            case Place.WELCOME:
                draw_welcome(canvas, model)
            case _:
                draw_lobby(canvas, model, now)

    @property
    def title(self) -> str:
        """Return the window title: whether it is the player's turn, and the current place."""
        view = self.model.table if self.model.place is Place.TABLE else None
        where = "golf" if view is None else f"golf, {clean_text(view.variant)}"
        if self.model.is_asked:
            return f"{'>' if self.look.ascii else '▶'} your turn, {where}"
        return where

    @property
    def types(self) -> bool:
        """Whether the player has to type now, so that keys have no other effect."""
        if self.field is not None:
            return True
        return self.model.place is Place.WELCOME and self.model.pages is None and self.menu is None

    @property
    def label(self) -> str:
        """Return the label of the command line."""
        if self.field is not None:
            return self.field.label
        return "name: " if self.model.place is Place.WELCOME else ": "

    @property
    def hides(self) -> bool:
        """Whether everything typed now is secret."""
        return self.field is not None and self.field.secret

    # --- what the player does

    def press(self, key: str) -> None:
        """Act on a key; a key without a meaning here does nothing."""
        self.model.drop_refusal()
        if self.menu is not None:
            self._press_menu(self.menu, key)
        elif self.model.pages is not None:
            press_pages(self, key)
        elif key == "!" and self.model.alarms:
            self.model.pages, self.model.scroll = alarm_pages(self.model.alarms, self.evidence()), 0
        elif key == "?":
            self.model.pages, self.model.scroll = manual(self.model.place.value), 0
        elif key in _LOOKS:
            self.next_look = _LOOKS[key]
        elif key == ":":
            self.prefill = ""
        elif key == "'" and self.model.name and self.model.place is not Place.REPLAY:
            self.prefill = "say " if self.model.table is not None else "shout "
        else:
            match self.model.place:
                case Place.TABLE:
                    press_table(self, key)
                case Place.REPLAY:
                    press_replay(self, key)
                case Place.CREATE:
                    press_form(self, key)
                case Place.LOBBY:
                    press_lobby(self, key)

    def _press_menu(self, menu: Menu, key: str) -> None:
        steps = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8, "home": -999, "end": 999, "tab": 1}
        if key in steps:
            menu.go(steps[key])
        elif key in ("enter", "space"):
            self.choose(menu.at)
        elif key == "escape" and not menu.stays:
            self.menu = None
            if menu.back is not None:
                menu.back()
        elif key == menu.again:
            self.choose(len(menu.items) - 1)
        elif (item := menu.item_for(key)) is not None:
            self.choose(menu.items.index(item))

    def choose(self, number: int) -> None:
        """Choose an item of the menu; it may open another menu."""
        if self.menu is not None and number < len(self.menu.items):
            item, self.menu = self.menu.items[number], None
            item.do()

    def interrupt(self) -> None:
        """Act on ctrl-c: quit, but ask first if a match would be lost."""
        view = self.model.table
        is_lost = self.model.is_solo and view is not None and view.state in ("playing", "between")
        if not is_lost or (self.menu is not None and self.menu.again == "ctrl-c"):
            self.is_over = True
            return
        self.field = None
        confirm(
            self,
            "Quit?",
            "This match is not finished, and cannot be continued later.",
            "Quit golf",
            self.quit,
            key="ctrl-c",
        )

    def click(self, x: int, y: int) -> None:
        """Act on a click."""
        target = self.canvas.target_at(x, y) if self.canvas is not None else None
        kind, _, what = (target or "").partition(" ")
        if self.menu is not None:
            if kind == "item":
                self.choose(int(what))
            elif kind != "menu":
                self.press("escape")
            return
        match kind:  # the picture may be out of date, so no row or line in it has to exist
            case "" if self.model.pages is not None:
                self.press("escape")
            case "key":
                # A label with a digit stands for many keys, so a click on it selects the next card.
                self.press(_KEYS.get(what, "tab" if any(map(str.isdigit, what)) else what))
            case "card":
                click_card(self, what)
            case "pile":
                self.press({"stock": "d", "discard": "t", "held": "x"}[what])
            case "row" if self.model.place is Place.CREATE and self.form is not None:
                self.form.go(int(what) - self.form.at)
            case "row" if self.model.lobby.chosen == int(what):
                press_lobby(self, "enter")
            case "row":
                self.model.lobby.choose(int(what))
            case "moment" if self.replay is not None:
                self.replay.go(int(what) - self.replay.at)
                self.replay.show(self.model)
            case "step" if self.form is not None:
                number, by = map(int, what.split())
                self.form.go(number - self.form.at)
                self.form.step(by)
            case "page":
                again = self.model.scroll == int(what)
                self.model.scroll_to(int(what))
                if again:
                    self.press("enter")

    def wheel(self, key: str) -> None:
        """Act on the mouse wheel, ``up`` or ``down``: scroll the log at a table; elsewhere, act like an arrow key."""
        if self.menu is None and self.model.place is Place.TABLE and self.model.pages is None:
            self.scroll_log({"up": "older", "down": "newer"}[key])
        else:
            self.press(key)

    def typed(self, line: str) -> str:
        """Carry out a typed line; return the text that stays on the command line."""
        text = " ".join(line.splitlines()).strip()
        # Bytes that are not UTF-8 arrive as lone surrogates.
        if text.encode(errors="ignore").decode() != text:
            self.model.notify("Your terminal sent text that is not UTF-8; nothing was sent.", self.now())
            return line
        if self.field is not None:
            field, self.field = self.field, None
            field.do(text)
            return ""
        if self.accept is not None and text.lower() in (ACCEPT, ACCEPT[1:]):
            accept, self.accept = self.accept, None
            accept()
            return ""
        text = text.lstrip(":/ ")
        if not text:
            return ""
        if self.model.place is Place.WELCOME and " " not in text:
            text = f"name {text}"
        view = self.model.table
        try:
            holding = view is not None and view.you is not None and view.holding == view.you
            command = spelled_out(text, holding=holding)
        except Refused as refused:
            self.model.notify(refused.message, self.now())
            return line
        self.carry_out(command)
        return ""

    def cancel_typing(self) -> None:
        """Leave the command line, keeping its text, or close the field; at the login, return to the start menu."""
        field, self.field = self.field, None
        if field is not None and field.back is not None:
            field.back()
        elif field is None and self.types:
            self.ways.home()

    # --- servers and their replies

    def restart(self, place: Place) -> None:
        """Start again on a screen: forget the last server, but keep the alarms."""
        before, self.model = self.model, Model()
        self.model.place, self.model.is_still = place, before.is_still
        self.model.alarms, self.model.left_out = before.alarms, before.left_out
        self.form = self.replay = self.menu = self.field = self.accept = self.witness = None
        self.reported = 0, 0
        self.aims = self.placed = ""

    def show_home(self, text: str = "") -> None:
        """Show the start menu; ``text`` says how the last visit ended."""
        self.restart(Place.HOME)
        self.menu = home_menu(self, text)

    @property
    def last_words(self) -> str:
        """Return the server's last notice, or ``""`` if there was none."""
        if self.model.news is not None and self.model.news.kind == "server":
            return self.model.news.text
        return next((entry.text for entry in reversed(self.model.log) if entry.kind == "server"), "")

    def receive(self, reply: AnyReply) -> None:
        """Handle a reply, then send the lines that the model wants sent."""
        model, place = self.model, self.model.place
        model.receive(reply, self.now())
        if self.witness is not None:
            self.witness.receive(reply)
            self._check_deals(self.witness)
        if model.record:
            self._handle_record()
        if self.menu is not None and (model.place is not place or not self._is_offered(self.menu.needs)):
            self.menu = None
        is_in = place is Place.WELCOME and model.place is Place.LOBBY
        if is_in and not model.is_solo and not self.remembered.welcomed:
            self.remembered.keep_welcomed()
            self.menu = welcome_menu(self)
        self._ask_for_record()
        keep_cursor(self)
        self.send_wants()

    def _handle_record(self) -> None:
        """Show a received record, or store it if that is why it was requested."""
        model = self.model
        record, model.record = model.record, []
        if str(record[0].get("match")) in model.keeps:
            self.archive.keep(record)
        else:
            model.pages = model.news = None
            self.open_replay(record)

    def _is_offered(self, line: str) -> bool:
        """Return whether the server offers a line; an empty line always counts as offered."""
        view = self.model.table
        return not line or (view is not None and line in view.actions)

    def _ask_for_record(self) -> None:
        """Ask for the record of a solo match, to store it here: the solo server keeps nothing when it stops."""
        view = self.model.table
        if not self.model.is_solo or view is None or view.state != "finished" or not view.match:
            return
        if view.match not in self.model.keeps:
            self.model.keeps.add(view.match)
            self.ask_quietly(f"record {view.match}")

    def _check_deals(self, witness: Witness) -> None:
        """Show the problems that the witness has found since the last check; they stay visible."""
        problems, left_out = witness.problems[self.reported[0] :], witness.left_out[self.reported[1] :]
        self.reported = len(witness.problems), len(witness.left_out)
        model = self.model
        if left_out:
            model.left_out = (*model.left_out, *left_out)
            model.add_line("refused", f"{' '.join(left_out)} Such holes so far: {len(model.left_out)}.")
            model.rings, model.pages, model.scroll = True, left_out_pages(model.left_out), 0
        if problems:
            for problem in problems:
                model.add_line("refused", f"THE DEAL IS NOT WHAT WAS PROMISED. {problem}")
            model.alarms, model.rings = (*model.alarms, *problems), True
            model.pages, model.scroll = alarm_pages(model.alarms, self.evidence()), 0


_LOOKS: Final = {"z": "theme", "Z": "felt", "S": "suits"}
"""Keys that change the appearance on every screen, and what each changes."""

_KEYS: Final = {"esc": "escape", "del": "delete"}
"""The key that a click on each of these labels presses; any other label is the name of its key."""
