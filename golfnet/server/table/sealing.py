"""The cuts for the next deal: open texts, and sealed texts that are revealed after sealing is closed.

If nobody has sealed a text, the hole is dealt at once. Otherwise sealing is closed first: from then on no seal or text
can be added or replaced, open texts are shown, and sealed ones have to be revealed within ``REVEAL_SECONDS``. If
someone who sealed a text is disconnected, everyone has ``AWAY_SECONDS`` instead, so that nobody can influence the deal
by interrupting a player's connection at that moment. Seals and texts are durable before anyone is shown them.
"""

from typing import Any, Final

import trio

from golfnet.engine import fairdeal
from golfnet.engine.cards import seat_letter
from golfnet.engine.events import Committed
from golfnet.engine.forms import listed
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import Cut, Sealed, SealsClosed
from golfnet.protocol.replies.replies import Notice
from golfnet.protocol.text.words import seconds
from golfnet.server.session.player import Player
from golfnet.server.table import Part
from golfnet.server.table.seating import Chair, ChairKind

REVEAL_SECONDS: Final = 3.0
"""How long to wait for sealed texts: a program needs one round trip, and a person has the command ready."""

AWAY_SECONDS: Final = 10.0
"""How long to wait if a player who sealed a text is away: a program reconnects in a second, a person somewhat later.
The table waits only while a seat is kept, and a seat is not kept after a third disconnect: so one player can delay the
table by 20 s at most."""

RESTART_SECONDS: Final = 33.0
"""How long to wait after a server restart, when everyone has to reconnect."""


