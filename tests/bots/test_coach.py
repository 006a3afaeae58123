"""The coach says what ``hard`` would do, and why."""

import re
from pathlib import Path
from random import Random

from golfnet.bots import coach
from golfnet.bots.bot import Contest
from golfnet.bots.hard import HardBot
from golfnet.engine.actions import Action, Pass, action_text
from golfnet.engine.cards import Seat
from golfnet.engine.hole import Phase
from golfnet.engine.variants import VARIANTS
from golfnet.engine.views import View, view
from golfnet.protocol.commands.settings import Settings
from golfnet.protocol.text.words import Voice
from golfnet.rulesets import catalogue
from tests.bots.samples import Watched
from tests.golden import GoldenFiles

CATALOGUE = catalogue()


class Talkative(Watched):
    """A bot that compares the hints for it with what it would do, and records one hint for each kind of sentence."""

    def __init__(self, bot: HardBot, said: dict[str, str]) -> None:
        super().__init__(bot)
        self._hard, self._said = bot, said

    def choose(self, view: View) -> Action:
        self._note(view)
        action = super().choose(view)
        found = coach.compare(self._hard, view, action)
        assert found is None or found[0] == 0, "the bot itself makes no mistake"
        return action

    def reaction(self, view: View) -> float | None:
        if view.phase is Phase.SLAM:
            self._note(view)
        return super().reaction(view)

    def _note(self, view: View) -> None:
        advice = coach.advise(self._hard, view)
        assert advice is not None
        assert advice.action == (self._hard.claim(view) or self._hard.choose(view) or Pass())
        assert view.seat is not None
        voice = Voice(settings=Settings(), you=view.seat, names=("Ann", "Ben", "Cem"))
        sentence = voice.told(advice.sentence)
        kind = re.sub(r"[-\d.]+|[AJQK]?[♠♥♦♣]|Ann|Ben|Cem|\([A-C]\)", "", sentence)
        if kind not in self._said:
            if view.phase is Phase.TURN:
                assert coach.advise(coach.new_bot(view.rules, self.observed), view) == advice
            self._said[kind] = f"{sentence} Type: {action_text(advice.action, view.seat)}"


def test_hints_are_what_hard_chooses_and_match_the_golden_file(golden: GoldenFiles) -> None:
    said: dict[str, str] = {}
    lines = []
    for name in VARIANTS:
        rules, before = CATALOGUE[name].for_seats(3), len(said)
        for seed in range(3):
            bots = [Talkative(coach.new_bot(rules), said) for _ in range(3)]
            contest = Contest(rules, bots, Random(f"{name}/{seed}"))
            contest.play_hole()
        assert coach.advise(coach.new_bot(rules), view(contest.hole, Seat(0))) is None, "the hole is over"
        lines += [name, "", *[*said.values()][before:], ""]
    golden.check(Path(__file__).with_name("hints.txt"), "\n".join(lines))


class Onlooker(Talkative):
    """A player who asks for a hint about slamming while somebody else's power is open."""

    def reaction(self, view: View) -> float | None:
        if view.phase is Phase.POWER and Pass() in view.choices.actions:
            self._note(view)
        return super().reaction(view)


def test_whoever_need_not_slam_while_a_power_is_open_is_told_not_to_slam() -> None:
    said: dict[str, str] = {}
    rules = CATALOGUE["cactus"].for_seats(3)
    contest = Contest(rules, [Onlooker(coach.new_bot(rules), said) for _ in range(3)], Random(1))
    contest.play_hole()
    told = [sentence for sentence in said.values() if sentence.endswith(" Type: pass")]
    assert told
    assert all(sentence.startswith("Do not slam: you know of no card") for sentence in told), told
