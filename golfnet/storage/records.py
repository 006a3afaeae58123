"""What is stored about a match: each event in a table's log, and the record that anyone can verify.

A log body is one event as JSON with everything needed to apply it; the writer may add keys, which are ignored when the
body is read. A record is made from its table's log, contains only engine events, and has the form that RECORDS.md
describes. A hole's seed, cuts and deck are in its hole line and nowhere else.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, NoReturn

import msgspec

from golfnet.engine import wire
from golfnet.engine.cards import deck_text, seat_letter
from golfnet.engine.errors import DivergedLog
from golfnet.engine.events import (
    EVENTS,
    Committed,
    Dealt,
    Event,
    HoleStarted,
    MatchEnded,
    MatchStarted,
    TurnBegan,
)
from golfnet.engine.options import as_options
from golfnet.storage.faults import contradiction
from golfnet.storage.writes import LoggedEvent, MatchResult

FORMAT: Final = "golfnet-record/1"
TIME_FORMAT: Final = "%Y-%m-%dT%H:%M:%SZ"
"""The format of the time at which a record's match began, in UTC."""

_encoder = msgspec.json.Encoder()
_sorted_encoder = msgspec.json.Encoder(order="sorted")
_decoder = msgspec.json.Decoder(dict[str, Any])


def from_log_form(fields: Mapping[str, Any]) -> Event:
    """Return the engine event that a log entry encodes. Raise ``DivergedLog`` if there is none."""
    kind = EVENTS.get(fields.get("event", ""))
    if kind is None:
        raise DivergedLog(f"not a log event: {fields.get('event')!r}")
    try:
        return wire.event_from(kind, fields)
    except wire.MalformedEvent as problem:
        raise DivergedLog(f"not a {kind.name} event: {problem}") from None


class LogEntry(NamedTuple):
    """One engine event in a table's log, with its number and, if a turn begins with it, the turn's time in ``ms``."""

    seq: int
    event: Event
    ms: int | None = None


def entries(events: Iterable[LoggedEvent]) -> Iterator[LogEntry]:
    """Yield the engine events in a table's log, without the table's own events. Raise ``DivergedLog`` on bad data."""
    for seq, body in events:
        try:
            fields = _decoder.decode(body)
        except msgspec.MsgspecError as problem:
            raise DivergedLog(f"not a JSON object in a log: {problem}") from None
        if fields.get("event") in EVENTS:
            event = from_log_form(fields)
            yield LogEntry(seq, event, fields.get("ms") if isinstance(event, TurnBegan) else None)


def record_lines(table: str, log: Iterable[LogEntry], *, match: str, started: float) -> Iterator[bytes]:
    """Yield the record of a match from its table's log, which may contain other matches too; each line ends in LF.

    ``started`` is when the match began, in seconds since 1970. Raise ``DivergedLog`` if the log does not contain the
    whole match.
    """
    digest = hashlib.sha256()
    for line in _lines(table, log, match, started):
        digest.update(canonical(line))
        is_last = line.keys() == {"totals", "places"}
        yield _encoder.encode(line | {"digest": digest.hexdigest()} if is_last else line) + b"\n"


def record_of(match: MatchResult, events: Iterable[LoggedEvent]) -> bytes:
    """Return the record of a match, made from its table's events. Raise ``StoreError`` if some are missing."""
    try:
        return b"".join(record_lines(match.table, entries(events), match=match.id, started=match.started))
    except DivergedLog as problem:
        contradiction(str(problem))


def canonical(line: Mapping[str, Any]) -> bytes:
    """Return what a record's digest, a SHA-256, covers of a line: not its digest, whitespace or order of keys."""
    content = {key: value for key, value in line.items() if key != "digest"}
    written = _sorted_encoder.encode(content)
    if not written.isascii() or 0x7F in written:  # characters that have to be escaped
        written = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    return written + b"\n"


def _lines(table: str, log: Iterable[LogEntry], match: str, started: float) -> Iterator[dict[str, Any]]:
    """Yield the lines of a record as objects, the last one without its digest."""
    within = False
    promised: Committed | None = None
    opened: HoleStarted | None = None
    held: list[dict[str, Any]] = []
    for seq, event, ms in log:
        if isinstance(event, Committed) and event.hole == 1:
            within = event.match == match
        if not within:
            continue
        line = {"type": "event", "table": table, "seq": seq, **wire.event_fields(event)}
        match event:
            case Committed():
                promised = event
            case MatchStarted():
                yield _header(event, started)
            case HoleStarted():
                opened = event
            case Dealt() if promised is not None and opened is not None:
                yield _hole_line(promised, opened, event)
            case TurnBegan():
                line["ms"] = ms
        held.append(line)
        if isinstance(event, HoleStarted) or (isinstance(event, Committed) and event.hole == 1):
            continue  # held until the deck or the header is known, whose line comes first
        yield from held
        held.clear()
        if isinstance(event, MatchEnded):
            yield {"totals": list(event.totals), "places": list(event.places)}
            return
    raise DivergedLog(f"the log of table {table} does not contain the whole match {match}")


