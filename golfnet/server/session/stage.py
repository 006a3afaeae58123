"""A table that one connection shows on a big screen (``watch TABLE style=stage``): one picture, drawn over itself.

What stays true: with telnet the picture begins at the upper left corner and nothing scrolls; without telnet no byte
moves a cursor, and each picture is a block under a rule. Moves are kept in words, so many and no more.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from golfnet.protocol.commands.settings import MAX_WIDTH, Cards, Prefix, Settings
from golfnet.protocol.lines import CRLF, encode_line, encode_lines
from golfnet.protocol.links.handover import StageState
from golfnet.protocol.replies.presence import Closed
from golfnet.protocol.replies.replies import AnyReply, Happened, TableView
from golfnet.protocol.text import text
from golfnet.protocol.text.stage import MOVES_KEPT, stage_lines
from golfnet.protocol.text.text import Rendering
from golfnet.protocol.text.typeset import Mark, TextLine, finished

_HOME: Final = b"\x1b[H"
_ERASE_LINE: Final = b"\x1b[K"
"""Before a line is drawn: behind a full one it would take its last character."""
_END_OF_SCREEN: Final = b"\x1b[J"


class StageScreen:
    """What is shown of one table; ``over`` says whether a picture is drawn over the last."""

    __slots__ = ("_moves", "over", "table")

    def __init__(self, table: str, *, over: bool) -> None:
        self.table = table
        self.over = over
        self._moves: deque[str] = deque(maxlen=MOVES_KEPT)

    def snapshot(self) -> StageState:
        """Return what is shown."""
        return StageState(table=self.table, over=self.over, moves=tuple(self._moves))

    @staticmethod
    def restored(state: StageState) -> "StageScreen":
        """Return a screen that another node has shown."""
        screen = StageScreen(state.table, over=state.over)
        screen._moves.extend(state.moves)
        return screen

    def is_for(self, reply: AnyReply) -> bool:
        """Tell whether a reply is part of the picture, and is not told beside it."""
        if isinstance(reply, TableView):
            return reply.table == self.table and reply.you is None
        return (
            isinstance(reply, Happened) and reply.table == self.table and not isinstance(reply.event, Closed)
        )

    def note(self, happened: Happened, settings: Settings) -> None:
        """Keep what happened in words: the sentence of an event, which is its first line, if watchers are told it."""
        whole = replace(settings, width=MAX_WIDTH, prefix=Prefix.OFF, bell=False, color=False)
        self._moves += text.render(happened, whole, you=None).lines[:1]

    def render(self, view: TableView, settings: Settings) -> Rendering:
        """Return the picture, under a rule where it is not drawn over the last; once for all who see the same."""
        key = (settings, self.over, tuple(self._moves))
        known: Rendering | None = view.rendered.get(key)
        if known is None:
            lines = self._drawn(view, settings)
            out = _over_the_last(lines) if self.over else encode_lines(lines)
            known = view.rendered[key] = Rendering(lines, out)
        return known

    def _drawn(self, view: TableView, settings: Settings) -> list[str]:
        rule = ("\u2500" if settings.cards is Cards.SYMBOLS else "-") * (settings.width - 2)
        above = [] if self.over else [TextLine(Mark.MORE, rule)]
        return finished([*above, *stage_lines(view, self._moves, settings)], settings)


def _over_the_last(lines: Sequence[str]) -> bytes:
    drawn = b"".join([_ERASE_LINE + encode_line(line, CRLF) for line in lines])
    return _HOME + drawn + _END_OF_SCREEN
