"""Colours: one table a theme, from the words that pictures use.

No theme adds information: what is coloured is also written, framed or pointed at.
"""

from __future__ import annotations

from typing import Final

from prompt_toolkit.styles import Style

DARK: Final = {
    "felt": "bg:#12261e #d9e4da",
    "panel": "bg:#0d1c16 #cbd8ce",
    "header": "bg:#0a1511 #a9c0b1",
    "brand": "#f2c14e bold",
    "actions": "bg:#0a1511 #b9cbbf",
    "key": "bg:#f2c14e #14241c bold",
    "dim": "#7d9688",
    "name": "#e6efe7",
    "turn": "#f2c14e bold",
    "bar": "#69b48a",
    "urgent": "#ff8f6b bold",
    "alarm": "bg:#c1121f #ffffff bold",
    "title": "#8fb8a0 bold",
    "total": "bold",
    "best": "#8fd3a8",
    "old": "#93a99b",
    "log-mine": "#e8f0e4",
    "log-chat": "#8ecae6",
    "log-refused": "#ff8f6b",
    "log-server": "#f2c14e",
    "log-done": "#8fd3a8",
    "log-scores": "#f2c14e",
    "card": "bg:#f5f1e4 #1c1c1e",
    "red": "#c1121f",
    "edge": "#d8d2bf",
    "back-edge": "#4f78b5",
    "back": "bg:#274472 #5d84bf",
    "count": "#ffffff bold",
    "known": "#ffffff bold",
    "vacant": "#3f5c4e",
    "fresh": "bg:#fff3bf bold",
    "chosen": "#ffd75f bold",
    "mark": "#ff8f6b bold",
    "row": "bg:#244a3a #ffffff bold",
    "input": "bg:#0d1c16 #ffffff",
    "prompt": "bg:#0d1c16 #f2c14e bold",
    "shade": "bg:#0a1511 #4c6156",
    "completion-menu": "bg:#1d3a2e #d9e4da",
    "completion-menu.completion.current": "bg:#f2c14e #14241c noreverse",
    "completion-menu.meta.completion": "bg:#17302a #8fa89a",
    "completion-menu.meta.completion.current": "bg:#d9ab3c #14241c",
}
LIGHT: Final = {
    "felt": "bg:#e4efe2 #1f3327",
    "panel": "bg:#f4f8f2 #24382c",
    "header": "bg:#2c6444 #dcecdf",
    "brand": "#ffe08a bold",
    "actions": "bg:#cfe2d0 #24382c",
    "key": "bg:#2c6444 #ffffff bold",
    "dim": "#5f7566",
    "name": "#17281e",
    "turn": "#8a4b00 bold",
    "bar": "#2c7a4d",
    "urgent": "#b3261e bold",
    "alarm": "bg:#c1121f #ffffff bold",
    "title": "#2c6444 bold",
    "total": "bold",
    "best": "#1d7a45 bold",
    "old": "#55695c",
    "log-mine": "#0f2016",
    "log-chat": "#0b5a8a",
    "log-refused": "#b3261e",
    "log-server": "#8a4b00",
    "log-done": "#1d7a45",
    "log-scores": "#8a4b00",
    "card": "bg:#ffffff #1c1c1e",
    "red": "#c1121f",
    "edge": "#8d9b8f",
    "back-edge": "#3d66a6",
    "back": "bg:#5b84c4 #9dbce8",
    "count": "#ffffff bold",
    "known": "#ffffff bold",
    "vacant": "#a9bdac",
    "fresh": "bg:#fff0b3 bold",
    "chosen": "#c04a00 bold",
    "mark": "#b3261e bold",
    "row": "bg:#2c6444 #ffffff bold",
    "input": "bg:#f4f8f2 #111111",
    "prompt": "bg:#f4f8f2 #2c6444 bold",
    "shade": "bg:#d3dfd2 #8fa093",
    "completion-menu": "bg:#ffffff #24382c",
    "completion-menu.completion.current": "bg:#2c6444 #ffffff noreverse",
    "completion-menu.meta.completion": "bg:#eef4ec #5f7566",
    "completion-menu.meta.completion.current": "bg:#3f7a57 #ffffff",
}
MONO: Final = {
    "header": "reverse",
    "key": "reverse",
    "turn": "bold",
    "urgent": "bold",
    "alarm": "reverse bold",
    "chosen": "bold",
    "row": "reverse",
    "title": "bold underline",
    "completion-menu.completion.current": "reverse",
}

THEMES: Final = {"dark": DARK, "light": LIGHT, "mono": MONO}
"""Every theme by its name, in the order in which a key goes through them."""


def style_of(theme: str) -> Style:
    """Return a theme for the terminal."""
    return Style.from_dict(THEMES[theme])


def usual_theme(colorfgbg: str) -> str:
    """Return the theme for a terminal that tells its colours as ``15;0`` does; dark where it tells nothing."""
    background = colorfgbg.rpartition(";")[2]
    return "light" if background in ("7", "15") else "dark"
