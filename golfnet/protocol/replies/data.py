"""Machine mode: replies as JSON lines, and JSON lines as replies; and events as JSON for a table's log.

An object contains only what its reader may know: private fields of events are left out, not null (in Python, they are
``None`` in the public form of an event). Decoding a line that ``encode`` returned gives an equal reply.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, Final, get_args

import msgspec

from golfnet.engine import events as ev, wire
from golfnet.engine.cards import CARDS, SEAT_LETTERS
from golfnet.engine.errors import RuleError
from golfnet.protocol.replies.presence import TABLE_EVENTS, TableEvent
from golfnet.protocol.replies.replies import (
    AnyReply,
    Burst,
    Chat,
    Happened,
    JsonReply,
    Prompt,
    Rows,
    TableView,
)

_SEATS: Final = frozenset({None, *SEAT_LETTERS})
_POSITION: Final = re.compile(f"[{SEAT_LETTERS}][1-9][0-9]?")
_CARDS: Final = frozenset({None, *CARDS})
_SLOTS: Final = frozenset({"?", "-", *CARDS, *[f"?{card}" for card in CARDS]})
_ROWS: Final[dict[str, dict[str, type]]] = {
    "who": {"name": str},
    "tables": {"table": str, "variant": str, "state": str, "seats": int, "taken": int},
    "variants": {"name": str, "options": dict},
    "history": {"match": str},
    "record": {},
    "top": {},
    "stats": {},
}
"""The required keys of each kind of row, with the types of their values."""


def check(reply: AnyReply) -> None:
    """Raise ``ValidationError`` for a reply that contradicts itself."""
    match reply:
        case TableView():
            _check_view(reply)
        case Prompt():
            _need("positions", all(map(_POSITION.fullmatch, reply.targets)))
        case Happened(event=ev.MatchStarted(seats=seats)):
            _need("seats", 0 < len(seats) <= len(SEAT_LETTERS))
        case Happened(event=ev.Peeked(at=at, cards=cards)):
            _need("positions", bool(at) and (cards is None or len(cards) == len(at)))
        case Happened(event=ev.HoleEnded(layouts=layouts, scores=scores, totals=totals)):
            _need("a total for each seat", bool(totals) and len(totals) == len(layouts))
            _need("a score for each seat", scores is None or len(scores) == len(totals))
        case Happened(event=ev.MatchEnded(totals=totals, places=places)):
            _need("a place for each total", len(places) == len(totals) and 1 in places)
        case Rows(kind=kind, rows=rows) if kind in _ROWS:
            for row in rows:
                _need("objects", isinstance(row, dict))
                for key, of in _ROWS[kind].items():
                    _need(f"{key} in every row", isinstance(row.get(key), of))


def _check_view(view: TableView) -> None:
    seats = [seat.seat for seat in view.seats]
    _need(
        "a seat",
        {view.you, view.turn, view.dealer, view.leader, view.holding, view.owes, view.closer} <= _SEATS,
    )
    _need("a seat", _SEATS.issuperset(seats) and len(set(seats)) == len(seats))
    _need("a seat that is taken", view.you is None or view.you in seats)
    _need("positions", all(map(_POSITION.fullmatch, view.targets)))
    _need("a card", {view.discard, view.beneath, view.drawn} <= _CARDS)
    _need("a slot", all(_SLOTS.issuperset(seat.slots) for seat in view.seats))
    _need("a score", all(view.scores))
    _need("a number", all(abs(seat.total) <= 10**9 for seat in view.seats))
    try:
        _ = view.rules
    except RuleError as problem:
        raise msgspec.ValidationError(f"expected rules: {problem}") from None


def _need(what: str, is_there: bool) -> None:
    if not is_there:
        raise msgspec.ValidationError(f"expected {what}")


AnyEvent = ev.Event | TableEvent

_encoder = msgspec.json.Encoder()


def encode(reply: AnyReply | Burst) -> bytes:
    """Return the reply as JSON lines, one for each object; each line ends in LF."""
    special = _SPECIAL.get(type(reply))
    return _encoder.encode(reply) + b"\n" if special is None else special(reply)


def with_sentences(lines: bytes, sentences: Iterable[str]) -> bytes:
    """Return JSON lines, each with its sentence as ``text``."""
    each = zip(lines.splitlines(), sentences, strict=True)
    return b"".join([line[:-1] + b',"text":' + _encoder.encode(said) + b"}\n" for line, said in each])


def decode(line: bytes | str) -> AnyReply | None:
    """Return the reply in one JSON line (None for an unknown type), or raise ``msgspec.MsgspecError``."""
    try:
        reply = _decode(line)
        if reply is not None:
            check(reply)
        return reply
    except (RecursionError, UnicodeError) as problem:  # msgspec does not convert these exceptions.
        raise msgspec.DecodeError(f"not a line of this protocol: {problem}") from None


def _decode(line: bytes | str) -> AnyReply | None:
    kind = msgspec.json.decode(line, type=_Envelope).type
    if kind == "event":
        fields: dict[str, Any] = msgspec.json.decode(line)
        head = msgspec.convert(fields, _Head)
        if head.event not in _KINDS:
            return None
        event = event_from_fields(fields)
        ms = head.ms if isinstance(event, ev.TurnBegan) else None
        return Happened(table=head.table, seq=head.seq, event=event, names=(), ms=ms)
    return _decoder().decode(line) if kind in _TYPES else None


@cache
def _decoder() -> msgspec.json.Decoder[JsonReply]:
    return msgspec.json.Decoder(JsonReply)  # only clients and bots need it


def log_body(event: AnyEvent, **more: Any) -> bytes:
    """Return an event's log body, with any keys that its writer adds."""
    form = wire.event_fields(event, internal=True)
    return _encoder.encode(more | form if more else form)


