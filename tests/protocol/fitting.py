"""Check JSON values against a JSON schema; only the keywords that machine mode's schema uses are supported."""

import re
from typing import Any

Schema = dict[str, Any]

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
_KNOWN = {
    *("$ref", "anyOf", "const", "enum", "type", "properties", "required", "items", "pattern", "minimum"),
    *("minItems", "maxItems", "title", "description", "$schema", "$defs", "default", "additionalProperties"),
}


def misfit(value: Any, schema: Schema, root: Schema, at: str = "") -> str | None:
    """Return where and why a value does not fit, or None if it does; reject unknown schema keywords."""
    assert set(schema) <= _KNOWN, set(schema) - _KNOWN
    if "$ref" in schema:
        return misfit(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, at)
    if "anyOf" in schema:
        reasons = [misfit(value, arm, root, at) for arm in schema["anyOf"]]
        if None not in reasons:
            return f"{at}: {value!r} fits none of {[reason for reason in reasons if reason]}"
    if "const" in schema and value != schema["const"]:
        return f"{at}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{at}: {value!r} is none of {schema['enum']}"
    if "type" in schema and not _is_of(value, schema["type"]):
        return f"{at}: {value!r} is not of type {schema['type']}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        return f"{at}: {value!r} does not match {schema['pattern']}"
    if "minimum" in schema and value < schema["minimum"]:
        return f"{at}: {value!r} is below {schema['minimum']}"
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return f"{at}: {len(value)} items"
        parts = [misfit(item, schema.get("items", {}), root, f"{at}[{n}]") for n, item in enumerate(value)]
        return next(filter(None, parts), None)
    if isinstance(value, dict):
        missing = [key for key in schema.get("required", ()) if key not in value]
        if missing:
            return f"{at}: {missing} missing"
        properties = schema.get("properties", {})
        parts = [
            misfit(value[key], properties[key], root, f"{at}.{key}") for key in value if key in properties
        ]
        return next(filter(None, parts), None)
    return None


def _is_of(value: Any, kinds: str | list[str]) -> bool:
    if isinstance(kinds, list):
        return any(_is_of(value, kind) for kind in kinds)
    if isinstance(value, bool):
        return kinds == "boolean"
    return isinstance(value, _TYPES[kinds])


def misfit_of_line(value: Any, root: Schema) -> str | None:
    """Return why a machine-mode line does not fit the definition for its type, or None if it does."""
    if value["type"] == "event":
        definition = root["$defs"].get(f"event {value['event']}")
    else:
        definition = next(
            (each for each in root["$defs"].values() if _type_of(each) == [value["type"]]),
            None,
        )
    return f"nothing defines {value}" if definition is None else misfit(value, definition, root)


def _type_of(definition: Schema) -> Any:
    return definition.get("properties", {}).get("type", {}).get("enum")
