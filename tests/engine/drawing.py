"""Holes drawn as text and played with one-line commands, for the engine's tests.

A drawing shows the seats side by side, separated by ``|``, one line per row: ``7H`` face up, ``(7H)`` face down, ``-``
empty. In a drawing to be dealt, every card lies face down and is written without parentheses, and ``.`` stands for any
remaining card. The deck is stacked, and the engine deals it; no test constructs a ``Hole``.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Final, Self, TypeVar

import pytest

from golfnet.engine import legality, match as matches, play, views
from golfnet.engine.actions import action_text, parse_action
from golfnet.engine.cards import CARDS, SEAT_LETTERS, Card, Seat, parse_seat
from golfnet.engine.errors import IllegalAction
from golfnet.engine.events import Dealt, Event, HoleEnded, HoleStarted
from golfnet.engine.fairdeal import Scheme
from golfnet.engine.frozen import replaced
from golfnet.engine.hole import Hole
from golfnet.engine.rules import RuleSet
from golfnet.engine.variants import VARIANTS

NAMES: Final = ("Ann", "Ben", "Cem", "Dea", "Eli", "Fay", "Gus", "Hoa", "Ida", "Jon", "Kim", "Leo")
SEED: Final = bytes(range(32))

FOUR: Final = """
    7H 2C | 3S 4S
    7S 9C | 6S 7D
"""
THREE: Final = """
    7H 2C | 3S 4S | 10S 10H
    7S 9C | 6S 7D | 5S 8H
"""
SIX: Final = """
    7H 2C KD | 3S 4S 5S
    7S 9C AH | 6S 7D 8S
"""
"""Layouts to be dealt. Those with four cards per seat fit any deck."""

Cells = tuple[tuple[str, ...], ...]
AnyEvent = TypeVar("AnyEvent")


def rules(name: str, **changes: Any) -> RuleSet:
    """Return a built-in rule set with some fields changed."""
    return replaced(VARIANTS[name], **changes)


def cells(text: str) -> Cells:
    """Return what a drawing shows, for each seat in slot order."""
    rows = [[part.split() for part in line.split("|")] for line in text.strip().splitlines()]
    return tuple(tuple(cell for row in rows for cell in row[seat]) for seat in range(len(rows[0])))


def drawn(hole: Hole) -> Cells:
    """Return the layouts of a hole in the form that ``cells`` returns."""
    return tuple(
        tuple(
            "-" if slot is None else slot.card.text if slot.face_up else f"({slot.card.text})"
            for slot in layout
        )
        for layout in hole.layouts
    )


def stacked(
    rules: RuleSet, layouts: Cells, *, upcard: str, stock: str, rest: bool, dealer: int
) -> list[Card]:
    """Return a deck that gives the drawn layouts, the upcard and the stock, followed by the remaining cards."""
    seats = len(layouts)
    left = Counter(rules.deck_for(seats))
    order = [(seat + dealer + 1) % seats for seat in range(seats)]
    dealt = [layouts[seat][slot] for slot in range(rules.slots) for seat in order]
    words = [*dealt, *([upcard] if rules.upcard else []), *stock.split()]
    left.subtract(CARDS[word] for word in words if word != ".")
    if missing := [card.text for card, count in left.items() if count < 0]:
        raise ValueError(f"drawn more often than the deck contains: {missing}")
    others = iter(left.elements())
    deck = [next(others) if word == "." else CARDS[word] for word in words]
    return [*deck, *others] if rest else deck


@dataclass
class Played:
    """A match in play and its log. Lines are ``A swap 3``, ``all pass``, ``close`` (the window) or ``default play``."""

    match: matches.Match
    log: list[Event] = field(default_factory=list)

    @property
    def hole(self) -> Hole:
        hole = self.match.hole
        assert hole is not None
        return hole

    @property
    def ended(self) -> HoleEnded:
        ended = self.hole.ended
        assert ended is not None, "the hole goes on"
        return ended

    def plays(self, *lines: str) -> list[Event]:
        """Play lines one after the other; return all events."""
        return [event for line in lines for event in self._does(line)]

    def refuses(self, line: str) -> IllegalAction:
        """Return the refusal of a line; check that the match stays unchanged."""
        before = self.match
        with pytest.raises(IllegalAction) as refused:
            self._does(line)
        assert self.match is before
        assert str(refused.value) == refused.value.expected
        assert refused.value.expected.endswith("."), "a refusal says in a sentence what was expected"
        return refused.value

    def deals(self, seed: bytes = SEED) -> list[Event]:
        """Commit to the next hole and deal it fairly, without cuts."""
        events = self._keep(matches.commit(self.match, seed, Scheme.V1))
        return events + self._keep(matches.deal(self.match, ("",) * len(self.match.names)))

    def chosen(self) -> Self:
        """Make the first lawful start choices for every seat."""
        for seat in legality.awaited(self.hole):
            self.plays_default(seat)
        return self

    def plays_default(self, seat: int) -> list[Event]:
        """Play the default action of a seat, as the server does when the seat's clock has run out."""
        action = legality.default_action(self.hole, Seat(seat))
        assert action is not None
        return self._keep(matches.act(self.match, Seat(seat), action))

    def plays_to_end(self) -> list[Event]:
        """Play default actions for every seat until the hole has ended."""
        events: list[Event] = []
        while self.hole.ended is None:
            events += self.plays_default(legality.awaited(self.hole)[0])
        return events

    def default_line(self, seat: str) -> str | None:
        """Return the default action of a seat as a command, or None if it has no choice to make."""
        action = legality.default_action(self.hole, parse_seat(seat))
        return None if action is None else action_text(action, parse_seat(seat))

    def lines(self, seat: str) -> list[str]:
        """Return the commands a seat may send now."""
        number = parse_seat(seat)
        return [action_text(action, number) for action in legality.legal_actions(self.hole, number)]

    def view(self, seat: str | None) -> views.View:
        """Return what a seat sees, or what a watcher sees if ``seat`` is None."""
        return views.view(self.hole, None if seat is None else parse_seat(seat))

    def _does(self, line: str) -> list[Event]:
        match line.split():
            case ["all", "pass"]:
                letters = [SEAT_LETTERS[seat] for seat in self.hole.seats]
                return self.plays(*(f"{seat} pass" for seat in letters if "pass" in self.lines(seat)))
            case ["close"]:
                return self._keep(matches.close_window(self.match))
            case ["default", "play"]:
                return self.plays_to_end()
        letter, _, command = line.partition(" ")
        seat, window = parse_seat(letter), self.hole.window
        number = window.discard_no if window else self.hole.discard_no
        return self._keep(matches.act(self.match, seat, parse_action(command, seat, number)))

    def _keep(self, step: matches.Step) -> list[Event]:
        events, self.match = step
        self.log += events
        return list(events)


