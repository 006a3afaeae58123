"""What a seat may do now: the engine's choices as lines of a prompt, and these lines parsed.

A line is a verb with its arguments. Switches and slams would need too many lines: their verbs stand alone, and
``targets`` has the positions. Hints, completion, keys and bots use an ``Offer`` instead of parsing lines.
"""

from collections.abc import Collection
from functools import lru_cache

from msgspec import Struct

from golfnet.engine.actions import Action
from golfnet.engine.layout import Position, Seat
from golfnet.engine.legality import Choices
from golfnet.engine.notation import parse_action, parse_position, position_text

Arguments = tuple[tuple[str, ...], ...]
"""The possible arguments of a verb: the words of each of its lines, empty for a line with the verb alone."""


class Offer(Struct, frozen=True):
    """What may be sent now: ``arguments`` maps each verb to its possible arguments, in the order of the lines."""

    lines: tuple[str, ...]
    targets: tuple[str, ...]
    arguments: dict[str, Arguments]

    def __contains__(self, verb: str) -> bool:
        """Return whether there is a line with the verb."""
        return verb in self.arguments

    def after(self, verb: str) -> Arguments:
        """Return the possible arguments of a verb, leaving out a line that has none."""
        return tuple([words for words in self.arguments.get(verb, ()) if words])

    @property
    def most(self) -> int:
        """The largest number of arguments in a line."""
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
    """Return the lines worth showing to a person: no slam or pass once the window is won or the seat has passed.

    A slam in a window already won can only be late. In a race, players may still slam after a pass, and they know it.
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
    """Return the choices in an offer; with a power, ``targets`` may include ``moved`` cards, which nobody may slam."""
    targets = _positions(offer.targets)
    return Choices(
        actions=_actions(offer.lines, seat),
        switchable=targets if "decline" in offer else (),
        slammable=tuple([at for at in targets if at not in moved]) if "slam" in offer else (),
    )


@lru_cache(maxsize=64)
def _targets(positions: tuple[Position, ...]) -> tuple[str, ...]:
    """Return positions as targets; cached, because they are the same for all seats at a table."""
    return tuple([position_text(at) for at in positions])


@lru_cache(maxsize=1024)
def _actions(lines: tuple[str, ...], seat: Seat) -> tuple[Action, ...]:
    """Return the actions of command lines, skipping unknown lines and verbs whose arguments are not listed."""
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
