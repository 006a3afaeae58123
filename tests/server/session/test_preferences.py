"""How things are shown: choices on this connection, the player's earlier choices, and what the terminal suggests."""

import pytest

from golfnet.protocol.commands.settings import MIN_WIDTH, Cards, Settings, Style
from golfnet.protocol.errors import Refused
from golfnet.protocol.telnet.telnet import Charset, Mtts, TerminalType, WindowSize
from golfnet.server.session.text_mode import Preferences

SCREEN_READER = TerminalType(names=("reader",), abilities=Mtts.SCREEN_READER)


def test_without_any_choice_the_defaults_apply() -> None:
    preferences = Preferences()
    preferences.adapt_to(Charset(utf_8=True))
    preferences.adopt({})
    assert preferences.settings == Settings()
    assert not preferences.chosen


def test_choices_on_this_connection_override_earlier_ones() -> None:
    preferences = Preferences()
    preferences.choose("style", "plain", keeps=True)
    preferences.adopt({"style": "speech", "cards": "words"})
    assert (preferences.settings.style, preferences.settings.cards) == (Style.PLAIN, Cards.WORDS)
    assert preferences.chosen == {"style": "plain"}


@pytest.mark.parametrize("is_told_first", [True, False])
def test_a_terminals_own_width_and_characters_override_earlier_choices(is_told_first: bool) -> None:
    preferences = Preferences()
    before = {"width": "60", "cards": "symbols"}
    if not is_told_first:
        preferences.adopt(before)
    preferences.adapt_to(WindowSize(columns=132, rows=50))
    preferences.adapt_to(Charset(utf_8=False))
    if is_told_first:
        preferences.adopt(before)
    assert (preferences.settings.width, preferences.settings.cards) == (132, Cards.LETTERS)
    assert not preferences.chosen


def test_the_latest_width_counts() -> None:
    preferences = Preferences()
    preferences.adapt_to(WindowSize(columns=132, rows=50))
    preferences.choose("width", "70", keeps=True)
    assert preferences.settings.width == 70
    preferences.adapt_to(WindowSize(columns=10, rows=50))
    assert preferences.settings.width == MIN_WIDTH
    assert preferences.chosen == {"width": "70"}


@pytest.mark.parametrize(("before", "style"), [({}, Style.SPEECH), ({"style": "plain"}, Style.PLAIN)])
def test_a_screen_reader_gets_speech_unless_another_style_was_chosen(
    before: dict[str, str], style: Style
) -> None:
    preferences = Preferences()
    preferences.adopt(before)
    preferences.adapt_to(SCREEN_READER)
    assert preferences.settings.style is style


def test_settings_only_another_version_knows_are_ignored() -> None:
    preferences = Preferences()
    preferences.adopt({"style": "gothic", "hats": "on", "width": "9999", "cards": "words"})
    assert preferences.settings == Settings(cards=Cards.WORDS)


def test_a_temporary_setting_applies_to_this_connection_only() -> None:
    preferences = Preferences()
    assert preferences.choose("colour", "on", keeps=False) == "color"
    preferences.adopt({"color": "off"})
    assert preferences.settings.color
    assert not preferences.chosen


def test_an_invalid_value_changes_nothing() -> None:
    preferences = Preferences()
    with pytest.raises(Refused):
        preferences.choose("width", "wide", keeps=True)
    assert (preferences.settings, dict(preferences.chosen)) == (Settings(), {})
