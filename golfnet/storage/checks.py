"""Compare a record with what a player saw of the match, and check a whole database.

A record may be consistent and yet not be of the match that the player saw. If it agrees with what was seen, the deals
were not changed afterwards. A file of what was seen has JSON objects, one per line, in the order in which they were
received: first ``format``, ``match`` and ``name``; then events as the player received them, parts of views, and for
each hole its commitment, the player's own text and seal, whether the server confirmed that text, and all seals and open
texts at the time when sealing was closed. All of it must be in the record.

Checking a database means checking its file, every finished match, and the logs of the tables in play.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from golfnet.engine.cards import Seat
from golfnet.engine.errors import DivergedLog, IllegalAction
from golfnet.engine.events import Committed, HoleStarted
from golfnet.engine.match import Match, evolve
from golfnet.engine.views import view
from golfnet.storage.records import BadRecord, RecordLine, entries, parse_lines
from golfnet.storage.store import Reads, TableLog
from golfnet.storage.verification import verified_events, verify

FORMAT: Final = "golfnet-seen/1"


def match_of(seen: Sequence[bytes]) -> str:
    """Return the id of the match in a file of what a player saw. Raise ``BadRecord`` for any other file."""
    first = next(parse_lines(seen), None)
    if first is None:
        raise BadRecord(1, "text", "what a player saw in a match", "nothing")
    first.need("format", FORMAT)
    return first.text("match")


class Comparison:
    """The comparison of what a player saw with a record. Raise ``BadRecord`` for the first line that is not in it.

    If the record itself is invalid, the error names a line of the record instead. ``events`` and ``deals`` count what
    was compared; the player sat at ``seat``.
    """

    def __init__(self, seen: Sequence[bytes], record: Sequence[bytes]) -> None:
        self.events = self.deals = 0
        self._moments = {moment.seq: moment for moment in verified_events(record)}
        events = [moment.event for moment in self._moments.values()]
        self._holes = {event.hole: event for event in events if isinstance(event, HoleStarted)}
        self._promised = {event.hole: event for event in events if isinstance(event, Committed)}
        self._texts: dict[int, str] = {}
        *_, last = self._moments.values()
        lines = parse_lines(seen)
        header = next(lines)
        header.need("match", last.match.id)
        name, names = header.text("name"), last.match.names
        if name not in names:
            header.bad("name", f"one of the players {', '.join(names)}", name)
        self.seat = Seat(names.index(name))
        for line in lines:
            self._compare(line)

    @property
    def left_out(self) -> list[int]:
        """The holes that were dealt without a sealed text from the player."""
        return [
            hole.hole
            for hole in self._holes.values()
            if hole.seals is not None and (hole.seals[self.seat] is None or not hole.cuts[self.seat])
        ]

    def _compare(self, line: RecordLine) -> None:
        """Compare one line; unknown kinds are skipped."""
        try:
            match line.fields:
                case {"event": _}:
                    self._event(line)
                case {"view": _}:
                    self._view(line)
                case {"commitment": _}:
                    self._commitment(line)
                case {"seals": _}:
                    self._closed(line)
                case {"text": _}:
                    self._texts[line.fields["hole"]] = line.text("text")
                case {"told": _}:
                    number = line.fields["hole"]
                    hole, text = self._holes.get(number), self._texts.get(number)
                    if hole is not None and text is not None:
                        _same(line, "text", hole.cuts[self.seat], text)
                case {"problem": _}:
                    line.bad("problem", "no problem", line.text("problem"))
        except (KeyError, IndexError, TypeError, ValueError) as problem:
            line.bad("text", "a well-formed line", repr(problem))

    def _event(self, line: RecordLine) -> None:
        """Compare an event as it was sent: private fields may be missing, but none may differ."""
        moment = self._moments.get(line.fields.get("seq", 0))
        if moment is None:
            line.bad("seq", "an event in the record", line.fields.get("seq"))
        for field, value in line.fields.items():
            _same(line, field, moment.line.fields.get(field), value)
        self.events += 1

    def _view(self, line: RecordLine) -> None:
        shown = line.fields["view"]
        before = max((seq for seq in self._moments if seq <= shown["seq"]), default=0)
        hole = self._moments[before].match.hole if before else None
        if hole is None or hole.ended is not None:
            line.bad("view", "a moment during a hole in the record", shown["seq"])
        seen = view(hole, self.seat)
        played = {
            "layouts": [list(layout) for layout in seen.layouts],
            "discard": None if seen.discard is None else seen.discard.text,
            "drawn": None if seen.drawn is None else seen.drawn.text,
            "stock": seen.stock,
        }
        for field, value in played.items():
            _same(line, f"view.{field}", value, shown.get(field))

    def _commitment(self, line: RecordLine) -> None:
        promised = self._promised.get(line.fields["hole"])
        if promised is None:
            line.bad("hole", "a commitment in the record", line.fields["hole"])
        _same(line, "commitment", promised.commitment, line.text("commitment"))
        _same(line, "deal", promised.deal.value, line.text("deal"))

    def _closed(self, line: RecordLine) -> None:
        """Compare the seals and open texts that were fixed before any sealed text was revealed."""
        hole = self._holes.get(line.fields["hole"])
        if hole is None:
            return  # abandoned before the deal
        _same(line, "seals", None if hole.seals is None else list(hole.seals), line.fields["seals"])
        for seat, (seal, cut) in enumerate(zip(line.fields["seals"], line.texts("cuts"), strict=True)):
            if seal is None and hole.cuts[seat] != cut:
                line.bad(f"cuts[{seat + 1}]", hole.cuts[seat], cut)
        self.deals += 1


def _same(line: RecordLine, field: str, recorded: object, seen: object) -> None:
    if type(recorded) is not type(seen) or recorded != seen:
        line.bad(field, f"{recorded}, as in the record", seen)


def check_database(reads: Reads) -> Iterator[tuple[str, str | None]]:
    """Yield each finished match and each table in play, with its problem, or None if it is correct.

    Raise ``StoreError`` for a damaged file.
    """
    reads.inspect()
    for match in reads.match_ids():
        yield f"match {match}", _match_problem(reads, match)
    for log in reads.tables():
        yield f"table {log.table}", _table_problem(log)


def _match_problem(reads: Reads, match: str) -> str | None:
    result, lines = reads.match(match), reads.record(match)
    if result is None or lines is None:
        return "its record is missing"
    try:
        verdict = verify(lines)
    except BadRecord as problem:
        return str(problem)
    played = verdict.match
    for field, recorded, stored in (
        ("match", played.id, result.id),
        ("rule set", verdict.variant, result.variant),
        ("finished", verdict.finished, result.finished),
        ("seats", played.names, tuple([seat.name for seat in result.seats])),
        ("totals", played.totals, tuple([seat.total for seat in result.seats])),
        ("places", played.places, tuple([seat.place for seat in result.seats])),
    ):
        if recorded != stored:
            return f"{field}: the record has {recorded}, the list of matches {stored}"
    return None


def _table_problem(log: TableLog) -> str | None:
    """Replay a table's log, as a restart does, and return the first problem, if any."""
    match, seq = Match(""), 0
    try:
        for entry in entries(log.events):
            seq = entry.seq
            if isinstance(entry.event, Committed) and match.places is not None:
                match = Match("")  # a rematch
            match = evolve(match, entry.event)
    except (DivergedLog, IllegalAction, LookupError, TypeError, ValueError) as problem:
        return f"after event {seq}: {problem}"
    return None