class Sealing(Part):
    """Manages cuts and seals at one table, which are stored in the chairs."""

    is_closed = False
    """Whether no text for the next deal can be sealed any more, but the hole has not been dealt yet."""
    _seconds = REVEAL_SECONDS
    _is_waiting = False
    """Whether the wait for sealed texts has begun, or will begin once it has been announced."""

    @property
    def ms(self) -> int | None:
        """The milliseconds left to wait for sealed texts, or None if there is no wait."""
        if not self.is_closed:
            return None
        return self._timer.remaining_ms if self._timer.is_set else round(self._seconds * 1000)

    def shown(self, chair: Chair) -> dict[str, Any]:
        """Return the public fields about a chair's cut and seal, for views."""
        if chair.seal is None:
            return {"cut": chair.cut} if self.is_closed and chair.cut else {}
        return {"seal": chair.seal, "told": self.is_closed and bool(chair.cut)}

    # --- what players do

    def seal(self, player: Player, seal: str) -> None:
        """Set or replace a player's seal, or raise ``Refused``."""
        chair = self._table.chair_of(player)
        if self._promised("seal").deal is fairdeal.Scheme.V1:
            raise Refused(
                Code.NOT_AVAILABLE,
                "This hole was prepared before this server supported seals. Seal a text for the next one.",
            )
        if self.is_closed:
            raise Refused(
                Code.BAD_PHASE, "It is too late to seal a text for this hole. Seal one for the next."
            )
        chair.seal, chair.cut = seal, ""
        self._table.emit(Sealed(seat=chair.seat, player=player.name, seal=seal), row=True)
        self._table.settle()

    def cut(self, player: Player, text: str) -> None:
        """Set a player's open text, or reveal their sealed one; may raise ``Refused``."""
        chair = self._table.chair_of(player)
        if len(text.encode()) > fairdeal.CUT_BYTES:
            raise Refused(Code.BAD_ARGUMENT, f"A cut has at most {fairdeal.CUT_BYTES} bytes.")
        promised = self._promised("cut")
        if chair.seal is not None:
            self._check_sealed(promised, chair, text)
        elif self.is_closed:
            raise Refused(
                Code.BAD_PHASE,
                "It is too late to cut for this hole. Only those who sealed a text can send it now.",
            )
        chair.cut = text
        self._table.emit(Cut(seat=chair.seat, player=player.name), row=True)
        self._table.settle()

    def _check_sealed(self, promised: Committed, chair: Chair, text: str) -> None:
        if not self.is_closed:
            raise Refused(
                Code.BAD_PHASE,
                "Wait until you are told that sealing is closed, then send the text that you sealed. If this was "
                "that text, seal another one.",
            )
        if fairdeal.seal(promised.match, promised.hole, chair.name, text) != chair.seal:
            raise Refused(
                Code.CUT_MISMATCH,
                "That is not the text that you sealed. Send exactly that text, with the same spaces and punctuation.",
            )
        if len(text.encode()) < fairdeal.SEALED_BYTES:
            raise Refused(
                Code.BAD_ARGUMENT,
                f"A sealed text needs at least {fairdeal.SEALED_BYTES} bytes, so that nobody can guess it.",
            )

    def _promised(self, verb: str) -> Committed:
        promised = self._table.match.next_deal
        self._table.need_unfinished()
        if promised is None:
            raise Refused(
                Code.BAD_PHASE,
                f"It is too late to {verb} for this hole. You can {verb} for each hole before it is dealt.",
            )
        return promised

    # --- what the table does

    def close(self) -> bool:
        """Close sealing, because the next deal is due; return whether the deal has to wait for sealed texts."""
        cuts, seals = self._texts
        if self.is_closed or not any(seals):
            return False
        self.is_closed = True
        self._seconds = AWAY_SECONDS if self._missed else REVEAL_SECONDS
        self._table.emit(SealsClosed(seals=seals, cuts=cuts, ms=round(self._seconds * 1000)), row=True)
        return True

    def update(self) -> None:
        """Deal once all awaited texts have been revealed, else start waiting for them."""
        if not any(self._is_waited_for(chair) for chair in self._table.seating):
            self._table.starting.deal()
            return
        if self._seconds < AWAY_SECONDS and self._missed:
            self._wait_longer()
        if not self._is_waiting:
            self._is_waiting = True
            self._table.once_shown(self._start)

    def take(self) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
        """Return the cuts and seals for the deal, and reset them, and who is ready, for the next one."""
        cuts, seals = self._texts
        for chair in self._table.seating:
            chair.cut, chair.seal, chair.ready = "", None, False
        self.reset()
        return cuts, seals if any(seals) else ()

    @property
    def _texts(self) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
        """The cuts and seals of all chairs."""
        chairs = list(self._table.seating)
        return tuple([chair.cut for chair in chairs]), tuple([chair.seal for chair in chairs])

    def resume(self) -> None:
        """After a server restart, wait for the texts again, long enough for everyone to reconnect."""
        self._seconds = RESTART_SECONDS

    def stop(self) -> None:
        """Cancel the timer; the next update sets it again."""
        super().stop()
        self._is_waiting = False

    def reset(self) -> None:
        """Reopen sealing, for the next deal."""
        self.stop()
        self.is_closed = False

    def _is_waited_for(self, chair: Chair) -> bool:
        """Return whether a sealed text may still come, because its owner is present or may be about to reconnect."""
        is_missing = chair.seal is not None and not chair.cut and chair.player is not None
        may_return = chair.kind is ChairKind.HUMAN or self._seconds == RESTART_SECONDS
        return is_missing and (chair.session is not None or may_return)

    @property
    def _missed(self) -> list[Chair]:
        return [
            chair for chair in self._table.seating if chair.session is None and self._is_waited_for(chair)
        ]

    def _wait_longer(self) -> None:
        """Extend the wait for players who have just been disconnected, and notify everyone."""
        table, more = self._table, AWAY_SECONDS - self._seconds
        self._seconds = AWAY_SECONDS
        if self._timer.is_set:
            self._timer.cancel()
            self._timer = table.after(self._timer.deadline + more - trio.current_time(), table.starting.deal)
        ms = self.ms or 0
        names = listed([f"{chair.name} ({seat_letter(chair.seat)})" for chair in self._missed])
        text = f"Waiting up to {seconds(ms)} for {names} to come back and send the sealed text."
        table.notify(Notice(code="TEXT_AWAITED", text=text, ms=ms, table=table.id))

    def _start(self) -> None:
        if self.is_closed and self._is_waiting and not self._timer.is_set:
            self._timer = self._table.after(self._seconds, self._table.starting.deal)
