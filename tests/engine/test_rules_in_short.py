"""The rules in six lines and the aim in two: they reflect the options and fit on the screen."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from golfnet.engine.rulebook import WIDTH, aim, rules_in_short, rules_text, summary
from golfnet.engine.rules import Cancel, RuleSet, Start, StartMode
from golfnet.engine.variants import SIX_CARD, VARIANTS
from golfnet.rulesets import catalogue
from tests.engine.strategies import rule_sets


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=list(VARIANTS))
def test_the_short_rules_have_six_lines_that_fit_a_terminal(rules: RuleSet) -> None:
    title, *lines = rules_in_short(rules).splitlines()
    assert rules.name in title
    assert [line.split(":")[0] for line in lines] == ["Aim", "Start", "Turn", "Cards", "End", "Points"]
    assert all(len(line) <= WIDTH for line in lines)
    assert not re.search(r"SLOT|flip|peek \d|such as", " ".join(summary(rules, is_typed=False))), (
        "with buttons"
    )


@pytest.mark.parametrize("width", [26, 38, 118])
def test_short_rules_are_wrapped_to_any_width(width: int) -> None:
    for rules in VARIANTS.values():
        for text in (rules_text(rules, width=width), rules_in_short(rules, width=width)):
            assert all(len(line) <= width for line in text.splitlines())
        assert rules_text(rules, width=width).split() == rules_text(rules).split()


def test_short_rules_reflect_the_options() -> None:
    def line(name: str, **changes: Any) -> str:
        told = rules_in_short(replace(SIX_CARD, **changes), width=200).splitlines()
        return next(each for each in told if each.startswith(f"{name}: "))

    assert line("Points") == "Points: A 1, 2 -2, J and Q 10, K 0, others their number; a column of equals 0."
    assert line("Points", cancel=Cancel.NONE).endswith("others their number.")
    assert line("End", knock=True).endswith("a knock; then a last turn for the others.")
    assert line("Turn", knock=True).endswith("(or discard a drawn card); or knock.")
    assert line("Aim", target=50).startswith("Aim: the lowest total when somebody has 50.")
    assert line("Start", start=Start(StartMode.PEEK_BOTTOM, 3)) == (
        "Start: look at your cards in 4, 5 and 6: peek 4 5 6."
    )
    assert line("Cards", lock=True).startswith("Cards: what you swap in lies face up and stays there")


@pytest.mark.parametrize(
    ("name", "length", "points"),
    [
        ("six-card", "after nine holes", " Two equal cards in a column cancel: they count 0."),
        ("nine-card", "after nine holes", " Three equal cards in a column cancel: they count 0."),
        ("cactus", "when somebody has 25", ""),
        ("multiples", "after nine holes", " Equal cards cancel: they count 0."),
    ],
)
def test_the_two_line_aim_says_what_wins_and_what_cancels(name: str, length: str, points: str) -> None:
    first, second = aim(catalogue()[name])
    assert first == f"Low score wins: the lowest total {length}. Get rid of high cards."
    assert second.endswith(f".{points} To read more, type: rules")


@given(rule_sets())
def test_the_aim_of_any_rules_is_two_lines_a_newcomer_can_read(rules: RuleSet) -> None:
    told = aim(rules)
    assert all(len(line) <= 240 and "{" not in line for line in told)
