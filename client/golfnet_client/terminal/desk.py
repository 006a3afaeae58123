"""What the keys of every screen act on: the model, what is open beside it, and the way out for lines.

Knows neither the terminal nor the network: lines go out through ``send``, what is wanted of the terminal stands in
``asks``, ``next_look`` and ``is_over`` until it is done, and ``ways`` lead to servers and back home.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from golfnet.engine.variants import VARIANTS
from golfnet.protocol.commands.parse import parse
from golfnet_client.model.model import Place
from golfnet_client.model.pages import Pages
from golfnet_client.screens.faces import Look
from golfnet_client.screens.form import new_form
from golfnet_client.screens.panels import score_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from golfnet.engine.rules import RuleSet
    from golfnet.protocol.witness import Witness
    from golfnet_client.model.model import Model
    from golfnet_client.model.pages import Field, Menu
    from golfnet_client.model.replay import Kept, Replay
    from golfnet_client.screens.canvas import Canvas
    from golfnet_client.screens.form import Form


ACCEPT: Final = ":trust"
"""What is typed to trust a server that is another than was."""


class Ways(Protocol):
    """The ways to a game and back: what the keys need of whoever opens connections."""

    def home(self) -> None:
        """Leave the server, if there is one, and show the ways in."""

    def solo(self, rules: str, *, lesson: bool) -> None:
        """Play alone against bots, one hole with an explanation of every step where it is a ``lesson``."""

    def connect(self, address: str) -> str:
        """Connect to a server; return what is wrong with its address, empty for nothing."""

    def look_around(self) -> None:
        """Look for servers nearby, and offer them with the recent ones."""

    def rule_sets(self) -> Mapping[str, RuleSet]:
        """Return the rule sets that can be played alone."""

    def kept_matches(self) -> Sequence[Kept]:
        """Return the matches kept on this machine, the latest first."""

    def replay(self, match: str) -> None:
        """Show a match kept on this machine."""

    def taught(self) -> frozenset[str]:
        """Return the rule sets whose lesson is done."""


class Desk:
    """The person's side of the program, as far as keys need it."""

    ways: Ways

    def __init__(
        self, model: Model, *, send: Callable[[str], None], now: Callable[[], float], look: Look | None = None
    ) -> None:
        self.model = model
        self.look = look or Look()
        self.form: Form | None = None
        self.replay: Replay | None = None
        self.canvas: Canvas | None = None
        self.menu: Menu | None = None
        self.field: Field | None = None
        """What is typed into the command line instead of a command."""
        self.again = ""
        """The key that says yes to the question that is asked: the one that led to it."""
        self.is_over = False
        self.asks: str | None = None
        """What the command line is opened with: the screen takes it and sets it to None."""
        self.next_look = ""
        """What is to be another one: theme, felt or suits."""
        self.accept: Callable[[], None] | None = None
        """Trusts a server that is another than was, where there is one."""
        self.send = send
        self.ask_quietly = send
        """Sends what the person did not ask for, so that its refusal is not shown to them."""
        self.now = now
        self.aims = ""
        """The letter of a seat that was pressed to aim at one of its cards."""
        self.was_asked = self.was_slam = False
        """Whether a card was to be chosen, or could be slammed, in the view before."""
        self.placed = ""
        """The position that was chosen last."""
        self.offers_lesson = False
        """Whether the tutorial is still to be offered to the person, who has never been here."""
        self.witness: Witness | None = None
        self.reported = 0, 0
        """How many of its problems, and of its holes without the person's text, were shown."""
        """Seals the cuts and checks the deals, None where that makes no sense."""
        self.evidence: Callable[[], str] = str
        """Returns the path of the file of what was seen, empty for none."""
        self.keep_record: Callable[[list[dict[str, Any]]], None] = lambda record: None
        """Keeps the record of a match that was played alone."""

    @property
    def taught(self) -> frozenset[str]:
        """The rule sets whose lesson is done."""
        return self.ways.taught()

    def ask(self, menu: Menu) -> None:
        """Lay a menu over the screen."""
        self.menu, self.again = menu, ""

    def quit(self) -> None:
        """End the program, of which the server is told."""
        self.send("quit")
        self.is_over = True

    def open_form(self, variant: str) -> None:
        """Open the form for a new table."""
        self.form = new_form(self.model.lobby.variants, VARIANTS)
        if variant in self.form.variants:
            self.form.change("variant", variant)
        self.model.place = Place.CREATE

    def scroll_log(self, key: str) -> None:
        """Go a page of the log back with ``pageup``, forward with ``pagedown``, to its newest line with ``end``.

        A page is as many entries as are shown; one of them stays in sight. The wheel goes by one: ``older``, ``newer``.
        """
        zones = self.canvas.zones if self.canvas is not None else []
        shown = next((int(zone.target[4:]) for zone in zones if zone.target.startswith("log ")), 1)
        page = max(1, shown - 1)
        by = {"pageup": page, "pagedown": -page, "older": 1, "newer": -1}.get(key, -len(self.model.log))
        self.model.older = max(0, min(self.model.older + by, len(self.model.log) - page))

    def guided(self, variant: str) -> None:
        """Open a table for one hole against a bot, and say at each point what to know."""
        self.model.lesson = True
        for line in lesson_lines(variant):
            self.send(line)

    def carry_out(self, line: str) -> None:
        """Send a command line, or do what only the client can."""
        verb = line.partition(" ")[0]
        model, view = self.model, self.model.table
        match verb:
            case "quit":
                self.quit()
            case "cut" if view is not None and self._add_words(line):
                model.tell(
                    "Your words are a part of the text that is sealed for the next shuffle.",
                    self.now(),
                    "done",
                )
            case "join" if " wait=" not in line:
                self.send(f"{line} wait=on")  # a place in line, where no seat is free
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
        """Put the words of a cut into the next sealed text; tell whether that is possible."""
        words = parse(line, machine=True).words
        is_possible = self.witness is not None and self.witness.add(words[0])
        self.send_sealed()
        return is_possible

    def send_sealed(self) -> None:
        """Send what the witness wants sent."""
        if self.witness is not None:
            lines, self.witness.lines = self.witness.lines, []
            for each in lines:
                self.ask_quietly(each)

    def send_wants(self) -> None:
        """Ask the server for what the model wants to know."""
        wants, self.model.wants = self.model.wants, []
        for line in wants:
            self.ask_quietly(line)

    def show_scores(self) -> None:
        """Lay the whole score card over the table."""
        view = self.model.table
        if view is not None:
            title = f"Scores, {view.variant}"
            self.model.pages, self.model.scroll = Pages(title=title, lines=tuple(score_lines(view))), 0


def lesson_lines(variant: str) -> tuple[str, ...]:
    """Return the lines that open one hole of a rule set against an easy bot."""
    return (f"create {variant} seats=2 holes=1 clock=0 name=Lesson", "bot easy", "start")
