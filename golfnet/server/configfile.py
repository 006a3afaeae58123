"""The configuration file: TOML with setting names as keys, read and written according to the table of settings.

Invalid settings are refused with their name and line, before anything starts. A file made by ``written`` gives the
same settings when it is read.
"""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path

from golfnet.engine.variants import BadToml, load
from golfnet.server.config import SETTINGS
from golfnet.server.setting import ConfigError, Setting, Value


class BadFile(Exception):
    """An invalid configuration file; the text names the file, the line and what was expected."""


def read(path: Path) -> dict[str, Value]:
    """Return the settings in a file; raises ``BadFile``."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise BadFile(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise BadFile(f"{path}: the file is not UTF-8 text (byte {error.start})") from None
    try:
        return parse(text)
    except BadFile as bad:
        raise BadFile(f"{path}, {bad}") from None


def parse(text: str) -> dict[str, Value]:
    """Return the settings in a file's text; raises ``BadFile``, whose text begins with the line number."""
    try:
        found = load(text)
    except BadToml as error:
        raise BadFile(_placed(str(error), text)) from None
    settings: dict[str, Value] = {}
    for name, value in found.items():
        try:
            settings[name] = _named(name).checked(value)
        except ConfigError as error:
            raise BadFile(f"line {line_of(name, text)}: {error}") from None
    return settings


def line_of(name: str, text: str) -> int:
    """Return the line number of a top-level key or table, counted from 1."""
    key = rf"(?:{re.escape(name)}|\"{re.escape(name)}\"|'{re.escape(name)}')"
    found = re.search(rf"^[ \t]*(?:{key}[ \t]*[=.]|\[+[ \t]*{key}[ \t]*[\].])", text, re.MULTILINE)
    return text.count("\n", 0, found.start() if found else 0) + 1


def written(given: Mapping[str, Value]) -> Iterator[str]:
    """Yield the lines of a file with all settings: the given ones, and the rest as comments."""
    group = ""
    for setting in SETTINGS.values():
        if setting.group != group:
            if group:
                yield ""
            group = setting.group
            yield f"# --- {group}"
        yield ""
        yield f"# {setting.meaning[0].upper()}{setting.meaning[1:]}."
        default = setting.write(setting.default)
        yield f"# {setting.takes[0].upper()}{setting.takes[1:]}; default {default}."
        if setting.name in given:
            yield f"{setting.name} = {setting.write(given[setting.name])}"
        else:
            yield f"#{setting.name} = {default}"


def _named(name: str) -> Setting:
    setting = SETTINGS.get(name)
    if setting is None:
        alike = get_close_matches(name.replace("-", "_"), SETTINGS, n=1)
        hint = f"did you mean {alike[0]}?" if alike else "to see all settings: golfnet config"
        raise ConfigError(name, f"there is no such setting; {hint}")
    return setting


def _placed(error: str, text: str) -> str:
    """Move the line number in TOML's error to the front."""
    found = re.search(r" \(at line (\d+), column \d+\)$", error)
    if found is None:  # the error is at the end, or its place is unknown
        return f"line {len(text.splitlines())}: {error}"
    return f"line {found.group(1)}: {error[: found.start()]}"
