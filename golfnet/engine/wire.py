"""The JSON form of events, for the wire, records and the log.

``event_fields`` returns the fields that are sent and recorded and, for a table's log, those that only the fold needs.
``event_from`` reads both; what it reads from a log equals the event that was written. Any frozen record with a ``name``
can be an event, such as the table events that are not part of play. How a field is written follows from its annotation,
so new events need no change to this module.
"""

import types
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache
from operator import attrgetter
from typing import (
    Any,
    ClassVar,
    Final,
    NamedTuple,
    Protocol,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from golfnet.engine.cards import (
    CARDS,
    EMPTY,
    SEAT_LETTERS,
    Card,
    Position,
    Seat,
    parse_position,
    parse_seat,
    position_text,
)
from golfnet.engine.errors import RuleError
from golfnet.engine.events import INTERNAL, PRIVATE, MatchStarted, Swapped
from golfnet.engine.frozen import replaced
from golfnet.engine.options import as_options, from_options
from golfnet.engine.rules import RuleSet


class NamedEvent(Protocol):
    """An event of any kind: a frozen record with a name."""

    @property
    def name(self) -> str:
        """The event's name on the wire."""


E = TypeVar("E", bound=NamedEvent)
T = TypeVar("T")


class MalformedEvent(Exception):
    """A JSON object that is not a valid event; ``problem`` says what is wrong with ``field``."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


def event_fields(event: NamedEvent, *, internal: bool = False) -> dict[str, Any]:
    """Return an event as a wire object whose first key is ``event``; a private field that is None is left out.

    If ``internal``, they are followed by fields that only the fold needs, for a table's log.
    """
    fields: dict[str, Any] = {"event": event.name}
    for name, wire_name, write, omitted, is_later in _written_fields(type(event), internal):
        value = getattr(event, name)
        if not (value is omitted or (is_later and value == omitted)):
            fields[wire_name] = value if value is None or write is _same else write(value)
    return fields


def event_from(kind: type[E], fields: Mapping[str, Any]) -> E:
    """Return the event that an object encodes, or raise ``MalformedEvent``.

    Some fields may be missing: a field that only the fold needs is then empty, a private or optional field is None, and
    a field with a default gets its default. Any other missing field is an error.
    """
    values: dict[str, Any] = {}
    for field in wire_fields(kind):
        value = fields.get(field.wire_name)
        if value is None and field.default is _REQUIRED:
            raise MalformedEvent(field.wire_name, "missing")
        try:
            values[field.name] = field.default if value is None else field.read(value)
        except (KeyError, TypeError, ValueError, AttributeError, RuleError) as problem:
            raise MalformedEvent(field.wire_name, str(problem)) from None
    if kind is MatchStarted:
        values["options"] = replaced(values["options"], name=values["variant"], title=values["variant"])
    if kind is Swapped and "hidden" not in fields:
        values["hidden"] = values["card"] is None
    return kind(**values)


_REQUIRED: Final = object()
_WIRE_NAMES: Final = {"source": "from", "player": "name"}
"""Wire names that cannot be field names: a Python keyword, and ``name``, which is the name of the event."""


class WireField(NamedTuple):
    """How one field of an event is written and read; ``default`` is its value if it is missing.

    Only some viewers may know a private field. Only the fold needs an internal one, which is never sent. A later field
    was added in a later version than the event; it is left out if it has its default.
    """

    name: str
    wire_name: str
    hint: Any
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]
    default: Any
    is_private: bool
    is_internal: bool
    is_later: bool


@cache
def wire_fields(kind: type) -> tuple[WireField, ...]:
    """Return the fields of a kind of event in the order in which they are written, internal ones last."""
    internal, private = INTERNAL.get(kind, {}), PRIVATE.get(kind)
    later: Mapping[str, Any] = getattr(kind, "frozen_defaults", {})
    fields = [
        WireField(
            name,
            _WIRE_NAMES.get(name, name),
            hint,
            *_converter(hint),
            default={name: None if is_optional(hint) else _REQUIRED, **later, **internal}[name],
            is_private=name == private,
            is_internal=name in internal,
            is_later=name in later and name not in internal,
        )
        for name, hint in get_type_hints(kind).items()
        if get_origin(hint) is not ClassVar
    ]
    return tuple(sorted(fields, key=attrgetter("is_internal")))


@cache
def _written_fields(kind: type, internal: bool) -> list[tuple[str, str, Callable[[Any], Any], Any, bool]]:
    """Return the name, wire name, writer and omitted value of each field, and whether it is a later field."""
    return [
        (
            field.name,
            field.wire_name,
            field.write,
            field.default if field.is_later else None if field.is_private else _REQUIRED,
            field.is_later,
        )
        for field in wire_fields(kind)
        if internal or not field.is_internal
    ]


def is_optional(hint: Any) -> bool:
    """Return whether values of an annotated type may be None."""
    return get_origin(hint) in (types.UnionType, Union) and types.NoneType in get_args(hint)


def without_none(hint: Any) -> Any:
    """Return an annotated type without None."""
    return next(arm for arm in get_args(hint) if arm is not types.NoneType) if is_optional(hint) else hint


_Converter = tuple[Callable[[Any], Any], Callable[[Any], Any]]


def _converter(hint: Any) -> _Converter:
    """Return the writer and the reader for an annotated type."""
    hint = without_none(hint)
    if get_origin(hint) is tuple:
        item, length = get_args(hint)
        return _list_converter(item, None if length is Ellipsis else 2)
    is_word = isinstance(hint, type) and issubclass(hint, StrEnum)
    return (str, hint) if is_word else _CONVERTERS[hint]


def _list_converter(hint: Any, length: int | None) -> _Converter:
    write, read_item = _item_converter(hint)

    def read(values: Any) -> tuple[Any, ...]:
        items = tuple([read_item(value) for value in _checked(list, values)])
        if length not in (None, len(items)):
            raise ValueError(f"expected {length}, not {len(items)}")
        return items

    return (lambda values: [write(value) for value in values]), read


def _item_converter(hint: Any) -> _Converter:
    """Return the writer and the reader for a list's items; None is an empty slot among cards, null in other lists."""
    if not is_optional(hint):
        return _converter(hint)
    if Card in get_args(hint):
        return _SLOT
    write, read = _converter(hint)
    return (
        lambda value: None if value is None else write(value),
        lambda value: None if value is None else read(value),
    )


def _checked(kind: type[T], value: Any) -> T:
    """Return a value that must be of exactly this JSON type; true is not a number here."""
    if type(value) is not kind:
        raise ValueError(f"expected {_JSON_NAMES[kind]}, not {value!r}")
    return value


def _as_is(kind: type) -> _Converter:
    return _same, (lambda value: _checked(kind, value))


def _same(value: Any) -> Any:
    return value


def _card(text: Any) -> Card:
    card = CARDS.get(_checked(str, text))
    if card is None:
        raise ValueError(f"expected a card such as 7H, 10D or *, not {text!r}")
    return card


_JSON_NAMES: Final[dict[type, str]] = {
    str: "text",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}

_SLOT: Final[_Converter] = (
    lambda card: EMPTY if card is None else card.text,
    lambda text: None if text == EMPTY else _card(text),
)

_CONVERTERS: Final[dict[Any, _Converter]] = {
    str: _as_is(str),
    int: _as_is(int),
    bool: _as_is(bool),
    Card: (attrgetter("text"), _card),
    Seat: (SEAT_LETTERS.__getitem__, lambda text: parse_seat(_checked(str, text))),
    Position: (position_text, lambda text: parse_position(_checked(str, text))),
    bytes: (bytes.hex, lambda text: bytes.fromhex(_checked(str, text))),
    RuleSet: (as_options, lambda options: from_options("", _checked(dict, options))),
}
