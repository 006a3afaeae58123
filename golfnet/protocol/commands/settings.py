"""How text mode shows things to one person: a record of settings, and the table of their allowed values.

The command ``set``, its help and its errors are made from ``SETTINGS``. Machine mode has no settings. What ``change``
returns is valid.
"""

from enum import Enum
from functools import cached_property
from typing import Any, Final

from msgspec import Struct, structs

from golfnet.engine.forms import SWITCH, Explained, ValueForm, alike, number, or_none, table, whole, words
from golfnet.engine.frozen import replaced
from golfnet.protocol.commands.catalog import quoted
from golfnet.protocol.commands.pages import Block
from golfnet.protocol.errors import Code, Refused

MIN_WIDTH: Final = 32
"""Minimum number of columns: with fewer, neither a layout nor a list can be read."""
MAX_WIDTH: Final = 250
MIN_HEIGHT: Final = 16
"""Minimum number of lines: with fewer, a big screen has room only for its heading."""
MAX_HEIGHT: Final = 200
MIN_PAGE: Final = 5
"""Minimum number of lines on a page: with fewer, the reader would be interrupted too often."""


class Style(Explained):
    """How tables and events are shown."""

    ART = "art", "cards drawn as pictures"
    PLAIN = "plain", "cards as aligned text"
    SPEECH = "speech", "for screen readers: only sentences, one thing on each line, cards in words"


class Cards(Explained):
    """How cards are written; in speech they are always words."""

    SYMBOLS = "symbols", "rank and suit symbol, and pictures drawn with lines"
    LETTERS = "letters", "rank and suit letter such as 7H, in plain ASCII"
    WORDS = "words", "seven of hearts; letters in pictures"


class Prefix(Explained):
    """What a line begins with."""

    ON = "on", "a sign, as listed below"
    WORDS = "words", "a word instead"
    OFF = "off", "nothing"


class Mark(Enum):
    """The kind of a line; the value is its first character, the word that can replace it, and what it means.

    The meaning is for help; the part before the colon is its short form.
    """

    DONE = ("=", "done:", "done")
    REFUSED = ("?", "refused:", "refused: first the error code, then the reason")
    HAPPENED = ("*", "table:", "something happened at your table: or what you can do now")
    ROW = ("-", "item:", "a row in a list")
    CHAT = (">", "chat:", "somebody says something")
    SERVER = ("!", "server:", "a message from the server")
    MORE = (" ", "", "")
    """A continuation of the line above, such as a further heading or a line of a picture."""
    HEADING = ("  ", "", "")
    """The heading of a list, aligned with its rows."""
    READY = ("   ", "", "")
    """A line that is already finished, such as one that is repeated on demand."""

    __hash__ = object.__hash__  # Faster than the hash of Enum, which is written in Python.


class Talk(Explained):
    """How much is said in style speech."""

    BRIEF = (
        "brief",
        "one short sentence per move; what you can do is said once per hole (turn says it again)",
    )
    FULL = "full", "every step, and your options each time"


class Follow(Explained):
    """Whether a watched table is drawn again at each turn: always, never, or only in style art."""

    ON = "on", "always"
    OFF = "off", "never; type look to see it"
    ART = "art", "in style art"


class Settings(Struct, frozen=True, kw_only=True, cache_hash=True, dict=True):
    """The settings of one peer; ``width`` is in columns."""

    style: Style = Style.ART
    talk: Talk = Talk.BRIEF
    cards: Cards = Cards.SYMBOLS
    width: int = 80
    height: int = 24
    page: int | None = None
    follow: Follow = Follow.ART
    color: bool = False
    bell: bool = False
    prefix: Prefix = Prefix.ON
    lobby: bool = True

    @cached_property
    def is_brief(self) -> bool:
        """Whether play is described in brief speech."""
        return self.style is Style.SPEECH and self.talk is Talk.BRIEF

    @property
    def follows(self) -> bool:
        """Whether a watched table is drawn again at each turn."""
        return self.follow is Follow.ON or (self.follow is Follow.ART and self.style is Style.ART)


