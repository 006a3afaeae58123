"""Check JSON values against a JSON schema; only the keywords that machine mode's schema uses are supported."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

Schema = dict[str, Any]

_TYPES: Final[dict[str, tuple[type, ...]]] = {
    **{"object": (dict,), "array": (list,), "string": (str,), "null": (type(None),)},
    **{"boolean": (bool,), "integer": (int,), "number": (int, float)},
}
_CHECKS: Final[dict[str, Callable[[Any, Any], object]]] = {
    "type": lambda value, kinds: any(
        type(value) in _TYPES[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds)
    ),
    "const": lambda value, only: value == only,
    "enum": lambda value, words: value in words,
    "pattern": lambda value, pattern: re.search(pattern, value),
    "minimum": lambda value, least: value >= least,
    "minItems": lambda value, least: len(value) >= least,
    "maxItems": lambda value, most: len(value) <= most,
    "required": lambda value, keys: value.keys() >= {*keys},
}
_OTHERS: Final = {
    *("$ref", "anyOf", "properties", "items", "title", "description", "$schema", "$defs", "default"),
}


def misfit(value: Any, schema: Schema, root: Schema) -> str | None:
    """Return where and why a value does not fit, or None if it does; reject unknown schema keywords."""
    return next(_misfits(value, schema, root, ""), None)


def _misfits(value: Any, schema: Schema, root: Schema, at: str) -> Iterator[str]:
    assert schema.keys() <= {*_CHECKS, *_OTHERS}, schema.keys()
    if "$ref" in schema:
        yield from _misfits(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, at)
    reasons = [next(_misfits(value, arm, root, at), None) for arm in schema.get("anyOf", ())]
    if reasons and None not in reasons:
        yield f"{at}: {value!r} fits none of {reasons}"
    for keyword, fits in _CHECKS.items():
        if keyword in schema and not fits(value, schema[keyword]):
            yield f"{at}: {value!r} does not have the {keyword} {schema[keyword]!r}"
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _misfits(item, schema.get("items", {}), root, f"{at}[{number}]")
    if isinstance(value, dict):
        for key, part in schema.get("properties", {}).items():
            if key in value:
                yield from _misfits(value[key], part, root, f"{at}.{key}")


def misfit_of_line(value: Any, root: Schema) -> str | None:
    """Return why a machine-mode line does not fit the definition for its type, or None if it does."""
    if value["type"] == "event":
        definition = root["$defs"].get(f"event {value['event']}")
    else:
        properties = [(each, each.get("properties", {})) for each in root["$defs"].values()]
        kinds = [each for each, has in properties if has.get("type", {}).get("enum") == [value["type"]]]
        definition = kinds[0] if kinds else None
    return f"nothing defines {value}" if definition is None else misfit(value, definition, root)
