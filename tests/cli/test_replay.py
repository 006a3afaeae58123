"""``golfnet replay``: a match is shown step by step, as everybody at the table or one seat saw it."""

import builtins
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Golfnet
from tests.storage.matches import record_of, rules_of


@pytest.fixture
def cactus(tmp_path: Path) -> Path:
    path = tmp_path / "cactus.jsonl"
    path.write_bytes(b"".join(record_of(rules_of("cactus"), seed=2)))
    return path


def answer(monkeypatch: pytest.MonkeyPatch, *answers: str) -> Iterator[str]:
    """Answer the prompts after each step; return the answers that are left."""
    left = iter(answers)
    monkeypatch.setattr(builtins, "input", lambda prompt="": next(left))
    return left


def test_a_match_is_shown_from_a_given_hole(record: Path, golfnet: Golfnet) -> None:
    out = golfnet("replay", record, "--style", "plain", "--hole", 2).out
    assert "Hole 1 of 2" not in out
    assert "Hole 2 of 2" in out
    assert "Bör (B) wins with 59 points." in out
    refused = golfnet("replay", record, "--hole", 3)
    assert (refused.out, refused.status) == ("", 2)
    assert "there is no hole 3 in this record: the last is 2" in refused.err


def test_the_coach_shows_the_three_costliest_choices_of_a_seat(record: Path, golfnet: Golfnet) -> None:
    out = golfnet("replay", record, "--style", "plain", "--coach", "A").out
    costs = [float(line.split()[5]) for line in out.splitlines() if line.startswith("Hole")]
    assert out.count("A hard bot: ") == len(costs) == 3
    assert min(costs) > 5, "it was played at random"
    assert "You " in out


@pytest.mark.parametrize("words", ["art --seat b", "plain --watch", "speech --all"])
def test_a_match_is_shown_in_every_style_from_every_view(cactus: Path, words: str, golfnet: Golfnet) -> None:
    status, out, _ = golfnet("replay", cactus, "--style", *words.split())
    assert status == 0
    assert "The match is over" in out
    assert "\x1b" not in out


def test_a_seat_sees_only_its_own_cards(cactus: Path, golfnet: Golfnet) -> None:
    peeks = [json.loads(line) for line in cactus.read_bytes().splitlines() if b'"peeked"' in line]
    own = next(peek for peek in peeks if peek["seat"] == "A")
    other = next(peek for peek in peeks if peek["seat"] != "A")
    for words, shown in (("--seat A", [own]), ("--all", [own, other]), ("--watch", [])):
        out = golfnet("replay", cactus, *words.split(), "--style", "plain", "--cards", "letters").out
        before_the_first_turn = out[: out.index("turn")]
        for peek in (own, other):
            assert all(card in before_the_first_turn for card in peek["cards"]) is (peek in shown)


def test_every_step_waits_for_a_key(record: Path, golfnet: Golfnet, monkeypatch: pytest.MonkeyPatch) -> None:
    left = answer(monkeypatch, "", "", "q", "never asked")
    out = golfnet("replay", record, "--step", "--style", "plain", "--seat", "A").out
    assert next(left) == "never asked"
    assert out.count("Stock ") == 3
    assert "turn." not in out
    answer(monkeypatch, "h", "", "H", "")  # h goes to the end of the hole
    out = golfnet("replay", record, "--step", "--style", "plain").out
    assert "wins with 59 points" in out
    assert out.count("The hole is over") == 2


def test_an_invalid_record_is_shown_up_to_its_first_error(tampered: Path, golfnet: Golfnet) -> None:
    lines = tampered.read_bytes().splitlines()
    at = next(number for number, line in enumerate(lines, 1) if b'"drew"' in line)
    status, out, err = golfnet("replay", tampered)
    assert status == 1
    assert "Hole 1 of 2" in out
    assert f"line {at}, stock" in err
