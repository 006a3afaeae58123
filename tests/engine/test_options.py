"""Options survive being written and read, and never make a rule set unplayable (X15)."""

import json
from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st

from golfnet.engine.cards import JOKER
from golfnet.engine.errors import RuleError
from golfnet.engine.forms import ValueForm
from golfnet.engine.frozen import replaced
from golfnet.engine.options import FIELDS, as_options, differing, from_options, override, parse
from golfnet.engine.rules import RuleSet, Span
from golfnet.engine.variants import CACTUS, SIX_CARD, VARIANTS
from tests.engine.strategies import option_text, options, rule_sets

built_in = st.sampled_from(list(VARIANTS.values()))
fields_of_the_table = st.sampled_from(list(FIELDS.values()))


def outcome(rules: RuleSet, changes: Mapping[str, object]) -> RuleSet | RuleError:
    """Return the rule set with options changed, or the error."""
    try:
        return override(rules, changes)
    except RuleError as refused:
        return refused


def in_play(rules: RuleSet) -> RuleSet:
    """Return the rule set without points for ranks that are not in the deck."""
    ranks = (*rules.deck.ranks, JOKER)
    return replaced(rules, values={rank: points for rank, points in rules.values.items() if rank in ranks})


def test_every_field_except_name_title_and_notes_is_an_option_under_its_own_name() -> None:
    assert set(FIELDS) == set(RuleSet.__annotations__) - {"name", "title", "notes"}
    assert all(name == field.name for name, field in FIELDS.items())
    assert all(field.meaning.endswith(".") and field.takes for field in FIELDS.values())
    assert all(word in field.takes for field in FIELDS.values() for word in field.words)


@given(rule_sets())
def test_rule_sets_survive_a_round_trip_through_json(rules: RuleSet) -> None:
    wire = json.loads(json.dumps(as_options(rules)))
    again = from_options(rules.name, wire)
    assert again == rules
    assert as_options(again) == wire == as_options(rules)


@given(rule_sets())
def test_every_field_survives_a_round_trip_through_text(rules: RuleSet) -> None:
    for name, field in FIELDS.items():
        value = getattr(rules, name)
        assert parse(field.name, field.write(value)) == value
        assert parse(field.name, field.json(value)) == value
        assert parse(field.name, field.write(value).upper()) == value, "case does not matter"


@given(rule_sets(), built_in)
def test_applying_the_differences_to_the_base_gives_the_rule_set(rules: RuleSet, base: RuleSet) -> None:
    changes = dict(option.split("=") for option in differing(rules, base).split())
    assert in_play(override(base, changes)) == in_play(replaced(rules, name=base.name))
    unequal = {name for name in FIELDS if getattr(rules, name) != getattr(base, name)}
    assert changes.keys() <= unequal | {"holes", "target"}
    assert differing(rules, rules) == ""


def test_differences_are_written_as_a_host_would_type_them() -> None:
    long = override(SIX_CARD, {"holes": "18", "final_turn": "on"})
    assert differing(long, SIX_CARD) == "final_turn=on holes=18"
    assert differing(override(SIX_CARD, {"values": "k:13, 2:2"}), SIX_CARD) == "values=2:2,K:13"
    assert differing(override(CACTUS, {"holes": "3"}), CACTUS) == "holes=3"
    assert differing(override(SIX_CARD, {"target": "50", "holes": "9"}), SIX_CARD) == "holes=9 target=50"
    assert differing(override(CACTUS, {"slam": "order"}), CACTUS) == "slam=order", "not the default window"


@given(rule_sets(), options())
def test_an_option_changes_only_the_field_of_the_same_name_or_is_refused(
    rules: RuleSet, option: tuple[str, str]
) -> None:
    name, text = option
    changed = outcome(rules, {name: text})
    if isinstance(changed, RuleError):
        assert changed.option in FIELDS
        assert str(changed) == f"{changed.option}: {changed.expected}"
        return
    others = {"holes", "target"} if name in ("holes", "target") else {name}
    assert {field for field in FIELDS if getattr(changed, field) != getattr(rules, field)} <= others
    if name != "values":
        assert getattr(changed, name) == parse(name, text)


