"""The desk: what the keys of every screen act on. It holds the model, open menus and fields, and lines to send.

It knows neither the terminal nor the network: lines leave through ``send``, requests to the terminal wait in
``prefill``, ``next_look`` and ``is_over``, and ``ways`` opens and closes connections. What the player did in earlier
runs is in ``remembered`` and ``archive``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from golfnet.engine.variants import VARIANTS
from golfnet.protocol.commands.parse import parse
from golfnet_client.model.model import Place
from golfnet_client.model.pages import Pages
from golfnet_client.model.replay import Archive, BadReplay, replay_of
from golfnet_client.screens.canvas import Look
from golfnet_client.screens.form import new_form
from golfnet_client.screens.panels import score_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from golfnet.engine.rules import RuleSet
    from golfnet.protocol.witness import Witness
    from golfnet_client.model.model import Model
    from golfnet_client.model.pages import Field, Menu, Way
    from golfnet_client.model.remembered import Remembered
    from golfnet_client.model.replay import Replay
    from golfnet_client.screens.canvas import Canvas
    from golfnet_client.screens.form import Form


ACCEPT: Final = ":trust"
"""What the player types to trust a changed key."""


class Ways(Protocol):
    """The part of ``visits.Visits`` that keys and menus use."""

    def home(self) -> None:
        """Leave the server, if any, and show the start menu."""

    def go(self, way: Way) -> None:
        """Go to a server, or play alone."""

    def look_around(self) -> None:
        """Look for servers nearby, and offer them alongside the recent ones."""

    def rule_sets(self) -> Mapping[str, RuleSet]:
        """Return the rule sets available for playing alone."""


class Desk:
    """The part of the client that keys act on."""

    ways: Ways

    def __init__(
        self,
        model: Model,
        remembered: Remembered,
        *,
        send: Callable[[str], None],
        now: Callable[[], float],
        look: Look | None = None,
    ) -> None:
        self.model = model
        self.remembered = remembered
        self.archive = Archive(remembered.directory / "matches")
        self.look = look or Look()
        self.form: Form | None = None
        self.replay: Replay | None = None
        self.canvas: Canvas | None = None
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
        self.send = send
        self.ask_quietly = send
        """A function that sends a line without showing its refusal, for lines that the player did not ask for."""
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
        except BadReplay as problem:
            self.model.place = Place.LOBBY if self.model.name else Place.HOME
            self.model.notify(str(problem), self.now())
            return
        self.menu = None
        self.replay.show(self.model)

    def scroll_log(self, key: str) -> None:
        """Scroll the log one page back with ``pageup``, forward with ``pagedown``, to its end with ``end``.

        A page is the number of entries shown, less one. The wheel scrolls by one entry: ``older``, ``newer``.
        """
        zones = self.canvas.zones if self.canvas is not None else []
        shown = next((int(zone.target[4:]) for zone in zones if zone.target.startswith("log ")), 1)
        page = max(1, shown - 1)
        by = {"pageup": page, "pagedown": -page, "older": 1, "newer": -1}.get(key, -len(self.model.log))
        self.model.older = max(0, min(self.model.older + by, len(self.model.log) - page))

    def open_lesson(self, variant: str) -> None:
        """Open a table for one hole against a bot, with every step explained."""
        self.model.lesson = True
        for line in lesson_lines(variant):
            self.send(line)

    def carry_out(self, line: str) -> None:
        """Carry out a command line: send it, or do here what only the client can do."""
        verb = line.partition(" ")[0]
        model, view = self.model, self.model.table
        match verb:
            case "quit":
                self.quit()
            case "cut" if view is not None and self._add_words(line):
                model.notify(
                    "Your words are part of the text that is sealed for the next shuffle.", self.now(), "done"
                )
            case "join" if " wait=" not in line.lower():
                self.send(f"{line} wait=on")  # asks for a place in line if no seat is free
            case "score" | "hand" | "turn" | "top-card" if view is not None:
                self.show_scores()
            case "leave" | "unseek" | "unwatch" if view is not None:
                self.send(line)
                model.lesson = False
                model.leave_table(view.table)
                self.send_wants()
            case _:
                self.send(line)

    def _add_words(self, line: str) -> bool:
        """Add the words of a cut to the next sealed text; return whether that is possible."""
        words = parse(line, machine=True).words
        is_possible = self.witness is not None and self.witness.add(words[0])
        self.send_wants()
        return is_possible

    def send_wants(self) -> None:
        """Send the lines that the witness and the model want sent, each once."""
        wants, self.model.wants = self.model.wants, []
        if self.witness is not None:
            wants, self.witness.lines = [*self.witness.lines, *wants], []
        for line in dict.fromkeys(wants):
            self.ask_quietly(line)

    def show_scores(self) -> None:
        """Show the whole score card over the table."""
        view = self.model.table
        if view is not None:
            title = f"Scores, {view.variant}"
            self.model.pages, self.model.scroll = Pages(title=title, lines=tuple(score_lines(view))), 0


def lesson_lines(variant: str) -> tuple[str, ...]:
    """Return the lines that open one hole of a rule set against an easy bot."""
    return (f"create {variant} seats=2 holes=1 clock=0 name=Lesson", "bot easy", "start")
