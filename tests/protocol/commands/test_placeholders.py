"""Values in a text: each form, and what is no placeholder."""

from __future__ import annotations

import pytest

from golfnet.protocol.commands.placeholders import ManualError, fill_in


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("{n} bytes", 262_144, "262144 bytes"),
        ("{n}", 1_000_000, "1000000"),
        ("{n:words} tables", 10, "ten tables"),
        ("{n:words}", 13, "13"),
        ("the {n:ordinal} time", 3, "the third time"),
        ("the {n:ordinal} time", 11, "the 11th time"),
        ("{n:share} of it", 0.5, "half of it"),
        ("{n:share} of it", 0.4, "40% of it"),
        ("{n:line|lines} of chat", 1, "1 line of chat"),
        ("{n:line|lines} of chat", 8, "8 lines of chat"),
        ("{n:time}", 0, "0 seconds"),
        ("{n:time}", 1, "1 second"),
        ("{n:time}", 0.12, "120 ms"),
        ("{n:time}", 60, "60 seconds"),
        ("{n:time}", 90, "90 seconds"),
        ("{n:time}", 120, "2 minutes"),
        ("{n:time}", 3600, "60 minutes"),
        ("{n:time}", 7200, "2 hours"),
        ("{n:time}", 100 * 86_400, "100 days"),
        ("{n:time in words}", 600, "ten minutes"),
        ("{n:time in words}", 90 * 86_400, "three months"),
        ("{n:time in words}", 0.25, "a quarter of a second"),
        ("{n:time in words}", 0.3, "300 ms"),
        ("{n:limit}", 60, "60 seconds"),
        ("{n:limit}", 0, "as long as you like"),
        ("{n:size}", 262_144, "256 KiB"),
        ("{n:size}", 2 * 1024**2, "2 MiB"),
        ("begins with {, or {N}, {} and { n }", 5, "begins with {, or {N}, {} and { n }"),
    ],
)
def test_a_value_takes_the_form_that_the_sentence_asks_for(text: str, value: float, expected: str) -> None:
    assert fill_in(text, {"n": value}, file="topics/a") == expected


def test_an_unknown_value_is_a_mistake_in_the_file() -> None:
    with pytest.raises(ManualError, match="topics/clock: no value has the name clokc"):
        fill_in("{clokc}", {"clock": 3}, file="topics/clock")


def test_an_unknown_form_is_a_mistake_in_the_file() -> None:
    with pytest.raises(ManualError, match="topics/clock: tiem is none of the forms"):
        fill_in("{clock:tiem}", {"clock": 3}, file="topics/clock")
