"""Colours: what the words that pictures use look like, by theme, felt and depth of colour.

24-bit, 256 and 16 colours have palettes of their own. No theme adds information: what is coloured is also written,
framed or pointed at. Text has a contrast of 4.5:1 or better to its ground, a card's edge 3:1 to the felt (WCAG 2); the
tests measure every pair. ``mono`` has no colour at all.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

THEMES: Final = ("dark", "light", "mono")
"""Every theme, in the order in which a key goes through them."""

FELTS: Final = ("green", "blue", "burgundy")
"""Every felt, in the order in which a key goes through them."""

SEAT_COLOURS: Final = 12
"""One for each seat; with 16 colours they repeat."""


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
    alarm: tuple[str, str] = ("#b00f1c", "#ffffff")


_SEATS_LIGHT_INK: Final = [
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
]
_SEATS_DARK_INK: Final = [
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
]
_ON_DARK: Final = Surface(
    ground="",
    text="#d9e4da",
    dim="#9ab0a3",
    turn="#f2c14e",
    urgent="#ff9b7a",
    good="#8fd3a8",
    title="#a6c8b3",
    chat="#8ecae6",
    seats=tuple(_SEATS_LIGHT_INK),
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
    seats=tuple(
        [
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
        ]
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
    seats=tuple(_SEATS_DARK_INK),
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
    seats=tuple(
        [
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
        ]
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
    seats=tuple(
        [
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
        ]
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


def palette(theme: str, felt: str, depth: ColorDepth) -> Palette:
    """Return the colours of a theme with a felt, for a terminal that shows so many."""
    is_light = theme == "light"
    if depth is ColorDepth.DEPTH_4_BIT:
        return _sixteen(felt, is_light=is_light)
    if depth is ColorDepth.DEPTH_8_BIT:
        look = (_LIGHT_256 if is_light else _DARK_256)[felt]
        inks, panel = _INKS_256, _INKS_256_LIGHT if is_light else _INKS_256._replace(ground=look.panel)
        return Palette(
            felt=inks._replace(ground=look.ground),
            panel=panel,
            bar=panel._replace(ground=look.bar),
            paper="#ffffff" if is_light else "#ffffd7",
            ink="#121212",
            red="#af0000",
            faint="#5f5f5f",
            spent="#c6c6c6",
            spent_red="#870000",
            fresh="#ffff87",
            rim=look.rim,
            back=look.back,
            pattern=look.pattern,
            known="#ffffff",
            key=("#005f00", "#ffffff") if is_light else ("#ffd75f", "#121212"),
            row=("#005f00", "#ffffff") if is_light else ("#5f5f5f", "#ffffff"),
            alarm=("#af0000", "#ffffff"),
        )
    look = (_LIGHT if is_light else _DARK)[felt]
    panel = _ON_LIGHT if is_light else _ON_DARK._replace(ground=look.panel)
    return Palette(
        felt=(_ON_BRIGHT if is_light else _ON_DARK)._replace(ground=look.ground),
        panel=panel,
        bar=panel._replace(ground=look.bar),
        paper="#ffffff" if is_light else "#f5f1e4",
        ink="#1c1c1e",
        red="#b5101c",
        faint="#66645c",
        spent="#c9c6b8",
        spent_red="#8f0a14",
        fresh="#fff0a8",
        rim=look.rim,
        back=look.back,
        pattern=look.pattern,
        known="#ffffff",
        key=("#245a3b", "#ffffff") if is_light else ("#f2c14e", "#14241c"),
        row=("#245a3b", "#ffffff") if is_light else ("#2c5a47", "#ffffff"),
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


MONO: Final = {
    "header": "reverse",
    "key": "reverse",
    "turn": "bold",
    "urgent": "bold",
    "alarm": "reverse bold",
    "chosen": "bold",
    "row": "reverse",
    "title": "bold underline",
    "card": "reverse",
    "spent": "reverse",
    "fresh": "bold underline",
    "known": "bold",
    "ask": "bold",
    "mark": "bold",
    "completion-menu.completion.current": "reverse",
}
"""The attributes of pictures without a colour: paper is the terminal's own ink, turned round."""


