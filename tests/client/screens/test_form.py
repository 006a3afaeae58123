"""The form offers every option of the rules with its bounds, and reports at once what cannot be played."""

import pytest

from golfnet.engine.options import FIELDS, as_options, override
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.commands.parse import parse
from golfnet_client.screens.canvas import Canvas
from golfnet_client.screens.form import Form, draw_form, new_form
from tests.client import tables


def a_form(variant: str) -> Form:
    form = new_form([], VARIANTS)
    form.change("variant", variant)
    return form


def test_every_option_has_a_line() -> None:
    names = [line.name for line in a_form("cactus").lines]
    options = {option.name for option in COMMANDS["create"].options}
    assert sorted(names) == sorted({"variant", "preset", *options, *FIELDS}), (
        "see the groups in screens/form.py"
    )
    assert names[:5] == ["variant", "preset", "name", "password", "seats"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_rules_of_every_preset_can_be_played_and_a_preset_can_be_undone(variant: str) -> None:
    form = a_form(variant)
    form.change("name", "Long evening")
    presets = form.lines[1].words
    assert len(presets) >= 3
    for preset in presets:
        form.change("preset", preset)
        assert form.problem == ""
        parse(form.command(), machine=True)
        assert form.value("name") == "Long evening"
    form.change("preset", "usual")
    assert form.command() == f'create {variant} name="Long evening"'


def test_a_password_is_never_shown() -> None:
    form = a_form("six-card")
    form.change("password", "sesame")
    form.at = [line.name for line in form.lines].index("password")
    for width in (60, 120):
        canvas = Canvas(width, 30)
        draw_form(canvas, form, tables.a_model())
        shown = "\n".join(canvas.lines())
        assert "sesame" not in shown
        assert "******" in shown
    assert "password=sesame" in form.command()


def test_the_form_starts_with_the_options_of_the_rule_set() -> None:
    for variant, rules in VARIANTS.items():
        form = a_form(variant)
        assert override(rules, {name: form.value(name) for name in FIELDS if name != "seats"}) == rules
        assert form.problem == ""


def test_steps_cycle_through_words_and_keep_numbers_within_bounds() -> None:
    form = a_form("six-card")
    form.at = [line.name for line in form.lines].index("jokers")
    for _ in range(9):
        form.step(1)
    assert form.value("jokers") == "4"
    for _ in range(9):
        form.step(-1)
    assert form.value("jokers") == "0"
    form.at = [line.name for line in form.lines].index("final_turn")
    form.step(1)
    assert form.value("final_turn") == "on"
    form.step(1)
    assert form.value("final_turn") == "off"


def test_invalid_options_are_reported_with_a_reason() -> None:
    form = a_form("six-card")
    form.change("columns", "6")
    assert form.problem.startswith("decks: ")
    form.change("seats", "2")
    assert form.problem == ""
    form.change("seats", "99")
    assert form.problem == "seats: from 2 to 8 for six-card, not 99"
    form.change("seats", "")
    form.change("columns", "many")
    assert "columns: a number from 1 to 6" in form.problem


def test_the_servers_own_rule_sets_are_offered() -> None:
    house = override(VARIANTS["six-card"], {"holes": 5})
    newer = {"name": "newer", "options": as_options(house) | {"unknown": 1}}
    form = new_form([newer, {"name": "short", "options": as_options(house)}], VARIANTS)
    assert list(form.variants) == ["short"], "only those that this client knows"
    assert form.value("holes") == "5"
