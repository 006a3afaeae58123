"""Free seats that bots take: one at the host's word, or all that are left after a wait for people.

What stays true: the wait runs while the host's wish stands, a seat is free, and somebody is there to wait; it begins
anew where one of these was missing for a while, so also after a restart of the server. The wish ends when bots have
come, when the host takes it back, and with the start of the match.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names.reserved import LEVELS
from golfnet.protocol.replies.presence import BotsWanted
from golfnet.protocol.replies.replies import FillingView
from golfnet.protocol.replies.vocabulary import TableState
from golfnet.protocol.text.words import seconds as in_words
from golfnet.server.context.setup import seconds_option

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from golfnet.server.clock import Timer
    from golfnet.server.context.context import TableContext

DEFAULT_LEVEL: Final = "medium"

OPTIONS: Final = ("fill", "level")
"""The options of ``create`` and ``seek`` that are about bots and not about what is played."""


class Wish(Struct, frozen=True, kw_only=True):
    """That bots of a level take the seats which are still free after so many seconds."""

    level: str
    seconds: int


def wish_of(options: Mapping[str, str], default: int = 0) -> Wish | None:
    """Return the wish that options make, None where no bots are to come; raises ``Refused``."""
    wish = wish_for(options.get("level"), seconds_option(options.get("fill"), "fill", default))
    if "level" in options and wish is None:
        raise Refused(
            Code.BAD_OPTION,
            "level: only together with fill=SECONDS, the time after which bots of that level come.",
        )
    return wish


def wish_for(level: str | None, seconds: int) -> Wish | None:
    """Return the wish for bots of a level after so many seconds, None for 0; raises ``Refused``."""
    named = known_level(level)
    return Wish(level=named, seconds=seconds) if seconds else None


def known_level(name: str | None) -> str:
    """Return a level by its name, the usual one for None; raises ``Refused``."""
    level = (name or DEFAULT_LEVEL).lower()
    if level not in LEVELS:
        raise Refused(
            Code.BAD_ARGUMENT, f"There is no bot level {level}. Choose one of: {', '.join(LEVELS)}."
        )
    return level


class Filling:
    """The host's wish at one table, and the wait for it."""

    def __init__(self, table: TableContext, add_bot: Callable[[str], None]) -> None:
        self.wish: Wish | None = None
        self._table = table
        self._add_bot = add_bot
        self._wait: Timer | None = None

    @property
    def view(self) -> FillingView | None:
        """The wait as everybody may see it, None where none runs."""
        if self.wish is None or self._wait is None:
            return None
        return FillingView(level=self.wish.level, ms=self._wait.remaining_ms)

    def ask(self, wish: Wish | None) -> str | None:
        """Take the host's wish in the place of an earlier one; None takes it back.

        Return why no wait begins or ends, where that is so: of the others everybody is told. Raises ``Refused``.
        """
        table = self._table
        if table.state is not TableState.OPEN:
            raise Refused(Code.BAD_PHASE, "The match has already started; bots can only sit down before it.")
        note = None
        if wish is None and self.view is None:
            note = (
                "No bots were due to come."
                if self.wish is None
                else "No bots will come if a seat becomes free."
            )
        elif wish is not None and table.seating.is_full:
            note = (
                f"All seats are taken. If one becomes free, a {wish.level} bot takes it after "
                f"{in_words(wish.seconds * 1000)}."
            )
        self._call_off()
        self.wish = wish
        table.is_row_due = True  # also where no wait begins or ends, of which an event would tell
        return note

    def update(self) -> None:
        """Let the wait run, or not, as the table is now."""
        table = self._table
        if table.state is not TableState.OPEN:
            self.wish = None
            self.stop()
        elif self.wish is None or _has_enough(table) or not _somebody_waits(table):
            self._call_off()
        elif self._wait is None:
            self._wait = table.after(self.wish.seconds, self._come)
            table.emit(BotsWanted(level=self.wish.level, ms=self.wish.seconds * 1000))

    def stop(self) -> None:
        """Let no wait run; ``update`` begins it anew."""
        if self._wait is not None:
            self._wait.cancel()
            self._wait = None

    def _call_off(self) -> None:
        """End a wait that everybody was told of."""
        if self._wait is not None and self.wish is not None:
            self._table.emit(BotsWanted(level=self.wish.level, ms=None))
        self.stop()

    def _come(self) -> None:
        table, wish = self._table, self.wish
        self.wish = self._wait = None
        if wish is None:
            return
        table.emit(BotsWanted(level=wish.level, ms=0))
        while table.state is TableState.OPEN and not _has_enough(table):
            self._add_bot(wish.level)
            table.settle()


def _has_enough(table: TableContext) -> bool:
    """Tell whether no bot is needed: every seat is taken, or as many as start the match by themselves."""
    return table.seating.is_full or (
        table.setup.starts_when_enough and len(table.seating) >= table.rules.seats.low
    )


def _somebody_waits(table: TableContext) -> bool:
    return any(chair.is_waited_for for _, chair in table.seating)
