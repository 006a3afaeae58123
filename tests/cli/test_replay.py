from __future__ import annotations

import builtins
import json
from typing import TYPE_CHECKING

import pytest

from golfnet.cli.main import main
from tests.storage.matches import record_of, rules_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def cactus(tmp_path: Path) -> Path:
    path = tmp_path / "cactus.jsonl"
    path.write_bytes(b"".join(record_of(rules_of("cactus"), seed=2)))
    return path


def answer(monkeypatch: pytest.MonkeyPatch, *answers: str) -> Iterator[str]:
    """Answer the prompts after each step, then close the input."""
    left = iter(answers)

    def ask(prompt: str = "") -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr(builtins, "input", ask)
    return left


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["replay", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(("words", "shows_the_first"), [([], True), (["--hole", "2"], False)])
def test_a_match_is_shown_from_the_start_or_from_a_given_hole(
    record: Path, capsys: pytest.CaptureFixture[str], words: list[str], shows_the_first: bool
) -> None:
    out = shown(capsys, str(record), "--style", "plain", *words)
    assert ("Hole 1 of 2" in out) is shows_the_first
    assert "Hole 2 of 2" in out
    assert "Ann (A) wins with 56 points." in out


def test_the_coach_shows_the_three_costliest_choices_of_a_seat(
    record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = shown(capsys, str(record), "--style", "plain", "--coach", "A")
    costs = [float(line.split()[5]) for line in out.splitlines() if line.startswith("Hole")]
    assert out.count("A hard bot: ") == len(costs) == 3
    assert min(costs) > 5, "it was played at random"
    assert "You " in out


@pytest.mark.parametrize("words", ["art --seat b", "plain --watch", "speech --all"])
def test_a_match_is_shown_in_every_style_and_from_every_viewpoint(
    cactus: Path, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = shown(capsys, str(cactus), "--style", *words.split())
    assert "The match is over" in out
    assert "\x1b" not in out


def test_a_seat_sees_only_its_own_cards(cactus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    peeks = [json.loads(line) for line in cactus.read_bytes().splitlines() if b'"peeked"' in line]
    own = next(peek for peek in peeks if peek["seat"] == "A")
    other = next(peek for peek in peeks if peek["seat"] != "A")
    mine = shown(capsys, str(cactus), "--seat", "A", "--style", "plain", "--cards", "letters")
    all_of_it = shown(capsys, str(cactus), "--all", "--style", "plain", "--cards", "letters")
    watched = shown(capsys, str(cactus), "--watch", "--style", "plain", "--cards", "letters")

    def looks(out: str, peek: dict[str, list[str]]) -> bool:
        head = out[: out.index("turn")]
        return all(card in head for card in peek["cards"])

    assert looks(mine, own)
    assert not looks(mine, other)
    assert looks(all_of_it, own)
    assert looks(all_of_it, other)
    assert not looks(watched, own)


def test_steps_show_the_table_and_wait(
    record: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    left = answer(monkeypatch, "", "", "q", "never asked")
    out = shown(capsys, str(record), "--step", "--style", "plain", "--seat", "A")
    assert next(left) == "never asked"
    assert out.count("Stock ") == 3
    assert "turn." not in out


def test_a_step_can_go_to_the_end_of_the_hole(
    record: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, "h", "", "H", "")
    out = shown(capsys, str(record), "--step", "--style", "plain")
    assert "wins with 56 points" in out
    assert out.count("The hole is over") == 2


def test_an_invalid_record_is_shown_up_to_its_first_error(
    record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = record.read_bytes().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if b'"drew"' in line)
    lines[at] = lines[at].replace(b'"stock":', b'"stock":1')
    record.write_bytes(b"".join(lines))
    assert main(["replay", str(record)]) == 1
    captured = capsys.readouterr()
    assert "Hole 1 of 2" in captured.out
    assert f"line {at + 1}, stock" in captured.err


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["none.jsonl"], 2, "No such file"),
        (["RECORD", "--seat", "L"], 1, "expected a seat L, found 3 seats"),
    ],
)
def test_an_impossible_replay_is_reported(
    record: Path, words: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", *[str(record) if word == "RECORD" else word for word in words]]) == status
    assert said in capsys.readouterr().err
