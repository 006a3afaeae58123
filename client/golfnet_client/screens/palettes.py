"""Palettes: the colours of a theme, for each felt and each depth of colour.

24-bit, 256 and 16 colours have palettes of their own. Text has a contrast of 4.5:1 or better to its ground, a card's
edge 3:1 to the felt (WCAG 2); the tests measure every pair.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from prompt_toolkit.output import ColorDepth

FELTS: Final = ("green", "blue", "burgundy")
"""Every felt, in the order in which a key goes through them."""


class Surface(NamedTuple):
    """What is written on, and the inks for it."""

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
    """Header and keys."""
    paper: str
    ink: str
    red: str
    faint: str
    """Small print on paper: numbers of slots."""
    spent: str
    """The paper of cards that count nothing."""
    spent_red: str
    fresh: str
    """The paper of a card that is shown for a moment."""
    rim: str
    back: str
    pattern: str
    known: str
    key: tuple[str, str]
    row: tuple[str, str]
    alarm: tuple[str, str]


_SEATS_LIGHT_INK: Final = (
    "#f2c14e",
    "#7fd1ff",
    "#ffa98f",
    "#a5e887",
    "#d7b8ff",
    "#ffb3d9",
    "#6fe0d0",
    "#e8d9a0",
    "#b9c9ff",
    "#ffc48a",
    "#c8e6b0",
    "#e6c6e6",
)
_SEATS_DARK_INK: Final = (
    "#7a4a00",
    "#00568a",
    "#9c2f13",
    "#2c6b14",
    "#6a2ea8",
    "#9a1f66",
    "#00655a",
    "#665500",
    "#3448a8",
    "#8a4a08",
    "#3f6a2a",
    "#7a3a7a",
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
    seats=(
        "#ffe08a",
        "#cfeaff",
        "#ffdccf",
        "#d5f7c0",
        "#ecdcff",
        "#ffdcee",
        "#c8f5ee",
        "#f5ecc8",
        "#dde4ff",
        "#ffe2c2",
        "#e2f3d6",
        "#f5e2f5",
    ),
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
    """What a felt brings into the palettes of its depth: ground, panel and bar, and the backs that go with it."""

    ground: str
    panel: str
    bar: str
    rim: str
    back: str
    pattern: str


_DARK: Final = {
    "green": _Felt("#12301f", "#0d1f16", "#0a1711", "#7ba3dc", "#24406f", "#4a74b4"),
    "blue": _Felt("#14294a", "#0e1c34", "#0a1528", "#e08a94", "#7a1f30", "#b04a5c"),
    "burgundy": _Felt("#3a141f", "#260d15", "#1c0910", "#6fb3a8", "#14524c", "#34847a"),
}
_LIGHT: Final = {
    "green": _Felt("#1f6b3f", "", "#cfe2d0", "#b9d0ff", "#24478f", "#5f86d0"),
    "blue": _Felt("#2a5488", "", "#d3deee", "#ffc9d0", "#7a1f30", "#b85a6c"),
    "burgundy": _Felt("#82283c", "", "#efd8dd", "#a8e0d6", "#14524c", "#3f9488"),
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
    seats=(
        "#ffd75f",
        "#afffff",
        "#ffd7af",
        "#d7ff87",
        "#d7d7ff",
        "#ffd7ff",
        "#87ffff",
        "#ffffaf",
        "#d7ffff",
        "#ffd787",
        "#d7ffaf",
        "#ffd7d7",
    ),
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
    seats=(
        "#5f5f00",
        "#005f87",
        "#870000",
        "#005f00",
        "#5f00af",
        "#87005f",
        "#005f5f",
        "#4e4e4e",
        "#0000af",
        "#5f0000",
        "#00005f",
        "#5f005f",
    ),
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
        "ansibrightyellow",
        "ansibrightcyan",
        "ansibrightgreen",
        "ansibrightmagenta",
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
    seats=("ansiblue", "ansired", "ansimagenta", "ansiblack") * 3,
)


class _Theme(NamedTuple):
    """What one theme is at one depth; a surface without a ground takes that of the felt."""

    felts: dict[str, _Felt]
    on_felt: Surface
    on_panel: Surface
    paper: str
    key: tuple[str, str]
    row: tuple[str, str]


class _Prints(NamedTuple):
    """What lies on the paper of all themes of one depth, as in ``Palette``."""

    ink: str
    red: str
    faint: str
    spent: str
    spent_red: str
    fresh: str
    alarm: tuple[str, str]


_PRINTS: Final = _Prints(
    ink="#1c1c1e",
    red="#b5101c",
    faint="#66645c",
    spent="#c9c6b8",
    spent_red="#8f0a14",
    fresh="#fff0a8",
    alarm=("#b00f1c", "#ffffff"),
)
_PRINTS_256: Final = _Prints(
    ink="#121212",
    red="#af0000",
    faint="#5f5f5f",
    spent="#c6c6c6",
    spent_red="#870000",
    fresh="#ffff87",
    alarm=("#af0000", "#ffffff"),
)
_THEMES: Final = {
    "dark": _Theme(
        _DARK, _ON_DARK, _ON_DARK, "#f5f1e4", key=("#f2c14e", "#14241c"), row=("#2c5a47", "#ffffff")
    ),
    "light": _Theme(
        _LIGHT, _ON_BRIGHT, _ON_LIGHT, "#ffffff", key=("#245a3b", "#ffffff"), row=("#245a3b", "#ffffff")
    ),
}
_THEMES_256: Final = {
    "dark": _Theme(
        _DARK_256, _INKS_256, _INKS_256, "#ffffd7", key=("#ffd75f", "#121212"), row=("#5f5f5f", "#ffffff")
    ),
    "light": _Theme(
        _LIGHT_256,
        _INKS_256,
        _INKS_256_LIGHT,
        "#ffffff",
        key=("#005f00", "#ffffff"),
        row=("#005f00", "#ffffff"),
    ),
}


def palette(theme: str, felt: str, depth: ColorDepth) -> Palette:
    """Return the colours of a theme with a felt, for a terminal that shows so many."""
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
        paper=chosen.paper,
        rim=look.rim,
        back=look.back,
        pattern=look.pattern,
        known="#ffffff",
        key=chosen.key,
        row=chosen.row,
        **prints._asdict(),
    )


def _sixteen(felt: str, *, is_light: bool) -> Palette:
    """Return the colours for terminals that have 16: a black felt with coloured backs, as no green carries text."""
    backs = {
        "green": ("ansibrightblue", "ansiblue"),
        "blue": ("ansibrightred", "ansired"),
        "burgundy": ("ansibrightcyan", "ansiblue"),
    }
    rim, back = backs[felt]
    panel = _SIXTEEN_LIGHT if is_light else _SIXTEEN
    return Palette(
        felt=_SIXTEEN,
        panel=panel,
        bar=panel,
        paper="ansiwhite",
        ink="ansiblack",
        red="ansired",
        faint="ansiblack",
        spent="ansigray",
        spent_red="ansiblack",
        fresh="ansibrightyellow",
        rim=rim,
        back=back,
        pattern=rim,
        known="ansiwhite",
        key=("ansiblue", "ansiwhite") if is_light else ("ansibrightyellow", "ansiblack"),
        row=("ansiblue", "ansiwhite"),
        alarm=("ansired", "ansiwhite"),
    )
