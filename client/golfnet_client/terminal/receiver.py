"""Replies from the server, passed to the model and the witness; they may open menus and replays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from golfnet_client.model.model import Place
from golfnet_client.model.pages import alarm_pages, left_out_pages
from golfnet_client.terminal.desk import Desk
from golfnet_client.terminal.menus import welcome_menu
from golfnet_client.terminal.table_keys import keep_cursor

if TYPE_CHECKING:
    from golfnet.protocol.replies.replies import AnyReply
    from golfnet.protocol.witness import Witness
    from golfnet_client.model.model import Model


class Receiver(Desk):
    """A desk that handles the server's replies."""

    def restart(self, model: Model) -> None:
        """Start again with a new model, as for another server; alarms and the appearance stay."""
        model.alarms, model.left_out = self.model.alarms, self.model.left_out
        self.model = model
        self.form = self.replay = self.menu = self.field = self.accept = self.witness = None
        self.reported = 0, 0
        self.again = self.aims = self.placed = ""
        self.offers_lesson = False

    @property
    def last_words(self) -> str:
        """Return the server's last notice, empty for none."""
        if self.model.news is not None and self.model.news_kind == "server":
            return self.model.news.what
        return next((entry.text for entry in reversed(self.model.log) if entry.kind == "server"), "")

    def heard(self, reply: AnyReply) -> None:
        """Handle a reply, and send what the model then wants sent."""
        model, place = self.model, self.model.place
        model.receive(reply, self.now())
        if self.witness is not None:
            self.witness.receive(reply)
            self.send_sealed()
            self._check_deals(self.witness)
        if model.record:
            self._take_record()
        if self.menu is not None and (model.place is not place or not self._is_offered(self.menu.needs)):
            self.menu = None
        if self.offers_lesson and place is Place.WELCOME and model.place is Place.LOBBY:
            self.offers_lesson = False
            self.ask(welcome_menu(self))
        self._ask_for_record()
        keep_cursor(self)
        self.send_wants()

    def _take_record(self) -> None:
        """Show a received record, or store it if that is why it was requested."""
        model = self.model
        record, model.record = model.record, []
        if model.place is not Place.REPLAY:
            self.keep_record(record)
            return
        model.news = None
        self.open_replay(record)

    def open_replay(self, record: list[dict[str, Any]]) -> None:
        """Open the replay of a record."""
        # This loads the engine's dealing, which the first picture does not need.
        from golfnet_client.model.replay import BadReplay, replay_of

        try:
            self.replay = replay_of(record)
        except BadReplay as problem:
            self.model.place = Place.LOBBY if self.model.name else Place.HOME
            self.model.tell(str(problem), self.now())
            return
        self.menu = None
        self.replay.show(self.model)

    def _is_offered(self, line: str) -> bool:
        """Return whether the server offers a line; an empty one always counts as offered."""
        view = self.model.table
        return not line or (view is not None and line in view.actions)

    def _ask_for_record(self) -> None:
        """Ask for the record of a solo match, to store it: its server stops with the program."""
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
            model.say("refused", f"{' '.join(left_out)} Such holes so far: {len(model.left_out)}.")
            model.rings, model.pages, model.scroll = True, left_out_pages(model.left_out), 0
        if problems:
            for problem in problems:
                model.say("refused", f"THE DEAL IS NOT WHAT WAS PROMISED. {problem}")
            model.alarms, model.rings = (*model.alarms, *problems), True
            model.pages, model.scroll = alarm_pages(model.alarms, self.evidence()), 0
