"""``golfnet config``, and the settings of any command: flags override the configuration file, then come the defaults.

The file is TOML with setting names as keys; one made by ``written`` gives the same settings when it is read. A value
that cannot be used is refused before anything starts; the error names the flag, or the file and line, that it came
from.
"""

import argparse
import os
import re
import socket
from collections.abc import Mapping
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from golfnet.cli.output import Failed
from golfnet.engine.forms import alike
from golfnet.engine.variants import BadToml, dump, load
from golfnet.server.config import SETTINGS, URL_SCHEMES, Config, ConfigError, Setting, Value
from golfnet.storage.files import default_database, default_settings

DESCRIPTION = """\
Print every setting with its meaning, bounds and default, as a configuration file. Settings that your file or the flags
change are printed with their values; all others are comments."""

EPILOG = """\
examples:
  golfnet config                                   print all settings
  golfnet config >~/.config/golfnet/golfnet.toml   start a configuration file
  golfnet config --config /etc/golfnet/golfnet.toml >/dev/null && echo good
                                                   check a file before a restart

Each setting is also a flag of golfnet serve, with - instead of _. A flag overrides the file.
Exit status: 0 printed, 2 a setting cannot be used; the error names it and its line."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of ``serve``."""
    add_flags(parser)


def run(args: argparse.Namespace) -> None:
    """Print the settings."""
    _, given = settings_of(args)
    print(written(given))


def read(path: Path) -> dict[str, Value]:
    """Return the settings in a file. Raise ``Failed`` if any is invalid."""
    try:
        return parse(path.read_text("utf-8"))
    except OSError as error:
        raise Failed(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Failed(f"{path}: the file is not UTF-8 text (byte {error.start})") from None
    except Failed as bad:
        raise Failed(f"{path}, {bad}") from None


def parse(text: str) -> dict[str, Value]:
    """Return the settings in a file's text. Raise ``Failed``, with a message that begins with the line number."""
    try:
        found = load(text)
    except BadToml as error:
        raise Failed(_placed(str(error), text)) from None
    settings: dict[str, Value] = {}
    for name, value in found.items():
        try:
            settings[name] = _named(name).checked(value)
        except ConfigError as error:
            raise Failed(f"line {line_of(name, text)}: {error}") from None
    return settings


def line_of(name: str, text: str) -> int:
    """Return the line number of a top-level key or table, counted from 1."""
    key = rf"(?:{re.escape(name)}|\"{re.escape(name)}\"|'{re.escape(name)}')"
    found = re.search(rf"^[ \t]*(?:{key}[ \t]*[=.]|\[+[ \t]*{key}[ \t]*[\].])", text, re.MULTILINE)
    return text.count("\n", 0, found.start() if found else 0) + 1


def written(given: Mapping[str, Value]) -> str:
    """Return a file with all settings: the given ones, and the rest as comments."""
    blocks = []
    for group, settings in groupby(SETTINGS.values(), attrgetter("group")):
        blocks.append(f"# --- {group}")
        for setting in settings:
            name, default = setting.name, dump(setting.default)
            line = f"{name} = {dump(given[name])}" if name in given else f"#{name} = {default}"
            blocks.append(
                f"# {setting.meaning[0].upper()}{setting.meaning[1:]}.\n"
                f"# {setting.takes[0].upper()}{setting.takes[1:]}; default {default}.\n{line}"
            )
    return "\n\n".join(blocks)


def _named(name: str) -> Setting:
    setting = SETTINGS.get(name)
    if setting is None:
        near = alike(name.replace("-", "_"), SETTINGS)
        hint = f"did you mean {near[0]}?" if near else "to see all settings: golfnet config"
        raise ConfigError(name, f"there is no such setting; {hint}")
    return setting


def _placed(error: str, text: str) -> str:
    found = re.search(r" \(at line (\d+), column \d+\)$", error)
    if found is None:  # TOML gives no line for an error at the end
        return f"line {len(text.splitlines())}: {error}"
    return f"line {found.group(1)}: {error[: found.start()]}"


def add_flags(parser: argparse.ArgumentParser, only: tuple[str, ...] = ()) -> None:
    """Add the flag for the configuration file, and one for every setting (or for some), grouped as in ``SETTINGS``."""
    parser.add_argument(
        "--config",
        type=file_path,
        metavar="FILE",
        help=f"the configuration file (default {default_settings()}, if it exists)",
    )
    flags = [setting for setting in SETTINGS.values() if not only or setting.name in only]
    for group, settings in groupby(flags, attrgetter("group")):
        titled = parser.add_argument_group(group)
        for setting in settings:
            _add_flag(titled, setting)


def settings_of(args: argparse.Namespace) -> tuple[Config, dict[str, Value]]:
    """Return the configuration, and the values given by the file and flags. Raise ``Failed`` if any is invalid."""
    path = args.config or default_settings()
    from_file = read(path) if args.config is not None or path.exists() else {}
    flags = {name: value for name in SETTINGS if (value := getattr(args, name, None)) is not None}
    try:
        given: dict[str, Any] = from_file | {
            name: SETTINGS[name].checked(value) for name, value in flags.items()
        }
        return Config(**given), given
    except ConfigError as error:
        if error.name in from_file and error.name not in flags:
            raise Failed(f"{path}, line {line_of(error.name, path.read_text('utf-8'))}: {error}") from None
        raise Failed(f"{SETTINGS[error.name].flag}: {error.expected}") from None


def file_path(text: str) -> Path:
    """Return the path in an argument, without ``~``: a shell leaves it after ``=``."""
    return Path(os.path.expanduser(text))


def database_file(text: str) -> Path:
    """Return the path of a database in an argument. Raise ``ArgumentTypeError`` for a URL."""
    if text.startswith(URL_SCHEMES):
        raise argparse.ArgumentTypeError("expected a file; for PostgreSQL, use --database URL")
    return file_path(text)


def database(config: Config) -> Path:
    """Return the path of the database file; with PostgreSQL it does not exist, but other files are next to it."""
    return Path(config.db) if config.db else default_database()


def admin_socket(config: Config) -> Path | None:
    """Return the path of the server's admin socket, or None if there is none, as on Windows."""
    if not hasattr(socket, "AF_UNIX"):
        return None
    if config.admin_socket:
        return Path(config.admin_socket)
    return None if config.memory else database(config).with_suffix(".admin")


def _add_flag(group: argparse._ArgumentGroup, setting: Setting) -> None:
    default = ", ".join(setting.default) if isinstance(setting.default, tuple) else setting.default
    shown = f" (default {default})" if default not in ("", False) else ""
    meaning = f"{setting.meaning}{shown}".replace("%", "%%")
    if setting.kind is bool:
        group.add_argument(setting.flag, action=argparse.BooleanOptionalAction, default=None, help=meaning)
    elif setting.kind is tuple and " " in setting.stands_for:
        files = tuple(setting.stands_for.split())
        group.add_argument(setting.flag, nargs=len(files), metavar=files, help=meaning)
    elif setting.kind is tuple:
        group.add_argument(
            setting.flag, action="append", metavar=setting.stands_for, help=f"{meaning}; may be repeated"
        )
    else:
        group.add_argument(
            setting.flag,
            type=setting.kind,
            choices=setting.choices or None,
            metavar=None if setting.choices else setting.stands_for,
            help=meaning,
        )
