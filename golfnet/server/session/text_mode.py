"""What text mode keeps for one connection: its settings, and the rest of a long answer.

What the person or the terminal (its width, its characters) has set on this connection comes first; the latest setting
counts. Then come the player's choices on earlier connections, then what the terminal merely suggests, then the
defaults. Settings from a terminal are never stored, since the player's next terminal may be different.
"""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct, structs

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
from golfnet.protocol.telnet.options import Charset, Mtts, WindowSize
from golfnet.protocol.text.words import counted

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
        self.state = structs.replace(state, here=state.here | word, chosen=chosen)
        return name

    def adopt(self, before: Mapping[str, str]) -> None:
        """Apply the player's choices from earlier connections."""
        self.restore(structs.replace(self.state, before=dict(before)))

    def adapt_to(self, event: WindowSize | Mtts | Charset) -> None:
        """Adapt to what telnet negotiation has revealed about the terminal."""
        state = self.state
        match event:
            case WindowSize(columns=columns, rows=rows):
                state = structs.replace(state, here=state.here | fitting(columns, rows))
            case Mtts() if event & Mtts.SCREEN_READER:
                state = structs.replace(state, suggested={"style": Style.SPEECH.value})
            case Charset(utf_8=False):
                state = structs.replace(state, here=state.here | {"cards": Cards.LETTERS.value})
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
