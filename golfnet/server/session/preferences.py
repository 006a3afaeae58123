"""The display settings of one connection, and where they come from.

Priority: settings made on this connection, by the person or by the terminal (its width, its characters), latest first;
then the player's choices on earlier connections; then what the terminal only suggests; then defaults. What comes from
a terminal is never stored, since the next terminal may be different.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from golfnet.protocol.commands.settings import (
    SETTINGS,
    Cards,
    Settings,
    Style,
    change,
    fitting,
    setting_named,
    write,
)
from golfnet.protocol.errors import Refused
from golfnet.protocol.links import PreferencesState
from golfnet.protocol.telnet.telnet import Charset, Mtts, TerminalType, WindowSize

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_DEFAULTS: Final = Settings()


class Preferences:
    """A connection's settings, and which of them are kept for the player; values are the words typed after ``set``."""

    __slots__ = ("_before", "_here", "_suggested", "chosen", "settings")

    def __init__(self) -> None:
        self.settings = _DEFAULTS
        self.chosen = _NOTHING
        """The person's choices on this connection, which are kept for the next one."""
        self._here = _NOTHING
        self._before = _NOTHING
        self._suggested = _NOTHING

    def choose(self, name: str, value: str, *, keeps: bool) -> str:
        """Change a setting, for later connections too if ``keeps``; return its full name. Raises ``Refused``."""
        self.settings = change(self.settings, name, value)
        name = setting_named(name).name
        word = write(self.settings, name)
        self._here = {**self._here, name: word}
        if keeps:
            self.chosen = {**self.chosen, name: word}
        return name

    def adopt(self, before: Mapping[str, str]) -> None:
        """Apply the player's choices from earlier connections."""
        self._before = before
        self._apply()

    def adapt_to(self, event: WindowSize | TerminalType | Charset) -> None:
        """Adapt to what telnet negotiation has revealed about the terminal."""
        match event:
            case WindowSize(columns=columns, rows=rows):
                self._here = {**self._here, **fitting(columns, rows)}
            case TerminalType(abilities=abilities) if abilities & Mtts.SCREEN_READER:
                self._suggested = {"style": Style.SPEECH.value}
            case Charset(utf_8=False):
                self._here = {**self._here, "cards": Cards.LETTERS.value}
        self._apply()

    def snapshot(self) -> PreferencesState:
        """Return the state for another node."""
        return PreferencesState(
            here=dict(self._here),
            before=dict(self._before),
            suggested=dict(self._suggested),
            chosen=dict(self.chosen),
        )

    def restore(self, state: PreferencesState) -> None:
        """Restore the state from another node."""
        self._here, self._before, self._suggested = state.here, state.before, state.suggested
        self.chosen = state.chosen
        self._apply()

    def _apply(self) -> None:
        settings = _DEFAULTS
        for words in (self._suggested, self._before, self._here):
            for name, value in words.items():
                settings = _changed(settings, name, value)
        self.settings = settings


def _changed(settings: Settings, name: str, value: str) -> Settings:
    """Return the settings with one changed; ignore names and values known only to another version of golfnet."""
    try:
        return change(settings, name, value) if name in SETTINGS else settings
    except Refused:
        return settings
