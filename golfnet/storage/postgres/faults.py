"""Turn errors of PostgreSQL into ``StoreError``, each with advice for the operator."""

import re
from typing import Final

import psycopg

from golfnet.storage.errors import StoreError, StoreReason

GOES_ON: Final = "Play goes on by itself when it works again."


def no_connection(place: str, error: psycopg.Error) -> StoreError:
    """Return the error for a connection that did not come about; the driver has only a text for it."""
    text = message(error)
    for part, advice in _REFUSALS.items():
        if part in text:
            return StoreError(
                StoreReason.UNREACHABLE, f"The database {place} cannot be opened ({text}). {advice}"
            )
    return StoreError(StoreReason.UNREACHABLE, f"The database {place} cannot be reached ({text}). {_LOOK}")


def unreadable_url(error: psycopg.Error) -> StoreError:
    """Return the error for what is no URL; the driver may repeat all of it, with the password."""
    text = re.sub(r'( in URI)?:? *"[^"]*://.*', "", message(error))
    return StoreError(
        StoreReason.UNREACHABLE,
        f"The URL of the database cannot be read ({text}). It looks like postgresql://USER:PASSWORD@HOST/DATABASE; in "
        "a password @ is written as %40, / as %2F, % as %25.",
    )


def store_error(place: str, error: psycopg.Error) -> StoreError:
    """Return the error for an access that failed."""
    state = error.sqlstate or ""
    other = _FAULTY if state else _UNREACHABLE
    reason, sentence = next((found for start, found in _FAULTS.items() if state.startswith(start)), other)
    return StoreError(reason, sentence.format(place=place, error=message(error)))


def refused(error: psycopg.Error) -> StoreError:
    """Return the error for writes that contradict what is stored."""
    diagnosis = error.diag
    where = f"{diagnosis.table_name}.{diagnosis.column_name or diagnosis.constraint_name}"
    what = next((text for part, text in _CONTRADICTIONS.items() if part in where), message(error))
    return StoreError(StoreReason.CONFLICT, f"The store refuses a contradiction: {what}.")


def unsuitable(place: str, what: str, advice: str) -> StoreError:
    """Return the error for a database that cannot keep what golfnet promises."""
    return StoreError(StoreReason.UNSUITABLE, f"The database {place} {what}. {advice}")


def used_by_another(place: str, name: str) -> StoreError:
    """Return the error for a database that another server uses."""
    return StoreError(
        StoreReason.LOCKED,
        f"Another server ({name}) uses the database {place}. Stop it first, or give this one another database with "
        "--database; to serve one database with several, start each with --cluster.",
    )


def fenced(place: str) -> StoreError:
    """Return the error for a server that was declared gone."""
    return StoreError(
        StoreReason.FENCED,
        f"Another server has taken over the database {place}, because this one did not write to it for a while. This "
        "one stops; nothing that its players were told is lost.",
    )


def set_back(place: str, stored: int, expected: int) -> StoreError:
    """Return the error for a database that has forgotten what this server wrote, or has more than that."""
    return StoreError(
        StoreReason.FENCED,
        f"The database {place} is not as this server left it (batch {stored}, expected {expected}): it was restored "
        "from a backup, or a standby took over that had not got everything. This server stops; the next start goes "
        "on from what is stored.",
    )


def newer(place: str, version: int, known: int) -> StoreError:
    """Return the error for a database of a newer golfnet."""
    return StoreError(
        StoreReason.NEWER,
        f"The database {place} was written by a newer golfnet (schema {version}, this one knows {known}). Install the "
        "newer golfnet again, or name another database.",
    )


def is_contradiction(error: psycopg.Error) -> bool:
    """Return whether an error is about what was written and not about the database, so that no retry helps."""
    return isinstance(error, psycopg.IntegrityError | psycopg.DataError)


def message(error: psycopg.Error) -> str:
    """Return what the database said, on one line."""
    text = error.diag.message_primary or str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__).rstrip(".").removeprefix("connection failed: ")


_LOOK: Final = "Is it running, and do host and port fit?"

_REFUSALS: Final = {
    "password authentication failed": "Check the user and the password; a file ~/.pgpass can hold it.",
    "no password supplied": "Give the password in the URL, in PGPASSWORD, or in a file ~/.pgpass.",
    "no pg_hba.conf entry": "Its pg_hba.conf does not let this user in from here.",
    "authentication failed": "Check the user; its pg_hba.conf says who may come in and how.",
    'role "': "Make the user with createuser, or name another.",
    "does not exist": "Make the database with createdb, or name another.",
    "too many clients": "Raise its max_connections; a golfnet server uses four.",
    "remaining connection slots": "Raise its max_connections; a golfnet server uses four.",
    "starting up": "It will be ready in a moment.",
    "shutting down": "It has to be started again.",
    "recovery": "It is not open yet.",
    "could not translate host name": "Check the name of the host.",
    "failed to resolve host": "Check the name of the host.",
    "invalid connection option": "See the list of connection options in the manual of PostgreSQL.",
    "invalid": "Check the options in the URL.",
    "SSL": "Check sslmode in the URL, and the certificates.",
}
"""What to do, by a part of the message; the first that fits."""

_UNREACHABLE: Final = (
    StoreReason.UNREACHABLE,
    "The connection to the database {place} was lost ({error}). " + GOES_ON,
)
_FAULTY: Final = (StoreReason.FAULTY, "The database {place} cannot be used: {error}. " + GOES_ON)
_DENIED: Final = (
    StoreReason.READ_ONLY,
    "The user of the database {place} lacks a right ({error}). It should own the database, or a schema of its own: "
    "ALTER DATABASE ... OWNER TO, or CREATE SCHEMA ... AUTHORIZATION.",
)
_DAMAGED: Final = (
    StoreReason.DAMAGED,
    "The database {place} is damaged ({error}). Keep a copy of it, and restore the last good backup.",
)
_FAULTS: Final[dict[str, tuple[StoreReason, str]]] = {
    "53100": (
        StoreReason.FULL,
        "There is no room on the disk of the database {place} ({error}). Make room; play goes on by itself then.",
    ),
    "53": (StoreReason.FULL, "The database {place} has run out of something ({error}). " + GOES_ON),
    "25006": (
        StoreReason.READ_ONLY,
        "The database {place} can only be read now ({error}). Is it a standby? " + GOES_ON,
    ),
    "25": _UNREACHABLE,
    "40": _UNREACHABLE,
    "57014": (
        StoreReason.SLOW,
        "The database {place} did not answer in time ({error}). " + GOES_ON,
    ),
    "57": _UNREACHABLE,
    "08": _UNREACHABLE,
    "42501": _DENIED,
    "42P01": (
        StoreReason.MISSING,
        "A table of the database {place} is missing ({error}). Restore it from a backup.",
    ),
    "42P07": (
        StoreReason.FOREIGN,
        "The database {place} has tables of another program ({error}). Name a database of its own for golfnet.",
    ),
    "XX001": _DAMAGED,
    "XX002": _DAMAGED,
    "58": (StoreReason.FAULTY, "The disk of the database {place} reports an error ({error}). " + GOES_ON),
}
"""What went wrong, by the beginning of the SQLSTATE; the first that fits. Without one the connection has ended."""

_CONTRADICTIONS: Final = {
    "event.body": "the table has another event of this number",
    "event.live": "the table is not open",
    "live.row": "the table is open already",
    "seat.": "the table is not open",
    "player.": "another player has the name",
    "token.": "another player has the token",
}
"""The meaning of broken constraints, by table and column."""
