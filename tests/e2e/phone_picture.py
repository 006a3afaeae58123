"""The picture of the page for phones: ``python -m tests.e2e.phone_picture`` plays in Chromium and captures it."""

from pathlib import Path
from typing import Final

from tests.e2e.browser import Browser
from tests.e2e.phone import command, enter, play_to_a_turn
from tests.e2e.service import web_service

PICTURE: Final = Path(__file__).parents[2] / "client" / "phone.png"
SIZE: Final = (360, 640)
"""A small phone, so that the picture fits beside text."""


def main() -> None:
    """Play against a bot until it is the person's turn with some cards face up, draw, and capture the picture."""
    with web_service() as (_, page), Browser(*SIZE) as browser:
        enter(browser, page, "Ann")
        for line in ("create six-card seats=2", "bot hard", "ready"):
            command(browser, line)
        play_to_a_turn(browser, moves=3)
        (draw,) = [each for each in browser.find("#bar button:not([hidden])") if browser.text(each) == "Draw"]
        browser.tap(draw)
        browser.until(lambda: browser.find("#own .card.lit"))
        PICTURE.write_bytes(browser.picture())


if __name__ == "__main__":
    main()
