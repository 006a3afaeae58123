"""The JSON Schema of machine mode: every object that the server sends, generated from the types that encode it.

Invariant: each object that is sent fits the schema. Unknown keys are allowed everywhere, because readers ignore them
and later servers may send more. Enumerations list the words of this server; later servers may send more.
"""

import inspect
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final, get_args, get_origin

import msgspec

from golfnet.engine import wire
from golfnet.engine.cards import CARDS, EMPTY, MAX_SEATS, Card, Position, Seat, seat_letter
from golfnet.engine.events import EVENTS
from golfnet.engine.rules import RuleSet
from golfnet.protocol.replies.presence import ENUMS, TABLE_EVENTS
from golfnet.protocol.replies.replies import PROTOCOL, JsonReply, Reply

Schema = dict[str, Any]


def schema() -> Schema:
    """Return the schema of one line of machine mode, with a definition for each kind of object and each event."""
    replies, definitions = msgspec.json.schema_components(_REPLIES, ref_template=_REFERENCE)
    # Defaults are Python values: encode them, so that tuples become lists.
    definitions = msgspec.json.decode(msgspec.json.encode(definitions)) | _NOTATION
    definitions["TableView"]["properties"]["text"] = _SENTENCES
    events = []
    for name, kind in sorted((EVENTS | TABLE_EVENTS).items()):
        definitions[f"event {name}"] = _event(name, kind)
        events.append(_refer(f"event {name}"))
    for place, words in ENUMS.items():
        _narrow(definitions, place, words)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"golfnet protocol {PROTOCOL}: one line of machine mode",
        "anyOf": [*replies, *events],
        "$defs": definitions,
    }


_REPLIES: Final[tuple[type[Reply], ...]] = get_args(JsonReply)
_REFERENCE: Final = "#/$defs/{name}"

_SENTENCES: Final[Schema] = {"type": "string", "description": "only for those who asked for sentences"}

_TAGGED: Final = {str(kind.__struct_config__.tag): kind.__name__ for kind in _REPLIES}


def _narrow(definitions: Schema, place: str, words: Sequence[str]) -> None:
    """Allow only certain words as the value of a field such as ``view.seats.kind``."""
    kind, *keys, last = place.split(".")
    found = definitions[_TAGGED.get(kind, f"event {kind}")]
    for key in keys:
        found = definitions[_referred(found["properties"][key])]
    is_optional = "anyOf" in found["properties"][last]
    of_words: Schema = {"enum": list(map(str, words))}
    found["properties"][last] = {"anyOf": [of_words, {"type": "null"}]} if is_optional else of_words


def _referred(value: Schema) -> str:
    """Return the name of the definition that a schema, its items or one of its alternatives refers to."""
    arms = [value, value.get("items", {}), *value.get("anyOf", ())]
    (name,) = [arm["$ref"] for arm in arms if "$ref" in arm]
    return str(name).removeprefix(_REFERENCE.format(name=""))


def _refer(name: str) -> Schema:
    return {"$ref": _REFERENCE.format(name=name)}


def _event(name: str, kind: type) -> Schema:
    properties: Schema = {
        "type": {"const": "event"},
        "table": {"type": "string"},
        "seq": {"type": "integer", "minimum": 1},
        "event": {"const": name},
    }
    required = list(properties)
    properties["text"] = _SENTENCES
    for field in wire.wire_fields(kind):
        if field.is_private:  # It is left out for those who may not know it, never null.
            value = _value(wire.without_none(field.hint))
            properties[field.wire_name] = value | {"description": "only for those who may know it"}
        elif not field.is_internal:
            properties[field.wire_name] = _value(field.hint)
            required += [] if field.is_later else [field.wire_name]
    if name == "turn":
        properties["ms"] = {"type": ["integer", "null"]}
        required.append("ms")
    return {
        "title": name,
        "description": inspect.cleandoc(kind.__doc__ or ""),
        "type": "object",
        "properties": properties,
        "required": required,
    }


def _value(hint: Any) -> Schema:
    if wire.is_optional(hint):
        return {"anyOf": [_value(wire.without_none(hint)), {"type": "null"}]}
    if get_origin(hint) is tuple:
        item, length = get_args(hint)
        if length is not Ellipsis:
            return {"type": "array", "items": _value(item), "minItems": 2, "maxItems": 2}
        is_slot = wire.is_optional(item) and wire.without_none(item) is Card
        return {"type": "array", "items": _refer("slot") if is_slot else _value(item)}
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {"enum": [member.value for member in hint]}
    return _VALUES[hint]


_LETTERS: Final = "".join(seat_letter(Seat(seat)) for seat in range(MAX_SEATS))

_NOTATION: Final[Schema] = {
    "card": {"description": "a card: rank, then suit; * is a joker", "enum": list(CARDS)},
    "slot": {"description": "a card lying face up, or - if there is none", "enum": [*CARDS, EMPTY]},
    "seat": {"description": "the letter of a seat", "enum": list(_LETTERS)},
    "position": {
        "description": "a card on the table: seat and slot",
        "type": "string",
        "pattern": f"^[{_LETTERS}][1-9][0-9]*$",
    },
}

_VALUES: Final[dict[Any, Schema]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    Card: _refer("card"),
    Seat: _refer("seat"),
    Position: _refer("position"),
    bytes: {"type": "string", "pattern": "^([0-9a-f]{2})*$"},
    RuleSet: {"description": "every field of the rule set as played", "type": "object"},
}
