"""Rows for tests, with defaults for everything a test does not care about."""

from golfnet.storage.store import Reads, TableLog
from golfnet.storage.writes import (
    LoggedEvent,
    MatchResult,
    PlayerKind,
    PlayerRow,
    Rating,
    SeatEnding,
    SeatKind,
    SeatResult,
    Token,
)

ACCOUNT, GUEST, BOT = PlayerKind.ACCOUNT, PlayerKind.GUEST, PlayerKind.BOT
HOUSE = SeatKind.HOUSE


def player(
    number: int,
    name: str = "",
    *,
    kind: PlayerKind = GUEST,
    tokens: tuple[bytes, ...] | None = None,
    claimed: float = 0.0,
    seen: float = 20.0,
    settings: bytes = b"",
) -> PlayerRow:
    name = name or f"Player{number}"
    hashes = (f"token {number}".encode(),) if tokens is None else tokens
    owned = [Token(hash=each, issued=10.0, used=15.5, origin="192.0.2.7", claimed=claimed) for each in hashes]
    return PlayerRow(
        id=f"p{number}",
        name=name,
        skeleton=name.casefold(),
        kind=kind,
        password_hash="$argon2id$x" if kind is ACCOUNT else None,
        tokens=tuple(owned),
        created=10.5,
        seen=seen,
        settings=settings,
    )


def seat(
    number: int | None,
    place: int,
    *,
    total: int = 10,
    kind: PlayerKind | SeatKind = ACCOUNT,
    ending: SeatEnding = SeatEnding.PLAYED,
    rank: int | None = None,
) -> SeatResult:
    return SeatResult(
        player=None if number is None else f"p{number}",
        name=f"Player{number}",
        kind=SeatKind(kind),
        total=total,
        place=place,
        ending=ending,
        rank=place if rank is None else rank,
    )


def match(
    number: int,
    *seats: SeatResult,
    table: str = "t1",
    variant: str = "six-card",
    finished: bool = True,
    rated: bool = True,
    started: float = 100.0,
    ended: float = 200.0,
) -> MatchResult:
    return MatchResult(
        id=f"m{number}",
        table=table,
        variant=variant,
        options=b'{"holes":9}',
        started=started,
        ended=ended,
        finished=finished,
        rated=rated,
        seats=seats or (seat(1, 1, total=7), seat(2, 2, total=12)),
    )


def rating(reads: Reads, player: str, variant: str, pool: PlayerKind) -> Rating | None:
    """Return a player's stored rating."""
    return next((each for each in reads.top(variant, pool, limit=10_000) if each.player == player), None)


def tables_aside(store: Reads) -> dict[TableLog, str]:
    """Return the tables that have been set aside, with their stored events, and why."""
    events: dict[int, list[LoggedEvent]] = {}
    for table, *event in store._all("SELECT live, seq, body FROM event ORDER BY live, seq"):
        events.setdefault(table, []).append(LoggedEvent(*event))
    rows = store._all("SELECT number, row, aside FROM live WHERE aside IS NOT NULL ORDER BY number")
    return {TableLog(f"t{number}", row, tuple(events.get(number, ()))): why for number, row, why in rows}
