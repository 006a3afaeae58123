"""Test your own bot against the medium level: python3 own_bot.py [RULES [DEALS]], with golfnet installed."""

import random
import sys
import time

from golfnet.bots.bot import BotPlayer, Contest, RandomBot
from golfnet.bots.levels import make_bot
from golfnet.engine import View
from golfnet.engine.actions import Action, Discard, Draw, Swap
from golfnet.rulesets import catalogue


class OwnBot(RandomBot):
    """Draws, and puts low cards in unknown slots; otherwise plays at random. ``observe`` is called for every event."""

    def choose(self, view: View) -> Action | None:
        may, own, card = view.choices.actions, view.layouts[view.seat or 0], view.drawn
        wanted: list[Action]
        if card is not None and view.rules.values[card.rank] <= 4:
            wanted = [each for each in may if isinstance(each, Swap) and own[each.slot - 1][0] == "?"]
        else:
            wanted = [each for each in may if each in (Draw(), Discard())]
        return wanted[0] if wanted else super().choose(view)


name, deals = [*sys.argv[1:], "six-card"][0], int([*sys.argv[2:], "100"][0])
rules, points, began = catalogue()[name].for_seats(2), [0, 0], time.perf_counter()
for deal in range(2 * deals):  # each deal is played twice, with the seats exchanged
    bots = OwnBot(rules, random.Random(deal)), make_bot("medium", rules, random.Random(deal))
    here = 1 if deal % 2 else -1
    scores = Contest(rules, [BotPlayer(bot) for bot in bots[::here]], random.Random(deal // 2)).play_hole()
    points = [sum(pair) for pair in zip(points, scores[::here], strict=True)]
own, medium, seconds = points[0] / deals / 2, points[1] / deals / 2, time.perf_counter() - began
print(f"own {own:.2f}, medium {medium:.2f} points per hole, {2 * deals / seconds:.0f} deals per second")
