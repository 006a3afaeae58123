"""Pictures of the page for phones in Chromium: several moments of a match, at each size, light and dark.

``python -m tests.pictures --page FOLDER`` draws them. Nothing is played: the page is given ready-made table views, as
the terminal client is in its tests.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections import Counter
from itertools import chain, product
from math import dist
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from golfnet.engine.rulebook import summary
from golfnet.protocol.commands.settings import Settings
from golfnet.protocol.replies import data
from golfnet.protocol.replies.replies import SlamView
from golfnet.protocol.replies.view_codec import rules_of
from golfnet.protocol.text.status import status, voice_for
from tests.client import tables
from tests.e2e.browser import Browser
from tests.e2e.service import web_service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from golfnet.protocol.replies.replies import TableView

SIZES: Final = ((320, 568), (390, 844), (844, 390), (768, 1024), (1280, 800))

TELL: Final = """
socket = { readyState: 1, send() {}, close() {} };
asked = 0;
check = () => {};
token = "told";
player = "Ann";
document.documentElement.style.fontSize = arguments[1];
forget();
for (const reply of arguments[0]) receive(reply);
game.rules = arguments[3] || [];
changed();
show($("last"), arguments[2]);
"""
"""Gives the page replies that no server has sent, and sets its font size."""


def power() -> TableView:
    """Return the viewer's power, with a discard that can be slammed."""
    view = tables.cactus()
    slam = SlamView(discard_no=12, card="JD", ms=2400, mode="race")
    actions = ("decline", *[f"peek {at}" for at in view.targets], "switch", "pass", "slam")
    return replace(view, turn="A", discard="JD", power=True, closer=None, actions=actions, slam=slam)


def eight() -> TableView:
    """Return the viewer's turn at a table of eight."""
    return tables.a_view(
        "six-card",
        "5C ? KD 5H ? ?",
        *["? 9S 3D ? 9H ?", "10H ? ? 10D ? AS", "? ? QS 2C 7C ?"] * 2,
        "? 9S ? ? ? ?",
        actions=("draw", "take"),
    )


def ended() -> TableView:
    """Return the end of a hole with two players."""
    view = tables.a_view(
        "six-card", "5C 9H KD 5H 7S 2D", "QC 9S 3D QH AD 4C", state="between", actions=("ready",)
    )
    scored = tables.with_scores(view, (12, 7), (3, 15), (-2, 8), (14, 8))
    return replace(scored, hole=4, phase="over")


MOMENTS: Final = {
    "turn": (tables.six_card(), "100%"),
    "holding": (tables.holding(), "100%"),
    "slam": (tables.cactus(), "100%"),
    "power": (power(), "100%"),
    "hole-end": (ended(), "100%"),
    "match-end": (tables.counted(state="finished"), "100%"),
    "waiting": (tables.waiting(), "100%"),
    "eight": (eight(), "100%"),
    "twice": (tables.holding(), "200%"),
}
"""The views the page is given, and the font size for each."""


def moments(browser: Browser, page: str) -> Iterator[str]:
    """Show one moment after another in the window, and yield the name of each."""
    browser.go(page)
    yield "door"
    browser.type("#name", "Ann")
    browser.tap(browser.find("#name-form button")[0])
    browser.until(lambda: browser.find("#variant option"))
    browser.until(lambda: browser.find("#tables li"))
    yield "lobby"
    for name, (view, letters) in MOMENTS.items():
        last = "Bob draws and discards seven of hearts. Your turn."
        told = json.loads(data.encode(view)) | {"text": status(view, voice_for(view, Settings()))}
        browser.run(TELL, [told], letters, last, summary(rules_of(view), is_typed=False))
        yield name


ICON: Final = 180
"""The width and height of a home screen icon in pixels."""

PIXELS: Final = """
const drawn = new Image(), canvas = document.createElement("canvas"), done = arguments[1];
canvas.width = canvas.height = drawn.width = drawn.height = arguments[0];
drawn.onload = () => {
  const surface = canvas.getContext("2d");
  surface.drawImage(drawn, 0, 0, arguments[0], arguments[0]);
  done([...surface.getImageData(0, 0, arguments[0], arguments[0]).data]);
};
drawn.src = "/golf.svg";
"""
"""Returns the colours of the icon, four numbers for each pixel."""


def draw_icon(path: Path) -> None:
    """Draw the page's icon as PNG, which some phones require, in its 16 most frequent colours."""
    with web_service() as (_, page), Browser(390, 844) as browser:
        browser.go(page)
        numbers = browser.told_later(PIXELS, ICON)
    pixels = [tuple(numbers[at : at + 3]) for at in range(0, len(numbers), 4)]
    palette = [color for color, _ in Counter(pixels).most_common(16)]
    nearest = {color: min(range(16), key=lambda n: dist(color, palette[n])) for color in set(pixels)}
    halves = [nearest[color] for color in pixels]
    packed = bytes([left << 4 | right for left, right in zip(halves[::2], halves[1::2], strict=True)])
    width = ICON // 2
    rows = b"".join([b"\0" + packed[at : at + width] for at in range(0, len(packed), width)])
    header = struct.pack(">2I5B", ICON, ICON, 4, 3, 0, 0, 0)
    colors = bytes(chain.from_iterable(palette))
    parts = ((b"IHDR", header), (b"PLTE", colors), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    framed = [struct.pack(">I", len(body)) + kind + body for kind, body in parts]
    checked = [chunk + struct.pack(">I", zlib.crc32(chunk[4:])) for chunk in framed]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(checked))


def draw_page(folder: Path) -> None:
    """Draw all pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with web_service() as (_, page):
        for (width, height), scheme in product(SIZES, ("light", "dark")):
            with Browser(width, height) as browser:
                browser.resize(width, height, scheme=scheme, motion="reduce")
                for name in moments(browser, page):
                    path = folder / f"{name}-{width}x{height}-{scheme}.png"
                    path.write_bytes(browser.picture())
