"""What peers were told, and whether a database still contains it.

A peer is told that an event has happened, that a name belongs to it, or that a match is over. Whatever happens to the
server then, its database contains the same event under the same number, the player with the token, and the match.
"""

import hashlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec

from golfnet.protocol.replies.presence import TABLE_EVENTS
from golfnet.storage.faults import StoreError
from golfnet.storage.records import BadRecord
from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.store import Reads
from golfnet.storage.verification import verify
from tests.crash.shim import Call

NOT_LOGGED: Final = ("type", "table", "seq", "ms")
"""Fields of an event that are sent but not stored."""


class Told:
    """What peers have been told so far; ``copies`` counts an event each time a peer is told of it."""

    def __init__(self) -> None:
        self.events: dict[tuple[str, int], list[dict[str, Any]]] = {}
        self.copies = 0
        self.tokens: dict[str, str] = {}
        """The latest token given to each name."""
        self.matches: set[str] = set()
        self._lines: dict[int, bytes] = {}
        self._verified: set[int] = set()

    def follow(self, call: Call) -> None:
        """Record what a peer was told by one recorded system call."""
        if call.what == "N":
            *lines, self._lines[call.descriptor] = (self._lines.get(call.descriptor, b"") + call.data).split(
                b"\n"
            )
            for line in lines:
                if line.startswith(b'{"type":'):
                    self.note(msgspec.json.decode(line))
        elif call.what == "C":
            self._lines.pop(call.descriptor, None)

    def note(self, said: dict[str, Any]) -> None:
        if said["type"] == "event":
            copies = self.events.setdefault((said["table"], said["seq"]), [])
            self.copies += 1
            if said not in copies:
                copies.append(said)
            if said["event"] == "match_ended":
                self.matches.add(said["match"])
        elif said["type"] == "ok" and "token" in said:
            self.tokens[said["name"]] = said["token"]

    def missing_in(self, database: Path) -> list[str]:
        """Reopen a database file, and return what is missing there, is different or does not verify."""
        try:
            store = SqliteStore(database)
        except StoreError as error:
            return [f"all: {error.sentence}"]
        with closing(store):
            return self.missing(store)

    def missing(self, store: Reads) -> list[str]:
        """Return what is missing from a store, is different there or does not verify."""
        return [*self._missing(store), *self._unsound(store)]

    def _missing(self, store: Reads) -> Iterator[str]:
        for name, token in self.tokens.items():
            player = store.player_by_token(hashlib.sha256(token.encode()).digest())
            if player is None or player.name != name:
                yield f"the token of {name}"
        logs: dict[str, dict[int, dict[str, Any]]] = {}
        begins: dict[str, int] = {}
        for log in store.tables():
            seqs = [seq for seq, _ in log.events]
            begins[log.table] = first = seqs[0] if seqs else 1
            if seqs != list(range(first, first + len(seqs))):
                yield f"a gap in the log of {log.table}"
            logs[log.table] = {seq: msgspec.json.decode(body) for seq, body in log.events}
        # Read after the tables, since a match that ends in the meantime is moved from its table to its record.
        records = {match: [*(store.record(match) or ())] for match in store.match_ids()}
        yield from (f"match {match}" for match in self.matches if match not in records)
        for match, lines in records.items():
            found = store.match(match)
            for line in map(msgspec.json.decode, lines):
                if found is not None and "seq" in line:
                    logs.setdefault(found.table, {}).setdefault(line["seq"], line)
        for (table, seq), copies in self.events.items():
            logged = logs.get(table, {}).get(seq)
            if logged is None:
                if seq >= begins.get(table, 1) or copies[0]["event"] not in TABLE_EVENTS:
                    yield f"event {seq} of {table}"  # match records contain no presence events
                continue
            for event in copies:
                if not {key: event[key] for key in event if key not in NOT_LOGGED}.items() <= logged.items():
                    yield f"event {seq} of {table} as {event}: {logged}"

    def _unsound(self, store: Reads) -> Iterator[str]:
        """Yield the records that do not verify; each is verified only once, since disk images share most records."""
        for match in store.match_ids():
            lines = [*(store.record(match) or ())]
            if (seen := hash(b"".join(lines))) in self._verified:
                continue
            self._verified.add(seen)
            try:
                verify(lines)
            except BadRecord as problem:
                yield f"match {match}: {problem}"
