"""The client's pictures are up to date, and are drawn by the documented command."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from tests.client.test_screens import SCREENS
from tests.pictures import MOVING, STILL, filmed, moving_picture, moving_svg, still_picture, svg

MOST = 150_000
"""Maximum bytes of a picture; an animation compresses to a seventh in transit."""
MOST_MOVING = 250_000

GROUP = "{http://www.w3.org/2000/svg}g"


def words(drawn: str) -> str:
    """Return the letters and digits of a picture, without its title."""
    told = "".join(ElementTree.fromstring(drawn).itertext())
    return "".join(filter(str.isalnum, told.partition("golfnet\n")[2]))


def test_the_pictures_are_what_the_client_shows() -> None:
    assert STILL.read_text("utf-8") == still_picture(), "python -m tests.pictures redraws it"
    assert MOVING.read_text("utf-8") == moving_picture(), "python -m tests.pictures redraws it"
    assert len(MOVING.read_bytes()) < MOST_MOVING


@pytest.mark.parametrize("name", ["turn", "slam", "podium", "home", "twelve"])
def test_a_picture_is_well_formed_small_and_has_the_screens_text(name: str) -> None:
    canvas = SCREENS[name]().picture(120, 39)
    drawn = svg(canvas)
    assert len(drawn.encode()) < MOST
    assert words(drawn) == "".join(char for row in canvas.chars for char in row if char.isalnum())


def test_an_animation_shows_each_whole_screen_at_its_time() -> None:
    shown = filmed(turns=1, size=(80, 23))
    drawn = moving_svg(shown)
    begins = [0.0]
    for _, seconds in shown:
        begins.append(begins[-1] + seconds)
    (all_of_it,) = ElementTree.fromstring(drawn).findall(GROUP)
    for number, (canvas, _) in enumerate(shown):
        seen = 0
        for part in all_of_it[1:]:  # after the style
            (span,) = re.findall(r"f(\d+)-(\d+)", part.get("class", "")) or [(0, len(shown))]
            if int(span[0]) <= number < int(span[1]):
                seen += sum(map(str.isalnum, "".join(part.itertext())))
        assert seen == sum(char.isalnum() for row in canvas.chars for char in row)
    for name, frames in re.findall(r"@keyframes (f[\d-]+){(.*?}})", drawn):
        start, end = map(int, name[1:].split("-"))
        steps = dict(re.findall(r"([\d.]+)%{visibility:(\w+)}", frames))
        assert steps[f"{100 * begins[start] / begins[-1]:.2f}"] == "visible"
        assert steps[f"{100 * begins[end] / begins[-1]:.2f}"] == "hidden"
        assert all(float(one) < float(other) for one, other in pairwise(steps))
