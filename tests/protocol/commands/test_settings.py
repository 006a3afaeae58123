"""Settings: one table for parsing and writing, and errors that say what was expected."""

import pytest

from golfnet.protocol.commands.pages import PageLayout
from golfnet.protocol.commands.settings import (
    MAX_HEIGHT,
    MAX_WIDTH,
    MIN_HEIGHT,
    MIN_WIDTH,
    SETTINGS,
    Follow,
    Settings,
    Style,
    change,
    fitting,
    help_blocks,
    listed,
    setting_named,
    write,
)
from golfnet.protocol.errors import Code, Refused


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, word) for name, setting in SETTINGS.items() for word in setting.words),
        *(("width", str(width)) for width in (MIN_WIDTH, 132, MAX_WIDTH)),
    ],
)
def test_a_setting_is_written_as_the_word_that_set_it(name: str, value: str) -> None:
    changed = change(Settings(), name, value.upper())
    assert write(changed, name) == value
    others = [other for other in SETTINGS if other != name]
    assert all(write(changed, other) == write(Settings(), other) for other in others)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("style", "fancy"), ("cards", ""), ("color", "red"), ("bell", "2"), ("prefix", "maybe")),
        *(("width", word) for word in ("31", "251", "-1", "٤٠", "9" * 5000)),
        *(("height", "15"), ("page", "4"), ("page", "201"), ("talk", "fancy"), ("follow", "fancy")),
    ],
)
def test_the_refusal_of_a_bad_value_names_the_values_that_the_setting_accepts(name: str, value: str) -> None:
    with pytest.raises(Refused) as refused:
        change(Settings(), name, value)
    assert refused.value.code is Code.BAD_ARGUMENT
    assert SETTINGS[name].takes in refused.value.message
    assert len(refused.value.message) < 200


def test_an_unknown_setting_is_refused_with_the_closest_one_or_all() -> None:
    with pytest.raises(Refused, match="did you mean style"):
        setting_named("stile")
    with pytest.raises(Refused, match=", ".join(SETTINGS)):
        setting_named("volume")
    assert setting_named("Colour") is SETTINGS["color"]


def test_any_window_size_gives_a_width_within_the_limits() -> None:
    widths = [fitting(columns, 0) for columns in (1, 100, 9999)]
    assert widths == [{"width": str(width)} for width in (MIN_WIDTH, 100, MAX_WIDTH)]
    heights = [fitting(0, rows) for rows in (1, 50, 9999)]
    assert heights == [{"height": str(height)} for height in (MIN_HEIGHT, 50, MAX_HEIGHT)]
    assert fitting(0, 0) == {}


def test_a_watched_table_is_drawn_at_each_turn_if_follow_is_on_or_is_art_like_the_style() -> None:
    follows = {
        (follow, style): Settings(follow=follow, style=style).follows for follow in Follow for style in Style
    }
    assert [seen for seen in follows if follows[seen]] == [
        *((Follow.ON, style) for style in Style),
        (Follow.ART, Style.ART),
    ]


def test_the_list_and_the_help_name_every_setting_in_ascii() -> None:
    assert [row["name"] for row in listed(Settings())] == list(SETTINGS)
    text = "\n".join(PageLayout().lines(help_blocks()))
    assert all(f"set {name} VALUE" in text for name in SETTINGS)
    assert all(word in text for setting in SETTINGS.values() for word in setting.words)
    assert text.isascii()
    assert "two spaces" in "\n".join(PageLayout().lines(help_blocks("prefix")))
    with pytest.raises(Refused):
        help_blocks("volume")
