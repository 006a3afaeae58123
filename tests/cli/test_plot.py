"""Bars as SVG: well formed whatever the values, as long as what they stand for."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from math import inf

import pytest

from golfnet.cli.plot import Bar, bars

SVG = "{http://www.w3.org/2000/svg}"


def widths(*values: Bar) -> list[float]:
    picture = ElementTree.fromstring(bars("A < B & C", values))
    background, *drawn = picture.iter(f"{SVG}rect")
    assert background.attrib["width"] == "100%"
    return [float(rect.attrib["width"]) for rect in drawn]


def test_a_bar_is_as_long_as_its_value_on_both_sides_of_zero() -> None:
    ten, five, below = widths(Bar("a", 10.0, 0.5), Bar("b", 5.0, 0.5), Bar("c", -2.5, 0.5))
    assert five == pytest.approx(ten / 2, abs=0.2)
    assert below == pytest.approx(ten / 4, abs=0.2)


@pytest.mark.parametrize("values", [[Bar("a", 0.0, 0.0)], [Bar("a", 3.0, inf)], [Bar("<&>", -1.0, 2.0)]])
def test_any_values_make_a_well_formed_picture(values: list[Bar]) -> None:
    picture = ElementTree.fromstring(bars("A < B & C", values))
    assert [text.text for text in picture.iter(f"{SVG}text")][:2] == ["A < B & C", values[0].name]
    assert "inf" not in bars("", values)
