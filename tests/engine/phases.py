"""A small two-seat hole in each phase and in some special states. If any seat has the turn, it is seat A."""

from typing import Final

from tests.engine.drawing import Played
from tests.engine.scenes import played

PHASES: Final = dict(
    line.split(maxsplit=1)
    for line in """
start     four-card-knock: FOUR; before the start choices
flipping  six-card: SIX; before the start choices
one_owed  four-turn: FOUR; before the start choices => A peek 3
chosen    four-card-knock: FOUR; before the start choices => A peek 1 2
turn      four-card-knock: FOUR; upcard 9S
holding   four-card-knock: FOUR; upcard 9S => A draw
taken     four-card-knock: FOUR; upcard 9S => A take
flip      six-card: SIX => A draw, discard
power     cactus: FOUR; stock JC 5D => A draw, discard
window    cactus: FOUR; stock 7C 5D => A draw, discard
slammed   cactus: FOUR; stock 7C 5D => A draw, discard, slam 1
gift      cactus: FOUR; stock 7C 5D => A draw, discard; B slam A1
over      cactus: FOUR; whole stock 5D => A draw
all_up    multiples reveal=on rows=1: 7H 2C | 3S 4S => A flip 1; B draw, discard; A flip 2; B draw, discard
locked    multiples lock=on: FOUR; upcard 9S => A take 2; B draw, discard
emptied   cactus: FOUR; stock 7C => A draw, discard; B slam 4; all pass
moved     cactus rows=1: JH 2C | 3S 4S; stock JC => A draw, discard; B slam A1, give 1; A switch 2 B2
shown     cactus rows=1 start=flip-any-1: 2H 7C | 3S 7H; stock 7D 7S JC => \
A draw, discard, slam 2; close; B draw, discard, slam 2; close; A draw, discard
""".strip().split("\n")
)
"""The deal and the play that lead to each phase, written as in a scene."""


def at(phase: str) -> Played:
    """Return the hole in a phase."""
    deal, _, play = PHASES[phase].partition(" => ")
    return played(deal, *([play] if play else []))
