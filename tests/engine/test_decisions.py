"""Every numbered decision of the rules has a test that names it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

LISTED = {"x": 18, "f": 6, "c": 21, "s": 5, "g": 6, "k": 3, "m": 4}


def named() -> set[str]:
    """Return the words of all test names in this folder, a file's other text left out."""
    texts = (path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    names = (name for text in texts for name in re.findall(r"^def test_(\w+)", text, flags=re.MULTILINE))
    return {word for name in names for word in name.split("_")}


NAMED = named()


@pytest.mark.parametrize(
    "number", [f"{letter}{n}" for letter, last in LISTED.items() for n in range(1, last + 1)]
)
def test_a_test_names_the_decision(number: str) -> None:
    assert number in NAMED


def test_no_test_names_a_decision_that_is_none() -> None:
    numbers = {word for word in NAMED if re.fullmatch(r"[xfcsgkm]\d+", word)}
    assert numbers == {f"{letter}{n}" for letter, last in LISTED.items() for n in range(1, last + 1)}