def public_body(event: AnyEvent, log_body: bytes) -> bytes | None:
    """Return an event as JSON for readers who may know all of it, by shortening its JSON from the log.

    Return None if that is not possible, because the fields that are not sent are not the last ones, as ``hidden`` is.
    """
    if type(event) is ev.Swapped:
        return log_body[: log_body.rindex(b',"hidden":')] + b"}"
    return None if type(event) in ev.INTERNAL else log_body


def event_line(
    table: str, seq: int, event: AnyEvent, body: bytes | None = None, ms: int | None = None
) -> bytes:
    """Return the line of an event; ``body`` is its JSON if already known, ``ms`` the full time for a turn."""
    if body is None:
        fields = wire.event_fields(event)
        if type(event) is ev.TurnBegan:
            fields = {"ms": ms} | fields  # in the order of the log
        body = _encoder.encode(fields)
    return b'{"type":"event","table":"%b","seq":%d,%b\n' % (table.encode(), seq, body[1:])


@lru_cache(maxsize=16)
def _chat_line(chat: Chat) -> bytes:
    """Return the line of a chat message; it is cached, because many peers receive it."""
    return _encoder.encode(chat) + b"\n"


_SPECIAL: Final[Mapping[type, Callable[[Any], bytes]]] = {
    Burst: lambda burst: burst.lines,
    Happened: lambda told: event_line(told.table, told.seq, told.event, ms=told.ms),
    Chat: _chat_line,
}
"""How replies that are not plain objects are encoded."""


def event_from_fields(fields: dict[str, Any]) -> AnyEvent:
    """Return the event with these fields, or raise ``ValidationError``; fields that are never sent may be missing."""
    kind = _KINDS[fields["event"]]
    try:
        return wire.event_from(kind, fields)
    except wire.MalformedEvent as problem:
        raise msgspec.ValidationError(f"not a {fields['event']} event: {problem}") from None


class _Envelope(msgspec.Struct):
    type: str


class _Head(msgspec.Struct):
    """The fields of every event line, and the time for a turn."""

    event: str
    table: str
    seq: int
    ms: int | None = None


_KINDS: Final[dict[str, type[AnyEvent]]] = ev.EVENTS | TABLE_EVENTS
_TYPES: Final = frozenset([kind.__struct_config__.tag for kind in get_args(JsonReply)])
