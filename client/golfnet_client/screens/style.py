"""Styles: the colours and attributes of the style words, by theme, felt and colour depth.

Colour alone never carries information: whatever has a colour is also written, framed or pointed at. ``mono`` has no
colours at all.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

from golfnet_client.screens.palettes import palette

if TYPE_CHECKING:
    from golfnet_client.screens.palettes import Palette, Surface

THEMES: Final = ("dark", "light", "mono")
"""The themes, in the order in which a key cycles through them."""

SUITS: Final = ("two", "four")
"""The numbers of colours that suits can have, in the order in which a key cycles through them."""

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


def words(theme: str, felt: str, depth: ColorDepth, suits: str = SUITS[0]) -> dict[str, str]:
    """Return the style of every style word; later words override earlier ones."""
    if theme == "mono" or depth is ColorDepth.DEPTH_1_BIT:
        return MONO
    look = palette(theme, felt, depth)
    table = {
        "felt": f"bg:{look.felt.ground} {look.felt.text}",
        "panel": f"bg:{look.panel.ground} {look.panel.text}",
        "header": f"bg:{look.bar.ground} {look.bar.text}",
        "actions": f"bg:{look.bar.ground} {look.bar.text}",
        "input": f"bg:{look.bar.ground} {look.bar.text}",
        "prompt": f"bg:{look.bar.ground} {look.bar.turn} bold",
        "total": "bold",
    }
    for surface, inks in (
        ("felt", look.felt),
        ("panel", look.panel),
        ("header", look.bar),
        ("actions", look.bar),
    ):
        table |= {f"{surface} {word}": ink for word, ink in _inks(inks).items()}
    return table | _card_words(look, is_four=suits == "four") | _shades(look)


def _inks(inks: Surface) -> dict[str, str]:
    """Return the style words for text that appears on several surfaces."""
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


def _card_words(look: Palette, *, is_four: bool) -> dict[str, str]:
    """Return the style words of cards and of everything with a background of its own."""
    felt, panel = look.felt, look.panel
    marks = {
        f"{paper} seat-{number}": ink
        for paper in ("card", "spent", "fresh")
        for number, ink in enumerate(look.marks)
    }
    return {
        "card": f"bg:{look.paper} {look.ink}",
        "spent": f"bg:{look.spent} {look.ink}",
        "fresh": f"bg:{look.fresh} {look.ink} bold",
        "suit-h": look.red,
        "spent suit-h": look.spent_red,
        "suit-d": look.blue if is_four else look.red,
        "spent suit-d": look.blue if is_four else look.spent_red,
        "suit-c": look.green if is_four else look.ink,
        "suit-s": look.ink,
        "faint": look.faint,
        "spent faint": look.ink,
        "paper-edge": look.paper,
        "spent-edge": look.spent,
        "fresh-edge": look.fresh,
        "rim": look.rim,
        "back": f"bg:{look.back} {look.pattern}",
        "back rim": look.rim,
        "back odd": f"bg:{look.pattern} {look.back}",
        "known": f"{look.known} bold",
        **marks,
        **{f"back seat-{number}": ink for number, ink in enumerate(felt.seats)},
        "changed": "underline",
        "rail": look.rail,
        "shadow": f"bg:{look.shadow}",
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


def _shades(look: Palette) -> dict[str, str]:
    """Return the style words of the dimmed table."""
    felt, paper, back, pattern = look.shade
    return {
        "dusk": f"bg:{felt}",
        "shade": f"bg:{felt} {look.felt.dim}",
        "rail shade": look.rail,
        **{f"{each} shade": f"bg:{paper} {look.ink} nobold" for each in ("card", "spent", "fresh")},
        **{f"{each}-edge shade": paper for each in ("paper", "spent", "fresh")},
        "back shade": f"bg:{back} {pattern}",
        "known shade": look.felt.dim,
        "rim shade": pattern,
    }


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
