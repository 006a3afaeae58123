"""Strict parser of records: each line is one JSON object that can be read in one way only.

A repeated key, a number with a fraction or text that is not Unicode could be read in two ways, so they are errors here.
Blank lines are skipped, and counted.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, NoReturn

MAX_LINE: Final = 16 * 1024
"""Maximum bytes of a line, as in machine mode."""


class BadRecord(Exception):
    """The first error in a record: its line from 1, the field, what was expected and what was found."""

    def __init__(self, line: int, field: str, expected: str, found: str) -> None:
        super().__init__(f"line {line}, {field}: expected {expected}, found {found}")
        self.line = line
        self.field = field
        self.expected = expected
        self.found = found


class RecordLine(NamedTuple):
    """One line of a record, with its number from 1."""

    number: int
    fields: dict[str, Any]

    @property
    def is_event(self) -> bool:
        """Whether the line is an event; the others are the header, hole lines and the last line."""
        return "type" in self.fields

    def bad(self, field: str, expected: object, found: object) -> NoReturn:
        """Raise ``BadRecord`` for a field of this line."""
        raise BadRecord(self.number, field, _short(expected), _short(found))

    def need(self, field: str, expected: Any) -> None:
        """Raise ``BadRecord`` unless the field has this JSON value."""
        if field not in self.fields:
            self.bad(field, json.dumps(expected), "nothing")
        place = difference(field, expected, self.fields[field])
        if place is not None:
            self.bad(*place)

    def text(self, field: str) -> str:
        """Return a field that must be text."""
        value = self.fields.get(field)
        return value if isinstance(value, str) else self.bad(field, "text", json.dumps(value))

    def texts(self, field: str) -> tuple[str, ...]:
        """Return a field that must be a list of texts."""
        value = self.fields.get(field)
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            self.bad(field, "a list of texts", json.dumps(value))
        return tuple(value)


def parse_lines(lines: Iterable[bytes]) -> Iterator[RecordLine]:
    """Yield the parsed lines of a record. Raise ``BadRecord``."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield RecordLine(number, _read(number, line))


def difference(path: str, expected: Any, found: Any) -> tuple[str, str, str] | None:
    """Return the first difference between two JSON values as path and both texts; None if they are equal."""
    if type(expected) is not type(found) or not isinstance(expected, dict | list):
        one, other = json.dumps(expected), json.dumps(found)
        return None if one == other else (path, one, other)
    if isinstance(expected, dict):
        if expected.keys() != found.keys():
            return path, f"the keys {' '.join(expected)}", " ".join(found)
        inner = [difference(f"{path}.{key}", expected[key], found[key]) for key in expected]
    else:
        if len(expected) != len(found):
            return path, json.dumps(expected), json.dumps(found)
        inner = [
            difference(f"{path}[{index}]", one, other)
            for index, (one, other) in enumerate(zip(expected, found, strict=True), 1)
        ]
    return next((place for place in inner if place is not None), None)


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
        raise BadRecord(number, "text", "an object of JSON", f"{problem}") from None
    if not isinstance(fields, dict):
        raise BadRecord(number, "text", "an object of JSON", _short(line.decode().strip()))
    return fields


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a key that stands twice")
    return fields


def _reject_number(text: str) -> NoReturn:
    raise ValueError(f"the number {text}, which is not whole")


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 200 else f"{text[:200]} …"