class PreferencesState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The values of settings, as typed after ``set``, by name and by where they come from.

    ``here`` were set on this connection, ``before`` on earlier ones, ``suggested`` by the terminal; ``chosen`` are
    those set on this connection that are kept for later ones.
    """

    here: dict[str, str] = {}
    before: dict[str, str] = {}
    suggested: dict[str, str] = {}
    chosen: dict[str, str] = {}


def fitting(columns: int, rows: int) -> dict[str, str]:
    """Return the width and height that fit a window, within the limits; 0 means that a size is unknown."""
    width, height = min(max(columns, MIN_WIDTH), MAX_WIDTH), min(max(rows, MIN_HEIGHT), MAX_HEIGHT)
    return ({"width": str(width)} if columns else {}) | ({"height": str(height)} if rows else {})


def write(settings: Settings, name: str) -> str:
    """Return the current value of a setting, as ``set`` accepts it."""
    return SETTINGS[name].write(getattr(settings, name))


def change(settings: Settings, name: str, value: str) -> Settings:
    """Return the settings with one setting changed, or raise ``Refused`` with what was expected."""
    setting = setting_named(name)
    try:
        return structs.replace(settings, **{setting.name: setting.read(value.strip().lower())})
    except ValueError:
        raise Refused(
            Code.BAD_ARGUMENT, f"{setting.name} cannot be {quoted(value)}. It can be {setting.takes}."
        ) from None


def setting_named(name: str) -> ValueForm[Any]:
    """Return a setting by its name, or raise ``Refused`` with the nearest name, or all of them."""
    word = _OTHER_NAMES.get(name.lower(), name.lower())
    if word in SETTINGS:
        return SETTINGS[word]
    near = alike(word[:20], SETTINGS)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(SETTINGS)}."
    raise Refused(Code.BAD_ARGUMENT, f"There is no setting {quoted(name)}; {hint}")


def listed(settings: Settings) -> list[dict[str, str]]:
    """Return all settings with their values, as rows of the kind ``set``."""
    return [
        {"name": name, "value": write(settings, name), "takes": setting.takes, "meaning": setting.meaning}
        for name, setting in SETTINGS.items()
    ]


def help_blocks(name: str | None = None) -> list[Block]:
    """Return the help on one setting, or on all of them and the signs that begin lines; or raise ``Refused``."""
    chosen = list(SETTINGS.values()) if name is None else [setting_named(name)]
    blocks: list[Block] = []
    for setting in chosen:
        blocks.append(f"set {setting.name} VALUE: {setting.meaning} VALUE is {setting.takes}.")
        blocks += [tuple(setting.words.items())] if setting.words else []
    return [*blocks, *_LINES] if name in (None, "prefix") else blocks


_SIGNS: Final = tuple([(sign, meaning) for sign, _, meaning in [mark.value for mark in Mark] if meaning])

SIGNS_IN_SHORT: Final = ", ".join([f"{sign} {meaning.partition(':')[0]}" for sign, meaning in _SIGNS])
"""A short explanation of the first characters of lines."""

_LINES: Final[tuple[Block, ...]] = (
    "How lines begin, for scripts and sound packs (set prefix on):",
    _SIGNS,
    "A line that begins with two spaces continues the line above, or is a heading or part of a picture.",
)


_OTHER_NAMES: Final = {"colour": "color", "card": "cards", "colors": "color", "colours": "color"}


def _between(low: int, high: int) -> ValueForm[int]:
    def read(text: str) -> int:
        if not low <= (value := whole(text)) <= high:
            raise ValueError(text)
        return value

    return replaced(number(low, high), read=read)


SETTINGS: Final = table(
    ("style", words(Style), "How tables and events are shown."),
    ("talk", words(Talk), "How much is said about play in style speech."),
    ("cards", words(Cards), "How cards are written."),
    ("width", _between(MIN_WIDTH, MAX_WIDTH), "How many characters a line may have."),
    (
        "height",
        _between(MIN_HEIGHT, MAX_HEIGHT),
        "How many lines the window has, for watch TABLE style=stage.",
    ),
    ("page", or_none(_between(MIN_PAGE, MAX_HEIGHT)), "How many lines of a long answer are shown at a time."),
    ("follow", words(Follow), "Whether a table that you watch is shown again at each turn."),
    ("color", SWITCH, "Whether red suits and your own name are coloured."),
    ("bell", SWITCH, "Whether the terminal rings when it is your turn or a slam window opens."),
    ("prefix", words(Prefix), "What lines begin with."),
    ("lobby", SWITCH, "Whether you are told about new tables while you are not at one."),
)
"""Every setting by its name, in the order in which they are listed."""
