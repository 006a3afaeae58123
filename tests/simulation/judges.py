"""The judges of a world: they check invariants as things happen.

``Ledger`` records what is durable, and checks that it is consistent. ``LineJudge`` reads every byte that a server's
kernel has accepted for one connection: no crash may make any of it untrue, and none of it may reveal another player's
secrets. They share no code with what they judge except the JSON decoder.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from golfnet.storage.sqlite_files import SqliteReads
from golfnet.storage.store import TableLog
from golfnet.storage.writes import (
    AppendEvent,
    CloseTable,
    DeletePlayer,
    FinishMatch,
    MatchResult,
    OpenTable,
    PlayerRow,
    ReserveMatch,
    SavePlayer,
    SaveTable,
    SetAside,
    Write,
)

Fail = Callable[[str], None]

SECRETS: Final[dict[str, str]] = {
    "peeked": "cards",
    "drew": "card",
    "swapped": "card",
    "gave": "card",
    "penalty": "card",
    "reshuffled": "order",
}
"""The secret field of each event that has one."""

_INTERNAL: Final[dict[str, frozenset[str]]] = {
    "committed": frozenset({"seed"}),
    "hole_started": frozenset({"cuts", "context", "seals"}),
    "dealt": frozenset({"deck"}),
    "swapped": frozenset({"hidden"}),
    "gave": frozenset({"known"}),
}
"""Fields that no peer ever receives."""

_ENVELOPE: Final = frozenset({"type", "table", "seq", "ms"})
_CARD: Final = re.compile(r"(?:10|[0-9AJQK])[SHDC]|\*")


def naive_hash(token: str) -> bytes:
    """Return the hash under which a token is stored."""
    return hashlib.sha256(token.encode()).digest()


class TableTruth:
    """The durable state of one table."""

    def __init__(self) -> None:
        self.bodies: dict[int, bytes] = {}
        self.last = 0
        self.row: dict[str, Any] = {}
        self.texts: set[str] = set()
        """Every cut and seal that any row has had, or that a hole has used."""
        self.returned: list[tuple[str, str]] = []
        """Each seat that somebody has returned to or was lent, and the name, in order."""
        self.is_closed = False
        self.hole_began = 0
        """The number of the event that started the latest hole."""
        self.public: set[str] = set()
        """Cards that everyone has seen since then."""
        self.private: defaultdict[str, set[str]] = defaultdict(set)
        """Cards that only one seat has seen since then."""
        self._read: dict[int, dict[str, Any]] = {}

    def event(self, seq: int) -> dict[str, Any] | None:
        known = self._read.get(seq)
        if known is None and (body := self.bodies.get(seq)) is not None:
            known = self._read[seq] = msgspec.json.decode(body)
        return known

    def save(self, row: bytes) -> None:
        self.row = msgspec.json.decode(row)
        chairs = [chair for chair in self.row["chairs"] if chair is not None]
        self.texts.update(chair[text] for chair in chairs for text in ("cut", "seal") if text in chair)

    def note(self, seq: int) -> dict[str, Any]:
        """Record who has seen which cards through an event, and return the event."""
        event = self.event(seq)
        assert event is not None
        kind = event["event"]
        if kind == "returned":
            self.returned.append((event["seat"], event["name"]))
        if kind == "hole_started":
            self.hole_began = seq
            self.texts.update(event["cuts"])
            self.public, self.private = set(), defaultdict(set)
        for name, value in event.items():
            if name in ("deck", "order", "context") or value is None:
                continue
            cards = _CARD.findall(value) if isinstance(value, str) and name in ("card", "discard") else ()
            if name in ("cards", "layouts"):
                cards = _CARD.findall(str(value))
            if not cards:
                continue
            if SECRETS.get(kind) != name or (kind == "swapped" and not event["hidden"]):
                self.public.update(cards)
            elif kind in ("peeked", "drew", "swapped") or (kind == "gave" and event.get("known")):
                self.private[event["seat"]].update(cards)
        return event


class Ledger:
    """Everything that became durable, in order."""

    def __init__(self, fail: Fail) -> None:
        self.tables: dict[str, TableTruth] = {}
        self.players: dict[str, PlayerRow] = {}
        self.by_name: dict[str, str] = {}
        self.matches: dict[str, MatchResult] = {}
        self.events = self.told = 0
        """How many events were stored, and how many were sent to connections and judged."""
        self.on_dropped: Callable[[str, str], None] = lambda name, table: None
        """Called with player and table when a disconnection is stored, unless ``quit`` or a restart caused it."""
        self._reserved: dict[str, Write] = {}
        self._fail = fail

    def stored(self, batch: Sequence[Write]) -> None:
        for write in batch:
            match write:
                case AppendEvent():
                    self._append(write)
                case OpenTable():
                    self._open(write)
                case SaveTable():
                    self.tables[write.table].save(write.row)
                case CloseTable() | SetAside():
                    self.tables[write.table].is_closed = True
                case SavePlayer():
                    self.players[write.player.id] = write.player
                    self.by_name[write.player.name] = write.player.id
                case DeletePlayer():
                    gone = self.players.pop(write.player, None)
                    if gone is not None and self.by_name.get(gone.name) == gone.id:
                        del self.by_name[gone.name]
                case FinishMatch():
                    self._finish(write)
                case ReserveMatch():
                    known = self._reserved.setdefault(write.match, write)
                    if known is not write:
                        self._fail(f"the number of match {write.match} is used twice")

    def player(self, name: str) -> PlayerRow | None:
        return self.players.get(self.by_name.get(name, ""))

    def audit(self, reads: SqliteReads) -> None:
        """Check that the database holds what is durable, with nothing lost and nothing added."""
        there = set()
        for log in reads.tables():
            there.add(log.table)
            if problem := self.wrong_log(log):
                self._fail(f"the database has {problem}")
        for table, truth in self.tables.items():
            if not truth.is_closed and table not in there:
                self._fail(f"table {table} is lost")
        for name, player in self.by_name.items():
            if reads.player(player) != self.players[player]:
                self._fail(f"player {name} differs from what was stored")

    def wrong_log(self, log: TableLog) -> str | None:
        """Return how an open table differs from what is durable, or None if it does not."""
        truth, seqs = self.tables.get(log.table), [seq for seq, _ in log.events]
        if truth is None or truth.is_closed:
            return f"table {log.table}, which is closed or never existed"
        first = seqs[0] if seqs else truth.last + 1
        if seqs != list(range(first, truth.last + 1)):
            return f"table {log.table} with gaps: {seqs} up to {truth.last}"
        if others := [seq for seq, body in log.events if truth.bodies.get(seq) != body]:
            return f"table {log.table} with events {others} that differ from what was stored"
        if msgspec.json.decode(log.row) != truth.row:
            return f"table {log.table} with a row that differs from what was stored"
        return None

    def _append(self, write: AppendEvent) -> None:
        truth = self.tables.get(write.table)
        if truth is None or truth.is_closed:
            self._fail(f"an event of {write.table}, which is not open")
            return
        known = truth.bodies.get(write.seq)
        if known is not None:
            if known != write.body:
                self._fail(f"event {write.seq} of {write.table} is stored twice: {known!r}, {write.body!r}")
            return
        if write.seq != truth.last + 1:
            self._fail(f"event {write.seq} of {write.table} comes after {truth.last}")
        truth.bodies[write.seq] = write.body
        truth.last = write.seq
        self.events += 1
        event = truth.note(write.seq)
        if event["event"] == "dropped" and event["cause"] not in ("quit", "restart"):
            self.on_dropped(event["name"], write.table)

    def _open(self, write: OpenTable) -> None:
        known = self.tables.setdefault(write.table, TableTruth())
        if known.is_closed or (known.row and known.row != msgspec.json.decode(write.row)):
            self._fail(f"the number of table {write.table} is used twice")
        known.save(write.row)

    def _finish(self, write: FinishMatch) -> None:
        known = self.matches.setdefault(write.match.id, write.match)
        if known != write.match:
            self._fail(f"match {write.match.id} ends twice: {known}, {write.match}")


class LineJudge:
    """Judges what one connection receives; ``name`` is the player's name, which must contain ``owner``.

    It checks less if the peer is not polite, since such a peer may have sent anything.
    """

    def __init__(self, ledger: Ledger, fail: Fail, *, owner: str, is_polite: bool) -> None:
        self.owner = owner
        self.name = ""
        self.asked: dict[int, str] = {}
        """The unanswered commands, by their numbers."""
        self._ledger = ledger
        self._fail = fail
        self._rest = b""
        self._table = ""
        """The last table at which the player had a seat."""
        self._seqs: dict[str, int] = {}
        self._seats: dict[str, str | None] = {}
        self._is_machine = False
        self._is_polite = is_polite

    def hear(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if line.startswith(b"{"):
                self._is_machine = True
                self._judge(line)
            elif self._is_machine and self._is_polite:
                self._fail(f"a program is sent {line!r}")

    def ended(self, tokens: Sequence[str], asked: str) -> None:
        """Check that tokens reported as invalidated are invalid on disk."""
        row = self._ledger.player(self.name)
        good = set() if row is None else {token.hash for token in row.tokens if not token.claimed}
        if not good.isdisjoint(map(naive_hash, tokens)):
            self._fail(f"{self.name} still has tokens that {asked!r} invalidated")

    def _judge(self, line: bytes) -> None:
        if len(line) > 16 * 1024:
            self._fail(f"a line has {len(line)} bytes")
        told = msgspec.json.decode(line)
        match told["type"]:
            case "event":
                self._event(told)
            case "view":
                self._view(told)
            case "ok":
                self._ok(told, self._answered(told))
            case "error":
                self._answered(told)
                if told["code"] == "INTERNAL":
                    self._fail(f"a fault in the server: {told}")

    def _answered(self, told: dict[str, Any]) -> str:
        """Return the command that this is the answer to; it must be the first unanswered one."""
        number, first = told.get("id", 0), next(iter(self.asked), None)
        if number and self._is_polite and number != first:
            self._fail(f"{self.name} gets an answer to {number} while waiting for one to {first}: {told}")
        return self.asked.pop(number, "")

    def _truth(self, told: dict[str, Any], what: str) -> TableTruth | None:
        truth = self._ledger.tables.get(told["table"])
        if truth is None or truth.last < told["seq"]:
            self._fail(f"{self.name} is told of {what} {told['seq']} of {told['table']} before it is durable")
            return None
        return truth

    def _event(self, told: dict[str, Any]) -> None:
        table, seq = told["table"], told["seq"]
        truth = self._truth(told, "event")
        if truth is None:
            return
        stored = truth.event(seq)
        self._ledger.told += 1
        if stored is None:
            self._fail(f"{self.name} is told of event {seq} of {table}, which is not stored")
            return
        for name, value in told.items():
            if name not in _ENVELOPE and stored.get(name, _NOTHING) != value:
                self._fail(f"{self.name} is told {told}, but {stored} is stored")
        before = self._seqs.get(table)
        if before is not None and seq != before + 1 and self._is_polite:
            self._fail(f"{self.name} is told event {seq} of {table} after {before}")
        self._seqs[table] = seq
        event = told["event"]
        if not _INTERNAL.get(event, frozenset()).isdisjoint(told):
            self._fail(f"{self.name} is told what no player may know: {told}")
        if (secret := SECRETS.get(event)) is not None and told.get(secret) is not None:
            own = told["seat"] == self._seats.get(table) if "seat" in told else False
            is_open = event == "swapped" and not stored["hidden"]
            knows = own and (event in ("peeked", "drew", "swapped") or (event == "gave" and stored["known"]))
            if not (is_open or knows):
                self._fail(f"{self.name} in seat {self._seats.get(table)} is told a secret: {told}")

    def _view(self, told: dict[str, Any]) -> None:
        table, you = told["table"], told["you"]
        truth = self._truth(told, "a view at")
        self._seqs[table] = told["seq"]
        self._seats[table] = you
        if you is not None:
            self._table = table
            whose = next((seat["name"] for seat in told["seats"] if seat["seat"] == you), None)
            is_lent = truth is not None and (you, self.name) in truth.returned
            if self._ledger.player(self.name) is not None and whose != self.name and not is_lent:
                self._fail(f"{self.name} is shown the seat of {whose}")
        if truth is None or told["seq"] < truth.hole_began or told["state"] not in ("playing", "between"):
            return
        shown = {
            card for seat in told["seats"] for slot in seat["slots"] or () for card in _CARD.findall(slot)
        }
        shown |= {told.get("drawn") or "", told.get("discard") or ""}
        if secret := shown - truth.public - truth.private[you or ""] - {""}:
            self._fail(f"{self.name} in seat {you} is shown {sorted(secret)}: {told}")

    def _gave_back(self, returned: list[tuple[str, str]]) -> bool:
        """Return whether the player was lent a seat that its owner has taken back since."""
        return any(
            name == self.name and seat in dict(returned[at:]) for at, (seat, name) in enumerate(returned, 1)
        )

    def _ok(self, told: dict[str, Any], asked: str) -> None:
        verb = asked.split(" ", 1)[0]
        if "name" in told:
            self.name = told["name"]
            if self.owner not in self.name:
                self._fail(f"{self.owner} is logged in as {self.name}: {told}")
        row = self._ledger.player(self.name)
        hashes = [] if row is None else [token.hash for token in row.tokens]
        if "token" in told and naive_hash(told["token"]) not in hashes:
            self._fail(f"{self.name} is given a token by {verb!r} that is not durable")
        if verb == "resume" and naive_hash(asked.split()[1]) not in hashes:
            self._fail(f"{self.name} logs in with an invalid token")
        if verb in ("register", "passwd"):
            password = asked.split()[-1]
            if row is None or row.password_hash != hashlib.sha256(password.encode()).hexdigest():
                self._fail(f"the password of {self.name} is not durable")
        table = self._table if verb == "leave" else told.get("table", "")
        if table and row is not None:
            self._place(verb, asked, table, row)
        if "stale" in asked:
            self._fail(f"a stale action of {self.name} was executed: {asked}")

    def _place(self, verb: str, asked: str, table: str, row: PlayerRow) -> None:
        truth = self._ledger.tables.get(table)
        if truth is None:
            self._fail(f"{self.name} is told of table {table}, which is not durable")
            return
        chairs = [chair.get("player") for chair in truth.row.get("chairs", ()) if chair is not None]
        has_seat = verb == "create" or (verb == "join" and "wait=on" not in asked)
        if has_seat and row.id not in chairs and not (truth.is_closed or self._gave_back(truth.returned)):
            self._fail(f"the seat of {self.name} at {table} is not durable: {chairs}")
        # The player may have left since, or a hole may have started, before this was durable.
        if verb in ("cut", "seal") and asked.partition(" ")[2] not in truth.texts:
            self._fail(f"the {verb} of {self.name} is not durable: {truth.row['chairs']}")
        if verb == "leave" and row.id in chairs and not truth.is_closed:
            self._fail(f"that {self.name} has left {table} is not durable")


_NOTHING: Final = object()
