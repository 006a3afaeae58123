"""Every decision in RULES.md is in the name of a test, and every one cited in code or tests is defined in RULES.md."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LETTERS = "XFCSGKM"
DEFINED = re.findall(
    rf"^- \*\*([{LETTERS}]\d+)\*\* ", (ROOT / "golfnet/engine/RULES.md").read_text("utf-8"), re.MULTILINE
)


def named_in_tests() -> set[str]:
    """Return the numbers in the names of the tests in this folder."""
    texts = (path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    names = (name for text in texts for name in re.findall(r"^def test_(\w+)", text, flags=re.MULTILINE))
    words = {word.upper() for name in names for word in name.split("_")}
    return {word for word in words if re.fullmatch(rf"[{LETTERS}]\d+", word)}


def cited_in(path: Path) -> set[str]:
    """Return the numbers that a file cites: ``(C11)``, ``(F3, C4, S3)``, ``# C1, C4``, ``F3 to F5``."""
    text = path.read_text(encoding="utf-8")
    number = rf"[{LETTERS}][1-9]\d?"
    cited = re.findall(rf"(?:\(|# |to |: ){number}(?:(?:, | and | to |/){number})*(?=[\s.,:;)\"'])", text)
    return {found for phrase in cited for found in re.findall(number, phrase)}


def test_numbers_are_defined_once_and_in_order() -> None:
    assert len(DEFINED) == len(set(DEFINED))
    for letter in LETTERS:
        numbers = [int(found[1:]) for found in DEFINED if found[0] == letter]
        assert numbers == list(range(1, len(numbers) + 1))


def test_every_decision_is_named_by_a_test_and_every_name_is_that_of_a_decision() -> None:
    assert named_in_tests() == set(DEFINED)


def test_decisions_cited_in_code_and_tests_are_defined() -> None:
    paths = [path for folder in ("golfnet", "client", "tests") for path in (ROOT / folder).rglob("*.py")]
    cited = {(str(path.relative_to(ROOT)), number) for path in paths for number in cited_in(path)}
    assert not {(path, number) for path, number in cited if number not in DEFINED}
    assert len({number for _, number in cited}) > len(DEFINED) / 2  # so the pattern does find citations
