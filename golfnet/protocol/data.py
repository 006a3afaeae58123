"""Machine mode: replies as JSON lines, and JSON lines as replies.

An object has only what its reader may know: private fields of events are left out, not nulled (the public form of an
event has ``None`` where the owner's has the card). Reading a line that ``encode`` wrote gives an equal reply.
"""

import dataclasses
import types
import typing
from collections.abc import Callable
from enum import StrEnum
from functools import cache
from typing import Any, Final, get_args, get_origin

import msgspec

from golfnet.engine.cards import CARDS, Card
from golfnet.engine.events import (
    EVENTS,
    INTERNAL,
    Drew,
    Event,
    Gave,
    Peeked,
    Penalized,
    Reshuffled,
    Swapped,
)
from golfnet.engine.layout import Position
from golfnet.engine.notation import parse_position, parse_seat, position_text, seat_letter
from golfnet.engine.options import as_options, from_options
from golfnet.engine.rules import RuleSet
from golfnet.protocol.presence import TABLE_EVENTS, TableEvent
from golfnet.protocol.replies import (
    AnyReply,
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

_WIRE_NAMES: Final = {"source": "from", "player": "name"}
"""Fields whose wire name Python, or an event's own ``name``, has already taken."""

_PRIVATE: Final[dict[type[AnyEvent], str]] = {
    Peeked: "cards",
    Drew: "card",
    Swapped: "card",
    Gave: "card",
    Penalized: "card",
    Reshuffled: "order",
}
"""The field of each event that is left out for those who may not know it."""

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Welcome | Ok | Error | Rows | TableView | Prompt | Chat | Ping | Notice | Bye)


def encode(reply: AnyReply) -> bytes:
    """Return the reply as one JSON line, ending in LF."""
    if isinstance(reply, Happened):
        if reply.line is None:
            head = {"type": "event", "table": reply.table, "seq": reply.seq}
            fields = event_fields(reply.event)
            if reply.ms is not None or reply.event.name == "turn":
                fields["ms"] = reply.ms
            reply.line = _encoder.encode(head | fields) + b"\n"
        return reply.line
    return _encoder.encode(reply) + b"\n"


def decode(line: bytes | str) -> AnyReply | None:
    """Return the reply of one JSON line, None for a type this side does not know; raises ``msgspec.MsgspecError``."""
    kind = msgspec.json.decode(line, type=_Envelope).type
    if kind == "event":
        fields: dict[str, Any] = msgspec.json.decode(line)
        if fields.get("event") not in EVENTS | TABLE_EVENTS:
            return None
        event = event_from_fields(fields)
        return Happened(
            table=fields["table"], seq=fields["seq"], event=event, names=(), ms=fields.get("ms")
        )
    return _decoder.decode(line) if kind in _TYPES else None


def event_fields(event: AnyEvent) -> dict[str, Any]:
    """Return an event as its wire object, without table and seq; absent private fields are left out."""
    private = _PRIVATE.get(type(event))
    fields: dict[str, Any] = {"event": event.name}
    for name, wire_name, write, _ in _codec(type(event)):
        value = getattr(event, name)
        if value is not None:
            fields[wire_name] = write(value)
        elif name != private:
            fields[wire_name] = None
    return fields


def event_from_fields(fields: dict[str, Any]) -> AnyEvent:
    """Return the event of a wire object; what only the fold needs is empty. Raises ``msgspec.ValidationError``."""
    kind: type[AnyEvent] = (EVENTS | TABLE_EVENTS)[fields["event"]]
    values: dict[str, Any] = dict(_INTERNAL_DEFAULTS.get(kind.__name__, {}))
    try:
        for name, wire_name, _, read in _codec(kind):
            value = fields.get(wire_name)
            values[name] = None if value is None else read(value)
        if kind is Swapped:
            values["hidden"] = values["card"] is None
        return kind(**values)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise msgspec.ValidationError(f"not a {fields['event']} event: {problem}") from None


class _Envelope(msgspec.Struct):
    type: str


_TYPES: Final = frozenset({"welcome", "ok", "error", "rows", "view", "prompt", "chat", "ping", "notice", "bye"})

_INTERNAL_DEFAULTS: Final[dict[str, dict[str, Any]]] = {
    "Committed": {"seed": b""},
    "HoleStarted": {"cuts": (), "context": ""},
    "Dealt": {"deck": ()},
    "Swapped": {"hidden": False},
    "Gave": {"known": False},
}

Codec = tuple[str, str, Callable[[Any], Any], Callable[[Any], Any]]


@cache
def _codec(kind: type[AnyEvent]) -> tuple[Codec, ...]:
    """Return (field, wire name, write, read) for each public field of an event type, from its annotations."""
    hints = typing.get_type_hints(kind)
    internal = INTERNAL.get(kind, frozenset())  # type: ignore[call-overload]
    return tuple(
        (field.name, _WIRE_NAMES.get(field.name, field.name), *_converter(field.name, hints[field.name]))
        for field in dataclasses.fields(kind)
        if field.name not in internal
    )


def _converter(name: str, hint: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Return how values of an annotated type are written and read."""
    if get_origin(hint) in (types.UnionType, typing.Union):
        (hint,) = [arm for arm in get_args(hint) if arm is not types.NoneType]
    if get_origin(hint) is tuple:
        write, read = _converter(name, get_args(hint)[0])
        if name == "layouts":
            return _write_layouts, _read_layouts
        return (lambda values: [write(value) for value in values]), lambda values: tuple(map(read, values))
    return _CONVERTERS.get(hint) or _plain(name, hint)


def _plain(name: str, hint: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    if getattr(hint, "__name__", "") == "Seat":
        return seat_letter, parse_seat
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return str, hint
    return (lambda value: value), (lambda value: value)


def _write_layouts(layouts: tuple[tuple[Card | None, ...], ...]) -> list[list[str]]:
    return [["-" if card is None else card.text for card in layout] for layout in layouts]


def _read_layouts(layouts: list[list[str]]) -> tuple[tuple[Card | None, ...], ...]:
    return tuple(tuple(None if text == "-" else CARDS[text] for text in layout) for layout in layouts)


_CONVERTERS: Final[dict[Any, tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    Card: (lambda card: card.text, CARDS.__getitem__),
    Position: (position_text, parse_position),
    bytes: (bytes.hex, bytes.fromhex),
    RuleSet: (as_options, lambda options: from_options(str(options.get("name", "")), options)),
}
