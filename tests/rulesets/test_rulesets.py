"""Rule sets that come as files: the shipped ones, and a folder in which a bad file does not affect the others."""

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


def test_eight_card_has_two_rows_of_four_and_nine_card_three_columns_of_three_that_cancel() -> None:
    eight, nine = catalogue()["eight-card"], catalogue()["nine-card"]
    assert (eight.rows, eight.columns, eight.seats) == (2, 4, Span(2, 12))
    assert differing(eight, SIX_CARD_FINAL) == "columns=4"
    assert (nine.rows, nine.columns, nine.seats, nine.cancel) == (3, 3, Span(2, 10), Cancel.COLUMN)
    assert [nine.decks.at(seats) for seats in (2, 3, 4, 10)] == [1, 1, 2, 2]
    assert nine.start == Start(StartMode.FLIP_ANY, 3)
    assert "all its three cards have the same rank" in " ".join(rules_text(nine).split())


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
        *("b-key.toml:", "c-line.toml:", "d-bytes.toml:", "e-again.toml:", "f-folder.toml:", "g-nine.toml:")
    ]
    by_file = dict(problem.split(": ", 1) for problem in loaded.problems)
    assert by_file["b-key.toml"] == "targets: no such option; did you mean target?"
    assert "line 2" in by_file["c-line.toml"]
    assert by_file["d-bytes.toml"] == "UTF-8 text, not byte 0xe9 at 11"
    assert by_file["e-again.toml"] == "name: a name that no other rule set has, not 'crown'"
    assert by_file["g-nine.toml"] == "name: a name that no other rule set has, not 'nine-card'"


def test_the_examples_in_the_guide_are_valid_rule_sets() -> None:
    deploy = Path(__file__).parents[2] / "deploy"
    rule_sets, problems = load_folder(deploy / "house-rules")
    assert problems == ()
    quick = rule_sets["quick-six"]
    assert (quick.holes, quick.final_turn, quick.seats.high) == (3, True, 6)
    assert (quick.title, quick.notes[-1]) == ("Quick Six-Card Golf", "Three holes while the coffee brews.")
    (example,) = re.findall(r"```toml\n(.*?)```", (deploy / "README.md").read_text(), re.DOTALL)
    assert parse_house_rules(example, catalogue()).name == "quick-six"


KEYS = b'name = "x"\nbase = "cactus"\n'
HOSTILE = {
    "nested lists": KEYS + b"notes = " + b"[" * 16_000,
    "closed nested lists": KEYS + b"notes = " + b"[" * 90 + b"]" * 90,
    "nested tables": KEYS + b"a." * 4_000 + b"a = 1\n",
    "a number of 5000 digits": KEYS + b"holes = " + b"9" * 5000,
    "a hexadecimal number of 5000 digits": KEYS + b"holes = 0x" + b"f" * 5000,
    "a name of 5000 digits": b"name = 0x" + b"f" * 5000,
    "not a number": KEYS + b"holes = nan",
    "a date": KEYS + b"holes = 1979-05-27",
    "a long key": KEYS + b"k" * 16_000 + b" = 1",
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


def test_a_missing_folder_or_a_file_in_its_place_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name, error in (("none", FileNotFoundError), ("file", NotADirectoryError)):
        with pytest.raises(error):
            load_folder(tmp_path / name)
