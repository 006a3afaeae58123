"""What goes wrong with a store, as one error with a reason and a sentence that says what to do."""

from enum import StrEnum


class StoreReason(StrEnum):
    """Why a store does not do what it was asked."""

    CONFLICT = "conflict"
    """The write contradicts what is stored: a bug of the writer, alone in a store's errors. Repeating is useless."""
    LOCKED = "locked"
    """Another server, or another program that writes, holds the database."""
    FULL = "full"
    READ_ONLY = "read-only"
    UNREACHABLE = "unreachable"
    """The file or its directory is not there or may not be opened."""
    MISSING = "missing"
    """A file of the database is not where it was: moved, deleted or replaced."""
    STRAY_LOG = "stray log"
    """A write-ahead log lies beside a database that it was not written for."""
    DAMAGED = "damaged"
    """The file is no database, or not as it was written."""
    FOREIGN = "foreign"
    """The file is another program's database."""
    NEWER = "newer"
    """The database was written by a newer golfnet."""
    OLDER = "older"
    """The database was written by an older golfnet, and is only to be read."""
    SLOW = "slow"
    """The disk neither stores nor fails."""
    FAULTY = "faulty"
    """The disk answers with an error that tells no more."""


class StoreError(Exception):
    """A store's refusal or failure. Nothing of the batch is stored.

    The sentence names files and says what to do: it is for the person who runs the server, never for players.
    """

    def __init__(self, reason: StoreReason, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.sentence = sentence
