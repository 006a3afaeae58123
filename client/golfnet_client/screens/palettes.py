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
    """Header and keys: the wood around the felt."""
    rail: str
    """The inner edge of the wood."""
    shadow: str
    """The felt beside a card."""
    shade: tuple[str, str, str, str]
    """Dimmed backgrounds during a slam window: felt, paper, backs; and the pattern of dimmed backs."""
    paper: str
    ink: str
    red: str
    blue: str
    green: str
    """Diamonds and clubs, if each suit has its colour."""
    faint: str
    """Small print on paper: numbers of slots."""
    spent: str
    """The paper of cards that score nothing."""
    spent_red: str
    fresh: str
    """The paper of a card shown for a limited time."""
    rim: str
    back: str
    pattern: str
    known: str
    key: tuple[str, str]
    row: tuple[str, str]
    alarm: tuple[str, str]
    marks: tuple[str, ...]
    """The colours of the seats on paper."""


def _colours(text: str) -> tuple[str, ...]:
    """Return the colours whose hexadecimal digits a text lists."""
    return tuple([f"#{digits}" for digits in text.split()])


_SEATS_LIGHT_INK: Final = _colours(
    "d7b8ff 7fd1ff ffa98f a5e887 ffb3d9 6fe0d0 b9c9ff c8e6b0 e6c6e6 a8d8c8 9fe8ff ffcfc4"
)
_SEATS_DARK_INK: Final = _colours(
    "6a2ea8 00568a 9c2f13 2c6b14 9a1f66 00655a 3448a8 3f6a2a 7a3a7a 2f5f55 005f7a 8a3a44"
)
_ON_DARK: Final = Surface(
    ground="",
    text="#d9e4da",
    dim="#9ab0a3",
    turn="#f2c14e",
    urgent="#ff9b7a",
    good="#8fd3a8",
    title="#a6c8b3",
    chat="#8ecae6",
    seats=_SEATS_LIGHT_INK,
)
_ON_BRIGHT: Final = Surface(
    ground="",
    text="#ffffff",
    dim="#dceee2",
    turn="#ffe08a",
    urgent="#ffd9cc",
    good="#c9f7d6",
    title="#dff5e6",
    chat="#d3efff",
    seats=_colours("ecdcff cfeaff ffdccf d5f7c0 ffdcee c8f5ee dde4ff e2f3d6 f5e2f5 cdeee2 d2f4ff ffe6e0"),
)
_ON_LIGHT: Final = Surface(
    ground="#f4f8f2",
    text="#24382c",
    dim="#4c6153",
    turn="#8a4b00",
    urgent="#b3261e",
    good="#17693a",
    title="#245a3b",
    chat="#0b5a8a",
    seats=_SEATS_DARK_INK,
)


class _Felt(NamedTuple):
    """The colours that a felt adds to the palettes of a depth: background, panel, bar, and matching backs."""

    ground: str
    panel: str
    bar: str
    rim: str
    back: str
    pattern: str


_DARK: Final = {
    "green": _Felt("#12301f", "#0d1f16", "#26170d", "#7ba3dc", "#24406f", "#4a74b4"),
    "blue": _Felt("#14294a", "#0e1c34", "#26170d", "#e08a94", "#7a1f30", "#bd5b6d"),
    "burgundy": _Felt("#3a141f", "#260d15", "#21130b", "#6fb3a8", "#14524c", "#34847a"),
}
_LIGHT: Final = {
    "green": _Felt("#1f6b3f", "", "#eddcc0", "#b9d0ff", "#24478f", "#5f86d0"),
    "blue": _Felt("#2a5488", "", "#eddcc0", "#ffc9d0", "#7a1f30", "#b85a6c"),
    "burgundy": _Felt("#82283c", "", "#eddcc0", "#a8e0d6", "#14524c", "#3f9488"),
}
_DARK_256: Final = {
    "green": _Felt("#005f00", "#121212", "#080808", "#afd7ff", "#00005f", "#5f87d7"),
    "blue": _Felt("#00005f", "#121212", "#080808", "#ffafaf", "#5f0000", "#af5f5f"),
    "burgundy": _Felt("#5f0000", "#121212", "#080808", "#87d7af", "#005f5f", "#5fafaf"),
}
_LIGHT_256: Final = {
    "green": _Felt("#005f00", "", "#d7ffd7", "#afd7ff", "#00005f", "#5f87d7"),
    "blue": _Felt("#005f87", "", "#d7d7ff", "#ffd7d7", "#5f0000", "#d75f87"),
    "burgundy": _Felt("#87005f", "", "#ffd7d7", "#afffd7", "#005f5f", "#5fafaf"),
}
_INKS_256: Final = Surface(
    ground="",
    text="#ffffff",
    dim="#d7d7d7",
    turn="#ffd75f",
    urgent="#ffd7d7",
    good="#afffaf",
    title="#d7ffd7",
    chat="#afffff",
    seats=_colours("d7d7ff afffff ffd7af d7ff87 ffd7ff 87ffff d7ffff d7ffaf ffd7d7 afffd7 afd7ff ffffff"),
)
_INKS_256_LIGHT: Final = Surface(
    ground="#eeeeee",
    text="#121212",
    dim="#4e4e4e",
    turn="#5f5f00",
    urgent="#af0000",
    good="#005f00",
    title="#005f00",
    chat="#005f87",
    seats=_colours("5f00af 005f87 870000 005f00 87005f 005f5f 4e4e4e 303030 0000af 5f0000 00005f 5f005f"),
)
_SIXTEEN: Final = Surface(
    ground="ansiblack",
    text="ansigray",
    dim="ansigray",
    turn="ansibrightyellow",
    urgent="ansibrightred",
    good="ansibrightgreen",
    title="ansibrightcyan",
    chat="ansicyan",
    seats=(
        "ansibrightmagenta",
        "ansibrightcyan",
        "ansiwhite",
        "ansibrightgreen",
        "ansicyan",
        "ansigreen",
    )
    * 2,
)
_SIXTEEN_LIGHT: Final = Surface(
    ground="ansiwhite",
    text="ansiblack",
    dim="ansiblack",
    turn="ansiblue",
    urgent="ansired",
    good="ansiblue",
    title="ansiblue",
    chat="ansiblue",
    seats=("ansimagenta", "ansired", "ansiblack") * 4,
)


