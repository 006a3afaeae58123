"""``golfnet export``: write the record of a finished match to a file, to keep, replay or verify it."""

import argparse
import os
import sys
from contextlib import closing, suppress

from golfnet.cli.config import database_file, file_path
from golfnet.cli.output import Failed
from golfnet.storage.faults import StoreError
from golfnet.storage.files import default_database
from golfnet.storage.postgres import open_reads
from golfnet.storage.sqlite_files import SqliteReads


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: the match, the database, and the output file."""
    parser.add_argument("match", metavar="MATCH", help="the match's id, such as m12; history lists them")
    parser.add_argument(
        "--db",
        type=database_file,
        default=default_database(),
        metavar="PATH",
        help="the database (default %(default)s, whatever the settings say)",
    )
    parser.add_argument("--database", metavar="URL", help="a PostgreSQL database instead of the file")
    parser.add_argument(
        "-o", "--output", type=file_path, metavar="FILE", help="write to this file instead of the terminal"
    )


def run(args: argparse.Namespace) -> None:
    """Write the record."""
    match = args.match if args.match.startswith("m") else f"m{args.match}"
    is_new = args.output is not None and not os.path.lexists(args.output)
    try:
        with closing(open_reads(args.database) if args.database else SqliteReads(args.db)) as reads:
            lines = reads.record(match)
            newest = ", ".join(each.id for each in reads.matches(limit=5)) or "none yet"
        if lines is None:
            raise Failed(f"there is no finished match {match}; the latest are: {newest}", 1)
        record = b"".join(lines)
        if args.output is not None:
            args.output.write_bytes(record)
            return
    except StoreError as error:
        raise Failed(error) from None
    except OSError as error:
        if is_new:
            with suppress(OSError):  # it could not even be created
                args.output.unlink()
        raise Failed(f"{args.output}: {error.strerror}") from None
    sys.stdout.buffer.write(record)
    sys.stdout.buffer.flush()
