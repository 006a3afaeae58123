"""The picture of the README is what the client shows, drawn by the command that it is said to be drawn by."""

from __future__ import annotations

from xml.etree import ElementTree

from tests.pictures import README, played, readme_picture, svg

MOST = 150_000
"""Bytes that a picture may have."""


def test_the_picture_of_the_readme_is_what_the_client_shows() -> None:
    assert README.read_text("utf-8") == readme_picture(), "python -m tests.pictures draws it anew"


def test_a_picture_is_sound_small_and_says_what_stands_on_the_screen() -> None:
    canvas = played().picture(120, 39)
    drawn = svg(canvas)
    assert len(drawn.encode()) < MOST
    words = "".join(ElementTree.fromstring(drawn).itertext())
    shown = "".join(char for row in canvas.chars for char in row if char.isalnum())
    assert "".join(filter(str.isalnum, words.partition("golfnet\n")[2])) == shown


def test_the_same_seed_shows_the_same_hole() -> None:
    assert played().picture(80, 23).lines() == played().picture(80, 23).lines()