def begun(rules: RuleSet, *, seats: int, seed: bytes = SEED) -> Played:
    """Start a match and deal its first hole fairly, with the scheme used for all pinned deals."""
    played = Played(matches.Match("m1"))
    played._keep(matches.commit(played.match, seed, Scheme.V1))
    played._keep(matches.start(played.match, rules, NAMES[:seats]))
    played._keep(matches.deal(played.match, ("",) * seats))
    return played


def dealt(
    rules: RuleSet,
    layouts: str,
    *,
    upcard: str = ".",
    stock: str = "",
    rest: bool = True,
    leader: str = "A",
    totals: tuple[int, ...] | None = None,
) -> Played:
    """Deal a drawing: the first hole of a match, or the second one with the totals of the first.

    ``stock`` names the first cards of the stock; if ``rest`` is false, there are no others. The dealer sits to the
    leader's right.
    """
    drawing = cells(layouts)
    seats = len(drawing)
    rule_set = rules.for_seats(seats)
    first = parse_seat(leader)
    dealer = Seat((first - 1) % seats)
    deck = stacked(rule_set, drawing, upcard=upcard, stock=stock, rest=rest, dealer=dealer)
    on_table = rule_set.slots * seats
    played = Played(matches.Match("m1"))
    played._keep(matches.start(played.match, rules, NAMES[:seats]))
    if totals is not None:
        played.match = played.match._replace(totals=totals, scores=(totals,))
    played._keep(matches.commit(played.match, SEED, Scheme.V1))
    promised = played.match.next_deal
    assert promised is not None
    events: tuple[Event, ...] = (
        HoleStarted(
            hole=promised.hole,
            dealer=dealer,
            leader=first,
            commitment=promised.commitment,
            cuts=("",) * seats,
            context="",
        ),
        Dealt(
            stock=len(deck) - on_table - rule_set.upcard,
            discard=deck[on_table] if rule_set.upcard else None,
            discard_no=int(rule_set.upcard),
            deck=tuple(deck),
        ),
    )
    played._keep((events, reduce(matches.evolve, events, played.match)))
    following, _ = play.advance(played.hole)  # without start choices the first turn begins at once
    played._keep((following, reduce(matches.evolve, following, played.match)))
    return played


def names(events: Iterable[Event]) -> str:
    """Return the names of events, separated by spaces."""
    return " ".join(event.name for event in events)


def only(kind: type[AnyEvent], events: Iterable[Event]) -> AnyEvent:
    """Return the only event of a kind."""
    (found,) = [event for event in events if isinstance(event, kind)]
    return found
