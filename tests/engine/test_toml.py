"""TOML from strangers: plain values or one error."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.engine.toml import MAX_DEPTH, BadToml, load


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63)])
def test_numbers_have_64_bits(number: int) -> None:
    assert load(f"a = [{number}]") == {"a": [number]}
    outside = number + (1 if number > 0 else -1)
    with pytest.raises(BadToml, match="64 bits"):
        load(f"a = [{outside}]")


def test_nesting_has_a_bound() -> None:
    # The table of the file is the first level, the number the last.
    lists = MAX_DEPTH - 2
    assert load(f"a = {'[' * lists}1{']' * lists}")
    with pytest.raises(BadToml, match=f"nested at most {MAX_DEPTH} deep"):
        load(f"a = {'[' * (lists + 1)}1{']' * (lists + 1)}")


def test_a_mistake_is_placed() -> None:
    with pytest.raises(BadToml, match="line 2"):
        load("a = 1\nb = ?\n")


@given(st.text(st.sampled_from("a1=.[]{}\"'\n #,-x_e"), max_size=40))
def test_any_text_gives_values_or_one_error(text: str) -> None:
    with contextlib.suppress(BadToml):
        assert isinstance(load(text), dict)
