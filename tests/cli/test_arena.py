"""``golfnet arena``: its tables, its picture, and its refusals."""

import xml.etree.ElementTree as ElementTree
from math import inf
from pathlib import Path

import pytest

from golfnet.bots.bot import Mean
from golfnet.cli import arena
from golfnet.cli.arena import bars
from tests.cli.conftest import Golfnet

SVG = "{http://www.w3.org/2000/svg}"
QUICK = ["arena", "--rules", "six-card", "--seats", "easy,random,random", "--holes", "15", "--seed", "3"]


def test_the_table_is_the_same_for_any_number_of_processes(golfnet: Golfnet) -> None:
    alone, together = [golfnet(*QUICK, "--jobs", jobs) for jobs in (1, 2)]
    assert alone == together
    assert (alone.status, alone.err) == (0, ""), "there is no terminal, so no progress is drawn"
    lines = alone.out.splitlines()
    assert lines[0] == "six-card, 3 seats, 15 holes, 5 deals, seed 3"
    assert [line.split()[0] for line in lines[2:4]] == ["easy", "random"]


def test_bounds_have_rows_for_two_and_four_seats(golfnet: Golfnet, monkeypatch: pytest.MonkeyPatch) -> None:
    # Playing the deals for a real bound takes seconds.
    monkeypatch.setattr(arena, "play_bound", lambda task: (float(1 + 2 * (task[1] % 2)),) * 5)
    words = "arena --bound --rules four-turn --option turns=1 --holes 8 --seed 2 --jobs 1"
    status, out, err = golfnet(*words.split())
    assert (status, err) == (0, "")
    assert [row.split() for row in out.splitlines()[2:]] == [
        ["four-turn", "2", "8", *["2.00", "±", "0.58"] * 5],
        ["four-turn", "4", "8", *["2.00", "±", "1.00"] * 5],
    ]


def test_the_arena_takes_rule_options_and_shows_times_and_a_picture(tmp_path: Path, golfnet: Golfnet) -> None:
    path = tmp_path / "points.svg"
    words = "arena --seats random,easy --holes 4 --jobs 1 --option final_turn=on --times --plot"
    lines = golfnet(*words.split(), path).out.splitlines()
    assert lines[0] == "six-card final_turn=on, 2 seats, 4 holes, 2 deals, seed 1"
    assert " ms of processor time per decision, the longest " in lines[-1]
    assert {"easy", "random"} <= {element.text for element in ElementTree.parse(path).iter(f"{SVG}text")}
    refused = golfnet(*QUICK, "--jobs", 1, "--plot", tmp_path / "no" / "where.svg")
    assert refused.status == 1
    assert "No such file" in refused.err


def test_of_several_unknown_levels_the_first_is_named(golfnet: Golfnet) -> None:
    refused = golfnet("arena", "--seats", "hard,strong,weak,strange,wild")
    assert refused.status == 2
    assert refused.err.rstrip().endswith("not 'strong'")


def a_mean(value: float, error: float) -> Mean:
    return Mean(1, value) if error == inf else Mean(2, value, 2 * error**2)


def test_a_bar_is_as_long_as_its_value_on_both_sides_of_zero() -> None:
    picture = ElementTree.fromstring(
        bars("", {"a": a_mean(10.0, 0.5), "b": a_mean(5.0, 0.5), "c": a_mean(-2.5, 0.5)})
    )
    _, *drawn = picture.iter(f"{SVG}rect")  # the background comes first
    ten, five, below = [float(rect.attrib["width"]) for rect in drawn]
    assert five == pytest.approx(ten / 2, abs=0.2)
    assert below == pytest.approx(ten / 4, abs=0.2)


@pytest.mark.parametrize(("name", "value", "error"), [("a", 0.0, 0.0), ("a", 3.0, inf), ("<&>", -1.0, 2.0)])
def test_any_values_make_a_well_formed_picture(name: str, value: float, error: float) -> None:
    text = bars("A < B & C", {name: a_mean(value, error)})
    picture = ElementTree.fromstring(text)
    assert [text.text for text in picture.iter(f"{SVG}text")][:2] == ["A < B & C", name]
    assert "inf" not in text
