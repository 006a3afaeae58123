"""Every rule set has a lesson: at each step it names keys that work, and its text fits the window."""

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from golfnet.engine.options import as_options, override
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies.replies import TableView
from golfnet.rulesets import catalogue
from golfnet_client.screens.choices import choices
from golfnet_client.screens.headline import headline, lesson
from golfnet_client.screens.lobby_screen import about
from tests.client import tables
from tests.golden import GoldenFiles

GOLDEN = Path(__file__).parents[1] / "golden" / "lessons.txt"
LONGEST = 150
"""A text of this many characters always fits into two lines of 80 columns."""


def a_turn(variant: str, phase: str, *actions: str, **changes: object) -> TableView:
    slots = " ".join(["?"] * VARIANTS[variant].slots)
    return tables.a_view(variant, slots, slots, phase=phase, actions=actions, **changes)


def steps() -> Iterator[tuple[str, str, TableView]]:
    """Yield the rule set, the name and the view of each step of a hole."""
    for variant, rules in VARIANTS.items():
        turn = a_turn(variant, "turn", "draw", "take")
        swaps = tuple(f"swap {slot}" for slot in range(1, rules.slots + 1))
        held = a_turn(variant, "holding", "discard", *swaps, holding="A", drawn="5S")
        yield variant, "your turn", turn
        yield variant, "a drawn card", held
        yield variant, "a card taken", replace(held, actions=swaps)
        yield variant, "another's turn", replace(turn, actions=(), turn="B")
        yield variant, "another's turn, who closed", replace(turn, actions=(), turn="B", closer="B")
        yield variant, "the end", replace(turn, state="finished", actions=("rematch",))
    yield "cactus", "start", a_turn("cactus", "start", "peek 3", "peek 4", "peek 3 4", turn=None, owed=(2, 2))
    knock = a_turn("cactus", "turn", "draw", "knock")
    for turns in (1, 2):
        seats = tuple(replace(seat, turns=turns) for seat in knock.seats)
        yield "cactus", f"a turn with a knock, after {turns} turns", replace(knock, seats=seats)
    yield "cactus", "a queen", a_turn("cactus", "holding", "discard", "swap 1", holding="A", drawn="QS")
    power = ("peek A1", "peek B1", "switch", "decline")
    yield "cactus", "your power", a_turn("cactus", "power", *power, targets=("A1", "B1"))
    slam = tables.cactus()
    yield "cactus", "a slam", slam
    both = ("peek B1", "decline", "pass", "switch", "slam")
    yield "cactus", "a slam and your power", replace(slam, phase="power", turn="A", actions=both)
    yield "cactus", "a slam and another's power", replace(slam, phase="power")
    yield "cactus", "a gift", a_turn("cactus", "give", "give 1", "give 2", owes="A")
    flips = tuple(f"flip {slot}" for slot in range(1, 7))
    pairs = tuple(f"flip {one} {other}" for one in range(1, 7) for other in range(one + 1, 7))
    first = a_turn("six-card", "start", *flips, *pairs, turn=None, owed=(2, 2))
    yield "six-card", "start", first
    yield "six-card", "start, one turned up", replace(first, actions=flips[:1] + flips[2:])
    yield "six-card", "a discard", a_turn("six-card", "flip", "flip 2", "pass")
    one_row = as_options(override(VARIANTS["six-card"], {"rows": 1, "columns": 4}))
    waiting = tables.a_view("six-card", "? ? ? ?", "? ? ? ?", phase="turn", turn="B", options=one_row)
    yield "six-card in one row", "another's turn", waiting


def test_the_lesson_for_each_step_of_a_hole_names_its_keys(golden: GoldenFiles) -> None:
    told: dict[tuple[str, str], list[str]] = {}
    for variant, step, view in steps():
        model, tip = tables.a_model(view), lesson(view)
        assert 0 < len(tip) <= LONGEST
        model.cursor = "A1"
        keys = " ".join(choice.key for choice in choices(model))
        said = f"    {headline(model)[0]}  [{keys}]\n    {tip}\n"
        told.setdefault((step, said), []).append(variant)
    texts = [f"{step} ({', '.join(variants)})\n{said}" for (step, said), variants in told.items()]
    golden.check(GOLDEN, "".join(sorted(texts)))


def test_every_rule_set_has_its_own_short_description() -> None:
    texts = {name: about(rules) for name, rules in catalogue().items()}
    assert len(set(texts.values())) == len(texts)
    for name, text in texts.items():
        assert len(text) <= 54, "it fits beside the longest name in 80 columns"
        assert f"{catalogue()[name].rows}x{catalogue()[name].columns} cards" in text
    assert "column" not in about(override(VARIANTS["six-card"], {"rows": 1, "columns": 4}))
