"""Forms of values, independent of the tables that use them."""

from __future__ import annotations

import re
from enum import StrEnum

import pytest

from golfnet.engine import forms


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@pytest.mark.parametrize(
    ("form", "text", "value"),
    [
        (forms.SWITCH, "on", True),
        (forms.SWITCH, "off", False),
        (forms.number(-5, 9), "-5", -5),
        (forms.or_none(forms.number(0, 9)), "none", None),
        (forms.or_none(forms.number(0, 9)), "7", 7),
        (forms.words({Colour.RED: "warm", Colour.BLUE: "cold"}), "blue", Colour.BLUE),
    ],
)
def test_values_survive_being_written_and_read(
    form: forms.ValueForm[object], text: str, value: object
) -> None:
    assert form.read(text) == value
    assert form.write(value) == text
    assert form.read(forms.text_of(form.json(value))) == value


@pytest.mark.parametrize("text", ["", "1.5", "1234567", "٤", "0x10", "--1"])
def test_text_that_is_not_a_number_is_refused(text: str) -> None:
    for form in (forms.number(0, 9), forms.or_none(forms.number(0, 9))):
        with pytest.raises(ValueError, match=rf"^{re.escape(text)}$"):
            form.read(text)


def test_a_form_describes_the_values_it_takes() -> None:
    assert forms.or_none(forms.number(1, 99)).takes == "a number from 1 to 99, or none"
    colours = forms.words({Colour.RED: "warm", Colour.BLUE: "cold"})
    assert colours.takes == "red or blue"
    assert colours.words == {"red": "warm", "blue": "cold"}


def test_a_table_maps_names_to_fields_in_order() -> None:
    table = forms.table(("bell", forms.SWITCH, "Whether it rings."), ("size", forms.number(1, 9), "How big."))
    assert list(table) == ["bell", "size"]
    assert (table["size"].meaning, table["size"].read("3")) == ("How big.", 3)
