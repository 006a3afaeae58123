"""Styles: the colours and attributes of the style words, by theme, felt and colour depth.

Colour alone never carries information: whatever has a colour is also written, framed or pointed at. ``mono`` has no
colours at all. 24-bit, 256 and 16 colours have palettes of their own. Text has a contrast of at least 4.5:1 with its
background, a card's edge 3:1 with the felt, the pattern of a back 2:1 (WCAG 2); the tests measure every pair. No seat
has the colour ``turn``, which marks what needs attention now.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

THEMES: Final = ("dark", "light", "mono")
"""The themes, in the order in which a key cycles through them."""

FELTS: Final = ("green", "blue", "burgundy")
"""The felts, in the order in which a key cycles through them."""

SUITS: Final = ("two", "four")
"""The numbers of colours that suits can have, in the order in which a key cycles through them."""

LOOKS: Final = {"theme": THEMES, "felt": FELTS, "suits": SUITS}
"""The settings for the colours, each with its values; the first value is the default."""

SEATS: Final = tuple([f"seat-{number}" for number in range(12)])

# In all tables below, 24-bit and 256 colours are hexadecimal; 16 colours are the names of the ANSI colours.

_DARK_SEATS: Final = {
    24: "6a2ea8 00568a 9c2f13 2c6b14 9a1f66 00655a 3448a8 3f6a2a 7a3a7a 2f5f55 005f7a 8a3a44",
    8: "5f00af 005f87 870000 005f00 87005f 005f5f 4e4e4e 303030 0000af 5f0000 00005f 5f005f",
    4: "magenta red black magenta red black magenta red black magenta red black",
}
"""The colours of the seats on paper, by depth in bits, and on the panels of the light theme."""

_TEXTS: Final = ("text", "dim", "turn", "urgent", "good", "title", "chat", *SEATS)
_ON_DARK: Final = (
    "d9e4da 9ab0a3 f2c14e ff9b7a 8fd3a8 a6c8b3 8ecae6 "
    "d7b8ff 7fd1ff ffa98f a5e887 ffb3d9 6fe0d0 b9c9ff c8e6b0 e6c6e6 a8d8c8 9fe8ff ffcfc4"
)
_ON_BRIGHT: Final = (
    "ffffff dceee2 ffe08a ffd9cc c9f7d6 dff5e6 d3efff "
    "ecdcff cfeaff ffdccf d5f7c0 ffdcee c8f5ee dde4ff e2f3d6 f5e2f5 cdeee2 d2f4ff ffe6e0"
)
_ON_LIGHT: Final = f"24382c 4c6153 8a4b00 b3261e 17693a 245a3b 0b5a8a {_DARK_SEATS[24]}"
_INKS_256: Final = (
    "ffffff d7d7d7 ffd75f ffd7d7 afffaf d7ffd7 afffff "
    "d7d7ff afffff ffd7af d7ff87 ffd7ff 87ffff d7ffff d7ffaf ffd7d7 afffd7 afd7ff ffffff"
)
_INKS_256_LIGHT: Final = f"121212 4e4e4e 5f5f00 af0000 005f00 005f00 005f87 {_DARK_SEATS[8]}"
_SIXTEEN: Final = "gray gray brightyellow brightred brightgreen brightcyan cyan " + (
    "brightmagenta brightcyan white brightgreen cyan green " * 2
)
_SIXTEEN_LIGHT: Final = f"black black blue red blue blue blue {_DARK_SEATS[4]}"

_OF_THEME: Final = ("paper", "key", "key ink", "row", "row ink", "rail")
_THEMES: Final = {
    ("dark", 24): (_ON_DARK, _ON_DARK, "f5f1e4 f2c14e 14241c 2c5a47 ffffff 7a5130"),
    ("light", 24): (_ON_BRIGHT, _ON_LIGHT, "ffffff ffcf4a 2a1a00 245a3b ffffff a9814f"),
    ("dark", 8): (_INKS_256, _INKS_256, "ffffd7 ffd75f 121212 5f5f5f ffffff 875f00"),
    ("light", 8): (_INKS_256, _INKS_256_LIGHT, "ffffff ffd75f 121212 005f00 ffffff 875f00"),
    ("dark", 4): (_SIXTEEN, _SIXTEEN, "white brightyellow black blue white brightblack"),
    ("light", 4): (_SIXTEEN, _SIXTEEN_LIGHT, "white blue white blue white brightblack"),
}
"""By theme and depth: the inks on the felt, the inks on panels and bar, and the colours named ``_OF_THEME``.

