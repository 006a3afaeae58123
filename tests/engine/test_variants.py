"""The six built-in rule sets have the values listed in the rules."""

import contextlib

import pytest
from hypothesis import given, strategies as st

from golfnet.engine.errors import RuleError
from golfnet.engine.options import FIELDS
from golfnet.engine.rules import Cancel, RuleSet, Span, Start, StartMode
from golfnet.engine.variants import MAX_DEPTH, VARIANTS, BadToml, load, parse_house_rules

TABLE = """
    name         four-turn      cactus         six-card    six-card-final  four-card-knock  multiples
    seats        2-6            2-10           2-8         2-12            2-12             2-12
    rows         2              2              2           2               2                2
    columns      2              2              3           3               2                2
    decks        1              1              1,4:2       1,4:2,8:3       1,4:2,8:3        2
    deck         standard       numbered       standard    standard        standard         standard
    jokers       0              0              0           0               0                0
    upcard       on             off            on          on              on               on
    start        peek-bottom-2  peek-bottom-2  flip-any-2  flip-any-2      peek-any-2       peek-bottom-2
    placed       up             down           up          up              up               up
    lock         on             off            off         off             off              off
    flip         off            off            on          off             off              off
    reveal       off            off            off         off             off              off
    power        off            JQK            off         off             off              off
    slam         off            race           off         off             off              off
    slam_window  3              3              3           3               3                3
    turns        4              none           none        none            none             none
    knock        off            on             off         off             on               off
    face_up      off            off            first       first           first            every
    final_turn   off            on             off         on              on               off
    stock_end    finish         at-once        finish      finish          finish           finish
    turn_cap     none           100            40          40              40               40
    reshuffles   0              0              1           1               1                0
    cancel       anywhere       none           column      column          column           all
    penalty      none           double-over-5  none        none            none             none
    holes        1              none           9           9               9                9
    target       none           25             none        none            none             none
    leader       left           highest        left        left            left             left
    dealer       first          first          first       first           first            first
    recall       once           once           once        once            once             once

    extra_suits_from  none      6              none        none            none             none
"""


def test_the_six_rule_sets_have_the_values_of_the_rules_table() -> None:
    (_, *names), *rows = [line.split() for line in TABLE.splitlines() if line]
    assert list(VARIANTS) == names == [rules.name for rules in VARIANTS.values()]
    for option, *texts in rows:
        assert [FIELDS[option].write(getattr(rules, option)) for rules in VARIANTS.values()] == texts, option
    assert {option for option, *_ in rows} == FIELDS.keys() - {"values"}


POINTS = """
    A  1 1  1  1  1  1
    2  2 2 -2  2  2  2
    J  0 10 10 10 10 10
    Q 10 10 10 10 10 10
    K 10 0  0  0  0  0
    *  - - -  -2 -2  -
    0  - 0  -  -  -  -
    1  - 1  -  -  -  -
"""


def test_f4_c4_g3_g6_ranks_have_the_points_of_the_rules() -> None:
    for rank, *points in map(str.split, POINTS.strip().splitlines()):
        for rules, value in zip(VARIANTS.values(), points, strict=True):
            assert value == "-" or rules.values[rank] == int(value), (rules.name, rank)
    for rules in VARIANTS.values():
        assert [rules.values[str(number)] for number in range(3, 11)] == list(range(3, 11))


def parsed(text: str) -> RuleSet:
    return parse_house_rules(text, VARIANTS)


def test_house_rules_change_a_base_with_native_toml_values() -> None:
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
    assert (rules.rows, rules.columns, rules.flip) == (2, 3, True), "the rest comes from the base"


def test_house_rules_can_be_based_on_other_house_rules_and_inherit_their_notes() -> None:
    first = parsed('name = "our-first"\nbase = "cactus"\ntarget = 50\nnotes = ["Slam gently."]')
    assert first.title == "Our First", "made from the name"
    second = parse_house_rules(
        'name = "second"\nbase = "our-first"\nslam_window = 5\nnotes = ["And no cups."]',
        {**VARIANTS, "our-first": first},
    )
    assert (second.target, second.slam_window) == (50, 5)
    assert second.notes == ("Slam gently.", "And no cups.")


WRONG = """
    | name = 'pub; base = 'six-card' | TOML: .*line 1
    | base = 'six-card' | name: 2 to 31 characters from a-z, 0-9 and -, starting with a letter; it is missing
    six-card | name = 'Pub' | name: 2 to 31 characters .*, starting with a letter; not 'Pub'
    six-card | name = 'x' | name: 2 to 31 .*; not 'x'
    six-card | name = 'x234567890123456789012345678901x' | name: 2 to 31
    six-card | name = "pub\\n" | name: 2 to 31
    six-card | name = 3 | name: .*; not 3
    six-card | name = 'cactus' | name: a name that no other rule set has, not 'cactus'
    | name = 'pub' | base: one of four-turn, cactus, .*; it is missing
    sixcard | name = 'pub' | base: one of .*; not 'sixcard'
    | name = 'pub'; base = ['six-card'] | base: one of
    six-card | name = 'pub'; title = '' | title: one line of 1 to 400 printable characters; not ''
    six-card | name = 'pub'; title = "a\\u001b[2J" | title: one line
    six-card | name = 'pub'; notes = 'one' | notes: a list of sentences; not 'one'
    six-card | name = 'pub'; notes = [1] | notes: one line of
    six-card | name = 'pub'; started = 1979-05-27 | started: no such option; did you mean start
    six-card | name = 'pub'; start = [2] | start: .*, not \\[2\\]
    six-card | name = 'pub'; [values]; X = 3 | values: ranks with points
"""
"""The base (optional), the lines of the file, and the error, as a pattern."""


@pytest.mark.parametrize(
    ("base", "lines", "said"), [row.split("|") for row in WRONG.strip("\n").splitlines()]
)
def test_errors_in_house_rules_name_their_key(base: str, lines: str, said: str) -> None:
    first = [f"base = '{base.strip()}'"] if base.strip() else []
    text = "\n".join([*first, *map(str.strip, lines.split(";"))])
    with pytest.raises(RuleError, match=f"^{said.strip()}"):
        parsed(text)


def test_numbers_beyond_64_bits_and_deep_nesting_are_refused() -> None:
    for number in (2**63 - 1, -(2**63)):
        assert load(f"a = [{number}]") == {"a": [number]}
        with pytest.raises(BadToml, match="64 bits"):
            load(f"a = [{number + (1 if number > 0 else -1)}]")
    lists = MAX_DEPTH - 2  # the table of the whole file is the first level, the number the last
    assert load(f"a = {'[' * lists}1{']' * lists}")
    with pytest.raises(BadToml, match=f"nested at most {MAX_DEPTH} deep"):
        load(f"a = {'[' * (lists + 1)}1{']' * (lists + 1)}")


@given(st.text(st.sampled_from("a1=.[]{}\"'\n #,-x_e"), max_size=40))
def test_any_text_is_parsed_or_raises_bad_toml(text: str) -> None:
    with contextlib.suppress(BadToml):
        assert isinstance(load(text), dict)
