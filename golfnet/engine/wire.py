"""The JSON form of events, for the wire, records and the log.

``event_fields`` returns the fields that are sent and recorded and, for a table's log, those that only the fold needs.
``event_from`` reads both; what it reads from a log equals the event that was written. Any frozen record with a ``name``
can be an event, such as the table events that are not part of play. How a field is written follows from its annotation,
so new events need no change to this module.
"""

import types
import typing
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache
from operator import attrgetter
from typing import Any, Final, TypeVar, get_args, get_origin

from golfnet.engine.cards import CARDS, Card
from golfnet.engine.errors import RuleError
from golfnet.engine.events import INTERNAL, PRIVATE, MatchStarted, Swapped
from golfnet.engine.frozen import defaults_of, replaced, values_of
from golfnet.engine.layout import EMPTY, Position, Seat
from golfnet.engine.notation import SEAT_LETTERS, parse_position, parse_seat, position_text
from golfnet.engine.options import as_options, from_options
from golfnet.engine.rules import RuleSet


class NamedEvent(typing.Protocol):
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
    codec = _codec(type(event))
    fields: dict[str, Any] = dict(zip(codec.names, codec.values(event), strict=True))
    for name, write in codec.written:
        value = fields[name]
        if value is not None:
            fields[name] = write(value)
    if codec.private is not None and fields[codec.private] is None:
        del fields[codec.private]
    for name, default in codec.later:
        if fields[name] == default:
            del fields[name]
    if internal:
        for name, wire_name, write, _ in codec.internal:
            value = getattr(event, name)
            fields[wire_name] = value if value is None or write is _same else write(value)
    return fields


def event_from(kind: type[E], fields: Mapping[str, Any]) -> E:
    """Return the event that an object encodes, or raise ``MalformedEvent``.

    Some fields may be missing: a field that only the fold needs is then empty, a private or optional field is None, and
    a field with a default gets its default. Any other missing field is an error.
    """
    codec = _codec(kind)
    values: dict[str, Any] = codec.defaults | INTERNAL.get(kind, {})
    for name, wire_name, _, read in (*codec.public, *codec.internal):
        value = fields.get(wire_name)
        if value is None:
            if name not in values:
                raise MalformedEvent(wire_name, "missing")
            continue
        try:
            values[name] = read(value)
        except (KeyError, TypeError, ValueError, AttributeError, RuleError) as problem:
            raise MalformedEvent(wire_name, str(problem)) from None
    if kind is MatchStarted:
        values["options"] = replaced(values["options"], name=values["variant"], title=values["variant"])
    if kind is Swapped and "hidden" not in fields:
        values["hidden"] = values["card"] is None
    return kind(**values)


class WireField(typing.NamedTuple):
    """One field of an event's wire object: its wire name, its type, and whether only some viewers may know it.

    ``is_later`` is whether the field was added in a later version than the event; it is left out if it has its default.
    """

    name: str
    hint: Any
    is_private: bool
    is_later: bool


def wire_fields(kind: type) -> tuple[WireField, ...]:
    """Return the fields that ``event_fields`` writes for a kind of event, in order."""
    hints, private = typing.get_type_hints(kind), PRIVATE.get(kind)
    later = {name for name, _ in _codec(kind).later}
    return tuple(
        WireField(each.wire_name, hints[each.name], each.name == private, each.wire_name in later)
        for each in _codec(kind).public
    )


_WIRE_NAMES: Final = {"source": "from", "player": "name"}
"""Wire names that cannot be field names: a Python keyword, and ``name``, which is the name of the event."""

_Converter = tuple[Callable[[Any], Any], Callable[[Any], Any]]


class _FieldCodec(typing.NamedTuple):
    name: str
    wire_name: str
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


class _Codec(typing.NamedTuple):
    """How one kind of event is written and read.

    ``names`` are the keys of the wire object, and ``values`` returns an event's values for them, some of which the
    functions in ``written`` convert. ``private`` is the wire name of the private field. ``defaults`` are for fields
    that may be missing: optional ones, and those that were added in a later version. ``later`` has only the defaults
    of fields added later, in wire form: a field with its default is left out.
    """

    public: tuple[_FieldCodec, ...]
    internal: tuple[_FieldCodec, ...]
    names: tuple[str, ...]
    values: Callable[[Any], tuple[Any, ...]]
    written: tuple[tuple[str, Callable[[Any], Any]], ...]
    private: str | None
    defaults: dict[str, Any]
    later: tuple[tuple[str, Any], ...]


@cache
def _codec(kind: type) -> _Codec:
    hints = typing.get_type_hints(kind)
    hidden = INTERNAL.get(kind, {})
    all_of_them = [
        _FieldCodec(name, _WIRE_NAMES.get(name, name), *_converter(hint))
        for name, hint in hints.items()
        if get_origin(hint) is not typing.ClassVar
    ]
    public = tuple(each for each in all_of_them if each.name not in hidden)
    private = PRIVATE.get(kind)
    defaults = defaults_of(kind)
    return _Codec(
        public=public,
        internal=tuple(each for each in all_of_them if each.name in hidden),
        names=("event", *(each.wire_name for each in public)),
        values=values_of(("name", *(each.name for each in public))),
        written=tuple((each.wire_name, each.write) for each in public if each.write is not _same),
        private=next((each.wire_name for each in public if each.name == private), None),
        defaults={name: None for name, hint in hints.items() if is_optional(hint)} | dict(defaults),
        later=tuple(
            [
                (each.wire_name, None if defaults[each.name] is None else each.write(defaults[each.name]))
                for each in public
                if each.name in defaults
            ]
        ),
    )


def is_optional(hint: Any) -> bool:
    """Return whether values of an annotated type may be None."""
    return get_origin(hint) in (types.UnionType, typing.Union) and types.NoneType in get_args(hint)


def without_none(hint: Any) -> Any:
    """Return an annotated type without None."""
    return next(arm for arm in get_args(hint) if arm is not types.NoneType) if is_optional(hint) else hint


def _converter(hint: Any) -> _Converter:
    """Return the writer and the reader for an annotated type."""
    hint = without_none(hint)
    if get_origin(hint) is tuple:
        item, length = get_args(hint)
        return _list_converter(item, None if length is Ellipsis else 2)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return str, hint
    return _CONVERTERS[hint]


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
