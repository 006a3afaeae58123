"""Palettes: the colours of a theme, for each felt and each colour depth.

24-bit, 256 and 16 colours have palettes of their own. Text has a contrast of at least 4.5:1 with its background, a
card's edge 3:1 with the felt, the pattern of a back 2:1 (WCAG 2); the tests measure every pair. No seat has the colour
``turn``, which marks what needs attention now.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from prompt_toolkit.output import ColorDepth

FELTS: Final = ("green", "blue", "burgundy")
"""The felts, in the order in which a key cycles through them."""


class Surface(NamedTuple):
    """A background and the text colours on it."""

    ground: str
    text: str
    dim: str
    turn: str
    urgent: str
    good: str
    title: str
    chat: str
    seats: tuple[str, ...]


class Palette(NamedTuple):
    """The colours of one theme, felt and depth."""

    felt: Surface
    panel: Surface
    bar: Surface
    """The surface of the header and the keys: the wood around the felt."""
    rail: str
    """The inner edge of the wood."""
    shadow: str
    """The felt in the shadow of a card."""
    shade: tuple[str, str, str, str]
    """Dimmed colours during a slam window: of the felt, the paper, the backs, and the pattern on the backs."""
    paper: str
    ink: str
    red: str
    blue: str
    green: str
    """``blue`` is for diamonds and ``green`` for clubs, if each suit has its own colour."""
    faint: str
    """The colour of small print on paper, such as slot numbers."""
    spent: str
    """The paper of cards that score nothing."""
    spent_red: str
    fresh: str
    """The paper of a card shown for a limited time."""
    rim: str
    back: str
    pattern: str
    known: str
    key: tuple[str, ...]
    row: tuple[str, ...]
    alarm: tuple[str, str]
    marks: tuple[str, ...]
    """The colours of the seats on paper."""


def _colours(text: str) -> tuple[str, ...]:
    return tuple([f"#{digits}" for digits in text.split()])


def _ansi(text: str) -> tuple[str, ...]:
    return tuple([f"ansi{name}" for name in text.split()])


def _surface(seats: tuple[str, ...], inks: tuple[str, ...], ground: str = "") -> Surface:
    """Return a surface with inks in the order of its fields; without ``ground``, the felt determines the background."""
    text, dim, turn, urgent, good, title, chat = inks
    return Surface(ground, text, dim, turn, urgent, good, title, chat, seats)


_SEATS_DARK_INK: Final = _colours(
    "6a2ea8 00568a 9c2f13 2c6b14 9a1f66 00655a 3448a8 3f6a2a 7a3a7a 2f5f55 005f7a 8a3a44"
)
_ON_DARK: Final = _surface(
    _colours("d7b8ff 7fd1ff ffa98f a5e887 ffb3d9 6fe0d0 b9c9ff c8e6b0 e6c6e6 a8d8c8 9fe8ff ffcfc4"),
    _colours("d9e4da 9ab0a3 f2c14e ff9b7a 8fd3a8 a6c8b3 8ecae6"),
)
_ON_BRIGHT: Final = _surface(
    _colours("ecdcff cfeaff ffdccf d5f7c0 ffdcee c8f5ee dde4ff e2f3d6 f5e2f5 cdeee2 d2f4ff ffe6e0"),
    _colours("ffffff dceee2 ffe08a ffd9cc c9f7d6 dff5e6 d3efff"),
)
_ON_LIGHT: Final = _surface(_SEATS_DARK_INK, _colours("24382c 4c6153 8a4b00 b3261e 17693a 245a3b 0b5a8a"))
_INKS_256: Final = _surface(
    _colours("d7d7ff afffff ffd7af d7ff87 ffd7ff 87ffff d7ffff d7ffaf ffd7d7 afffd7 afd7ff ffffff"),
    _colours("ffffff d7d7d7 ffd75f ffd7d7 afffaf d7ffd7 afffff"),
)
_INKS_256_LIGHT: Final = _surface(
    _colours("5f00af 005f87 870000 005f00 87005f 005f5f 4e4e4e 303030 0000af 5f0000 00005f 5f005f"),
    _colours("121212 4e4e4e 5f5f00 af0000 005f00 005f00 005f87"),
)
_SIXTEEN: Final = _surface(
    _ansi("brightmagenta brightcyan white brightgreen cyan green") * 2,
    _ansi("gray gray brightyellow brightred brightgreen brightcyan cyan"),
    "ansiblack",
)
_SIXTEEN_LIGHT: Final = _surface(
    _ansi("magenta red black") * 4, _ansi("black black blue red blue blue blue"), "ansiwhite"
)

_FELTS: Final = {
    ("dark", 24): {
        "green": "12301f 0d1f16 26170d 7ba3dc 24406f 4a74b4",
        "blue": "14294a 0e1c34 26170d e08a94 7a1f30 bd5b6d",
        "burgundy": "3a141f 260d15 21130b 6fb3a8 14524c 34847a",
    },
    ("light", 24): {
        "green": "1f6b3f f4f8f2 eddcc0 b9d0ff 24478f 5f86d0",
        "blue": "2a5488 f4f8f2 eddcc0 ffc9d0 7a1f30 b85a6c",
        "burgundy": "82283c f4f8f2 eddcc0 a8e0d6 14524c 3f9488",
    },
    ("dark", 8): {
        "green": "005f00 121212 080808 afd7ff 00005f 5f87d7",
        "blue": "00005f 121212 080808 ffafaf 5f0000 af5f5f",
        "burgundy": "5f0000 121212 080808 87d7af 005f5f 5fafaf",
    },
    ("light", 8): {
        "green": "005f00 eeeeee d7ffd7 afd7ff 00005f 5f87d7",
        "blue": "005f87 eeeeee d7d7ff ffd7d7 5f0000 d75f87",
        "burgundy": "87005f eeeeee ffd7d7 afffd7 005f5f 5fafaf",
    },
}
"""Colours by theme, depth in bits, and felt: the backgrounds of felt, panel and bar, then three colours of cards: rim,
back and pattern."""


class _Theme(NamedTuple):
    """The colours of a theme at one depth that do not depend on the felt."""

    on_felt: Surface
    on_panel: Surface
    paper: str
    key: tuple[str, ...]
    row: tuple[str, ...]
    rail: str


_THEMES: Final = {
    ("dark", 24): _Theme(
        _ON_DARK, _ON_DARK, "#f5f1e4", _colours("f2c14e 14241c"), _colours("2c5a47 ffffff"), "#7a5130"
    ),
    ("light", 24): _Theme(
        _ON_BRIGHT, _ON_LIGHT, "#ffffff", _colours("ffcf4a 2a1a00"), _colours("245a3b ffffff"), "#a9814f"
    ),
    ("dark", 8): _Theme(
        _INKS_256, _INKS_256, "#ffffd7", _colours("ffd75f 121212"), _colours("5f5f5f ffffff"), "#875f00"
    ),
    ("light", 8): _Theme(
        _INKS_256, _INKS_256_LIGHT, "#ffffff", _colours("ffd75f 121212"), _colours("005f00 ffffff"), "#875f00"
    ),
}
_ON_PAPER: Final = ("ink", "red", "blue", "green", "faint", "spent", "spent_red", "fresh")
_PRINTS: Final = {
    24: dict(
        zip(_ON_PAPER, _colours("1c1c1e b5101c 0a4696 0b5a26 66645c c9c6b8 8f0a14 fff0a8"), strict=True)
    ),
    8: dict(zip(_ON_PAPER, _colours("121212 af0000 0000af 005f00 5f5f5f c6c6c6 870000 ffff87"), strict=True)),
}
"""The colours on paper for each depth; both themes share them."""


def palette(theme: str, felt: str, depth: ColorDepth) -> Palette:
    """Return the colours of the theme and felt, for a terminal with this colour depth."""
    if depth is ColorDepth.DEPTH_4_BIT:
        return _sixteen(felt, is_light=theme == "light")
    bits = 8 if depth is ColorDepth.DEPTH_8_BIT else 24
    theme = "light" if theme == "light" else "dark"
    look = _THEMES[theme, bits]
    ground, panel, bar, rim, back, pattern = _colours(_FELTS[theme, bits][felt])
    shades = _darker(ground), "#8f8b80", _darker(back, 3), _darker(pattern, 5)
    # With 256 colours, the felt has no darker shades.
    flat = "#121212", "#949494", "#262626", "#949494"
    return Palette(
        felt=look.on_felt._replace(ground=ground),
        panel=look.on_panel._replace(ground=panel),
        bar=look.on_panel._replace(ground=bar),
        rail=look.rail,
        shadow=ground if bits == 8 else shades[0],
        shade=flat if bits == 8 else shades,
        paper=look.paper,
        rim=rim,
        back=back,
        pattern=pattern,
        known="#ffffff",
        key=look.key,
        row=look.row,
        alarm=("#af0000" if bits == 8 else "#b00f1c", "#ffffff"),
        marks=_INKS_256_LIGHT.seats if bits == 8 else _SEATS_DARK_INK,
        **_PRINTS[bits],
    )


def _darker(colour: str, sixths: int = 4) -> str:
    return "#" + "".join([f"{int(colour[at : at + 2], 16) * sixths // 6:02x}" for at in (1, 3, 5)])


def _sixteen(felt: str, *, is_light: bool) -> Palette:
    """Return the palette for 16 colours: a black felt with coloured backs, as no green is readable under text."""
    backs = {
        "green": ("ansibrightblue", "ansiblue", "ansicyan"),
        "blue": ("ansibrightred", "ansired", "ansigray"),
        "burgundy": ("ansibrightcyan", "ansiblue", "ansibrightcyan"),
    }
    rim, back, pattern = backs[felt]
    panel = _SIXTEEN_LIGHT if is_light else _SIXTEEN
    return Palette(
        felt=_SIXTEEN,
        panel=panel,
        bar=panel,
        rail="ansibrightblack",
        shadow="ansiblack",
        shade=("ansiblack", "ansigray", "ansiblack", "ansigray"),
        paper="ansiwhite",
        ink="ansiblack",
        red="ansired",
        blue="ansiblue",
        green="ansiblack",
        faint="ansiblack",
        spent="ansigray",
        spent_red="ansiblack",
        fresh="ansibrightyellow",
        rim=rim,
        back=back,
        pattern=pattern,
        known="ansiwhite",
        key=("ansiblue", "ansiwhite") if is_light else ("ansibrightyellow", "ansiblack"),
        row=("ansiblue", "ansiwhite"),
        alarm=("ansired", "ansiwhite"),
        marks=_SIXTEEN_LIGHT.seats,
    )
