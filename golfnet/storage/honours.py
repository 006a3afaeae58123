"""Remarkable moments in a finished match, read from its record: the best hole, a lucky slam, a comeback.

Invariants: only people who played to the end are honoured; a match is read once, and the results are cached for a
limited number of matches. A record is about 40 kB, so records are read in a worker thread, one at a time.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from golfnet.engine.notation import SEAT_LETTERS
from golfnet.storage.store import Reads
from golfnet.storage.writes import MatchResult, SeatEnding, SeatKind

KEPT: Final = 256
"""Maximum number of matches whose honours are cached: enough for a long evening at several tables."""


class BestHole(NamedTuple):
    """The lowest score in a hole."""

    score: int
    player: str
    hole: int


class LuckySlam(NamedTuple):
    """A successful slam with a card that the player could not know; ``points`` is what the card was worth."""

    points: int
    player: str
    card: str
    hole: int


class MatchHonours(NamedTuple):
    """Remarkable moments in one match; ``comeback`` names a winner who was last after an earlier hole."""

    best: BestHole | None = None
    slam: LuckySlam | None = None
    comeback: str | None = None


class Honours:
    """The honours of matches, each read once."""

    def __init__(self, store: Reads) -> None:
        self._store = store
        self._kept: dict[str, MatchHonours] = {}

    def of(self, match: MatchResult) -> MatchHonours:
        """Return the remarkable moments in a match."""
        if match.id not in self._kept:
            while len(self._kept) >= KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[match.id] = honours_of(match, self._store.record(match.id) or ())
        return self._kept[match.id]


def honours_of(match: MatchResult, record: Iterable[bytes]) -> MatchHonours:
    """Return the remarkable moments in a match, from the lines of its record."""
    people = {
        SEAT_LETTERS[at]: seat.name
        for at, seat in enumerate(match.seats)
        if seat.kind is not SeatKind.BOT and seat.ending is SeatEnding.PLAYED
    }
    reading = _RecordReading(people)
    for line in record:
        reading.take(msgspec.json.decode(line))
    winners = [SEAT_LETTERS[at] for at, seat in enumerate(match.seats) if seat.place == 1]
    came_back = len(winners) == 1 and winners[0] in reading.were_last
    return MatchHonours(
        max(reading.best, key=lambda best: -best.score, default=None),
        max(reading.slams, key=lambda slam: slam.points, default=None),
        people.get(winners[0]) if came_back else None,
    )


class _RecordReading:
    """A record that is read hole by hole, keeping track of who knows which card."""

    def __init__(self, people: Mapping[str, str]) -> None:
        self._people = people
        self._values: Mapping[str, int] = {}
        self._hole = 0
        self._took = False
        self._known: dict[str, set[str]] = {}
        self._totals: list[list[int]] = []
        self.best: list[BestHole] = []
        self.slams: list[LuckySlam] = []

    @property
    def were_last(self) -> set[str]:
        """The seats that had the highest total, alone or with others, after a hole other than the last."""
        return {
            SEAT_LETTERS[seat]
            for totals in self._totals[:-1]
            for seat, total in enumerate(totals)
            if total == max(totals) != min(totals)
        }

    def take(self, line: Mapping[str, Any]) -> None:
        """Read the next line."""
        match line.get("event"):
            case "match_started":
                self._values = line["options"].get("values", {})
            case "hole_started":
                self._hole, self._known = line["hole"], {}
            case "hole_ended" if line["scores"] is not None:
                self._score(line["scores"], line["totals"])
            case "slammed":
                self._slam(line["by"], line["at"], line["card"], hit=line["result"] == "hit")
            case _:
                self._move(line)

    def _score(self, scores: list[int], totals: list[int]) -> None:
        self._totals.append(totals)
        self.best += [
            BestHole(score, self._people[letter], self._hole)
            for letter, score in zip(SEAT_LETTERS, scores, strict=False)
            if letter in self._people
        ]

    def _slam(self, by: str, at: str, card: str, *, hit: bool) -> None:
        if not hit:
            self._known[at] = set(SEAT_LETTERS)  # everyone has seen it
            return
        if by not in self._known.pop(at, set()) and by in self._people:
            points = self._values.get(card if card == "*" else card[:-1], 0)
            self.slams.append(LuckySlam(points, self._people[by], card, self._hole))

    def _move(self, line: Mapping[str, Any]) -> None:
        """Track who knows which card is where."""
        known, seat = self._known, line.get("seat", "")
        match line.get("event"):
            case "drew" | "took":
                self._took = line["event"] == "took"
            case "peeked":
                for at in line["at"]:
                    known.setdefault(at, set()).add(seat)
            case "swapped":
                known[f"{seat}{line['slot']}"] = set(SEAT_LETTERS) if self._took else {seat}
            case "switched":
                first, second = line["at"]
                known[first], known[second] = known.pop(second, set()), known.pop(first, set())
            case "penalty":
                known[f"{seat}{line['slot']}"] = known.pop(line["from"], set()) if line["from"] else set()
            case "gave":
                known[line["to"]] = known.pop(f"{seat}{line['slot']}", set())
