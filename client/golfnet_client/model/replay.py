"""A replay of a finished match: its record is folded into views, through which one can step in both directions.

Only ``Archive`` does I/O. A record hides nothing, so face-down cards are shown as known throughout.
"""

import contextlib
import json
import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, structs

from golfnet.engine.cards import Seat, parse_deck, parse_seat
from golfnet.engine.errors import RuleError
from golfnet.engine.hole import EVOLVE, Deal, Hole, dealt, evolve
from golfnet.engine.match import Match
from golfnet.engine.options import from_options
from golfnet.engine.views import open_layouts
from golfnet.protocol.lines import clean_text
from golfnet.protocol.replies import data
from golfnet.protocol.replies.fold import fold
from golfnet.protocol.replies.replies import Happened, TableView
from golfnet.protocol.replies.view_codec import seat_to_wire, view_to_wire
from golfnet.storage.files import replace_file
from golfnet_client.model.model import Model, Place
from golfnet_client.model.story import Entry, event_sentence

SPEEDS: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Playback speeds, in events per second."""


class BadReplay(Exception):
    """A record that cannot be shown: it is not the record of a match, or a newer server wrote it."""


@dataclass(slots=True)
class Replay:
    """The views of a match, one after each of its events, and the current one."""

    views: list[TableView] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    at: int = 0
    pace: int = 1
    """The index of the current speed in ``SPEEDS``."""
    next_at: float | None = None
    """When the next event will be shown, or None while paused."""

    @property
    def is_playing(self) -> bool:
        """Whether the replay is playing, not paused."""
        return self.next_at is not None

    @property
    def speed(self) -> float:
        """The speed in events per second."""
        return SPEEDS[self.pace]

    def go(self, by: int) -> None:
        """Go forward by a number of events, or backward if it is negative."""
        self.at = max(0, min(self.at + by, len(self.views) - 1))

    def play(self, now: float) -> None:
        """Play or pause; at the end, play from the beginning."""
        if not self.is_playing and self.at == len(self.views) - 1:
            self.at = 0
        self.next_at = None if self.is_playing else now + 1 / self.speed

    def faster(self, by: int) -> None:
        """Raise the speed by a number of steps, or lower it if the number is negative."""
        self.pace = max(0, min(self.pace + by, len(SPEEDS) - 1))

    def pass_time(self, now: float) -> bool:
        """Show the events that are due; return whether anything changed."""
        before = self.at
        while self.next_at is not None and self.next_at <= now:
            self.go(1)
            self.next_at = None if self.at == len(self.views) - 1 else self.next_at + 1 / self.speed
        return self.at != before

    @property
    def holes(self) -> list[int]:
        """Return the index of each deal."""
        return [
            at
            for at, view in enumerate(self.views)
            if view.phase == "start" and (at == 0 or self.views[at - 1].phase != "start")
        ] or [0]

    def to_hole(self, by: int) -> None:
        """Go to the next or the previous deal."""
        begins = self.holes
        if by > 0:
            self.at = next((at for at in begins if at > self.at), len(self.views) - 1)
        else:
            self.at = next((at for at in reversed(begins) if at < self.at), 0)

    def show(self, model: Model) -> None:
        """Put the current view and its log into the model."""
        view = self.views[self.at]
        model.tables = {**model.tables, view.table: view}
        model.focus_on(view.table)
        model.place = Place.REPLAY
        model.log.clear()
        model.log.extend(self.entries[max(0, self.at - 200) : self.at + 1])


def replay_of(lines: list[dict[str, Any]]) -> Replay:
    """Return the replay of a record. Raise ``BadReplay`` if the record is not valid."""
    try:
        replay = _replay_of(lines)
    except (LookupError, TypeError, ValueError, AttributeError, RuleError) as problem:
        raise BadReplay from problem
    if not replay.views:
        raise BadReplay
    return replay


def _replay_of(lines: list[dict[str, Any]]) -> Replay:
    header, *rest = lines
    match, replay = Match(header["match"]), Replay()
    view = view_to_wire(
        match,
        None,
        table=f"match {match.id}",
        seq=0,
        rules=from_options(header["variant"], header["options"]),
        state="open",
        you=None,
        seats=[seat_to_wire(match, None, Seat(seat), name=name) for seat, name in enumerate(header["seats"])],
        slam_ms=0,
    )
    hole = None
    for line in rest:
        if "event" not in line:
            deal = line  # or the last line, with the totals
            continue
        event: Any = data.event_from_fields(line)
        happened = Happened(table=view.table, seq=view.seq + 1, event=event, names=())
        before, view = view, fold(view, happened)
        if event.name == "dealt":
            hole = _dealt(view, deal)
        elif hole is not None and type(event) in EVOLVE:
            hole = evolve(hole, event)
        if hole is not None:
            layouts = zip(view.seats, open_layouts(hole), strict=True)
            view = structs.replace(
                view, seats=tuple([structs.replace(seat, slots=slots) for seat, slots in layouts])
            )
        if not replay.views and event.name != "dealt":
            continue  # before the first deal there is nothing to see
        replay.views.append(view)
        replay.entries.append(Entry("event", event_sentence(before, view, happened)))
    return replay


def _dealt(view: TableView, line: dict[str, Any]) -> Hole:
    """Return a hole as it was dealt, from its line in the record."""
    deal = Deal(
        hole=view.hole,
        dealer=parse_seat(line["dealer"]),
        leader=Seat(0),  # any seat will do: no card depends on it
        commitment="",
        totals=(0,) * len(view.seats),
        seed=b"",
        cuts=(),
        key=b"",
    )
    return dealt(from_options(view.variant, view.options), deal, parse_deck(line["deck"]))


MOST: Final = 50
"""Maximum number of stored matches."""

LONGEST: Final = 4 * 1024 * 1024
"""Maximum size of a record in bytes: several times the size of the longest match with twelve seats."""

_SUFFIX: Final = ".jsonl"


class Kept(Struct, frozen=True):
    """A stored match: the name of its file, when it was played, and its rule set and players."""

    name: str
    when: str
    what: str


@dataclass(frozen=True)
class Archive:
    """A directory of records of finished matches."""

    directory: Path

    def keep(self, record: list[dict[str, Any]], now: float | None = None) -> None:
        """Write the record of a match that has just ended, and delete the oldest records beyond ``MOST``."""
        with contextlib.suppress(OSError):
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
            lines = [f"{json.dumps(line, separators=(',', ':'))}\n" for line in record]
            path = self.directory / f"{stamp}-{secrets.token_hex(4)}{_SUFFIX}"
            replace_file(path, "".join(lines).encode(), is_synced=False)
            for old in self._paths()[MOST:]:
                old.unlink()

    def matches(self) -> list[Kept]:
        """Return the stored matches, the latest first, leaving out files that cannot be read."""
        found = []
        for path in self._paths():
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError), path.open("rb") as file:
                header = json.loads(file.readline(LONGEST))
                seats = ", ".join([clean_text(str(seat)) for seat in header["seats"][:4]])
                more = f" and {len(header['seats']) - 4} more" if len(header["seats"]) > 4 else ""
                when = time.strftime("%Y-%m-%d %H:%M", time.strptime(path.name[:15], "%Y%m%d-%H%M%S"))
                found.append(Kept(path.name, when, f"{clean_text(str(header['variant']))}: {seats}{more}"))
        return found

    def read(self, name: str) -> list[dict[str, Any]]:
        """Return the record in a file, or an empty list if it cannot be read."""
        path = self.directory / name
        with contextlib.suppress(OSError, ValueError):
            if path.stat().st_size <= LONGEST:
                lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
                if all(isinstance(line, dict) for line in lines):
                    return lines
        return []

    def _paths(self) -> list[Path]:
        with contextlib.suppress(OSError):
            return sorted(self.directory.glob(f"*{_SUFFIX}"), reverse=True)
        return []
