"""Rule sets that come as files: the shipped ones, and a folder in which a bad file does not affect the others."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from golfnet.engine.options import differing
from golfnet.engine.rulebook import rules_text
from golfnet.engine.rules import Cancel, Span, Start, StartMode
from golfnet.engine.variants import SIX_CARD_FINAL, VARIANTS, parse_house_rules
from golfnet.rulesets import MAX_FILE, catalogue, load_folder


def test_the_catalogue_has_six_built_in_and_two_shipped_rule_sets() -> None:
    assert list(catalogue()) == [*VARIANTS, "eight-card", "nine-card"]
    assert all(name == rules.name for name, rules in catalogue().items())


def test_eight_card_has_two_rows_of_four_for_2_to_12_seats() -> None:
    rules = catalogue()["eight-card"]
    assert (rules.rows, rules.columns, rules.seats) == (2, 4, Span(2, 12))
    assert differing(rules, SIX_CARD_FINAL) == "columns=4"


def test_nine_card_has_three_rows_of_three_for_2_to_10_seats_and_two_packs_from_4() -> None:
    rules = catalogue()["nine-card"]
    assert (rules.rows, rules.columns, rules.seats) == (3, 3, Span(2, 10))
    assert [rules.decks.at(seats) for seats in (2, 3, 4, 10)] == [1, 1, 2, 2]
    assert rules.start == Start(StartMode.FLIP_ANY, 3)
    assert rules.cancel is Cancel.COLUMN
    assert "all its three cards have the same rank" in " ".join(rules_text(rules).split())


def test_a_folder_loads_valid_files_and_reports_problems_with_the_others(tmp_path: Path) -> None:
    (tmp_path / "a-crown.toml").write_text('name = "crown"\nbase = "cactus"\ntarget = 50\n')
    (tmp_path / "b-key.toml").write_text('name = "key"\nbase = "cactus"\ntargets = 50\n')
    (tmp_path / "c-line.toml").write_text('name = "line"\nbase = cactus\n')
    (tmp_path / "d-bytes.toml").write_bytes(b'name = "caf\xe9"\n')
    (tmp_path / "e-again.toml").write_text('name = "crown"\nbase = "six-card"\n')
    (tmp_path / "f-folder.toml").mkdir()
    (tmp_path / "g-nine.toml").write_text('name = "nine-card"\nbase = "six-card"\n')
    (tmp_path / "h-more.toml").write_text('name = "more"\nbase = "crown"\nslam = "lot"\n')
    (tmp_path / "README").write_text("not a rule set")
    loaded = load_folder(tmp_path)
    assert list(loaded.rule_sets) == ["crown", "more"]
    assert (loaded.rule_sets["more"].target, loaded.rule_sets["more"].slam) == (50, "lot")
    assert [problem.partition(" ")[0] for problem in loaded.problems] == [
        *("b-key.toml:", "c-line.toml:", "d-bytes.toml:", "e-again.toml:", "f-folder.toml:", "g-nine.toml:"),
    ]
    by_file = dict(problem.split(": ", 1) for problem in loaded.problems)
    assert by_file["b-key.toml"] == "targets: no such option; did you mean target?"
    assert "line 2" in by_file["c-line.toml"]
    assert by_file["d-bytes.toml"] == "UTF-8 text, not byte 0xe9 at 11"
    assert by_file["e-again.toml"] == "name: a name that no other rule set has, not 'crown'"
    assert by_file["g-nine.toml"] == "name: a name that no other rule set has, not 'nine-card'"


def test_the_example_in_the_guide_is_a_valid_rule_set() -> None:
    examples = Path(__file__).parents[2] / "deploy" / "house-rules"
    rule_sets, problems = load_folder(examples)
    assert problems == ()
    quick = rule_sets["quick-six"]
    assert (quick.holes, quick.final_turn, quick.seats.high, quick.title) == (
        3,
        True,
        6,
        "Quick Six-Card Golf",
    )
    assert quick.notes[-1] == "Three holes while the coffee brews."


def test_the_short_example_in_the_guide_is_also_a_valid_rule_set() -> None:
    guide = (Path(__file__).parents[2] / "deploy" / "README.md").read_text()
    (example,) = re.findall(r"```toml\n(.*?)```", guide, re.DOTALL)
    assert parse_house_rules(example, catalogue()).name == "quick-six"


HOSTILE = {
    "nested lists": b'name = "x"\nbase = "cactus"\nnotes = ' + b"[" * 16_000,
    "closed nested lists": b'name = "x"\nbase = "cactus"\nnotes = ' + b"[" * 90 + b"]" * 90,
    "nested tables": b'name = "x"\nbase = "cactus"\n' + b"a." * 4_000 + b"a = 1\n",
    "a number of 5000 digits": b'name = "x"\nbase = "cactus"\nholes = ' + b"9" * 5000,
    "a hexadecimal number of 5000 digits": b'name = "x"\nbase = "cactus"\nholes = 0x' + b"f" * 5000,
    "a name of 5000 digits": b"name = 0x" + b"f" * 5000,
    "not a number": b'name = "x"\nbase = "cactus"\nholes = nan',
    "a date": b'name = "x"\nbase = "cactus"\nholes = 1979-05-27',
    "a long key": b'name = "x"\nbase = "cactus"\n' + b"k" * 16_000 + b" = 1",
    "a huge file": b"#" * (MAX_FILE + 1),
    "nothing": b"",
    "zeros": bytes(1000),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_does_not_stop_the_others(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a-hostile.toml").write_bytes(content)
    (tmp_path / "b-good.toml").write_text('name = "crown"\nbase = "cactus"\n')
    loaded = load_folder(tmp_path)
    assert list(loaded.rule_sets) == ["crown"]
    (problem,) = loaded.problems
    assert problem.startswith("a-hostile.toml: ")
    assert len(problem) <= 300


def test_an_entry_that_is_not_a_file_does_not_stop_the_others(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a-pipe.toml")
    (tmp_path / "b-zero.toml").symlink_to("/dev/zero")
    (tmp_path / "c-circle.toml").symlink_to("c-circle.toml")
    (tmp_path / "d-nowhere.toml").symlink_to("nowhere")
    (tmp_path / "e-folder.toml").mkdir()
    (tmp_path / "f-good.toml").write_text('name = "crown"\nbase = "cactus"\n')
    before = len(os.listdir("/proc/self/fd"))
    loaded = load_folder(tmp_path)
    assert list(loaded.rule_sets) == ["crown"]
    assert [problem.partition(".")[0] for problem in loaded.problems] == [
        *("a-pipe", "b-zero", "c-circle", "d-nowhere", "e-folder")
    ]
    assert len(os.listdir("/proc/self/fd")) == before


def test_an_unreadable_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileNotFoundError):
        load_folder(tmp_path / "none")
    with pytest.raises(NotADirectoryError):
        load_folder(tmp_path / "file")
