"""Arguments are split, unquoted and parsed, and refusals do not repeat secrets."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.commands.specs import read, split, split_rest
from golfnet.protocol.errors import Refused

PRINTABLE = st.characters(
    min_codepoint=32,
    max_codepoint=0x2FFF,
    exclude_categories=["C", "Z"],
    include_characters=" ",
    exclude_characters='"',
)
WORDS = st.text(st.sampled_from(["a", "Z", "=", " ", "#", "ö"]) | PRINTABLE, max_size=8)
KEYS = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True)


@given(st.lists(WORDS, max_size=4), st.dictionaries(KEYS, WORDS, max_size=3), st.booleans())
@example(["a=b", ""], {"name": ""}, True)
@example(["a=b"], {}, False)
def test_every_text_without_quotation_marks_can_be_quoted(
    words: list[str], options: dict[str, str], takes_options: bool
) -> None:
    given_options = options if takes_options else {}
    parts = [f'"{word}"' for word in words] + [f'{key}="{value}"' for key, value in given_options.items()]
    assert split(" ".join(parts), options=takes_options) == (tuple(words), given_options)


@pytest.mark.parametrize("text", ['"a', 'x "a', '"a"b', 'name="a', 'name="a"b', '""" x'])
def test_an_unclosed_quote_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="quotation mark"):
        split(text, options=True)


def test_quotes_are_removed_once_and_quoted_words_are_not_options() -> None:
    assert split_rest('""hello""', 0) == ('"hello"',)
    assert split_rest('he said "no"', 0) == ('he said "no"',)
    assert split_rest("bob   a  b", 1) == ("bob", "a  b")
    assert split('"a=b" Name="x y" c', options=True) == (("a=b", "c"), {"name": "x y"})


def test_an_option_given_twice_is_refused() -> None:
    with pytest.raises(Refused, match="You gave seats= twice"):
        split("seats=2 Seats=3", options=True)


@pytest.mark.parametrize(
    ("verb", "word", "value"),
    [
        ("swap", "3", {"slot": 3}),
        ("seat", "b ann", {"seat": 1, "name": "ann"}),
        ("peek", "b3", {"positions": ("B3",)}),
        ("peek", "3", {"positions": ("3",)}),
        ("join", "12", {"table": "t12"}),
        ("join", "T12", {"table": "t12"}),
        ("rules", "Six-Card", {"variant": "six-card"}),
        ("telnet", "ON", {"on": "on"}),
        ("name", "Ann", {"name": "Ann"}),
        ("hello", "1", {"protocol": 1}),
    ],
)
def test_each_kind_of_argument_is_parsed_to_its_value(verb: str, word: str, value: dict[str, object]) -> None:
    assert read(COMMANDS[verb], tuple(word.split()), machine=True) == value


def test_no_refusal_repeats_a_secret() -> None:
    for spec in COMMANDS.values():
        words = ("hunter2",) * (len(spec.parameters) + 1)
        if not any(parameter.rest or parameter.repeated for parameter in spec.parameters):
            with pytest.raises(Refused) as caught:
                read(spec, words, machine=True)
            assert "hunter2" not in caught.value.message
