"""The controller: keys, clicks and typed lines become command lines of the protocol, and replies change the model.

It knows neither the terminal nor the network: ``keys`` and ``table_keys`` act on it, lines leave through ``send``,
requests to the terminal wait in ``prefill``, ``next_look`` and ``is_over``, and ``ways`` opens and closes connections.
What the player did in earlier runs is in ``remembered`` and ``archive``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from golfnet.engine.variants import VARIANTS
from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.commands.parse import parse, spelled_out
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import clean_text
from golfnet.protocol.replies.replies import AnyReply, Chat
from golfnet_client.model.model import Model, Place
from golfnet_client.model.pages import Field, Menu, Pages, alarm_pages, left_out_pages
from golfnet_client.model.replay import Archive, BadReplay, Replay, replay_of
from golfnet_client.screens.canvas import Canvas, Look
from golfnet_client.screens.choices import can_slam, is_asked, pickable
from golfnet_client.screens.form import Form, draw_form, new_form
from golfnet_client.screens.lobby_screen import (
    LEAST_HEIGHT,
    LEAST_WIDTH,
    draw_home,
    draw_lobby,
    draw_small,
    draw_welcome,
    home_top,
)
from golfnet_client.screens.panels import (
    draw_alarm,
    draw_menu,
    draw_pages,
    draw_toast,
    score_lines,
    text_width,
)
from golfnet_client.screens.table_screen import draw_replay, draw_table
from golfnet_client.terminal.menus import home_menu, welcome_menu

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.protocol.witness import Witness
    from golfnet_client.model.remembered import Remembered
    from golfnet_client.visits import Visits

ACCEPT: Final = ":trust"
"""What the player types to trust a changed key."""


def _is_for_login(verb: str) -> bool:
    """Return whether a word is a command, in full, for people who have no name yet."""
    spec = COMMANDS.get(verb.lower())
    return spec is not None and (spec.before_name or spec.verb == "help")


class Client:
    """What the player sees and does: the state of the screens, and what typed lines and replies do to it."""

    ways: Visits
    """The connections; together with the functions below, it is set once the first picture is shown."""

    send: Callable[[str], None]
    ask_quietly: Callable[[str], None]
    """Sends a line without showing its refusal, for lines that the player did not ask for."""

    def __init__(
        self, model: Model, remembered: Remembered, *, now: Callable[[], float], look: Look | None = None
    ) -> None:
        self.model = model
        self.remembered = remembered
        self.archive = Archive(remembered.directory / "matches")
        self.look = look or Look()
        self.form: Form | None = None
        self.replay: Replay | None = None
        self.canvas = Canvas(0, 0)
        """The picture drawn last."""
        self.menu: Menu | None = None
        self.field: Field | None = None
        """The field whose value is being typed on the command line, or None if there is none."""
        self.is_over = False
        self.prefill: str | None = None
        """The text with which to open the command line; the terminal reads it and sets it to None."""
        self.next_look = ""
        """The appearance to change to: theme, felt or suits."""
        self.accept: Callable[[], None] | None = None
        """A function that trusts the server's changed key, or None if the key has not changed."""
        self.now = now
        self.aims = ""
        """The seat whose letter was pressed, to choose one of its cards next."""
        self.was_asked = self.was_slam = False
        """Whether a card could be chosen in the previous view, and whether one could be slammed."""
        self.placed = ""
        """The position chosen last."""
        self.witness: Witness | None = None
        """The witness that seals the cuts and checks the deals, or None for a server in this process."""
        self.reported = 0, 0
        """How many of the witness's problems, and of the holes without the player's text, have been shown."""
        self.evidence: Callable[[], str] = str
        """A function that returns the path of the witness's file, or ``""`` if there is none."""

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
                draw_pages(canvas, model.pages)
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
        view = self.model.table
        if view is None or self.model.place is not Place.TABLE:
            return "golf"
        is_turn = view.you is not None and view.state == "playing" and is_asked(view)
        turn = f"{'>' if self.look.ascii else '▶'} your turn, " if is_turn else ""
        return f"{turn}golf, {clean_text(view.variant)}"

    @property
    def types(self) -> bool:
        """Whether the player has to type now, so that keys have no other effect."""
        is_login = self.model.place is Place.WELCOME and self.model.pages is None and self.menu is None
        return is_login or self.field is not None

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

    def choose(self, number: int) -> None:
        """Choose an item of the menu; it may open another menu."""
        if self.menu is not None and number < len(self.menu.items):
            item, self.menu = self.menu.items[number], None
            item.do()

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
        if self.model.place is Place.WELCOME and " " not in text and not _is_for_login(text):
            text = f"name {text}"
        view = self.model.table
        try:
            holding = view is not None and view.you is not None and view.holding == view.you
            command = spelled_out(text, holding=holding)
            if self.model.place is Place.WELCOME and not _is_for_login(command.partition(" ")[0]):
                raise Refused(Code.UNKNOWN_VERB, "")
        except Refused as refused:
            is_name = self.model.place is Place.WELCOME and refused.code is Code.UNKNOWN_VERB
            self.model.notify("A name is one word." if is_name else refused.message, self.now())
            return line
        self.carry_out(command)
        return ""

    def cancel_typing(self) -> None:
        """Leave the command line, or close the field; at the login, return to the start menu."""
        field, self.field = self.field, None
        if field is not None and field.back is not None:
            field.back()
        elif field is None and self.types:
            self.ways.home()

    def quit(self) -> None:
        """Quit the program, and tell the server."""
        self.send("quit")
        self.is_over = True

    def open_form(self, variant: str) -> None:
        """Open the form for a new table."""
        self.form = new_form(self.model.lobby.variants, VARIANTS)
        if variant in self.form.variants:
            self.form.change("variant", variant)
        self.model.place = Place.CREATE

    def open_replay(self, record: list[dict[str, Any]]) -> None:
        """Open the replay of a record."""
        try:
            self.replay = replay_of(record)
        except BadReplay:
            self.model.place = Place.LOBBY if self.model.name else Place.HOME
            text = "This record cannot be shown here; a newer client may be able to show it."
            self.model.notify(text, self.now())
            return
        self.menu = None
        self.replay.show(self.model)

    def scroll_log(self, key: str) -> None:
        """Scroll the log one page back with ``pageup``, forward with ``pagedown``, to its end with ``end``.

        A page is the number of entries shown, less one. The wheel scrolls by one entry: ``older``, ``newer``.
        """
        logs = [zone.target for zone in self.canvas.zones if zone.target.startswith("log ")]
        page = max(1, int(logs[0][4:]) - 1) if logs else 1
        by = {"pageup": page, "pagedown": -page, "older": 1, "newer": -1}.get(key, -len(self.model.log))
        self.model.older = max(0, min(self.model.older + by, len(self.model.log) - page))

    def carry_out(self, line: str) -> None:
        """Carry out a command line: send it, or do here what only the client can do."""
        verb = line.partition(" ")[0]
        model, view = self.model, self.model.table
        match verb:
            case "quit":
                self.quit()
            case "cut" if self.witness is not None and self.witness.add(parse(line, machine=True).words[0]):
                text = "Your words are part of the text that is sealed for the next shuffle."
                model.notify(text, self.now(), "done")
                self.send_wants()
            case "login" if len(parse(line, machine=False).words) == 1:
                self.field = Field(
                    label="password: ", do=lambda word: self.send(f'{line} "{word}"'), secret=True
                )
            case "join" if " wait=" not in line.lower():
                self.send(f"{line} wait=on")  # asks for a place in line if no seat is free
            case "help" | "rules":
                # The server's pages are laid out for the width of the window; it subtracts 2 for the mark of a row.
                self.ask_quietly(f"set width {text_width(self.canvas) + 2}")
                self.send(line)
            case "score" | "hand" | "turn" | "top-card" if view is not None:
                self.show_scores()
            case "tables" | "who" | "variants":
                model.asked = verb
                self.send(line)
            case "leave" | "unseek" | "unwatch" if view is not None:
                self.send(line)
                model.lesson = False
                model.leave_table(view.table)
                self.send_wants()
            case _:
                self.send(line)

    def send_wants(self) -> None:
        """Send the lines that the witness and the model want sent, each once."""
        wants, self.model.wants = self.model.wants, []
        if self.witness is not None:
            wants, self.witness.lines = [*self.witness.lines, *wants], []
        for line in dict.fromkeys(wants):
            self.ask_quietly(line)

    def show_scores(self) -> None:
        """Show the whole score card over the table."""
        view = self.model.shown
        self.model.pages = Pages(title=f"Scores, {view.variant}", lines=tuple(score_lines(view)))

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
        entries = (self.model.news, *reversed(self.model.log))
        return next((entry.text for entry in entries if entry is not None and entry.kind == "server"), "")

    def receive(self, reply: AnyReply) -> None:
        """Handle a reply, then send the lines that the model wants sent."""
        model, place = self.model, self.model.place
        model.receive(reply, self.now())
        if isinstance(reply, Chat) and not any(zone.target[:4] == "log " for zone in self.canvas.zones):
            model.notify(model.log[-1].text, self.now(), "chat")  # there is no room for the log
        if self.replay is not None and model.place is Place.TABLE:
            model.tables.pop(self.replay.views[0].table, None)
            self.replay = None
        if self.witness is not None:
            self.witness.receive(reply)
            self._check_deals(self.witness)
        if model.record:
            self._handle_record()
        needs = "" if self.menu is None else self.menu.needs
        is_offered = not needs or (model.table is not None and needs in model.table.actions)
        if model.place is not place or not is_offered:
            self.menu = None
        is_in = place is Place.WELCOME and model.place is Place.LOBBY
        if is_in and not model.is_solo and not self.remembered.welcomed:
            self.remembered.keep_welcomed()
            self.menu = welcome_menu(self)
        self._ask_for_record()
        self._keep_cursor()
        self.send_wants()

    def _handle_record(self) -> None:
        model = self.model
        record, model.record = model.record, []
        if str(record[0].get("match")) in model.keeps:
            self.archive.keep(record)
        else:
            model.pages = model.news = None
            self.open_replay(record)

    def _ask_for_record(self) -> None:
        """Ask for the record of a solo match, to store it here: the solo server keeps nothing when it stops."""
        model, view = self.model, self.model.table
        is_over = model.is_solo and view is not None and view.state == "finished"
        if view is not None and is_over and view.match not in {"", *model.keeps}:
            model.keeps.add(view.match)
            self.ask_quietly(f"record {view.match}")

    def _keep_cursor(self) -> None:
        """Keep a card selected while the player has to choose one: by default the first unknown one that is allowed."""
        model, view = self.model, self.model.table
        if model.cursor is not None and model.slot(model.cursor) is None:
            model.cursor = None
        if view is None or view.you is None:
            return
        offers, is_slam = pickable(view), can_slam(view)
        if (self.was_asked and not offers) or (is_slam and not self.was_slam):
            # The selection belonged to an earlier decision; a card to slam is never suggested.
            model.cursor = None
        self.was_asked, self.was_slam = bool(offers), is_slam
        if offers and model.cursor not in offers and not is_slam:
            own = [at for at in offers if at[:1] == view.you] or offers
            unknown = [at for at in own if (model.slot(at) or "").startswith("?")]
            # The card just placed is not the default, so that Enter does not replace it.
            others = [at for at in own if at != self.placed]
            model.cursor = [*unknown, *others, *own][0]

    def _check_deals(self, witness: Witness) -> None:
        """Show the problems that the witness has found since the last check; they stay visible."""
        problems, left_out = witness.problems[self.reported[0] :], witness.left_out[self.reported[1] :]
        self.reported = len(witness.problems), len(witness.left_out)
        model = self.model
        if left_out:
            model.left_out = (*model.left_out, *left_out)
            model.add_line("refused", f"{' '.join(left_out)} Such holes so far: {len(model.left_out)}.")
            model.rings, model.pages = True, left_out_pages(model.left_out)
        if problems:
            for problem in problems:
                model.add_line("refused", f"THE DEAL IS NOT WHAT WAS PROMISED. {problem}")
            model.alarms, model.rings = (*model.alarms, *problems), True
            model.pages = alarm_pages(model.alarms, self.evidence())
