"""The status of a table and hints: titles, what it is waiting for, remarks on seats, totals, what to type."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from golfnet.engine.cards import Seat
from golfnet.engine.variants import CACTUS, SIX_CARD, VARIANTS
from golfnet.protocol.commands.settings import Cards, Settings
from golfnet.protocol.replies.replies import FillingView, Prompt, SlamView, offer_of
from golfnet.protocol.text.status import hint, marks, notes, own_points, status, title, totals, voice_for
from golfnet.protocol.text.typeset import unpainted
from tests.protocol.tabletop import NAMES, Tabletop, dealt

SETTINGS = Settings(cards=Cards.LETTERS)


def test_a_title_names_the_rules_and_the_table() -> None:
    view = dealt(SIX_CARD)
    assert title(view) == "t12, six-card, hole 1 of 9"
    assert title(replace(view, name="Friday", hole=0)) == 't12 "Friday", six-card'
    assert title(dealt(CACTUS)) == "t12, cactus, hole 1, to 25 points"


SEATS = dealt(SIX_CARD).seats
PLAYED: dict[str, Any] = {"scores": ((1, 2, 3),)}
WINDOW = SlamView(discard_no=3, card="QS", ms=2500, mode="race")
TURN = {"phase": "turn", "turn": "B"}
POWER = {"phase": "power", "turn": "A", "slam": WINDOW}
SEALED = tuple([replace(seat, seal="0f" * 32, told=seat.seat == "B") for seat in SEATS])
SEALING: dict[str, Any] = {"state": "between", "sealing_ms": 2_500}
OPEN: list[tuple[dict[str, Any], str]] = [
    (
        {"filling": FillingView(level="easy", ms=25_000)},
        "Easy bots will join in 25 seconds, as many as are needed.",
    ),
    ({"starts_ms": 4_500}, "The match begins in 5 seconds, or as soon as everybody is ready."),
    ({"seats": (replace(SEATS[0], present=False), *SEATS[1:])}, "Waiting for Ann."),
]
SEALS = [
    (SEALED, "Send your sealed text within 3 seconds; type: cut TEXT"),
    ((replace(SEALED[0], told=True), *SEALED[1:]), "Waiting up to 3 seconds for the sealed text of Cid (C)."),
]
NEXT: list[tuple[dict[str, Any], str]] = [
    (SEALING, "in a moment."),
    ({"state": "between"}, "as soon as everybody is ready."),
]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"owed": (2, 0, 0)}, "You still have to turn up two cards."),
        ({"owed": (0, 0, 1)}, "Cid (C) still has to turn up one card."),
        ({"owed": (1, 2, 0)}, "You and Bob (B) still have to turn up cards."),
        ({"owed": (0,) * 3}, "Nobody still has to turn up cards."),
        ({"owed": (2,) * 8}, "You and seven others still have to turn up two cards."),
        ({"owed": (0, *(2,) * 7)}, "Seven players still have to turn up two cards."),
        (TURN | {"phase": "holding", "holding": "B", "drawn": "7H"}, "Bob (B) holds 7H."),
        (TURN | {"phase": "holding", "holding": "A", "drawn": "7H"}, "You hold 7H."),
        (TURN | {"phase": "flip"}, "Bob (B) may turn up a card."),
        (TURN | {"phase": "slam", "slam": WINDOW}, "QS may be slammed for 3 seconds."),
        (TURN | {"phase": "slam", "slam": replace(WINDOW, ms=250)}, "QS may be slammed for 1 second."),
        (TURN | {"phase": "slam", "slam": replace(WINDOW, won=True)}, "QS has been slammed."),
        (POWER, "You may use a power. QS may be slammed for 3 seconds."),
        (TURN | {"phase": "give", "owes": "C"}, "Cid (C) has to give a card."),
        (TURN | {"phase": "over"}, "The hole is over."),
        *(({"state": "open"} | more, f"All seats are taken. {said}") for more, said in OPEN),
        *((SEALING | {"seats": seats}, f"Sealing is closed. {said}") for seats, said in SEALS),
        ({"state": "between"}, "The match has started. The first hole will be dealt in a moment."),
        *((PLAYED | more, f"The hole is over. The next hole will be dealt {said}") for more, said in NEXT),
    ],
)
def test_the_status_says_what_the_table_is_waiting_for(changes: dict[str, Any], said: str) -> None:
    names = NAMES[: len(changes.get("owed", "ABC"))]
    view = replace(dealt(SIX_CARD, names), **changes)
    assert unpainted(status(view, voice_for(view, SETTINGS))) == said


def test_seats_show_roles_absence_readiness_and_whose_turn_it_is_unless_it_is_yours() -> None:
    view = replace(dealt(SIX_CARD, NAMES[:4]), phase="turn", turn="B", closer="A")
    assert [marks(seat, view) for seat in view.seats] == [["knocked"], ["to play"], ["bot"], ["away"]]
    assert marks(view.seats[1], replace(view, you="B")) == []
    waiting = replace(view, state="open", seats=(replace(view.seats[0], ready=True),))
    assert notes(waiting.seats[0], waiting) == ["host", "ready", "knocked"]


def test_totals_are_shown_after_the_first_finished_hole() -> None:
    view = dealt(SIX_CARD)
    assert totals(view, voice_for(view, SETTINGS)) == ""
    assert own_points(view.seats[0], view, SETTINGS) == []
    seats = tuple(replace(seat, total=9 - at) for at, seat in enumerate(view.seats))
    later = replace(view, seats=seats, scores=((9, 8, 7),))
    assert totals(later, voice_for(later, SETTINGS)) == "Totals after one hole: Cid (C) 7, Bob (B) 8, you 9."
    assert own_points(seats[1], later, SETTINGS) == ["8 points"]


# --- hints: one sentence that names exactly the actions of a prompt; the golden files show the most common ones


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


@pytest.mark.parametrize(("phase", "lines", "text"), rows(HINTS + SPOKEN))
def test_a_hint_names_all_possible_actions_without_short_forms_and_clocks_in_speech(
    phase: str, lines: str, text: str
) -> None:
    offer, is_spoken = offer_of(tuple(lines.split(", ")), ("A1", "A2", "B1")), text in SPOKEN
    assert hint(phase, offer, you="A", ms=60_000 if is_spoken else None, is_spoken=is_spoken) == text


def test_a_hint_says_how_much_time_is_left() -> None:
    knock, flip = offer_of(("draw", "knock")), offer_of(("flip 2", "flip 3"))
    assert hint("turn", knock, you="A", ms=60_000) == "You can draw (d) or knock (k) within 60 seconds."
    assert " cards within 10 seconds: type flip SLOT" in hint("start", flip, you="A", ms=9500)


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
