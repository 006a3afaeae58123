"""House rules: a base and what differs from it, as data; what is wrong is said by the name of its key."""

from __future__ import annotations

import pytest
from hypothesis import given

from golfnet.engine.errors import RuleError
from golfnet.engine.houserules import parse_house_rules
from golfnet.engine.options import differing
from golfnet.engine.rules import Cancel, RuleSet, Span, Start, StartMode
from golfnet.engine.variants import CACTUS, SIX_CARD, VARIANTS
from tests.engine.strategies import rule_sets


def parsed(text: str) -> RuleSet:
    return parse_house_rules(text, VARIANTS)


def test_a_base_and_what_differs_in_native_toml() -> None:
    rules = parsed(
        """
        name = "pub-golf"
        title = "Golf as in the Crown"
        base = "six-card"
        holes = 18
        final_turn = true
        seats = 4
        cancel = "anywhere"
        values = { K = 13, 2 = 2, "*" = -5 }
        start = "flip-any-3"
        notes = ["The loser of a match pays.", "No grumbling."]
        """
    )
    assert (rules.name, rules.title) == ("pub-golf", "Golf as in the Crown")
    assert (rules.holes, rules.final_turn, rules.seats) == (18, True, Span(4, 4))
    assert rules.cancel is Cancel.ANYWHERE
    assert rules.start == Start(StartMode.FLIP_ANY, 3)
    assert {rank: rules.values[rank] for rank in ("K", "2", "*", "A")} == {"K": 13, "2": 2, "*": -5, "A": 1}
    assert rules.notes == ("The loser of a match pays.", "No grumbling.")
    assert (rules.rows, rules.columns, rules.flip) == (2, 3, True), "the rest is the base's"


def test_the_same_as_typed_text() -> None:
    typed = parsed(
        """
        name = "typed"
        base = "six-card"
        holes = "18"
        final_turn = "on"
        target = "none"
        slam = false
        values = "K:13,2:2"
        """
    )
    native = parsed(
        """
        name = "typed"
        base = "six-card"
        holes = 18
        final_turn = true
        [values]
        K = 13
        2 = 2
        """
    )
    assert typed == native


def test_the_title_is_made_of_the_name_where_there_is_none() -> None:
    assert parsed('name = "nans-golf"\nbase = "cactus"').title == "Nans Golf"


def test_x15_a_target_in_house_rules_drops_the_holes_too() -> None:
    rules = parsed('name = "hundred"\nbase = "six-card"\ntarget = 100')
    assert (rules.holes, rules.target) == (None, 100)


def test_house_rules_can_be_a_base_with_their_notes() -> None:
    first = parsed('name = "first"\nbase = "cactus"\ntarget = 50\nnotes = ["Slam gently."]')
    second = parse_house_rules(
        'name = "second"\nbase = "first"\nslam_window = 5\nnotes = ["And no cups."]',
        {**VARIANTS, "first": first},
    )
    assert (second.target, second.slam_window) == (50, 5)
    assert second.notes == ("Slam gently.", "And no cups.")


@given(rule_sets())
def test_every_option_of_a_command_exists_in_house_rules(rules: RuleSet) -> None:
    base = VARIANTS[rules.name]
    options = dict(option.split("=") for option in differing(rules, base).split())
    lines = [
        'name = "typed"',
        f'base = "{base.name}"',
        *[f'{name} = "{text}"' for name, text in options.items()],
    ]
    assert differing(parsed("\n".join(lines)), rules) == ""


WRONG = [
    ("name = 'pub\nbase = 'six-card'", r"TOML: .*line 1"),
    ("base = 'six-card'", "name: 2 to 31 of a-z, 0-9 and -, starting with a letter; it is missing"),
    ("name = 'Pub'\nbase = 'six-card'", "name: 2 to 31 of a-z, 0-9 and -, starting with a letter; not 'Pub'"),
    ("name = 'x'\nbase = 'six-card'", "name: 2 to 31 .*; not 'x'"),
    ("name = 'x234567890123456789012345678901x'\nbase = 'six-card'", "name: 2 to 31"),
    ("name = 'pub\\n'\nbase = 'six-card'", "name: 2 to 31"),
    ("name = 3\nbase = 'six-card'", "name: .*; not 3"),
    ("name = 'cactus'\nbase = 'six-card'", "name: a name that no other rule set has, not 'cactus'"),
    ("name = 'pub'", "base: one of four-turn, cactus, .*; it is missing"),
    ("name = 'pub'\nbase = 'sixcard'", "base: one of .*; not 'sixcard'"),
    ("name = 'pub'\nbase = ['six-card']", "base: one of"),
    (
        "name = 'pub'\nbase = 'six-card'\ntitle = ''",
        "title: one line of 1 to 400 printable characters; not ''",
    ),
    ("name = 'pub'\nbase = 'six-card'\ntitle = \"a\\u001b[2J\"", "title: one line"),
    ("name = 'pub'\nbase = 'six-card'\nnotes = 'one'", "notes: a list of sentences; not 'one'"),
    ("name = 'pub'\nbase = 'six-card'\nnotes = [1]", "notes: one line of"),
    ("name = 'pub'\nbase = 'six-card'\nhole = 9", "hole: no such option; did you mean holes?"),
    ("name = 'pub'\nbase = 'six-card'\nholes = 0", "holes: a number from 1 to 99, not 0"),
    ("name = 'pub'\nbase = 'six-card'\nholes = 9.5", "holes: a number from 1 to 99, or none, not 9.5"),
    ("name = 'pub'\nbase = 'six-card'\nlock = 1", "lock: on or off, not 1"),
    ("name = 'pub'\nbase = 'six-card'\nstarted = 1979-05-27", "started: no such option; did you mean start"),
    ("name = 'pub'\nbase = 'six-card'\nstart = [2]", r"start: .*, not \[2\]"),
    ("name = 'pub'\nbase = 'six-card'\ndecks = 1", "decks: 2 or more packs or at most 7 seats"),
    ("name = 'pub'\nbase = 'six-card'\n[values]\nX = 3", "values: ranks with points"),
    (
        "name = 'pub'\nbase = 'six-card'\n[values]\nK = 300",
        "values: a number from -100 to 100 for K, not 300",
    ),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_errors_name_their_key(text: str, said: str) -> None:
    with pytest.raises(RuleError, match=f"^{said.replace('?', '[?]')}"):
        parsed(text)


def test_the_known_rule_sets_stay_as_they_are() -> None:
    before = dict(VARIANTS)
    parsed('name = "pub"\nbase = "six-card"\nvalues = { K = 13 }')
    assert dict(VARIANTS) == before
    assert SIX_CARD.values["K"] == CACTUS.values["K"] == 0
