"""What text mode keeps for one connection: its settings, the last thing sent, and the rest of a long answer.

What the person or the terminal (its width, its characters) has set on this connection comes first; the latest setting
counts. Then come the player's choices on earlier connections, then what the terminal merely suggests, then the
defaults. Settings from a terminal are never stored, since the player's next terminal may be different.

``again`` repeats only the last thing sent: an event with the hint after it, a list, an answer, or chat. So a card that
may be seen only once (rule X10) can be repeated until something else is sent. Repeating something does not change what
is repeated next.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from golfnet.engine.events import Peeked
from golfnet.engine.rules import Recall
from golfnet.protocol.commands.settings import (
    SETTINGS,
    Cards,
    PreferencesState,
    Settings,
    Style,
    change,
    fitting,
    setting_named,
    write,
)
from golfnet.protocol.errors import Refused
from golfnet.protocol.lines import encode_lines
from golfnet.protocol.replies.presence import NoticeCode
from golfnet.protocol.replies.replies import AnyReply, Happened, Notice, Ok, Prompt, Rows, TableView
from golfnet.protocol.telnet.options import Charset, Mtts, WindowSize
from golfnet.protocol.text import text
from golfnet.protocol.text.words import counted

if TYPE_CHECKING:
    from golfnet.engine.layout import Seat
    from golfnet.protocol.text.text import Rendering

_DEFAULTS: Final = Settings()
_NOTHING_SET: Final = PreferencesState()


class Preferences(Struct, eq=False):
    """A connection's settings, and the ``state`` that they result from."""

    settings: Settings = _DEFAULTS
    state: PreferencesState = _NOTHING_SET

    def choose(self, name: str, value: str, *, keeps: bool) -> str:
        """Change a setting, with ``keeps`` also for later connections; return its full name, or raise ``Refused``."""
        self.settings = change(self.settings, name, value)
        name = setting_named(name).name
        state, word = self.state, {name: write(self.settings, name)}
        chosen = state.chosen | word if keeps else state.chosen
        self.state = replace(state, here=state.here | word, chosen=chosen)
        return name

    def adopt(self, before: Mapping[str, str]) -> None:
        """Apply the player's choices from earlier connections."""
        self.restore(replace(self.state, before=dict(before)))

    def adapt_to(self, event: WindowSize | Mtts | Charset) -> None:
        """Adapt to what telnet negotiation has revealed about the terminal."""
        state = self.state
        match event:
            case WindowSize(columns=columns, rows=rows):
                state = replace(state, here=state.here | fitting(columns, rows))
            case Mtts() if event & Mtts.SCREEN_READER:
                state = replace(state, suggested={"style": Style.SPEECH.value})
            case Charset(utf_8=False):
                state = replace(state, here=state.here | {"cards": Cards.LETTERS.value})
        self.restore(state)

    def restore(self, state: PreferencesState) -> None:
        """Apply a state, perhaps from another node."""
        self.state, settings = state, _DEFAULTS
        for words in (state.suggested, state.before, state.here):
            for name in words.keys() & SETTINGS.keys():
                with contextlib.suppress(Refused):  # the value may be from another version
                    settings = change(settings, name, words[name])
        self.settings = settings


KEPT: Final = 32 * 1024
"""Maximum bytes kept of the last thing sent, and of the remaining pages; all rules and help pages are shorter."""


class Repeats(Struct, eq=False):
    """The last thing sent on a connection, and the last event. Their lines are shared with other receivers."""

    last_event: Sequence[str] = ()
    """The lines of the last event at a table."""
    _parts: tuple[Sequence[str], ...] = ()
    _continued_by: tuple[type[AnyReply], ...] = ()
    """The kinds of replies that belong to the last thing if they come next."""
    _count: int = 0
    _size: int = 0
    _later: Sequence[str] | None = None
    """The text that replaces the last event's text once something else has been sent; None if it stays.

    A peek then loses its cards, unless the rules allow them to be seen again.
    """

    def note(self, reply: AnyReply, rendering: Rendering, settings: Settings, you: Seat | None) -> None:
        """Record the text of the reply just sent."""
        lines = rendering.lines
        if not lines:
            if type(reply) is Ok and self._continued_by is not _HINT:
                self._continued_by = ()
            return
        if type(reply) not in self._continued_by:
            self._parts, self._count, self._size = (), 0, 0
            if self._later is not None:
                self.last_event, self._later = self._later, None
        if type(reply) is Happened:
            self.last_event, event, rules = lines, reply.event, reply.rules
            if type(event) is Peeked and (rules is None or rules.recall is not Recall.ALWAYS):
                masked = Peeked(seat=event.seat, at=event.at, cards=None)
                public = Happened(
                    table=reply.table, seq=reply.seq, event=masked, names=reply.names, rules=rules
                )
                self._later = text.render(public, settings, you=you).lines
        if self._size <= KEPT:
            self._size += len(rendering.out)
            kept = lines if self._size <= KEPT else _within(lines, self._size - KEPT)
            self._parts = (*self._parts, kept)
        self._count += len(lines)
        self._continued_by = _continuations(reply)

    @property
    def last_thing(self) -> list[str]:
        """The lines of the last thing sent; if some were not kept, a note says so."""
        lines = [line for part in self._parts for line in part]
        if self._count > len(lines):
            lines.append(
                f"= That list is longer: it has {self._count} lines. Type its command again to see them all."
            )
        return lines


def _within(lines: Sequence[str], excess: int) -> Sequence[str]:
    """Return the lines without the last few, which together have at least ``excess`` bytes."""
    kept = list(lines)
    while kept and excess > 0:
        excess -= len(encode_lines([kept.pop()]))
    return kept


_HINT: Final = (Prompt,)


def _continuations(reply: AnyReply) -> tuple[type[AnyReply], ...]:
    """Return the kinds of replies that continue this one: another part, a list's ``ok``, or a hint."""
    match reply:
        case Rows(more=more):
            return (Rows, Ok) if more else (Ok,)
        case Notice(code=NoticeCode.TEXT):
            return (Notice,)
        case Happened() | TableView():
            return _HINT
    return ()


MORE: Final = "-- more: press Enter, q stops --"
STOP: Final = "q"


class Pager(Struct, eq=False):
    """The remaining pages of one answer."""

    _rest: list[str] = []
    _shown: int = 0
    _size: int = 0
    _dropped: int = 0

    @property
    def is_waiting(self) -> bool:
        """Whether there is more to show."""
        return bool(self._rest)

    def first(self, lines: Sequence[str], page: int) -> Sequence[str]:
        """Return the lines that fit on the first page, and keep the others."""
        room = 0 if self._rest else max(0, page - 1 - self._shown)
        self._shown += min(len(lines), room)
        if len(lines) <= room:
            return lines
        is_new = not self._rest
        for line in lines[room:]:
            if self._dropped or self._size + len(line) > KEPT:
                self._dropped += 1
            else:
                self._size += len(line)
                self._rest.append(line)
        return [*lines[:room], MORE] if is_new else ()

    def next(self, page: int | None) -> list[str]:
        """Return the next page, of up to ``page`` lines, or all remaining lines if that is None."""
        room = len(self._rest) if page is None or len(self._rest) <= page else page - 1
        lines, self._rest = self._rest[:room], self._rest[room:]
        if self._rest:
            return [*lines, MORE]
        if self._dropped:
            left_out = counted(self._dropped, "line")
            lines.append(
                f"= Not shown, because there were too many lines: {left_out}. To see all, type: set page none"
            )
        return lines
