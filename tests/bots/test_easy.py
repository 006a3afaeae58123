"""The level ``easy`` considers only its own cards, and closes when they are low enough."""

from random import Random

import pytest

from golfnet.bots.easy import CONTENT, EasyBot
from golfnet.engine.actions import Give, Knock
from golfnet.engine.cards import EMPTY, HIDDEN
from golfnet.engine.events import Peeked
from golfnet.engine.hole import Phase
from golfnet.engine.rules import Placed
from golfnet.engine.scoring import layout_score
from golfnet.engine.views import View
from golfnet.rulesets import catalogue
from tests.bots.samples import Sample, moments, samples, shown_own

CATALOGUE = catalogue()
CACTUS = CATALOGUE["cactus"].for_seats(3)
UP = [name for name, rules in CATALOGUE.items() if rules.placed is Placed.UP]
KNOCK = [name for name, rules in CATALOGUE.items() if rules.knock]


def test_easy_slams_no_card_of_another_seat_even_if_it_knows_the_card() -> None:
    for sample in moments(CACTUS, 3, "others", lambda each: each.open_window):
        window = sample.view.window
        assert window is not None
        theirs = tuple(at for at in sample.view.choices.slammable if at.seat != sample.seat)
        assert theirs
        bot = EasyBot(CACTUS, Random(1))
        bot.observe(Peeked(seat=sample.seat, at=theirs, cards=(window.card,) * len(theirs)))
        assert bot.claim(sample.view) is None


@pytest.mark.parametrize("name", UP)
def test_easy_ignores_the_layouts_of_other_seats(name: str) -> None:
    rules = CATALOGUE[name].for_seats(3)
    bots = [[EasyBot(rules, Random(seat)), EasyBot(rules, Random(seat))] for seat in range(3)]
    compared = 0
    for sample in samples(rules, 3, name, observers=bots):
        if sample.may_act:
            one, other = bots[sample.seat]
            assert one.choose(sample.view) == other.choose(turned_down(sample))
            compared += sample.view.layouts != turned_down(sample).layouts
    assert compared > 5


@pytest.mark.parametrize("name", KNOCK)
def test_easy_knocks_exactly_when_its_cards_count_at_most_half_the_average(name: str) -> None:
    rules = CATALOGUE[name].for_seats(3)
    deck = rules.deck_for(3)
    average = sum(rules.values[card.rank] for card in deck) / len(deck)
    knocked = set()
    for sample in moments(rules, 3, "knock", lambda each: Knock() in each.view.choices.actions, holes=40):
        bot = EasyBot(rules, Random(1))
        bot.observe(shown_own(sample))
        own = sample.hole.layouts[sample.seat]
        limit = CONTENT * average * len(own.occupied)
        is_content = layout_score(rules, own.cards) <= limit
        assert (bot.choose(sample.view) == Knock()) is is_content
        knocked.add(is_content)
    assert knocked == {True, False}


def test_easy_gives_away_its_highest_card() -> None:
    """C14: the bot still remembers the cards that it has just been shown."""
    for sample in moments(CACTUS, 3, "gifts", lambda each: each.has_to(Phase.GIVE), holes=40, least=3):
        bot = EasyBot(CACTUS, Random(1))
        bot.observe(shown_own(sample))
        gift = bot.choose(sample.view)
        assert isinstance(gift, Give)
        cards = sample.hole.layouts[sample.seat].cards
        points = {slot: CACTUS.values[card.rank] for slot, card in enumerate(cards, 1) if card}
        assert points[gift.slot] == max(points.values())


def turned_down(sample: Sample) -> View:
    """Return the view with all cards of other seats face down."""
    layouts = [tuple(EMPTY if text == EMPTY else HIDDEN for text in slots) for slots in sample.view.layouts]
    layouts[sample.seat] = sample.view.layouts[sample.seat]
    return sample.view._replace(layouts=tuple(layouts))
