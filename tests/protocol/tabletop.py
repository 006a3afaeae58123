"""Random matches, and what each seat and a watcher are told about them: replies for rendering tests."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import asdict, replace

from golfnet.engine import legality, match as matches
from golfnet.engine.actions import Pass, Slam
from golfnet.engine.cards import Card, Seat, seat_letter
from golfnet.engine.events import EndReason, Event, HoleEnded, TurnBegan
from golfnet.engine.fairdeal import Scheme
from golfnet.engine.hole import Phase, phase
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View, mask, view
from golfnet.protocol.replies.replies import AnyReply, Clock, Happened, Prompt, TableView
from golfnet.protocol.replies.view_codec import seat_to_wire, view_to_wire

NAMES: Final = ("Ann", "Bob", "Cid", "Dora", "Eve", "Finn", "Gus", "Hoa", "Ida", "Jon", "Kim", "Leo")
FIRST: Final = Seat(0)
CLOCK_MS: Final = 60_000


@dataclass
class Tabletop:
    """A match played at random, and what one viewer is told: the seat ``you``, or a watcher if that is None."""

    rules: RuleSet
    names: tuple[str, ...]
    you: Seat | None
    seed: int = 1
    name: str = ""
    match: matches.Match = field(init=False)
    is_settled: bool = True
    """Whether the viewer has been told about all events of the current step."""

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        self.match = matches.Match("m1")
        self._seq = 0
        self._prompt: tuple[object, ...] = ()

    def replies(self, *, holes: int = 99) -> Iterator[AnyReply]:
        """Play up to ``holes`` holes; yield what the viewer is told, and the whole table on each turn of the viewer."""
        yield from self._step(matches.commit(self.match, self._seed(), Scheme.V1))
        yield from self._step(matches.start(self.match, self.rules, self.names))
        for _ in range(holes):
            yield from self._step(matches.deal(self.match, ("",) * len(self.names)))
            while self.match.is_playing:
                yield from self._prompted()
                yield from self._played()
            yield self.view()
            if self.match.places is not None:
                return
            yield from self._step(matches.commit(self.match, self._seed(), Scheme.V1))

    def view(self) -> TableView:
        """Return the whole table as the viewer sees it."""
        if self.match.hole is None:
            raise LookupError("nothing is dealt")
        seen = view(self.match.hole, self.you)
        actions, targets = ((), ()) if self.you is None else seen.choices.as_offer(self.you)
        clock = Clock(seat="A" if seen.turn is None else seat_letter(seen.turn), ms=CLOCK_MS)
        playing = self.match.is_playing
        return self._table(
            self.match,
            seen,
            state="playing" if playing else "finished" if self.match.places else "between",
            slam_ms=2500,
            name=self.name,
            actions=actions,
            targets=targets,
            clock=clock if playing else None,
            pause_ms=None if playing else 12_000,
        )

    def before_the_match(self) -> TableView:
        """Return the table as its viewer sees it while people sit down."""
        return self._table(matches.Match("m1"), None, state="open", slam_ms=0)

    def _table(self, match: matches.Match, seen: View | None, **more: Any) -> TableView:
        """Return the table, whose players include a host, a bot and somebody who has lost their connection."""
        roles: list[dict[str, Any]] = [
            {"name": name, "kind": "bot" if seat == 2 else "human", "present": seat != 3, "host": seat == 0}
            for seat, name in enumerate(self.names)
        ]
        return view_to_wire(
            match,
            seen,
            table="t12",
            seq=self._seq,
            rules=match.rules or self.rules,
            you=self.you,
            seats=[seat_to_wire(match, seen, Seat(seat), **role) for seat, role in enumerate(roles)],
            watchers=1,
            **more,
        )

    def _prompted(self) -> Iterator[AnyReply]:
        seen = self.view()
        before, self._prompt = self._prompt, (seen.phase, seen.actions, seen.targets)
        if not seen.actions or self._prompt == before:
            return
        if seen.phase in ("start", "turn"):
            yield seen
        yield Prompt(
            table=seen.table,
            seq=seen.seq,
            phase=str(seen.phase),
            actions=seen.actions,
            targets=seen.targets,
            ms=3000 if seen.phase == "slam" else CLOCK_MS,
            won=(seen.slam is not None and seen.slam.won) or UNSET,
        )

    def _played(self) -> Iterator[AnyReply]:
        """Play a random action of one seat, sometimes a slam."""
        hole = self.match.hole
        assert hole is not None
        seat = self._chance.choice(legality.awaited(hole))
        actions = legality.legal_actions(hole, seat)
        if phase(hole) is Phase.SLAM:
            slams = [action for action in actions if isinstance(action, Slam)]
            actions = tuple(slams) if slams and self._chance.random() < 0.25 else (Pass(),)
        yield from self._step(matches.act(self.match, seat, self._chance.choice(actions)))

    def _step(self, step: matches.Step) -> Iterator[AnyReply]:
        events, self.match = step
        for left, event in zip(reversed(range(len(events))), events, strict=True):
            self._seq += 1
            self.is_settled = not left
            yield self._told(event)

    def _told(self, event: Event) -> Happened:
        hole = self.match.hole
        return Happened(
            table="t12",
            seq=self._seq,
            event=mask(event, self.you),
            names=self.names,
            ms=CLOCK_MS if isinstance(event, TurnBegan) else None,
            rules=self.match.rules,
            scores=self.match.scores,
            closer=event.closer if isinstance(event, HoleEnded) else hole.closer if hole else None,
        )

    def _seed(self) -> bytes:
        return self._chance.randbytes(32)


def dealt(rules: RuleSet, names: tuple[str, ...] = NAMES[:3], you: Seat | None = FIRST) -> TableView:
    """Return a table whose first hole has just been dealt."""
    table = Tabletop(rules, names, you)
    replies = table.replies()
    for _ in range(4):
        next(replies)
    return table.view()


def hole_ended(
    reason: EndReason,
    closer: Seat | None,
    layouts: tuple[tuple[Card | None, ...], ...] = ((), (), ()),
    *,
    scores: tuple[int, ...] | None,
    totals: tuple[int, ...] | None = None,
) -> HoleEnded:
    """Return the end of a hole; the totals are its scores unless they are given."""
    totals = totals if totals is not None else scores or (0,) * len(layouts)
    cuts = ("",) * len(layouts)
    return HoleEnded(
        reason=reason, closer=closer, layouts=layouts, scores=scores, totals=totals, seed=bytes(32), cuts=cuts
    )


def differences(folded: TableView, truth: TableView) -> dict[str, tuple[Any, Any]]:
    """Return the fields in which two views differ, apart from times, which change from moment to moment."""
    one, other = asdict(_timeless(folded)), asdict(_timeless(truth))
    return {name: (one[name], other[name]) for name in one if one[name] != other[name]}


def _timeless(view: TableView) -> TableView:
    slam = None if view.slam is None else replace(view.slam, ms=0)
    sealing_ms = None if view.sealing_ms is None else 0
    return replace(view, clock=None, pause_ms=None, starts_ms=None, sealing_ms=sealing_ms, slam=slam)
