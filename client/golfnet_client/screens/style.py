"""Styles: the colours and attributes of the style words, by theme, felt and colour depth.

Colour alone never carries information: whatever has a colour is also written, framed or pointed at. ``mono`` has no
colours at all.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

from golfnet_client.screens.palettes import FELTS, SEATS, palette

THEMES: Final = ("dark", "light", "mono")
"""The themes, in the order in which a key cycles through them."""

SUITS: Final = ("two", "four")
"""The numbers of colours that suits can have, in the order in which a key cycles through them."""

LOOKS: Final = {"theme": THEMES, "felt": FELTS, "suits": SUITS}
"""The settings for the colours, each with its values; the first value is the default."""

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
"""The attributes that replace colours; paper is drawn in reverse video."""


_BASE: Final = {
    "felt": "bg:{felt} {felt text}",
    "panel": "bg:{panel} {panel text}",
    "header": "bg:{bar} {bar text}",
    "actions": "bg:{bar} {bar text}",
    "input": "bg:{bar} {bar text}",
    "prompt": "bg:{bar} {bar turn} bold",
    "total": "bold",
}
_SURFACES: Final = {"felt": "felt", "panel": "panel", "header": "bar", "actions": "bar"}
"""The surfaces for text, each with the word for it in the palette."""

_INKS: Final = {
    "dim": "{dim}",
    "old": "{dim}",
    "name": "{text}",
    "brand": "{turn} bold",
    "turn": "{turn} bold",
    "bar": "{good}",
    "urgent": "{urgent} bold",
    "title": "{title} bold",
    "best": "{good} bold",
    "log-mine": "{text}",
    "log-chat": "{chat}",
    "log-refused": "{urgent}",
    "log-server": "{turn}",
    "log-done": "{good}",
    "log-scores": "{turn}",
    **{seat: f"{{{seat}}}" for seat in SEATS},
}
"""Text that appears on every surface."""

_CARDS: Final = {
    "card": "bg:{paper} {ink}",
    "spent": "bg:{spent} {ink}",
    "fresh": "bg:{fresh} {ink} bold",
    "suit-h": "{red}",
    "spent suit-h": "{spent red}",
    "suit-d": "{red}",
    "spent suit-d": "{spent red}",
    "suit-c": "{ink}",
    "suit-s": "{ink}",
    "faint": "{faint}",
    "spent faint": "{ink}",
    "paper-edge": "{paper}",
    "spent-edge": "{spent}",
    "fresh-edge": "{fresh}",
    "rim": "{rim}",
    "back": "bg:{back} {pattern}",
    "back rim": "{rim}",
    "back odd": "bg:{pattern} {back}",
    "known": "{known} bold",
    **{f"{paper} {seat}": f"{{paper {seat}}}" for paper in ("card", "spent", "fresh") for seat in SEATS},
    **{f"back {seat}": f"{{felt {seat}}}" for seat in SEATS},
    "changed": "underline",
    "rail": "{rail}",
    "shadow": "bg:{shadow}",
    "vacant": "{felt dim}",
    "chosen": "{felt turn} bold",
    "lit": "bg:{felt turn}",
    "glow": "{felt urgent}",
    "mark": "{felt urgent} bold",
    "key": "bg:{key} {key ink} bold",
    "ask": "bg:{key} {key ink} bold",
    "row": "bg:{row} {row ink} bold",
    "alarm": "bg:{alarm} {known} bold",
    "completion-menu": "bg:{bar} {bar text}",
    "completion-menu.completion.current": "bg:{key} {key ink} noreverse",
    "completion-menu.meta.completion": "bg:{panel} {panel dim}",
    "completion-menu.meta.completion.current": "bg:{key} {key ink}",
}
"""Cards, and everything with a background of its own."""

_FOUR_SUITS: Final = {"suit-d": "{blue}", "spent suit-d": "{blue}", "suit-c": "{green}"}
"""The styles that differ if each suit has its own colour."""

_SHADES: Final = {
    "dusk": "bg:{felt shade}",
    "shade": "bg:{felt shade} {felt dim}",
    "rail shade": "{rail}",
    **dict.fromkeys(("card shade", "spent shade", "fresh shade"), "bg:{paper shade} {ink} nobold"),
    **dict.fromkeys(("paper-edge shade", "spent-edge shade", "fresh-edge shade"), "{paper shade}"),
    "back shade": "bg:{back shade} {pattern shade}",
    "known shade": "{felt dim}",
    "rim shade": "{pattern shade}",
}
"""The dimmed table."""


def words(theme: str, felt: str, depth: ColorDepth, suits: str = SUITS[0]) -> dict[str, str]:
    """Return the style of every style word; later words override earlier ones."""
    if theme == "mono" or depth is ColorDepth.DEPTH_1_BIT:
        return MONO
    inks = {
        f"{surface} {word}": ink.replace("{", f"{{{name} ")  # the ``dim`` of a panel is ``panel dim``
        for surface, name in _SURFACES.items()
        for word, ink in _INKS.items()
    }
    table = _BASE | inks | _CARDS | (_FOUR_SUITS if suits == "four" else {}) | _SHADES
    colours = palette(theme, felt, depth)
    return {word: style.format_map(colours) for word, style in table.items()}


@lru_cache(maxsize=4096)
def classes(text: str) -> str:
    """Return style words as prompt_toolkit spells them: ``class:card class:suit-h``."""
    return " ".join([f"class:{word}" for word in text.split()])


def style_of(theme: str, felt: str, depth: ColorDepth, suits: str = SUITS[0]) -> Style:
    """Return the prompt_toolkit style of a theme for a terminal with this colour depth."""
    return Style.from_dict(words(theme, felt, depth, suits))


def usual_theme(colorfgbg: str) -> str:
    """Return the theme for a ``COLORFGBG`` such as ``15;0``, or the dark theme if it is empty."""
    background = colorfgbg.rpartition(";")[2]
    return "light" if background in ("7", "15") else "dark"
