"""The manual shows the numbers of its own server."""

import pytest

from golfnet.bots.bot import LEVELS
from golfnet.manual import read_files
from golfnet.protocol.commands.help import help_page
from golfnet.protocol.commands.pages import PLACEHOLDER
from golfnet.server.commands.manual import manual_for, values_of
from golfnet.server.config import SETTINGS, Config


def page(word: str, config: Config) -> str:
    return " ".join(" ".join(help_page(word, manual_for(config))).split())


def test_the_manual_uses_every_computed_value_and_no_unknown_one() -> None:
    named = {found[1] for text in read_files().values() for found in PLACEHOLDER.finditer(text)}
    values = values_of(Config())
    assert named <= {name for name, value in values.items() if type(value) in (int, float)}
    assert {name for name in values if "." not in name} - set(SETTINGS) <= named


def test_help_lists_the_existing_levels_of_bots() -> None:
    listed = manual_for(Config()).topics["bots"].rows
    assert [name for name, _ in listed] == list(LEVELS)


@pytest.mark.parametrize(
    ("settings", "word", "usual", "now"),
    [
        ({"grace": 30}, "coming back", "is kept: 2 minutes,", "is kept: 30 seconds,"),
        ({"clock": 90}, "clock", "You have 60 seconds for", "You have 90 seconds for"),
        ({"clock": 0}, "clock", "You have 60 seconds for", "You have as long as you like for"),
        ({"pause": 5}, "clock", "a pause of 15 seconds", "a pause of 5 seconds"),
        ({"start_delay": 1}, "ready", "starts 5 seconds after", "starts 1 second after"),
        ({"commands_per_second": 1}, "limits", "10 commands a second", "1 command a second"),
        ({"excess_per_10_seconds": 10**6}, "limits", "100 refused in", "1000000 refused in"),
        ({"chat_per_10_seconds": 20}, "limits", "8 lines of chat", "20 lines of chat"),
        ({"outbox": 1024**2}, "limits", "256 KiB waiting", "1 MiB waiting"),
        ({"telnet_port": 2323}, "putty", "telnet HOST 7778", "telnet HOST 2323"),
        ({"telnet_port": -1}, "putty", "telnet HOST 7778", "telnet HOST 7778"),
    ],
)
def test_the_manual_shows_its_servers_settings(
    settings: dict[str, int], word: str, usual: str, now: str
) -> None:
    assert usual in page(word, Config())
    changed = page(word, Config(**settings))  # type: ignore[arg-type]
    assert now in changed
    assert usual == now or usual not in changed
