"""Random matches, as logs of tables and as records."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice, repeat
from random import Random

from golfnet.engine import fairdeal, match as matches
from golfnet.engine.fairdeal import Scheme
from golfnet.engine.hole import Phase, phase
from golfnet.engine.legality import claim_order, legal_actions
from golfnet.engine.match import Match, Step
from golfnet.engine.options import override
from golfnet.engine.rules import RuleSet, SlamMode
from golfnet.engine.variants import VARIANTS
from golfnet.storage.records import LogEntry, record_lines
from tests.engine.random_play import choose, random_step

STARTED = 1_795_200_000.5
NAMES = ("Ann", "Bör", "Cy", "Дия", "E", "F", "G", "H", "I", "J", "K", "L")


def rules_of(variant: str, **changes: object) -> RuleSet:
    return override(VARIANTS[variant], changes)


def played(
    rules: RuleSet,
    *,
    seats: int = 3,
    seed: int = 0,
    match: str = "m1",
    first_seq: int = 0,
    schemes: Sequence[Scheme] = (Scheme.V2,),
    abandon_after: int | None = None,
) -> list[LogEntry]:
    """Return the log of a random match. Its numbers have gaps, as at a table that also has other events.

    ``schemes`` are the deal schemes of the holes; the last one is repeated. ``abandon_after`` counts steps from the
    first deal on.
    """
    chance, seq, log = Random(seed), first_seq, []
    steps = _steps(Match(match), rules, NAMES[:seats], chance, schemes)
    if abandon_after is not None:
        first = list(islice(steps, 2 + abandon_after))
        steps = iter([*first, matches.abandon(first[-1][1])])
    for events, _ in steps:
        for event in events:
            seq += chance.choice((1, 1, 1, 2))
            log.append(LogEntry(seq, event, 60_000 if event.name == "turn" else None))
    return log


def record_of(rules: RuleSet, **match: int | Sequence[Scheme] | None) -> list[bytes]:
    """Return the record of a random match, which is played as ``played`` says."""
    return list(record_lines("t1", played(rules, **match), match="m1", started=STARTED))  # type: ignore[arg-type]


def _steps(
    match: Match, rules: RuleSet, names: tuple[str, ...], chance: Random, schemes: Sequence[Scheme]
) -> Iterator[Step]:
    for scheme in chain(schemes, repeat(schemes[-1])):
        yield (step := matches.commit(match, chance.randbytes(32), scheme))
        if match.rules is None:
            yield (step := matches.start(step[1], rules, names))
        yield (step := _deal(step[1], names, chance))
        while step[1].is_playing:
            yield (step := _act(step[1], chance))
        match = step[1]
        if match.places is not None:
            return


def _deal(match: Match, names: tuple[str, ...], chance: Random) -> Step:
    """Deal with random cuts. Some are sealed, and some of the sealed ones are withheld."""
    promised = match.next_deal
    assert promised is not None
    cuts = [chance.choice(("", "seven", "Ö\t✂")) for _ in names]
    seals: list[str | None] = [None] * len(cuts)
    for seat, name in enumerate(names):
        if promised.deal is Scheme.V2 and cuts[seat] and chance.random() < 0.7:
            seals[seat] = fairdeal.seal(match.id, promised.hole, name, cuts[seat])
            cuts[seat] = chance.choice(("", cuts[seat]))
    return matches.deal(match, tuple(cuts), tuple(seals))


def _act(match: Match, chance: Random) -> Step:
    """Let a seat act at random; sealed claims are made in the order in which a table judges them."""
    hole = match.hole
    assert hole is not None
    if phase(hole) is not Phase.SLAM or hole.window is None or hole.rules.slam is SlamMode.RACE:
        step = random_step(match, chance)
        return step.events, step.after
    if hole.window.won:
        return matches.close_window(match)
    seat = next(each for each in claim_order(hole) if not hole.window.passed >> each & 1)
    return matches.act(match, seat, choose(legal_actions(hole, seat), chance))
