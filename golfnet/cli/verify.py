"""``golfnet verify``: verify records in files, or all records in a database."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from typing import BinaryIO

from golfnet.cli.config import database_file
from golfnet.cli.output import Failed, complain, show
from golfnet.engine.cards import seat_letter
from golfnet.engine.forms import listed
from golfnet.protocol.lines import clean_text
from golfnet.protocol.names import NAME_LIMIT
from golfnet.protocol.text.words import counted
from golfnet.storage.checks import Comparison, check_database, match_of
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.files import default_database
from golfnet.storage.postgres import open_reads
from golfnet.storage.records import MAX_LINE, BadRecord
from golfnet.storage.sqlite_files import SqliteReads
from golfnet.storage.store import Reads
from golfnet.storage.verification import Verdict, verify

HOLDS, WRONG, UNREADABLE = 0, 1, 2

EPILOG = """\
Checks that the deck follows from the committed seed and the players' cuts, that every sealed cut matches its seal, and
that every action, score and place follows the rules. A record alone can only be checked against itself; --seen checks
that its commitments, seals and cards are those shown at the table. Holes dealt without a sealed text are listed:
whoever held that text back may have chosen the deal. Nothing proves that nobody looked: anyone who runs a server can
see its cards.

Exit status: 0 everything is right, 1 something is wrong, 2 it could not be read."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: record files, a database, or both."""
    parser.add_argument("records", nargs="*", metavar="RECORD", help="a record file; - is standard input")
    parser.add_argument(
        "--db",
        nargs="?",
        type=database_file,
        const=default_database(),
        metavar="PATH",
        help="check every match in a database; without PATH, the one at %(const)s, whatever the settings say",
    )
    parser.add_argument("--database", metavar="URL", help="check every match in a PostgreSQL database")
    parser.add_argument(
        "--seen",
        action="append",
        default=[],
        metavar="FILE",
        help="compare a record with what golfnet-client or golfnet bot saved from the match; repeatable",
    )


def run(args: argparse.Namespace) -> int:
    """Verify all files and databases in the arguments, and return the worst exit status."""
    if not args.records and args.db is None and args.database is None:
        raise Failed("name a RECORD, or a database with --db PATH")
    if args.seen and not args.records:
        raise Failed("--seen needs the RECORD of the match that was seen")
    seen, verified = list(map(_read_seen, args.seen)), set[str]()
    statuses = [_verify_file(name, seen, verified) for name in args.records]
    for name, match, _ in seen:
        if match not in verified and max(statuses) == HOLDS:
            complain("verify", f"{name}: no RECORD of match {match}")
            statuses.append(UNREADABLE)
    if args.db is not None:
        statuses.append(_verify_database(f"{args.db}", lambda: SqliteReads(args.db)))
    if args.database is not None:
        statuses.append(_verify_database("the database", lambda: open_reads(args.database)))
    return max(statuses)


def lines_of(name: str) -> Iterator[bytes]:
    """Yield the lines of a record in a file, or in standard input for ``-``. Raise ``OSError`` if it cannot be read."""
    with nullcontext(sys.stdin.buffer) if name == "-" else open(name, "rb") as file:
        yield from _lines_in(file)


def _lines_in(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file; an overlong line is split, and its first part is still too long for a record."""
    return iter(lambda: file.readline(MAX_LINE + 2), b"")


def verdict_line(verdict: Verdict) -> str:
    """Return the verdict in one line."""
    match = verdict.match
    standing = sorted(zip(match.places or (), match.names, match.totals, strict=True))
    players = ", ".join(f"{place}. {name} {total}" for place, name, total in standing)
    ended = "" if verdict.finished else ", ended early"
    return f"{match.id}, {verdict.variant}, {counted(len(match.scores), 'hole')}{ended}: {players}"


_SeenFile = tuple[str, str, list[bytes]]
"""A file of what a player saw in a match: its name, the match, and its lines."""


def _read_seen(name: str) -> _SeenFile:
    try:
        with open(name, "rb") as file:
            lines = list(_lines_in(file))
        return name, match_of(lines), lines
    except OSError as error:
        raise Failed(f"{name}: {error.strerror}") from None
    except BadRecord as problem:
        raise Failed(f"{name}: {problem}") from None


def _verify_file(path: str, seen: list[_SeenFile], verified: set[str]) -> int:
    """Verify a record, add its match to ``verified``, and compare it with what was seen of it; return the status."""
    name = "standard input" if path == "-" else path
    try:
        lines = list(lines_of(path)) if seen else lines_of(path)
        verdict = verify(lines)
        _check_names(verdict)
    except OSError as error:
        complain("verify", f"{path}: {error.strerror}")
        return UNREADABLE
    except BadRecord as problem:
        show(f"{name}: WRONG at {problem}")
        return WRONG
    show(f"{name}: verified. {verdict_line(verdict)}")
    if not verdict.has_digest:
        show(
            f"{name}: has no digest, so what does not follow from the rules, such as who passed, may have been changed"
        )
    for hole, seats in verdict.unrevealed:
        names = listed([f"{seat_letter(seat)} ({verdict.match.names[seat]})" for seat in seats])
        show(f"{name}: hole {hole}: dealt without the sealed text of {names}")
    verified.add(verdict.match.id)
    statuses = [
        _compare(seen_name, seen_lines, name, list(lines), verdict.match.names)
        for seen_name, match, seen_lines in seen
        if match == verdict.match.id
    ]
    return max([HOLDS, *statuses])


def _compare(name: str, seen: list[bytes], record: str, lines: list[bytes], names: tuple[str, ...]) -> int:
    try:
        compared = Comparison(seen, lines)
    except BadRecord as problem:
        show(f"{name}: WRONG: what was seen is not the match in {record}: {problem}")
        return WRONG
    show(
        f"{name}: all {compared.events} events that were seen are in {record}, and {compared.deals} sealed deals "
        "match what was fixed before the texts were sent"
    )
    for hole in compared.left_out:
        you = f"you, {seat_letter(compared.seat)} ({names[compared.seat]})"
        show(f"{name}: hole {hole}: dealt without a sealed text from {you}")
    return HOLDS


def _check_names(verdict: Verdict) -> None:
    """Raise ``BadRecord`` for a name that no server accepts, since two such names could look the same."""
    for name in verdict.match.names:
        if not 1 <= len(name) <= NAME_LIMIT or clean_text(name) != name:
            expected = f"names of 1 to {NAME_LIMIT} visible characters"
            raise BadRecord(1, "seats", expected, ascii(name[: 2 * NAME_LIMIT]))


def _verify_database(name: str, open_it: Callable[[], Reads]) -> int:
    good = bad = 0
    try:
        with closing(open_it()) as reads:
            for what, problem in check_database(reads):
                if problem is None:
                    good += 1
                else:
                    bad += 1
                    show(f"{what}: WRONG at {problem}")
    except StoreError as error:
        complain("verify", f"{error}")
        return WRONG if error.reason is StoreReason.DAMAGED else UNREADABLE
    show(f"{name}: verified {good}, failed {bad} (matches and open tables)")
    return WRONG if bad else HOLDS
