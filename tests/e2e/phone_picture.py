"""The picture of the page for phones: ``python -m tests.e2e.phone_picture`` plays in Chromium and captures it."""

from pathlib import Path
from typing import Final

from tests.e2e.phone import Phone
from tests.e2e.service import web_service

PICTURE: Final = Path(__file__).parents[2] / "client" / "phone.png"
SIZE: Final = (360, 640)
"""A small phone, so that the picture fits beside text."""


def main() -> None:
    """Play against a bot until it is the person's turn with some cards face up, draw, and capture the picture."""
    with web_service() as (_, page), Phone(*SIZE) as phone:
        phone.enter(page, "Ann")
        for line in ("create six-card seats=2", "bot hard", "ready"):
            phone.command(line)
        phone.play_to_a_turn(moves=3)
        (draw,) = [each for each in phone.find("#bar button:not([hidden])") if phone.text(each) == "Draw"]
        phone.tap(draw)
        phone.until(lambda: phone.find("#own .card.lit"))
        PICTURE.write_bytes(phone.picture())


if __name__ == "__main__":
    main()
