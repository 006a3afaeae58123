"""Hints: one sentence that names exactly the actions of a prompt; the golden files show the most common ones."""

import re

import pytest

from golfnet.engine.layout import Seat
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies.replies import Prompt, offer_of
from golfnet.protocol.text.status import hint
from tests.protocol.tabletop import NAMES, Tabletop

ALL_TARGETS = ("A1", "A2", "B1")


HINTS = """
    turn: draw = You can draw (d).
    turn: draw, take, take 1, take 2, take 3, knock = You can draw (d), take SLOT (t 1) or knock (k).
    turn: draw, take, take 1, take 2, take 3, flip 2, flip 3 = You can draw (d), take SLOT (t 1) or flip 2 or 3 (f 2).
    turn: draw, take, take 2, take 4 = You can draw (d) or take 2 or 4 (t 2).
    turn: draw, take, take 1 = You can draw (d) or take 1 (t 1).
    start: flip 2, flip 3 = Turn up one of your cards: type flip SLOT (f 2).
    power: peek 1, peek B1, decline, switch = You have a power: you can peek POSITION (peek 1), \
switch POSITION POSITION (switch 1 B1) or decline.
    power: decline, pass = You have a power: you can pass (p) or decline.
    give: give 1, give 4 = You must give 1 or 4 (g 1).
    between: ready = You can type ready (r).
"""
SPOKEN = """
    slam: pass, slam = You can slam a position, pass or pass hole, which passes all windows.
    turn: draw, take, take 1, take 2, knock = You can draw, take the discard into a slot or knock.
    turn: draw, take, take 2, take 4 = You can draw or take the discard into slot 2 or 4.
    power: peek 1, decline, pass, switch, slam = You have a power: you can peek a position, switch two positions or \
decline, which uses no power. You can also slam a position or pass, which means no slam.
"""
"""Rows of a phase, the commands that may be sent, and the hint."""


def rows(table: str) -> list[tuple[str, ...]]:
    return re.findall(r"(\w+): (.+) = (.+)", table)


@pytest.mark.parametrize(("phase", "lines", "text"), rows(HINTS))
def test_a_hint_names_all_possible_actions(phase: str, lines: str, text: str) -> None:
    offer = offer_of(tuple(lines.split(", ")), ALL_TARGETS)
    assert hint(phase, offer, you="A", ms=None) == text


@pytest.mark.parametrize(("phase", "lines", "text"), rows(SPOKEN))
def test_a_screen_reader_gets_neither_short_forms_nor_clocks(phase: str, lines: str, text: str) -> None:
    offer = offer_of(tuple(lines.split(", ")), ("A1", "B1"))
    assert hint(phase, offer, ms=60_000, is_spoken=True) == text


def test_a_hint_says_how_much_time_is_left() -> None:
    knock, flip = offer_of(("draw", "knock")), offer_of(("flip 2", "flip 3"))
    assert hint("turn", knock, you="A", ms=60_000) == "You can draw (d) or knock (k) within 60 seconds."
    assert hint("start", flip, you="A", ms=9500) == (
        "Turn up one of your cards within 10 seconds: type flip SLOT (f 2)."
    )


def test_hints_name_every_verb_of_every_prompt_in_every_rule_set() -> None:
    for rules in VARIANTS.values():
        table = Tabletop(rules, NAMES[:3], Seat(0), seed=7)
        for reply in table.replies(holes=1):
            if isinstance(reply, Prompt):
                text = hint(reply.phase, reply.offer, you="A", ms=reply.ms)
                assert text.count("\n") == 0
                verbs = {action.split()[0] for action in reply.actions}
                assert all(verb in text for verb in verbs), text
                assert len(text) < 240
