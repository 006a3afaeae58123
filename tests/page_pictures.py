"""Pictures of the page for phones in Chromium: several moments of a match, at each size, light and dark.

``python -m tests.pictures --page FOLDER`` draws them. Nothing is played: the page is given ready-made table views, as
the terminal client is in its tests.
"""

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from golfnet.engine.rulebook import summary
from golfnet.protocol.commands.settings import Settings
from golfnet.protocol.replies import data
from golfnet.protocol.replies.replies import SlamView, TableView
from golfnet.protocol.text.status import status, voice_for
from tests.client import tables
from tests.e2e.browser import Browser
from tests.e2e.service import web_service

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
"""A script that gives the page ready-made replies, and sets its font size."""


def power() -> TableView:
    """Return a view in which the viewer may use a power or slam the discard."""
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


MOMENTS: Final = {
    "turn": (tables.six_card(), "100%"),
    "holding": (tables.holding(), "100%"),
    "slam": (tables.cactus(), "100%"),
    "power": (power(), "100%"),
    "hole-end": (tables.counted(), "100%"),
    "match-end": (tables.counted(state="finished"), "100%"),
    "waiting": (tables.waiting(), "100%"),
    "eight": (eight(), "100%"),
    "twice": (tables.holding(), "200%"),
}
"""The views that the page shows, and the font size for each."""


def moments(browser: Browser, page: str, player: str = "Ann") -> Iterator[str]:
    """Show one moment after another in the window, and yield the name of each."""
    browser.go(page)
    yield "door"
    browser.type("#name", player)
    browser.tap(browser.find("#name-form button")[0])
    browser.until(lambda: browser.find("#variant option"))
    browser.until(lambda: browser.find("#tables li"))
    yield "lobby"
    for name, (view, letters) in MOMENTS.items():
        last = "Bob draws and discards seven of hearts. Your turn."
        told = json.loads(data.encode(view)) | {"text": status(view, voice_for(view, Settings()))}
        browser.run(TELL, [told], letters, last, summary(view.rules, is_typed=False))
        yield name


def draw_page(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with web_service() as (_, page):
        for (width, height), scheme in product(SIZES, ("light", "dark")):
            with Browser(width, height) as browser:
                browser.resize(width, height, scheme=scheme, motion="reduce")
                for name in moments(browser, page):
                    path = folder / f"{name}-{width}x{height}-{scheme}.png"
                    path.write_bytes(browser.picture())