def _header(event: MatchStarted, started: float) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "match": event.match,
        "variant": event.variant,
        "options": as_options(event.options),
        "seats": list(event.seats),
        "started": datetime.fromtimestamp(started, UTC).strftime(TIME_FORMAT),
    }


def _hole_line(promised: Committed, opened: HoleStarted, dealt: Dealt) -> dict[str, Any]:
    return {
        "hole": opened.hole,
        "dealer": seat_letter(opened.dealer),
        "context": opened.context,
        "commitment": opened.commitment,
        **({} if opened.seals is None else {"deal": promised.deal.value}),
        "seed": promised.seed.hex(),
        "cuts": list(opened.cuts),
        **({} if opened.seals is None else {"seals": list(opened.seals)}),
        "deck": deck_text(dealt.deck),
    }


MAX_LINE: Final = 16 * 1024
"""Maximum bytes per line, as in machine mode."""


class BadRecord(Exception):
    """The first error in a record: its ``line``, counted from 1, the field, what was expected and what was found."""

    def __init__(self, line: int, field: str, expected: str, found: str) -> None:
        super().__init__(f"line {line}, {field}: expected {expected}, found {found}")
        self.line = line


class RecordLine(msgspec.Struct, frozen=True):
    """One line of a record, with its number, counted from 1."""

    number: int
    fields: dict[str, Any]

    def bad(self, field: str, expected: object, found: object) -> NoReturn:
        """Raise ``BadRecord`` about a field of this line."""
        raise BadRecord(self.number, field, _short(expected), _short(found))

    def need(self, field: str, expected: Any) -> None:
        """Raise ``BadRecord`` unless the field has this JSON value."""
        if field not in self.fields:
            self.bad(field, json.dumps(expected), "nothing")
        place = difference(field, expected, self.fields[field])
        if place is not None:
            self.bad(*place)

    def text(self, field: str) -> str:
        """Return a field that must be a string."""
        value = self.fields.get(field)
        return value if isinstance(value, str) else self.bad(field, "text", json.dumps(value))

    def texts(self, field: str) -> tuple[str, ...]:
        """Return a field that must be a list of strings."""
        value = self.fields.get(field)
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            self.bad(field, "a list of strings", json.dumps(value))
        return tuple(value)


def parse_lines(lines: Iterable[bytes]) -> Iterator[RecordLine]:
    """Yield the parsed lines of a record. Raise ``BadRecord`` at the first malformed one."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield RecordLine(number, _read(number, line))


def difference(path: str, expected: Any, found: Any) -> tuple[str, str, str] | None:
    """Return the first difference between two JSON values, as its path and both parts, or None if they are equal."""
    if type(expected) is not type(found) or not isinstance(expected, dict | list):
        one, other = json.dumps(expected), json.dumps(found)
        return None if one == other else (path, one, other)
    if isinstance(expected, dict):
        if expected.keys() != found.keys():
            return path, f"the keys {' '.join(expected)}", " ".join(found)
        parts = [(f"{path}.{key}", expected[key], found[key]) for key in expected]
    else:
        if len(expected) != len(found):
            return path, json.dumps(expected), json.dumps(found)
        parts = [(f"{path}[{at + 1}]", expected[at], found[at]) for at in range(len(expected))]
    return next(filter(None, (difference(*part) for part in parts)), None)


def _read(number: int, line: bytes) -> dict[str, Any]:
    if len(line) > MAX_LINE:
        raise BadRecord(number, "length", f"at most {MAX_LINE} bytes", f"{len(line)}")
    try:
        fields = json.loads(
            line.decode(),
            object_pairs_hook=_without_repeats,
            parse_float=_reject_number,
            parse_constant=_reject_number,
        )
        json.dumps(fields, ensure_ascii=False).encode()  # fails for a lone surrogate
    except (ValueError, RecursionError) as problem:
        raise BadRecord(number, "text", "a JSON object", f"{problem}") from None
    if not isinstance(fields, dict):
        raise BadRecord(number, "text", "a JSON object", _short(line.decode().strip()))
    return fields


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a key that occurs twice")
    return fields


def _reject_number(text: str) -> NoReturn:
    raise ValueError(f"the number {text}, which is not an integer")


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 200 else f"{text[:200]} …"