@pytest.mark.parametrize(
    ("base", "changes", "holes", "target"),
    [
        (SIX_CARD, {"target": "100"}, None, 100),
        (CACTUS, {"holes": "5"}, 5, None),
        (SIX_CARD, {"target": "100", "holes": "9"}, 9, 100),
        (SIX_CARD, {"holes": "18"}, 18, None),
        (SIX_CARD, {"target": "none"}, 9, None),
        (SIX_CARD, {"holes": "none", "target": "30"}, None, 30),
        (SIX_CARD, {"jokers": "2"}, 9, None),
    ],
)
def test_x15_setting_only_a_target_removes_the_number_of_holes_and_vice_versa(
    base: RuleSet, changes: dict[str, str], holes: int | None, target: int | None
) -> None:
    rules = override(base, changes)
    assert (rules.holes, rules.target) == (holes, target)


@pytest.mark.parametrize(
    ("option", "typed", "value"),
    [
        *(("lock", "yes", True), ("lock", "TRUE", True), ("lock", True, True), ("knock", "no", False)),
        *(("seats", 4, Span(4, 4)), ("turns", None, None), ("HOLES", " 3 ", 3)),
        *(
            ("power", "JQK", ("J", "Q", "K")),
            ("power", "qj", ("J", "Q")),
            ("power", "910j", ("9", "10", "J")),
        ),
        *(("power", "0,1,10", ("0", "1", "10")), ("power", "off", ()), ("power", "*", ("*",))),
    ],
)
def test_option_values_are_accepted_as_people_type_them(option: str, typed: object, value: object) -> None:
    base = CACTUS if option == "power" else SIX_CARD
    assert getattr(override(base, {option: typed}), option.lower()) == value


WRONG: list[tuple[RuleSet, dict[str, object], str]] = [
    (SIX_CARD, {"final-trun": "on"}, "final-trun: no such option; did you mean final_turn?"),
    (SIX_CARD, {"hole": "9"}, "hole: no such option; did you mean holes?"),
    (SIX_CARD, {"zzz": "9"}, "zzz: no such option; the options are seats rows columns"),
    (SIX_CARD, {"name": "x"}, "name: no such option"),
    (SIX_CARD, {"holes": "many"}, "holes: a number from 1 to 99, or none, not 'many'"),
    (SIX_CARD, {"rows": "none"}, "rows: a number from 1 to 4, not 'none'"),
    (SIX_CARD, {"rows": "٣"}, "rows: a number from 1 to 4, not "),
    (SIX_CARD, {"rows": "1_0"}, "rows: a number from 1 to 4, not '1_0'"),
    (SIX_CARD, {"rows": "1234567"}, "rows: a number from 1 to 4, not '1234567'"),
    (SIX_CARD, {"rows": True}, "rows: a number from 1 to 4, not True"),
    (SIX_CARD, {"rows": 2.0}, "rows: a number from 1 to 4, not 2.0"),
    (SIX_CARD, {"lock": "maybe"}, "lock: on or off, not 'maybe'"),
    (SIX_CARD, {"lock": 1}, "lock: on or off, not 1"),
    (SIX_CARD, {"cancel": "pair"}, "cancel: none, column, anywhere or all, not 'pair'"),
    (SIX_CARD, {"seats": "2-"}, "seats: a number from 2 to 12, or in a file a span such as 2-6, not '2-'"),
    (SIX_CARD, {"decks": "1,4"}, "decks: a number from 1 to 8, or growing: .*, not '1,4'"),
    (SIX_CARD, {"decks": "1,4:2:3"}, "decks: a number from 1 to 8, or growing"),
    (SIX_CARD, {"start": "peek"}, "start: none, or peek-bottom-N, .*, not 'peek'"),
    (SIX_CARD, {"start": "peek-two"}, "start: none, or peek-bottom-N"),
    (SIX_CARD, {"values": "K"}, "values: ranks with points from -100 to 100, such as .*, not 'K'"),
    (SIX_CARD, {"values": "K:0,K:1"}, "values: ranks with points"),
    (SIX_CARD, {"values": "11:0"}, "values: ranks with points"),
    (SIX_CARD, {"values": "1:0"}, r"values: ranks of this deck, A 2 3 .* K or \*, not 1"),
    (SIX_CARD, {"values": {"K": True}}, "values: ranks with points"),
    (CACTUS, {"power": ""}, "power: off, or ranks such as JQK, not ''"),
    (CACTUS, {"power": "JX"}, "power: off, or ranks such as JQK, not 'JX'"),
]