class _Theme(NamedTuple):
    """A theme at one depth; a surface without a background has that of the felt."""

    felts: dict[str, _Felt]
    on_felt: Surface
    on_panel: Surface
    paper: str
    key: tuple[str, str]
    row: tuple[str, str]
    rail: str
    is_deep: bool = True
    """Whether the felt has darker shades."""


class _Prints(NamedTuple):
    """The colours on paper in all themes of one depth, as in ``Palette``."""

    ink: str
    red: str
    blue: str
    green: str
    faint: str
    spent: str
    spent_red: str
    fresh: str
    alarm: tuple[str, str]
    marks: tuple[str, ...]


_PRINTS: Final = _Prints(
    ink="#1c1c1e",
    red="#b5101c",
    blue="#0a4696",
    green="#0b5a26",
    faint="#66645c",
    spent="#c9c6b8",
    spent_red="#8f0a14",
    fresh="#fff0a8",
    alarm=("#b00f1c", "#ffffff"),
    marks=_SEATS_DARK_INK,
)
_PRINTS_256: Final = _Prints(
    ink="#121212",
    red="#af0000",
    blue="#0000af",
    green="#005f00",
    faint="#5f5f5f",
    spent="#c6c6c6",
    spent_red="#870000",
    fresh="#ffff87",
    alarm=("#af0000", "#ffffff"),
    marks=_INKS_256_LIGHT.seats,
)
_THEMES: Final = {
    "dark": _Theme(
        _DARK,
        _ON_DARK,
        _ON_DARK,
        "#f5f1e4",
        key=("#f2c14e", "#14241c"),
        row=("#2c5a47", "#ffffff"),
        rail="#7a5130",
    ),
    "light": _Theme(
        _LIGHT,
        _ON_BRIGHT,
        _ON_LIGHT,
        "#ffffff",
        key=("#ffcf4a", "#2a1a00"),
        row=("#245a3b", "#ffffff"),
        rail="#a9814f",
    ),
}
_THEMES_256: Final = {
    "dark": _Theme(
        _DARK_256,
        _INKS_256,
        _INKS_256,
        "#ffffd7",
        key=("#ffd75f", "#121212"),
        row=("#5f5f5f", "#ffffff"),
        rail="#875f00",
        is_deep=False,
    ),
    "light": _Theme(
        _LIGHT_256,
        _INKS_256,
        _INKS_256_LIGHT,
        "#ffffff",
        key=("#ffd75f", "#121212"),
        row=("#005f00", "#ffffff"),
        rail="#875f00",
        is_deep=False,
    ),
}


def palette(theme: str, felt: str, depth: ColorDepth) -> Palette:
    """Return the colours of the theme and felt, for a terminal with this colour depth."""
    if depth is ColorDepth.DEPTH_4_BIT:
        return _sixteen(felt, is_light=theme == "light")
    themes, prints = (_THEMES_256, _PRINTS_256) if depth is ColorDepth.DEPTH_8_BIT else (_THEMES, _PRINTS)
    chosen = themes["light" if theme == "light" else "dark"]
    look = chosen.felts[felt]
    panel = chosen.on_panel._replace(ground=chosen.on_panel.ground or look.panel)
    return Palette(
        felt=chosen.on_felt._replace(ground=look.ground),
        panel=panel,
        bar=panel._replace(ground=look.bar),
        rail=chosen.rail,
        shadow=_darker(look.ground) if chosen.is_deep else look.ground,
        shade=(
            (_darker(look.ground), "#8f8b80", _darker(look.back, 3), _darker(look.pattern, 5))
            if chosen.is_deep
            else ("#121212", "#949494", "#262626", "#949494")
        ),
        paper=chosen.paper,
        rim=look.rim,
        back=look.back,
        pattern=look.pattern,
        known="#ffffff",
        key=chosen.key,
        row=chosen.row,
        **prints._asdict(),
    )


def _darker(colour: str, sixths: int = 4) -> str:
    """Return a darker shade of a colour."""
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
