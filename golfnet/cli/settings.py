"""The settings of a command: flags override the configuration file, which overrides the defaults, all in one table.

A value that cannot be used is refused with the flag, or with the file and line, that it came from.
"""

import argparse
import socket
from pathlib import Path
from typing import Final

from golfnet.cli.output import Failed
from golfnet.server.config import SETTINGS, URL_SCHEMES, Config
from golfnet.server.configfile import BadFile, line_of, read
from golfnet.server.setting import ConfigError, Setting, Value
from golfnet.storage.places import default_database, default_settings

FAILED: Final = 1
BAD_USAGE: Final = 2


class BadSettings(Failed):
    """Invalid settings; the text says where they are and what was expected."""


def add_flags(parser: argparse.ArgumentParser, only: tuple[str, ...] = ()) -> None:
    """Add the flag for the configuration file, and one for every setting (or for some), grouped as in the table."""
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help=f"the configuration file (default {default_settings()}, if it exists)",
    )
    groups: dict[str, argparse._ArgumentGroup] = {}
    for setting in SETTINGS.values():
        if only and setting.name not in only:
            continue
        if setting.group not in groups:
            groups[setting.group] = parser.add_argument_group(setting.group)
        _add_flag(groups[setting.group], setting)


def settings_of(args: argparse.Namespace) -> tuple[Config, dict[str, Value]]:
    """Return the configuration from the arguments, and its non-default values. Raise ``BadSettings``."""
    path = args.config or default_settings()
    from_file: dict[str, Value] = {}
    if args.config is not None or path.exists():
        try:
            from_file = read(path)
        except BadFile as bad:
            raise BadSettings(str(bad)) from None
    from_flags = {
        name: tuple(value) if isinstance(value, list) else value
        for name in SETTINGS
        if (value := getattr(args, name, None)) is not None
    }
    try:
        return Config(**from_file | from_flags), from_file | from_flags
    except ConfigError as error:
        if error.name in from_file and error.name not in from_flags:
            raise BadSettings(
                f"{path}, line {line_of(error.name, path.read_text('utf-8'))}: {error}"
            ) from None
        raise BadSettings(f"{SETTINGS[error.name].flag}: {error.expected}") from None


def database_file(text: str) -> Path:
    """Return the path of a database in an argument. Raise ``ArgumentTypeError`` for a URL."""
    if text.startswith(URL_SCHEMES):
        raise argparse.ArgumentTypeError("expected a file; a PostgreSQL database is named with --database")
    return Path(text)


def database(config: Config) -> Path:
    """Return the path of the database; other files are in the same folder (with PostgreSQL, only they are)."""
    return Path(config.db) if config.db else default_database()


def admin_socket(config: Config) -> Path | None:
    """Return the path of the server's admin socket, None if there is none, as on Windows."""
    if not has_unix_sockets():
        return None
    if config.admin_socket:
        return Path(config.admin_socket)
    return None if config.memory else database(config).with_suffix(".admin")


def has_unix_sockets() -> bool:
    """Return whether Python here supports Unix sockets."""
    return hasattr(socket, "AF_UNIX")


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
            choices=tuple(setting.words) or None,
            metavar=None if setting.words else setting.stands_for,
            help=meaning,
        )
