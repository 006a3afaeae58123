"""How things are shown on one connection: by what was said on it, by what its player chose before, by default.

What stays true: the last word on this connection counts most, whether the person chose it or the terminal told it (its
width, its characters); then what the player chose on an earlier connection; then what the terminal only suggests. What
a terminal told is never stored: the next one may be another.
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
from golfnet.protocol.links.caller import PreferencesState
from golfnet.protocol.telnet.telnet import Charset, Mtts, TerminalType, WindowSize

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_DEFAULTS: Final = Settings()


class Preferences:
    """The settings of one connection, and which of them the player keeps; values are words as ``set`` takes them."""

    __slots__ = ("_before", "_here", "_suggested", "chosen", "settings")

    def __init__(self) -> None:
        self.settings = _DEFAULTS
        self.chosen = _NOTHING
        """What the person chose here and wants on the next connection too."""
        self._here = _NOTHING
        self._before = _NOTHING
        self._suggested = _NOTHING

    def choose(self, name: str, value: str, *, keeps: bool) -> str:
        """Change a setting by its name, for later connections too where it ``keeps``; return the name in full.

        Raises ``Refused``.
        """
        self.settings = change(self.settings, name, value)
        name = setting_named(name).name
        word = write(self.settings, name)
        self._here = {**self._here, name: word}
        if keeps:
            self.chosen = {**self.chosen, name: word}
        return name

    def adopt(self, before: Mapping[str, str]) -> None:
        """Show things as the player has chosen before who is on this connection now."""
        self._before = before
        self._apply()

    def adapt_to(self, told: WindowSize | TerminalType | Charset) -> None:
        """Show things as it suits the terminal of which telnet has told."""
        match told:
            case WindowSize(columns=columns, rows=rows):
                self._here = {**self._here, **fitting(columns, rows)}
            case TerminalType(abilities=abilities) if abilities & Mtts.SCREEN_READER:
                self._suggested = {"style": Style.SPEECH.value}
            case Charset(utf_8=False):
                self._here = {**self._here, "cards": Cards.LETTERS.value}
        self._apply()

    def snapshot(self) -> PreferencesState:
        """Return what was said here, before, and by the terminal."""
        return PreferencesState(
            here=dict(self._here),
            before=dict(self._before),
            suggested=dict(self._suggested),
            chosen=dict(self.chosen),
        )

    def restore(self, state: PreferencesState) -> None:
        """Show things as on another node."""
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
    """Return the settings with one changed; what only another version of this program knows is left out."""
    try:
        return change(settings, name, value) if name in SETTINGS else settings
    except Refused:
        return settings