@pytest.mark.parametrize(("base", "changes", "said"), WRONG)
def test_the_error_for_a_wrong_option_names_it_and_its_allowed_values(
    base: RuleSet, changes: dict[str, object], said: str
) -> None:
    with pytest.raises(RuleError, match=f"^{said.replace('?', '[?]')}"):
        override(base, changes)


@given(fields_of_the_table, st.text() | st.integers() | st.booleans() | st.none() | st.floats())
def test_no_value_makes_the_option_parser_fail(field: ValueForm[Any], value: object) -> None:
    read = outcome(SIX_CARD, {field.name: value})
    if isinstance(read, RuleError):
        assert read.option in FIELDS
    else:
        written = field.write(getattr(read, field.name))
        assert getattr(override(SIX_CARD, {field.name: written}), field.name) == getattr(read, field.name)


def test_options_are_stored_as_native_json() -> None:
    options = as_options(override(CACTUS, {"seats": "4"}))
    assert list(options) == list(FIELDS)
    expected = {
        **{"seats": 4, "decks": 1, "holes": None, "target": 25, "lock": False, "knock": True},
        **{"start": "peek-bottom-2", "power": "JQK", "slam": "race", "penalty": "double-over-5"},
    }
    assert {name: options[name] for name in expected} == expected
    assert json.loads(json.dumps(options["values"]))["J"] == 10
    assert (as_options(SIX_CARD)["decks"], as_options(SIX_CARD)["seats"]) == ("1,4:2", "2-8")


def test_unknown_fields_are_refused_and_fields_added_later_may_be_missing() -> None:
    record = as_options(SIX_CARD)
    with pytest.raises(RuleError, match="wild: no such option"):
        from_options("six-card", {**record, "wild": "on"})
    assert from_options("six-card", {n: v for n, v in record.items() if n != "slam_window"}) == SIX_CARD
    with pytest.raises(RuleError, match="cancel: none, column, anywhere or all; it is missing"):
        from_options("six-card", {n: v for n, v in record.items() if n != "cancel"})


@given(rule_sets(), st.sampled_from(list(FIELDS)), st.data())
def test_the_order_of_options_does_not_matter(rules: RuleSet, name: str, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from(list(FIELDS)))
    assume(other != name)
    changes = {field: data.draw(option_text(field)) for field in (name, other)}
    one, other_way = outcome(rules, changes), outcome(rules, dict(reversed(changes.items())))
    assert one == other_way or str(one) == str(other_way)


@pytest.mark.parametrize(
    ("steps", "window"),
    [
        *(([{}], 3), ([{"slam": "order"}], 10), ([{"slam": "lot"}], 10), ([{"slam_window": "7"}], 7)),
        ([{"slam": "order", "slam_window": "3"}], 3),
        ([{"slam_window": "5"}, {"slam": "lot"}], 5),  # a chosen window is kept
        ([{"slam": "lot"}, {"slam": "race"}], 3),  # a default one is reset
    ],
)
def test_c11_sealed_slams_have_a_longer_window_unless_one_is_given(
    steps: list[dict[str, str]], window: int
) -> None:
    rules = CACTUS
    for changes in steps:
        rules = override(rules, changes)
    assert rules.slam_window == window


@pytest.mark.parametrize("base", [{}, {"slam": "order"}, {"slam": "order", "slam_window": "3"}])
def test_c11_the_differences_are_enough_to_restore_the_rules(base: dict[str, str]) -> None:
    begun = override(CACTUS, base)
    for slam, window in product(("off", "race", "order", "lot"), ("3", "5", "10")):
        rules = override(begun, {"slam": slam, "slam_window": window})
        assert override(begun, dict(each.split("=") for each in differing(rules, begun).split())) == rules
