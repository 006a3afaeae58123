"""The picture of the page for phones: ``python -m tests.e2e.phone_picture`` plays in Chromium and takes it."""

from base64 import b64decode
from pathlib import Path
from typing import Final

from tests.e2e.browser import Browser
from tests.e2e.phone import command, enter, play_to_a_turn
from tests.e2e.service import Service, free_port

PICTURE: Final = Path(__file__).parents[2] / "client" / "phone.png"
SIZE: Final = (360, 640)
"""A small phone, so that the picture can stand beside text."""


def main() -> None:
    """Play against a bot until it is a person's turn with some cards face up, draw, and take the picture."""
    port = free_port()
    server = Service("--memory", "--web", "--web-port", str(port))
    try:
        with Browser(*SIZE) as browser:
            enter(browser, f"http://127.0.0.1:{port}/", "Ann")
            for line in ("create six-card seats=2", "bot hard", "ready"):
                command(browser, line)
            play_to_a_turn(browser, moves=3)
            (draw,) = [each for each in browser.find("#bar button") if browser.text(each) == "Draw"]
            browser.tap(draw)
            browser.until(lambda: browser.find("#own .card.lit"))
            PICTURE.write_bytes(b64decode(browser.screenshot()))
    finally:
        server.stop(kill=True)


if __name__ == "__main__":
    main()
