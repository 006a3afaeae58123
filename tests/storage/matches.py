"""Random matches, as logs of tables and as records."""

import random
from collections.abc import Sequence

from golfnet.engine import fairdeal
from golfnet.engine import match as matches
from golfnet.engine.actions import Action, Slam
from golfnet.engine.fairdeal import Scheme
from golfnet.engine.hole import Hole, Phase, phase
from golfnet.engine.layout import Seat
from golfnet.engine.legality import awaited, claim_order, legal_actions
from golfnet.engine.match import Match, Step
from golfnet.engine.options import override
from golfnet.engine.rules import RuleSet, SlamMode
from golfnet.engine.variants import VARIANTS
from golfnet.storage.records import LogEntry, record_lines

STARTED = 1_795_200_000.5
NAMES = ("Ann", "Bör", "Cy", "Дия", "E", "F", "G", "H", "I", "J", "K", "L")


class Player:
    """Plays a random match. The event numbers have gaps, as at a table that also has other events.

    ``schemes`` are the deal schemes of the holes; the last one is repeated.
    """

    def __init__(
        self,
        rules: RuleSet,
        *,
        seats: int,
        seed: int,
        match: str = "m1",
        first_seq: int = 0,
        schemes: Sequence[Scheme] = (Scheme.V2,),
    ) -> None:
        self.log: list[LogEntry] = []
        self.match = Match(match)
        self._chance = random.Random(seed)
        self._seq = first_seq
        self._rules = rules
        self._names = NAMES[:seats]
        self._schemes = schemes

    def play(self, *, abandon_after: int | None = None) -> list[LogEntry]:
        self._commit()
        self._next_line(matches.start(self.match, self._rules, self._names))
        steps = 0
        while self.match.places is None:
            if not self.match.is_playing and self.match.next_deal is None:
                self._commit()  # as a table does right after each hole
            if steps == abandon_after:
                self._next_line(matches.abandon(self.match))
                break
            steps += 1
            if not self.match.is_playing:
                self._deal()
                continue
            self._act()
        return self.log

    def _deal(self) -> None:
        """Deal with random cuts. Some are sealed, and some of the sealed ones are withheld."""
        promised = self.match.next_deal
        assert promised is not None
        cuts = [self._chance.choice(("", "seven", "Ö\t✂")) for _ in self._names]
        seals: list[str | None] = [None] * len(cuts)
        for seat, name in enumerate(self._names):
            if promised.deal is Scheme.V2 and cuts[seat] and self._chance.random() < 0.7:
                seals[seat] = fairdeal.seal(self.match.id, promised.hole, name, cuts[seat])
                cuts[seat] = self._chance.choice(("", cuts[seat]))
        self._next_line(matches.deal(self.match, tuple(cuts), tuple(seals)))

    def _act(self) -> None:
        hole = self.match.hole
        assert hole is not None
        if phase(hole) is Phase.SLAM and hole.rules.slam in (SlamMode.ORDER, SlamMode.LOT):
            self._sealed_window()
            return
        if phase(hole) is Phase.SLAM and self._chance.random() < 0.2:
            self._next_line(matches.close_window(self.match))
            return
        seat = self._chance.choice(awaited(hole))
        self._do(seat, self._choice(seat))

    def _sealed_window(self) -> None:
        """Make claims for some seats, in claim order up to the first success; then close the window."""
        for seat in claim_order(self._hole()) if not self._is_won() else ():
            hole = self._hole()
            if hole.window is None or hole.gift is not None:
                return
            slams = [action for action in legal_actions(hole, seat) if isinstance(action, Slam)]
            if slams and self._chance.random() < 0.3:
                self._do(seat, self._chance.choice(slams))
        if self._hole().window is not None and self._hole().gift is None:
            self._next_line(matches.close_window(self.match))

    def _is_won(self) -> bool:
        window = self._hole().window
        return window is not None and window.won

    def _hole(self) -> Hole:
        assert self.match.hole is not None
        return self.match.hole

    def _choice(self, seat: Seat) -> Action:
        hole = self._hole()
        actions = legal_actions(hole, seat)
        calm = [action for action in actions if not isinstance(action, Slam)]
        # Slams have to be rare: wrong slams cost cards, and a hole in which everybody only slams would never end.
        slams = hole.rules.slam is SlamMode.RACE and self._chance.random() < 0.2
        return self._chance.choice(actions if slams or not calm else calm)

    def _do(self, seat: Seat, action: Action) -> None:
        self._next_line(matches.act(self.match, seat, action))

    def _commit(self) -> None:
        played = len(self.match.scores)
        scheme = self._schemes[min(played, len(self._schemes) - 1)]
        self._next_line(matches.commit(self.match, self._chance.randbytes(32), scheme))

    def _next_line(self, step: Step) -> None:
        events, self.match = step
        for event in events:
            self._seq += self._chance.choice((1, 1, 1, 2))
            self.log.append(LogEntry(self._seq, event, 60_000 if event.name == "turn" else None))


def rules_of(variant: str, **changes: object) -> RuleSet:
    return override(VARIANTS[variant], changes)


def played(
    rules: RuleSet, *, seats: int = 3, seed: int = 0, abandon_after: int | None = None
) -> list[LogEntry]:
    return Player(rules, seats=seats, seed=seed).play(abandon_after=abandon_after)


def record_of(
    rules: RuleSet,
    *,
    seats: int = 3,
    seed: int = 0,
    abandon_after: int | None = None,
    schemes: Sequence[Scheme] = (Scheme.V2,),
) -> list[bytes]:
    log = Player(rules, seats=seats, seed=seed, schemes=schemes).play(abandon_after=abandon_after)
    return list(record_lines("t1", log, match="m1", started=STARTED))
