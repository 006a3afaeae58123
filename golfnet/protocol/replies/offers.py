"""What a seat may do now: the engine's choices written as the lines of a prompt, and those lines parsed, once.

A line is a verb with its arguments. Pairs to switch and cards to slam would be too many lines: there the verb stands
bare, and ``targets`` are its positions. Hints, completion, keys and bots ask an ``Offer`` and parse no lines.
"""

from collections.abc import Collection
from functools import lru_cache

from msgspec import Struct

from golfnet.engine.actions import Action
from golfnet.engine.layout import Position, Seat
from golfnet.engine.legality import Choices
from golfnet.engine.notation import parse_action, parse_position, position_text

Arguments = tuple[tuple[str, ...], ...]
"""What may follow a verb: the words of each of its lines, none for the line where it stands alone."""


class Offer(Struct, frozen=True):
    """What may be sent now: ``arguments`` has the words that may follow each verb, in the order of the lines."""

    lines: tuple[str, ...]
    targets: tuple[str, ...]
    arguments: dict[str, Arguments]

    def __contains__(self, verb: str) -> bool:
        """Tell whether there is a line with the verb."""
        return verb in self.arguments

    def after(self, verb: str) -> Arguments:
        """Return what may follow a verb, without the line where it stands alone."""
        return tuple([words for words in self.arguments.get(verb, ()) if words])

    @property
    def most(self) -> int:
        """How many arguments the longest line has."""
        return max([len(words) for each in self.arguments.values() for words in each], default=0)


@lru_cache(maxsize=1024)
def offer_of(lines: tuple[str, ...], targets: tuple[str, ...] = ()) -> Offer:
    """Return the offer of command lines and targets."""
    arguments: dict[str, Arguments] = {}
    for line in lines:
        verb, *words = line.split() or [""]
        arguments[verb] = (*arguments.get(verb, ()), tuple(words))
    return Offer(lines, targets, arguments)


def worthwhile(lines: tuple[str, ...], *, is_won: bool) -> tuple[str, ...]:
    """Return the lines that are worth telling a person: in a slam window that is won, a slam can only be late.

    Who has passed in a race may slam after all, and knows it.
    """
    if not is_won and ("slam" not in lines or "pass" in lines):
        return lines
    return tuple([line for line in lines if line not in ("slam", "pass")])


def choices_to_wire(choices: Choices, seat: Seat) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a seat's choices as command lines and targets."""
    actions, switchable, slammable = choices
    lines = choices.lines(seat) if actions else ()
    if not (switchable or slammable):
        return lines, ()
    pairs = ("switch",) if len(switchable) >= 2 else ()
    slams = ("slam",) if slammable else ()
    return (*lines, *pairs, *slams), _targets(switchable or slammable)


def choices_from_wire(offer: Offer, seat: Seat, moved: Collection[Position]) -> Choices:
    """Return what is offered; beside a power ``targets`` are those of the power, of which some have ``moved``."""
    targets = _positions(offer.targets)
    return Choices(
        actions=_actions(offer.lines, seat),
        switchable=targets if "decline" in offer else (),
        slammable=tuple([at for at in targets if at not in moved]) if "slam" in offer else (),
    )


@lru_cache(maxsize=64)
def _targets(positions: tuple[Position, ...]) -> tuple[str, ...]:
    """Return positions as targets: for all seats at a table they are the same."""
    return tuple([position_text(at) for at in positions])


@lru_cache(maxsize=1024)
def _actions(lines: tuple[str, ...], seat: Seat) -> tuple[Action, ...]:
    """Return the actions of command lines but bare pairs and slams, and but lines that are not known here."""
    actions = []
    for line in lines:
        try:
            actions.append(parse_action(line, seat))
        except ValueError:
            continue
    return tuple(actions)


@lru_cache(maxsize=1024)
def _positions(texts: tuple[str, ...]) -> tuple[Position, ...]:
    return tuple(map(parse_position, texts))
