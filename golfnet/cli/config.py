"""``golfnet config``: every setting with its default, meaning and bounds, as a configuration file."""

import argparse

from golfnet.cli.settings import add_flags, settings_of, written

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
