"""Machine mode: replies as JSON lines, and JSON lines as replies.

An object has only what its reader may know: private fields of events are left out, not nulled (the public form of an
event has ``None`` where the owner's has the card). Reading a line that ``encode`` wrote gives an equal reply.
"""

from typing import Any, Final

import msgspec

from golfnet.engine import wire
from golfnet.engine.events import EVENTS, INTERNAL, Event, Swapped, TurnBegan
from golfnet.protocol.replies.plausible import check
from golfnet.protocol.replies.presence import TABLE_EVENTS, TableEvent
from golfnet.protocol.replies.replies import (
    AnyReply,
    Burst,
    Bye,
    Chat,
    Error,
    Happened,
    Notice,
    Ok,
    Ping,
    Prompt,
    Rows,
    TableView,
    Welcome,
)

AnyEvent = Event | TableEvent

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Welcome | Ok | Error | Rows | TableView | Prompt | Chat | Ping | Notice | Bye)


def encode(reply: AnyReply | Burst) -> bytes:
    """Return the reply as one JSON line for each thing that it tells, ending in LF."""
    if isinstance(reply, Burst):
        return reply.lines
    if isinstance(reply, Happened):
        return event_line(reply.table, reply.seq, reply.event, reply.body, reply.ms)
    if isinstance(reply, Chat):
        return _chat_line(reply)
    return _encoder.encode(reply) + b"\n"


def decode(line: bytes | str) -> AnyReply | None:
    """Return the reply of one JSON line, None for a type this side does not know; raises ``msgspec.MsgspecError``."""
    try:
        reply = _decode(line)
        if reply is not None:
            check(reply)
        return reply
    except (RecursionError, UnicodeError) as problem:  # which msgspec lets through
        raise msgspec.DecodeError(f"not a line of this protocol: {problem}") from None


def _decode(line: bytes | str) -> AnyReply | None:
    kind = msgspec.json.decode(line, type=_Envelope).type
    if kind == "event":
        fields: dict[str, Any] = msgspec.json.decode(line)
        head = msgspec.convert(fields, _Head)
        if head.event not in _KINDS:
            return None
        event = event_from_fields(fields)
        ms = head.ms if isinstance(event, TurnBegan) else None
        return Happened(table=head.table, seq=head.seq, event=event, names=(), ms=ms)
    return _decoder.decode(line) if kind in _TYPES else None


def public_body(event: AnyEvent, log_body: bytes) -> bytes | None:
    """Return the wire object of an event that its reader may know in full, made from its log body.

    None where the log holds more of it than the wire, and not at the end.
    """
    if type(event) is Swapped:
        return log_body[: log_body.rindex(_HIDDEN)] + b"}"
    return None if type(event) in INTERNAL else log_body


def event_line(
    table: str, seq: int, event: AnyEvent, body: bytes | None = None, ms: int | None = None
) -> bytes:
    """Return the line of an event; ``body`` is its wire object where that is known, ``ms`` the clock of a turn."""
    if body is None:
        fields = event_fields(event)
        if type(event) is TurnBegan:
            fields["ms"] = ms
        body = _encoder.encode(fields)
    return b'{"type":"event","table":"%b","seq":%d,%b\n' % (table.encode(), seq, body[1:])


_HIDDEN: Final = b',"hidden":'
"""With what the log's last field of a swap begins, which the wire has not."""


def _chat_line(chat: Chat) -> bytes:
    """Return the line of a chat, which goes to one listener after the other, and keeps it."""
    kept = chat.__dict__
    if "line" not in kept:
        kept["line"] = _encoder.encode(chat) + b"\n"
    line: bytes = kept["line"]
    return line


def event_fields(event: AnyEvent) -> dict[str, Any]:
    """Return an event as its wire object, without table and seq; absent private fields are left out."""
    return wire.public_fields(event)


def event_from_fields(fields: dict[str, Any]) -> AnyEvent:
    """Return the event of a wire object; what only the fold needs is empty. Raises ``msgspec.ValidationError``."""
    kind = _KINDS[fields["event"]]
    try:
        return wire.event_from(kind, fields)
    except wire.MalformedEvent as problem:
        raise msgspec.ValidationError(f"not a {fields['event']} event: {problem}") from None


class _Envelope(msgspec.Struct):
    type: str


class _Head(msgspec.Struct):
    """What every event has, whatever its kind."""

    event: str
    table: str
    seq: int
    ms: int | None = None


_KINDS: Final[dict[str, type[AnyEvent]]] = EVENTS | TABLE_EVENTS
_TYPES: Final = frozenset(
    {"welcome", "ok", "error", "rows", "view", "prompt", "chat", "ping", "notice", "bye"}
)