The rail is the inner edge of the wood around the felt.
"""

_OF_FELT: Final = ("felt", "panel", "bar", "rim", "back", "pattern")
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
    # With 16 colours, the felt is black, as no green is readable under text; only the backs are coloured.
    ("dark", 4): {
        "green": "black black black brightblue blue cyan",
        "blue": "black black black brightred red gray",
        "burgundy": "black black black brightcyan blue brightcyan",
    },
    ("light", 4): {
        "green": "black white white brightblue blue cyan",
        "blue": "black white white brightred red gray",
        "burgundy": "black white white brightcyan blue brightcyan",
    },
}
"""By theme, depth and felt: the colours named ``_OF_FELT``. The bar is the surface of the header and the keys."""

_OF_DEPTH: Final = ("ink", "red", "blue", "green", "faint", "spent", "spent red", "fresh", "known", "alarm")
_PRINTS: Final = {
    24: "1c1c1e b5101c 0a4696 0b5a26 66645c c9c6b8 8f0a14 fff0a8 ffffff b00f1c",
    8: "121212 af0000 0000af 005f00 5f5f5f c6c6c6 870000 ffff87 ffffff af0000",
    4: "black red blue black black gray black brightyellow white red",
}
"""By depth: the colours named ``_OF_DEPTH``, most of them on paper; both themes share them.

Blue is for diamonds and green for clubs, if each suit has its own colour. Small print on paper is faint. Cards that
score nothing are spent, and cards shown for a limited time are fresh.
"""

_SHADE_COLOURS: Final = {8: "121212 949494 262626 949494", 4: "black gray black gray"}
"""Dimmed colours during a slam window: of the felt, paper, backs and their pattern. 24-bit colours are computed."""


def palette(theme: str, felt: str, depth: ColorDepth) -> dict[str, str]:
    """Return the colours of the theme and felt by name, for a terminal with this colour depth.

    Text has names such as ``felt dim``, ``panel turn`` or ``paper seat-3``; dimmed colours, ``felt shade``.
    """
    bits = {ColorDepth.DEPTH_4_BIT: 4, ColorDepth.DEPTH_8_BIT: 8}.get(depth, 24)
    theme = "light" if theme == "light" else "dark"
    on_felt, on_panel, of_theme = _THEMES[theme, bits]
    found = _named(_OF_THEME, of_theme) | _named(_OF_FELT, _FELTS[theme, bits][felt])
    for surface, inks in (("felt", on_felt), ("panel", on_panel), ("bar", on_panel)):
        found |= _named([f"{surface} {name}" for name in _TEXTS], inks)
    found |= _named([f"paper {seat}" for seat in SEATS], _DARK_SEATS[bits]) | _named(_OF_DEPTH, _PRINTS[bits])
    if bits == 24:
        shades = [_darker(found["felt"]), "8f8b80", _darker(found["back"], 3), _darker(found["pattern"], 5)]
    else:
        shades = _SHADE_COLOURS[bits].split()
    found |= zip(("felt shade", "paper shade", "back shade", "pattern shade"), shades, strict=True)
    # With fewer colours, the felt has no darker shades.
    found["shadow"] = found["felt shade" if bits == 24 else "felt"]
    return {name: f"{'ansi' if bits == 4 else '#'}{colour}" for name, colour in found.items()}


def _named(names: Iterable[str], colours: str) -> dict[str, str]:
    return dict(zip(names, colours.split(), strict=True))


def _darker(colour: str, sixths: int = 4) -> str:
    return "".join([f"{int(colour[at : at + 2], 16) * sixths // 6:02x}" for at in (0, 2, 4)])


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
    "card-edge": "{paper}",
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
    **dict.fromkeys(("card-edge shade", "spent-edge shade", "fresh-edge shade"), "{paper shade}"),
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
    return "light" if colorfgbg.rpartition(";")[2] in ("7", "15") else "dark"
