"""Brief speech: somebody who only listens can follow the game."""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import pytest
import trio

from golfnet.engine.cards import CARDS as ALL_CARDS, EMPTY, HIDDEN, Seat, parse_seat
from golfnet.protocol.replies.replies import TableView
from golfnet.protocol.text.words import slot_words
from golfnet.server.table.table import Table
from tests.server.house import choose_line, open_house

pytestmark = pytest.mark.usefixtures("virtual_time")

CARDS: Final = {slot_words(card): card for card in ALL_CARDS}
"""Every card by its spoken name."""
CARD: Final = r"(?:the )?((?:\w+ of \w+)|joker)"
WHO: Final = r"(You|Bob)"
AT: Final = r"(?:(your) |(?:Bob's|their own) )?slot (\d+)(?: \(\w+\))?"

GAMES: Final = ("six-card holes=4", *[f"cactus slam={mode} target=60" for mode in ("race", "order", "lot")])
"""The games that are played; each is for two players."""


@dataclass
class Listener:
    """What a player in seat A of a table for two knows from listening alone."""

    width: int
    cards: dict[str, dict[int, str]] = field(default_factory=dict)
    """By seat and slot: a card, or empty if it is unknown; slots without a card are omitted."""
    pile: list[str] = field(default_factory=list)
    drawn: str = ""
    turn: str = ""
    totals: dict[str, int] = field(default_factory=lambda: {"A": 0, "B": 0})

    def hear(self, line: str) -> None:
        for pattern, understand in _SENTENCES.items():
            if found := pattern.match(line):
                understand(self, *found.groups())
                return

    def deal(self, card: str | None) -> None:
        self.cards = {seat: dict.fromkeys(range(1, self.width + 1), "") for seat in "AB"}
        self.pile = [CARDS[card]] if card else []

    def begin(self, whose: str) -> None:
        self.turn = "A" if whose == "Your" else "B"

    def draw(self, card: str) -> None:
        self.drawn = CARDS[card]

    def put(self, who: str, card: str | None, slot: str, discarded: str) -> None:
        own = who == "You"
        self.cards[_seat(who)][int(slot)] = CARDS[card] if card else self.drawn if own else ""
        self.pile.append(CARDS[discarded])

    def take(self, who: str, card: str, slot: str | None, discarded: str | None) -> None:
        assert self.pile.pop() == CARDS[card]
        if slot is None:
            self.drawn = CARDS[card]
        else:
            assert discarded is not None
            self.put(who, card, slot, discarded)

    def discard(self, who: str, card: str | None) -> None:
        self.pile.append(CARDS[card] if card else self.drawn)

    def see(self, who: str, slot: str, card: str) -> None:
        self.cards[_seat(who)][int(slot)] = CARDS[card]

    def look(self, slots: str, cards: str) -> None:
        for slot, card in zip(re.findall(r"\d+", slots), re.findall(CARD, cards), strict=True):
            self.cards["A"][int(slot)] = CARDS[card]

    def look_away(self, slot: str, card: str) -> None:
        self.cards["B"][int(slot)] = CARDS[card]

    def slam(self, who: str, own: str | None, other: str | None, slot: str, card: str, result: str) -> None:
        seat = "A" if own else "B" if other else _seat(who)
        self.cards[seat][int(slot)] = CARDS[card]
        if result == "Right":
            self.pile.append(self.cards[seat].pop(int(slot)))

    def penalize(self, who: str, yours: str | None, source: str | None, slot: str) -> None:
        card = "" if source is None else self.cards["A" if yours else "B"].pop(int(source))
        self.cards[_seat(who)][int(slot)] = card

    def give(self, who: str, card: str | None, slot: str, yours: str | None, to: str) -> None:
        self.cards["A" if yours else "B"][int(to)] = self.cards[_seat(who)].pop(int(slot))

    def switch(self, yours: str | None, first: str, yours_too: str | None, second: str) -> None:
        one, other = self.cards["A" if yours else "B"], self.cards["A" if yours_too else "B"]
        one[int(first)], other[int(second)] = other[int(second)], one[int(first)]

    def agrees_with(self, table: Table) -> None:
        """Check that the listener knows everything that a picture of the table would show, and is right about it."""
        view, hole = table.broadcast.view(Seat(0)), table.hole
        assert hole is not None
        assert self.turn == view.turn
        assert (self.pile[-1] if self.pile else None) == view.discard
        for seat in view.seats:
            shown = dict(enumerate(seat.slots, 1))
            known, layout = self.cards[seat.seat], hole.layouts[parse_seat(seat.seat)]
            assert known.keys() == {slot for slot, card in shown.items() if card != EMPTY}
            for slot, card in known.items():
                held = layout[slot - 1]
                assert held is not None
                assert card in ("", held.card.text)
                assert card or shown[slot] == HIDDEN

    def score(self, who: str, points: str, total: str | None) -> None:
        self.totals[_seat(who)] = int((total or points).replace("minus ", "-"))


