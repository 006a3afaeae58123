"""Every palette is readable: contrast as WCAG 2 measures it, in every theme, felt and colour depth."""

from collections.abc import Mapping
from functools import cache
from itertools import chain, product
from typing import Final

import pytest
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import _256_colors
from prompt_toolkit.styles import Attrs

from golfnet.protocol.text.words import SUIT_SIGNS
from golfnet_client.screens.canvas import Canvas
from golfnet_client.screens.faces import GRAND, LARGE, LOW, MEDIUM, SMALL, Manner, draw_card, pattern
from golfnet_client.screens.style import (
    FELTS,
    MONO,
    SEATS,
    SUITS,
    THEMES,
    classes,
    palette,
    style_of,
    usual_theme,
    words,
)
from tests.client.test_screens import SCREENS

DEPTHS: Final = (ColorDepth.DEPTH_24_BIT, ColorDepth.DEPTH_8_BIT, ColorDepth.DEPTH_4_BIT)
NAMES: Final = """
    ansiblack ansired ansigreen ansiyellow ansiblue ansimagenta ansicyan ansigray ansibrightblack ansibrightred
    ansibrightgreen ansibrightyellow ansibrightblue ansibrightmagenta ansibrightcyan ansiwhite
"""
VGA_COLOURS: Final = """
    000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff
"""
XTERM_COLOURS: Final = """
    000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff
"""
VGA, XTERM = (
    dict(zip(NAMES.split(), colours.split(), strict=True)) for colours in (VGA_COLOURS, XTERM_COLOURS)
)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def seen(attrs: Attrs, depth: ColorDepth, names: dict[str, str]) -> tuple[str, str]:
    """Return the text colour and the background as a terminal with this colour depth shows them."""
    pair = []
    for colour in (attrs.color or "", attrs.bgcolor or ""):
        rgb = names.get(colour, colour)
        if depth is ColorDepth.DEPTH_8_BIT:
            number = _256_colors[int(rgb[:2], 16), int(rgb[2:4], 16), int(rgb[4:], 16)]
            rgb = "".join(f"{part:02x}" for part in _256_colors.colors[number])
        pair.append(rgb)
    return pair[0], pair[1]


MENU = "completion-menu"
TEXT = [MENU, f"{MENU}.completion.current", f"{MENU}.meta.completion", f"{MENU}.meta.completion.current"]
TEXT += ["input", "prompt", "alarm"]
"""The style of the alarm, and those of text that the canvas does not draw."""
EDGES = ["felt card-edge", "felt spent-edge", "felt fresh-edge", "felt rim", "felt chosen", "felt glow"]


THEMES_AND_FELTS = list(product(("dark", "light"), FELTS))


@pytest.mark.parametrize(("theme", "felt"), THEMES_AND_FELTS)
def test_the_felt_keeps_its_colour_with_256_colours(theme: str, felt: str) -> None:
    ground = palette(theme, felt, ColorDepth.DEPTH_8_BIT)["felt"].removeprefix("#")
    number = _256_colors[int(ground[:2], 16), int(ground[2:4], 16), int(ground[4:], 16)]
    red, green, blue = _256_colors.colors[number]
    assert "".join(f"{part:02x}" for part in (red, green, blue)) == ground, "a colour that the terminal has"
    assert {"green": green, "blue": blue, "burgundy": red}[felt] == max(red, green, blue)
    assert min(red, green, blue) < max(red, green, blue), "not grey"


def test_the_mono_theme_has_no_colours() -> None:
    for depth, word in product((*DEPTHS, ColorDepth.DEPTH_1_BIT), words("dark", "green", DEPTHS[0])):
        attrs = style_of("mono", "green", depth).get_attrs_for_style_str(classes(word))
        assert (attrs.color, attrs.bgcolor) == ("", ""), word
    assert words("dark", "green", ColorDepth.DEPTH_1_BIT) == MONO


def test_every_theme_defines_the_same_style_names() -> None:
    tables = [words(theme, felt, depth) for theme, felt, depth in product(("dark", "light"), FELTS, DEPTHS)]
    assert len({frozenset(table) for table in tables}) == 1
    assert set(MONO) <= {part for word in tables[0] for part in (word, *word.split())}
    assert set(THEMES) == {"dark", "light", "mono"}


def test_the_theme_follows_the_terminals_colours() -> None:
    assert [usual_theme(told) for told in ("15;0", "", "0;15", "0;7")] == ["dark", "dark", "light", "light"]


@cache
def used() -> Mapping[str, float]:
    """Return every style used on any screen, at several sizes, with the contrast that its characters need."""
    least = dict.fromkeys(TEXT, 4.5) | dict.fromkeys(EDGES, 3.0)
    for screen, size in product(SCREENS.values(), ((40, 15), (60, 17), (80, 23), (132, 42), (200, 59))):
        client = screen()
        client.model.add_line("mine", "You are ready.")
        client.model.notify("Not now.", 100.0)
        client.model.moves["B"] = "placed 9♠"
        client.model.changed = {"B2": "B", "B3": "B"}
        canvas = client.picture(*size)
        cells = set(zip(chain(*canvas.chars), chain(*canvas.styles), strict=True))
        for char, said in cells:
            is_text = char.isalnum() or char in SUIT_SIGNS.values()
            needed = 4.5 if is_text else 3.0 if char == "●" else 2.0 if char in pattern(0, 2) else 0.0
            least[said] = max(needed, least.get(said, 0.0))
    return {said: needed for said, needed in least.items() if needed}


@pytest.mark.parametrize(
    ("depth", "names"),
    [(DEPTHS[0], {}), (DEPTHS[1], {}), (DEPTHS[2], VGA), (DEPTHS[2], XTERM)],
    ids=["true colour", "256 colours", "vga", "xterm"],
)
def test_everything_on_a_screen_is_readable(depth: ColorDepth, names: dict[str, str]) -> None:
    for (theme, felt), suits in product(THEMES_AND_FELTS, SUITS):
        style = style_of(theme, felt, depth, suits)
        too_faint = {
            said
            for said, wanted in used().items()
            if contrast(*seen(style.get_attrs_for_style_str(classes(said)), depth, names)) < wanted
        }
        assert not too_faint, (theme, felt, suits)


def test_no_seat_has_the_colour_of_the_turn_or_the_keys() -> None:
    for (theme, felt), depth in product(THEMES_AND_FELTS, DEPTHS):
        look = palette(theme, felt, depth)
        for surface in ("felt", "panel", "bar"):
            seats = {look[f"{surface} {seat}"] for seat in SEATS}
            assert not {look[f"{surface} turn"], look["key"]} & seats, (theme, felt, depth)


def test_a_mark_has_the_background_of_its_card() -> None:
    for size, (slot, ground) in product((SMALL, LOW, MEDIUM, LARGE, GRAND), (("7H", "card"), ("?", "back"))):
        canvas = Canvas(*size)
        draw_card(canvas, 0, 0, slot, size, Manner(changed="seat-1"))
        cells = zip(chain(*canvas.chars), chain(*canvas.styles), strict=True)
        (style,) = {style for char, style in cells if char == "●"}
        assert style.split() == [ground, "seat-1"]
