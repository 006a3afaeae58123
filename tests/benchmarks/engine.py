"""How fast the engine is: random legal play of whole matches, for every rule set and several numbers of seats.

Each action is measured in three parts: what the seat may do (``legal_actions``), doing it (``match.act``: decide and
evolve, deals and ends of holes apart), and the mover's view after it. Machines differ and so do their busy hours, so
the last column gives the sum in units of a fixed piece of Python work, measured between the same actions.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
from random import Random
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

from golfnet.engine import match as matches
from golfnet.engine.layout import Seat
from golfnet.engine.legality import awaited, legal_actions
from golfnet.engine.views import view
from golfnet.rulesets import catalogue
from tests.engine.drawing import NAMES
from tests.engine.random_play import choose

if TYPE_CHECKING:
    from golfnet.engine.match import Match
    from golfnet.engine.rules import RuleSet

EVERY: Final = 500
"""Actions measured together, with the fixed piece of work before and after them."""


class Times(NamedTuple):
    """Seconds for one action in each part, and for the fixed piece of work at that time."""

    legal: float
    act: float
    view: float
    unit: float

    @property
    def total(self) -> float:
        return self.legal + self.act + self.view


def main() -> None:
    """Print the table, or a profile of one rule set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rule_sets", nargs="*", metavar="RULE-SET", help=f"of {', '.join(catalogue())}")
    parser.add_argument("--actions", type=int, default=20_000, help="actions for each line (20000)")
    parser.add_argument("--profile", action="store_true", help="show where the time goes instead")
    asked = parser.parse_args()
    if unknown := set(asked.rule_sets) - set(catalogue()):
        parser.error(f"no such rule set: {', '.join(unknown)}")
    chosen = [catalogue()[name] for name in asked.rule_sets or catalogue()]
    if asked.profile:
        for rules in chosen:
            show_profile(rules, asked.actions)
        return
    print(
        f"{'µs for each action':>24}  {'legal':>6} {'act':>6} {'view':>6} {'all':>6} {'actions/s':>10} {'units':>6}"
    )
    for rules in chosen:
        for seats in sorted({rules.seats.low, min(4, rules.seats.high), rules.seats.high}):
            print(f"{rules.name:>16} by {seats:>2}:  {line(play(rules, seats, asked.actions))}")


def line(measured: list[Times]) -> str:
    """Return the medians of measurements, which a busy moment does not move."""
    legal, act, view = (median(part) * 1e6 for part in list(zip(*measured, strict=True))[:3])
    total = median(times.total for times in measured)
    units = median(times.total / times.unit for times in measured)
    return f"{legal:6.2f} {act:6.2f} {view:6.2f} {total * 1e6:6.2f} {1 / total:10,.0f} {units:6.2f}"


def play(rules: RuleSet, seats: int, actions: int, seed: int = 1) -> list[Times]:
    """Play whole matches until there were so many actions; return the measurements."""
    chance, match = Random(seed), matches.Match("over", places=())
    measured = []
    before = piece_of_work()
    for _ in range(max(1, actions // EVERY)):
        legal = act = seen = 0.0
        for _ in range(EVERY):
            match = in_play(match, rules, seats, chance)
            hole = match.hole
            assert hole is not None
            seat = chance.choice(awaited(hole))
            start = perf_counter()
            lawful = legal_actions(hole, seat)
            listed = perf_counter()
            action = choose(lawful, chance)
            asked = perf_counter()
            _, match = matches.act(match, seat, action)
            done = perf_counter()
            assert match.hole is not None
            view(match.hole, seat)
            seen += perf_counter() - done
            act += done - asked
            legal += listed - start
        after = piece_of_work()
        measured.append(Times(legal / EVERY, act / EVERY, seen / EVERY, (before + after) / 2))
        before = after
    return measured


def in_play(match: Match, rules: RuleSet, seats: int, chance: Random) -> Match:
    """Return the match with a hole in play: itself, with its next hole dealt, or a new match."""
    if match.is_playing:
        return match
    if match.places is not None:
        _, match = matches.start(matches.Match(f"m{chance.random()}"), rules, NAMES[:seats])
    _, match = matches.commit(match, chance.randbytes(32))
    return matches.deal(match, ("",) * seats)[1]


def piece_of_work() -> float:
    """Return the seconds that a microsecond or so of plain Python takes: calls, tuples, attributes, a dictionary."""
    start = perf_counter()
    for number in range(1_000):
        seat = Seat(number % 4)
        slots = (*range(seat, seat + 4), number)
        found = {slot: (seat, slot) for slot in slots}
        if found[seat].count(seat) + len(slots) < seat:
            break
    return (perf_counter() - start) / 1_000


def show_profile(rules: RuleSet, actions: int) -> None:
    """Print where the time goes, by function."""
    profile = cProfile.Profile()
    profile.enable()
    play(rules, min(4, rules.seats.high), actions)
    profile.disable()
    print(rules.name)
    pstats.Stats(profile).sort_stats("tottime").print_stats(25)