def words(theme: str, felt: str, depth: ColorDepth) -> dict[str, str]:
    """Return what every word that pictures use looks like; later ones go before earlier ones."""
    if theme == "mono" or depth is ColorDepth.DEPTH_1_BIT:
        return MONO
    look = palette(theme, felt, depth)
    table = {
        "felt": f"bg:{look.felt.ground} {look.felt.text}",
        "panel": f"bg:{look.panel.ground} {look.panel.text}",
        "header": f"bg:{look.bar.ground} {look.bar.text}",
        "actions": f"bg:{look.bar.ground} {look.bar.text}",
        "input": f"bg:{look.panel.ground} {look.panel.text}",
        "prompt": f"bg:{look.panel.ground} {look.panel.turn} bold",
        "total": "bold",
    }
    for surface, inks in (
        ("felt", look.felt),
        ("panel", look.panel),
        ("header", look.bar),
        ("actions", look.bar),
    ):
        table |= {f"{surface} {word}": ink for word, ink in _inks(inks).items()}
    return table | _card_words(look)


def _inks(inks: Surface) -> dict[str, str]:
    """Return what the words look like that are written on several surfaces."""
    return {
        "dim": inks.dim,
        "old": inks.dim,
        "name": inks.text,
        "brand": f"{inks.turn} bold",
        "turn": f"{inks.turn} bold",
        "bar": inks.good,
        "urgent": f"{inks.urgent} bold",
        "title": f"{inks.title} bold",
        "best": f"{inks.good} bold",
        "log-mine": inks.text,
        "log-chat": inks.chat,
        "log-refused": inks.urgent,
        "log-server": inks.turn,
        "log-done": inks.good,
        "log-scores": inks.turn,
    } | {f"seat-{number}": ink for number, ink in enumerate(inks.seats)}


def _card_words(look: Palette) -> dict[str, str]:
    """Return what cards, and all that brings its own ground, look like."""
    felt, panel = look.felt, look.panel
    return {
        "card": f"bg:{look.paper} {look.ink}",
        "spent": f"bg:{look.spent} {look.ink}",
        "fresh": f"bg:{look.fresh} {look.ink} bold",
        "suit-red": look.red,
        "spent suit-red": look.spent_red,
        "faint": look.faint,
        "paper-edge": look.paper,
        "spent-edge": look.spent,
        "fresh-edge": look.fresh,
        "rim": look.rim,
        "back": f"bg:{look.back} {look.pattern}",
        "back rim": look.rim,
        "back odd": f"bg:{look.pattern} {look.back}",
        "known": f"{look.known} bold",
        "vacant": felt.dim,
        "chosen": f"{felt.turn} bold",
        "lit": f"bg:{felt.turn}",
        "glow": felt.urgent,
        "mark": f"{felt.urgent} bold",
        "key": f"bg:{look.key[0]} {look.key[1]} bold",
        "ask": f"bg:{look.key[0]} {look.key[1]} bold",
        "row": f"bg:{look.row[0]} {look.row[1]} bold",
        "alarm": f"bg:{look.alarm[0]} {look.alarm[1]} bold",
        "completion-menu": f"bg:{look.bar.ground} {look.bar.text}",
        "completion-menu.completion.current": f"bg:{look.key[0]} {look.key[1]} noreverse",
        "completion-menu.meta.completion": f"bg:{panel.ground} {panel.dim}",
        "completion-menu.meta.completion.current": f"bg:{look.key[0]} {look.key[1]}",
    }


def style_of(theme: str, felt: str, depth: ColorDepth) -> Style:
    """Return a theme for a terminal that shows so many colours."""
    return Style.from_dict(words(theme, felt, depth))


def usual_theme(colorfgbg: str) -> str:
    """Return the theme for a terminal that tells its colours as ``15;0`` does; dark where it tells nothing."""
    background = colorfgbg.rpartition(";")[2]
    return "light" if background in ("7", "15") else "dark"
