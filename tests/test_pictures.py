"""The client's pictures are up to date, and are drawn by the documented command."""

from xml.etree import ElementTree

import pytest

from tests.client.test_screens import SCREENS
from tests.pictures import MOVING, STILL, filmed, moving_svg, played, svg

MOST = 150_000
"""Maximum bytes of a picture; an animation compresses to a seventh in transit."""
MOST_MOVING = 250_000


def words(drawn: str) -> str:
    """Return the letters and digits of a picture, without its title."""
    told = "".join(ElementTree.fromstring(drawn).itertext())
    return "".join(filter(str.isalnum, told.partition("golfnet\n")[2]))


def test_the_pictures_are_what_the_client_shows() -> None:
    assert STILL.read_text("utf-8") == svg(played()), "python -m tests.pictures redraws it"
    assert MOVING.read_text("utf-8") == moving_svg(filmed()), "python -m tests.pictures redraws it"
    assert len(MOVING.read_bytes()) < MOST_MOVING


@pytest.mark.parametrize("name", ["slam", "podium", "twelve"])
def test_a_picture_is_well_formed_small_and_has_the_screens_text(name: str) -> None:
    canvas = SCREENS[name]().picture(120, 39)
    drawn = svg(canvas)
    assert len(drawn.encode()) < MOST
    assert words(drawn) == "".join(char for row in canvas.chars for char in row if char.isalnum())