def _seat(who: str) -> str:
    return "A" if who == "You" else "B"


_PATTERNS: Final[dict[str, Callable[..., None]]] = {
    rf"The cards are dealt. The discard pile (?:is empty|shows {CARD});": Listener.deal,
    r"(Your|Bob's) (?:last )?turn": Listener.begin,
    rf"You draw {CARD}": Listener.draw,
    rf"{WHO} (?:puts? (?:it|{CARD}) in|draws into) slot (\d+), discards? {CARD}\.": Listener.put,
    rf"{WHO} takes? {CARD}(?: into slot (\d+), discards? {CARD})?": Listener.take,
    rf"{WHO} (?:discard it|draws and discards {CARD})\.": Listener.discard,
    rf"{WHO} turns? up slot (\d+): {CARD}": Listener.see,
    r"You look at slots? ([^:]*): (.*)": Listener.look,
    rf"You look at Bob's slot (\d+) \(B\d+\): {CARD}": Listener.look_away,
    rf"{WHO} slams? (?:(your) |(Bob's) )?slot (\d+)(?: \(B\d+\))?: {CARD}\. (Right|Wrong|Too late)": Listener.slam,
    rf"{WHO} gets? (?:a penalty card .*|the card from {AT} .*), in slot (\d+)": Listener.penalize,
    rf"{WHO} gives? (?:the card|{CARD}) from slot (\d+) to {AT}": Listener.give,
    rf"(?:You|Bob) switch(?:es)? {AT} with {AT}, unseen": Listener.switch,
    r"(You|Bob), ((?:minus )?\d+) points?(?:.*?, total ((?:minus )?\d+))?": Listener.score,
}
_SENTENCES: Final = {re.compile(pattern): understand for pattern, understand in _PATTERNS.items()}


async def play(create: str, talk: str, hear: Callable[[list[str], Table], None]) -> Table:
    """Play a random match between Ann, who listens, and Bob; pass what Ann is told after each command to ``hear``."""
    chance = random.Random(create)
    async with open_house(seed=7) as house:
        settings = ("style speech", f"talk {talk}", "prefix off", "width 250")
        ann = await house.person("Ann", *[f"set {each}" for each in settings], f"create {create} seats=2")
        bob = await house.program("Bob", "join t1", "ready")
        table = house.lobby.tables["t1"]
        told = await ann.say("ready")
        while True:
            hear(told.splitlines(), table)
            views = [view for seat in (0, 1) if (view := table.broadcast.view(Seat(seat))).actions]
            if table.match.places is not None:
                return table
            if not views:
                await trio.sleep(1)
            else:
                view = chance.choice(views)
                await (ann if view.you == "A" else bob).send(chosen(view, chance))
            told = (await ann.take()).decode()


def chosen(view: TableView, chance: random.Random) -> str:
    """Return what a player types: a slam now and then, and rarely a knock."""
    verbs = [verb for verb in view.offer.arguments if verb not in ("slam", "knock") or chance.random() < 0.1]
    verb = chance.choice(verbs or ["pass"])
    lines = [line for line in view.actions if line.split()[0] == verb]
    return choose_line({"actions": lines or [verb], "targets": view.targets}, chance)


async def words_of_turns(create: str, talk: str) -> list[int]:
    """Return how many words Ann hears between any two of her turns in the same hole."""
    turns: list[int] = []
    words, is_whole = 0, False

    def hear(lines: list[str], _: Table) -> None:
        nonlocal words, is_whole
        for line in lines:
            is_turn = re.match(r"(It is your|Your) (last )?turn", line) is not None
            if is_turn or line.startswith("The hole is over"):
                turns.extend([words] if is_whole else [])
                words, is_whole = 0, is_turn
            words += len(re.findall(r"\w+", line))

    await play(create, talk, hear)
    return turns


@pytest.mark.parametrize("create", GAMES)
async def test_brief_speech_conveys_the_whole_game(create: str) -> None:
    listener = Listener(width=6 if create.startswith("six") else 4)

    def hear(lines: list[str], table: Table) -> None:
        for line in lines:
            listener.hear(line)
        if table.hole is not None and table.hole.turn is not None:
            listener.agrees_with(table)

    table = await play(create, "brief", hear)
    assert listener.totals == {"A": table.match.totals[0], "B": table.match.totals[1]}
