"""The coach says what ``hard`` would do, within the rules, based only on what the seat was shown."""

import re
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from golfnet.bots import coach
from golfnet.bots.contest import Contest
from golfnet.bots.hard import HardBot
from golfnet.engine.actions import Action, Pass, Slam
from golfnet.engine.notation import action_text
from golfnet.engine.variants import VARIANTS
from golfnet.engine.views import View
from golfnet.protocol.commands.settings import Settings
from golfnet.protocol.text.words import Voice
from golfnet.rulesets import catalogue
from tests.bots.playing import Watched, is_allowed
from tests.bots.samples import samples
from tests.bots.test_levels import choice_of
from tests.engine.redealing import Replay
from tests.golden import GoldenFiles

CATALOGUE = catalogue()


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_hint_is_allowed_and_is_what_hard_chooses(name: str) -> None:
    rules, hinted = CATALOGUE[name].for_seats(3), 0
    bots = [[coach.new_bot(rules)] for _ in range(3)]
    for sample in islice(samples(rules, 3, f"hints/{name}", observers=bots), 0, None, 2):
        (bot,), allowed = bots[sample.seat], sample.view.choices
        advice = coach.advise(bot, sample.view)
        if advice is None:
            assert not allowed.actions
        else:
            assert is_allowed(sample.view, advice.action)
            meant = bot.claim(sample.view) or bot.choose(sample.view) or Pass()
            assert advice.action == meant
            hinted += 1
    assert hinted > 10


@pytest.mark.parametrize("name", CATALOGUE)
def test_redealing_what_a_seat_cannot_see_leaves_its_hint_unchanged(name: str) -> None:
    chance = Random(f"{name}/hint")
    replay = Replay(CATALOGUE[name], 3, chance)
    for until, seat in chance.sample(replay.asked, min(4, len(replay.asked))):
        _, shown = choice_of("hard", replay, until, seat)
        _, shown_again = choice_of("hard", replay.redealt(shown, chance), until, seat)
        first, again = [
            coach.advise(coach.new_bot(replay.rules, events), view) for *events, view in (shown, shown_again)
        ]
        assert first == again


class Talkative(Watched):
    """A bot that records the hints for its own choices, one for each kind of sentence."""

    def __init__(self, bot: HardBot, said: dict[str, str]) -> None:
        super().__init__(bot)
        self._hard, self._said = bot, said

    def choose(self, view: View) -> Action:
        self._note(view)
        action = super().choose(view)
        found = coach.compare(self._hard, view, action)
        assert found is None or found[0] == 0, "the bot itself makes no mistake"
        return action

    def claim(self, view: View) -> Slam | None:
        slam = super().claim(view)
        if slam is not None:
            self._note(view)
        return slam

    def _note(self, view: View) -> None:
        advice = coach.advise(self._hard, view)
        assert advice is not None
        assert view.seat is not None
        voice = Voice(settings=Settings(), you=view.seat, names=("Ann", "Ben", "Cem"))
        sentence = voice.told(advice.sentence)
        kind = re.sub(r"[-\d.]+|[AJQK]?[♠♥♦♣]|Ann|Ben|Cem|\([A-C]\)", "", sentence)
        self._said.setdefault(kind, f"{sentence} Type: {action_text(advice.action, view.seat)}")


def test_hints_in_a_few_holes_of_each_rule_set_match_the_golden_file(golden: GoldenFiles) -> None:
    said: dict[str, str] = {}
    lines = []
    for name in VARIANTS:
        rules, before = CATALOGUE[name].for_seats(3), len(said)
        for seed in range(3):
            bots = [Talkative(coach.new_bot(rules), said) for _ in range(3)]
            Contest(rules, bots, Random(f"{name}/{seed}")).play_hole()
        lines += [name, "", *[*said.values()][before:], ""]
    golden.check(Path(__file__).with_name("hints.txt"), "\n".join(lines))
