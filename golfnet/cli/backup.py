"""``golfnet backup``: a copy of the database, also while a server uses it."""

import argparse
from pathlib import Path

from golfnet.cli.output import complain, show
from golfnet.cli.settings import (
    BAD_USAGE,
    BadSettings,
    add_config_argument,
    add_flags,
    database,
    settings_of,
)
from golfnet.storage.backup import back_up
from golfnet.storage.faults import StoreError

FAILED = 1

DESCRIPTION = """\
Copy the database as of one moment, also while a server uses it and people play. A damaged one is not copied. The
copy is one file that only you can read, whole or not there at all; it holds password hashes and the seeds of deals to
come."""

EPILOG = """\
examples:
  golfnet backup ~/golfnet-backup.db
  golfnet backup --config /etc/golfnet/golfnet.toml /var/backups/golfnet-$(date +%F).db

To restore: stop the server, put the copy in the place of the database, remove the files beside it that end in -wal and
-shm, and start. golfnet verify --db COPY checks every match in a copy.

Exit status: 0 copied, 1 not copied, 2 a setting cannot be used."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: the copy, and where the database is."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("copy", type=Path, metavar="FILE", help="where to write the copy; it must not exist")
    add_config_argument(parser)
    add_flags(parser, ("db", "database"))


def run(args: argparse.Namespace) -> int:
    """Write the copy; return the exit status."""
    try:
        config, _ = settings_of(args)
        if config.database:
            raise BadSettings(
                "database: golfnet backup copies a file; copy a PostgreSQL database with pg_dump"
            )
        size = back_up(database(config), args.copy)
    except BadSettings as error:
        complain("backup", f"{error}")
        return BAD_USAGE
    except StoreError as error:
        complain("backup", f"{error}")
        return FAILED
    show(f"{args.copy}: {size:,} bytes")
    return 0
