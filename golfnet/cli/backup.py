"""``golfnet backup``: a copy of the database, even while a server is using it."""

import argparse
from pathlib import Path

from golfnet.cli.config import add_flags, database, settings_of
from golfnet.cli.output import FAILED, Failed, show
from golfnet.storage.faults import StoreError
from golfnet.storage.sqlite_files import back_up

DESCRIPTION = """\
Copy the database as it is at one moment, even while a server is using it and people are playing. A damaged database is
not copied. The copy is one file that only you can read; if copying fails, no file is left. The copy holds password
hashes and the seeds of future deals."""

EPILOG = """\
examples:
  golfnet backup ~/golfnet-backup.db
  golfnet backup --config /etc/golfnet/golfnet.toml /var/backups/golfnet-$(date +%F).db

To restore: stop the server, replace the database with the copy, remove the files next to it that end in -wal and -shm,
and start the server. golfnet verify --db COPY checks every match in a copy.

Exit status: 0 copied, 1 not copied, 2 a setting cannot be used."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: the copy, and where the database is."""
    parser.add_argument("copy", type=Path, metavar="FILE", help="where to write the copy; it must not exist")
    add_flags(parser, ("db", "database"))


def run(args: argparse.Namespace) -> None:
    """Write the copy."""
    config, _ = settings_of(args)
    if config.database:
        raise Failed("database: golfnet backup copies a file; copy a PostgreSQL database with pg_dump")
    try:
        size = back_up(database(config), args.copy)
    except StoreError as error:
        raise Failed(error, FAILED) from None
    show(f"{args.copy}: {size:,} bytes")
