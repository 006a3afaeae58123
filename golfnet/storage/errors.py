"""Errors of a store: one class with a reason, and a sentence for the person who runs the server."""

from enum import StrEnum


class StoreReason(StrEnum):
    """Why a store failed or refused."""

    CONFLICT = "conflict"
    """The write contradicts what is stored: a bug of the writer, the only one among these reasons. Do not retry."""
    LOCKED = "locked"
    """Another server, or another program that writes, has locked the database."""
    FULL = "full"
    READ_ONLY = "read-only"
    UNREACHABLE = "unreachable"
    """The file or its directory does not exist, or may not be opened."""
    MISSING = "missing"
    """A file of the database was moved, deleted or replaced."""
    STRAY_LOG = "stray log"
    """The write-ahead log beside the database belongs to another database."""
    DAMAGED = "damaged"
    """The file is not a database, or was changed by something other than SQLite."""
    FOREIGN = "foreign"
    """The file is another program's database."""
    NEWER = "newer"
    """The database was written by a newer golfnet."""
    OLDER = "older"
    """The database was written by an older golfnet and can only be read."""
    SLOW = "slow"
    """The disk does not respond."""
    UNSUITABLE = "unsuitable"
    """The database server runs with settings or in a version that cannot keep what golfnet promises."""
    FENCED = "fenced"
    """Another server has taken the database over: this one can store nothing any more. Do not retry; stop."""
    EXHAUSTED = "exhausted"
    """The process has too little memory, or has too many files open."""
    FAULTY = "faulty"
    """The disk reports an error without details."""


class StoreError(Exception):
    """A refusal or failure of a store. Nothing of the batch is stored.

    The sentence names files and what to do. It is for the person who runs the server, never for players.
    """

    def __init__(self, reason: StoreReason, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.sentence = sentence
