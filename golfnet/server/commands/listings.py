"""The rows of all lists: tables, players, rule sets, matches and more, such as the scoreboard of an evening.

Functions that take a store are queries, which may run in a thread, so they read nothing else that can change.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
import trio

from golfnet.engine.cards import Seat, seat_letter
from golfnet.engine.events import Committed, Event
from golfnet.engine.options import as_options, differing
from golfnet.engine.rules import RuleSet
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import clean_text
from golfnet.protocol.names import skeleton
from golfnet.protocol.text.words import counted
from golfnet.server.budget import REPLAY_LINES
from golfnet.server.lobby import Lobby
from golfnet.server.table.seating import ChairKind
from golfnet.server.table.setup import named_rules
from golfnet.server.table.table import Table
from golfnet.storage.directory import ListedTable, Resident
from golfnet.storage.records import from_log_form
from golfnet.storage.results import MatchHonours
from golfnet.storage.store import Reads
from golfnet.storage.writes import MatchResult, PlayerKind, SeatEnding, SeatKind, SeatResult

Row = dict[str, Any]


def tables(lobby: Lobby) -> Iterator[Row]:
    """Yield every table, with the options in which its rules differ from the rule set."""
    for table in list(lobby.tables.values()):
        if table.is_closed:
            continue
        base = lobby.catalogue.get(table.rules.name)
        yield {
            "table": table.id,
            "name": table.setup.name,
            "variant": table.rules.name,
            "options": differing(table.rules, base) if base is not None else "",
            "state": table.state.value,
            "seats": len(table.seating.chairs),
            "taken": len(table.seating),
            "players": [
                {
                    "seat": seat_letter(chair.seat),
                    "name": chair.name,
                    "kind": chair.kind.value,
                    "present": chair.present,
                }
                for chair in table.seating
            ],
            "watchers": len(table.watchers),
            "private": table.is_private,
            "host": table.host.name if table.host is not None else None,
            "filling": msgspec.structs.asdict(filling)
            if (filling := table.filling.view) is not None
            else None,
        }


def players(lobby: Lobby) -> Iterator[Row]:
    """Yield everyone who is connected or has a seat, bots last."""
    for player in list(lobby.accounts):
        session, at = player.session, player.table
        if session is None and at is None:
            continue
        seat = None if at is None else at.seating.of(player)
        idle = None if session is None else trio.current_time() - session.last_input
        yield {
            "name": player.name,
            "kind": player.kind.value,
            "present": session is not None,
            "table": None if at is None else at.id,
            "seat": None if seat is None else seat_letter(seat),
            "watching": sorted(player.watched),
            "idle_ms": None if idle is None else round(idle * 1000),
        }
    for table in list(lobby.tables.values()):
        for chair in table.seating:
            if chair.kind is ChairKind.BOT:
                yield _bot(chair.name, table.id, seat_letter(chair.seat))


def _bot(name: str, table: str, seat: str) -> Row:
    return {"name": name, "kind": ChairKind.BOT.value, "present": True, "table": table, "seat": seat}


def residents(players: Iterable[Resident], tables: Iterable[ListedTable]) -> Iterator[tuple[int, Row]]:
    """Yield the players on other nodes, then the bots at those nodes' tables, each with the node."""
    seats: dict[tuple[str | None, str], str] = {}
    bots: list[tuple[int, Row]] = []
    for node, listed in tables:
        table = msgspec.json.decode(listed)
        for chair in table["players"]:
            seats[table["table"], chair["name"]] = chair["seat"]
            if chair["kind"] == ChairKind.BOT.value:
                bots.append((node, _bot(chair["name"], table["table"], chair["seat"])))
    for player in players:
        row: Row = {
            "name": player.name,
            "kind": player.kind.value,
            "present": player.is_connected,
            "table": player.table,
            "seat": seats.get((player.table, player.name)),
            "watching": [],
            "idle_ms": None,
        }
        yield player.node, row
    yield from bots


def tables_once(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield each table's first row, and list each player only once; other nodes' rows may be a second old."""
    tables, seated = set[str](), set[str]()
    for row in rows:
        if row["table"] in tables:
            continue
        tables.add(row["table"])
        human = ChairKind.HUMAN.value
        there = [each for each in row["players"] if each["kind"] != human or each["name"] not in seated]
        seated.update(each["name"] for each in there if each["kind"] == human)
        yield row | {"players": there, "taken": len(there)}


def players_once(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the first row of each player, and of each bot at each table."""
    known = set[tuple[str, ...]]()
    for row in rows:
        who = (row["table"], row["seat"]) if row["kind"] == ChairKind.BOT.value else (row["name"],)
        if who not in known:
            known.add(who)
            yield row


def deal_of(table: Table, seat: Seat) -> Row:
    """Return what a player needs to make or check a seal for the next deal or, during a hole, for the current one."""
    known = table.match.next_deal or table.match.started
    if known is None:
        raise Refused(Code.BAD_PHASE, "There is no deal to cut or seal for yet.")
    if isinstance(known, Committed):
        shown = [(chair.seat, table.sealing.shown(chair)) for chair in table.seating]
        seals = {at: fields["seal"] for at, fields in shown if "seal" in fields}
        cuts = {at: fields["cut"] for at, fields in shown if "cut" in fields}
    else:
        seals = {Seat(at): seal for at, seal in enumerate(known.seals or ()) if seal is not None}
        # If there is no seal, the cuts stay secret until the end of the hole.
        cuts = {Seat(at): cut for at, cut in enumerate(known.cuts) if seals and cut and at not in seals}
    return {
        "match": table.match.id,
        "name": table.seating.names[seat],
        "hole": known.hole,
        "deal": table.match.scheme.value,
        "commitment": known.commitment,
        "seals": {seat_letter(at): seal for at, seal in seals.items()},
        "cuts": {seat_letter(at): cut for at, cut in cuts.items()},
    }


def variants(catalogue: Mapping[str, RuleSet]) -> list[Row]:
    """Return every rule set."""
    return [
        {
            "name": rules.name,
            "title": rules.title,
            "seats": f"{rules.seats.low}-{rules.seats.high}",
            "layout": f"{rules.rows}x{rules.columns}",
            "holes": rules.holes,
            "target": rules.target,
            "options": as_options(rules),
        }
        for rules in catalogue.values()
    ]


def history(store: Reads, *, table: str | None, player: str | None) -> list[Row]:
    """Return finished matches, latest first: all of them, or those of a table or a player."""
    return [
        {
            "match": match.id,
            "table": match.table,
            "variant": match.variant,
            "ended": match.ended,
            "finished": match.finished,
            "rated": match.rated,
            "players": [
                {
                    "name": seat.name,
                    "kind": (SeatKind.HOUSE if seat.ending is SeatEnding.LEFT else seat.kind).value,
                    "ending": seat.ending.value,
                }
                for seat in match.seats
            ],
            "totals": [seat.total for seat in match.seats],
            "places": [seat.place for seat in match.seats],
            "ranks": [seat.rank for seat in match.seats],
        }
        for match in store.matches(table=table, player=player)
    ]


def record(store: Reads, match: str) -> Iterator[Row]:
    """Return the lines of a finished match's record, each decoded as an object, or raise ``Refused``."""
    return (msgspec.json.decode(line) for line in _record_of(store, match))


def _record_of(store: Reads, match: str) -> Iterator[bytes]:
    lines = store.record(f"m{match}" if match.isdecimal() else match)
    if lines is None:
        raise Refused(
            Code.NO_SUCH_MATCH,
            f"There is no finished match {clean_text(match)}. To see finished matches, type: history",
        )
    return lines


def events_of(store: Reads, match: str, hole: int | None) -> tuple[int, Iterator[Event]]:
    """Return the number of holes in a finished match, and its events: all, or those of its start and of one hole.

    Raise ``Refused``.
    """
    lines = list(_record_of(store, match))
    begun = [at for at, line in enumerate(lines) if line.startswith(_HOLE)]
    if hole is not None:
        if not 0 < hole <= len(begun):
            raise Refused(
                Code.BAD_ARGUMENT, f"{match} has {counted(len(begun), 'hole')}. Type: replay {match} 1"
            )
        end = next((at for at in range(begun[hole - 1], len(lines)) if _HOLE_ENDED in lines[at]), len(lines))
        lines = lines[: begun[0]] + lines[begun[hole - 1] : end + 1]
    # Keep no more lines than a replay can show. Each line of a replay needs at most 17 lines of the record: a move with
    # a slam window for twelve seats.
    fields = map(msgspec.json.decode, lines[: 24 * REPLAY_LINES])
    return len(begun), (from_log_form(each) for each in fields if "type" in each)


_HOLE: Final = b'{"hole":'
"""The beginning of the line that precedes each hole in a record."""
_HOLE_ENDED: Final = b'"event":"hole_ended"'


def last_match(store: Reads, table: str | None, player: str) -> str:
    """Return the id of the table's last finished match or, if there is none, the player's; may raise ``Refused``."""
    found = () if table is None else store.matches(table=table, limit=1)
    for match in found or store.matches(player=player, limit=1):
        return match.id
    hole = "" if table is None else "For the moves of this hole, type: moves. "
    raise Refused(
        Code.NO_SUCH_MATCH,
        f"You have not finished a match yet. {hole}To see everybody's matches, type: history all",
    )


def ladder(store: Reads, catalogue: Mapping[str, RuleSet], variant: str | None) -> Iterator[Row]:
    """Yield the best players by rating for each kind of player, in one or all rule sets, or raise ``Refused``."""
    names = list(catalogue) if variant is None else [named_rules(catalogue, variant).name]
    for name in names:
        for pool in PlayerKind:
            for place, rating in enumerate(store.top(name, pool), 1):
                player = store.player(rating.player)
                yield {
                    "place": place,
                    "name": player.name if player is not None else rating.player,
                    "variant": name,
                    "pool": pool.value,
                    "rating": round(rating.points, 1),
                    "matches": rating.matches,
                    "wins": rating.wins,
                }


def stats(store: Reads, name: str) -> Iterator[Row]:
    """Yield a player's statistics by rule set, or raise ``Refused``."""
    player = store.player_by_name(name) or store.player_by_skeleton(skeleton(name))
    if player is None:
        raise Refused(Code.NO_SUCH_PLAYER, f"There is no player with the name {clean_text(name)}.")
    for row in store.stats(player.id):
        average = None if row.average is None else round(row.average, 1)
        yield {"name": player.name, **msgspec.structs.asdict(row), "average": average}


MOST_MATCHES: Final = 200
"""How many of an evening's latest matches are counted: enough for twenty tables that play ten each."""

EVENING_SECONDS: Final = 12 * 3600.0
"""How far back to look by default, in seconds: covers a long evening, but not the one before."""

_MOST_PLAYERS: Final = 50
"""Maximum number of players listed."""


def scoreboard(
    store: Reads, honours: Callable[[MatchResult], MatchHonours], since: float
) -> tuple[int, list[Row]]:
    """Return how many matches have finished since the given time, and the rows: players, best first, then honours."""
    matches = [match for match in store.matches(since=since, limit=MOST_MATCHES) if match.finished]
    honoured = [(match, honours(match)) for match in matches]
    return len(matches), [*_player_rows(matches), *_honour_rows(honoured)]


def _player_rows(matches: Sequence[MatchResult]) -> Iterator[Row]:
    """Yield the people who played, ordered by wins and then by average place."""
    taken: dict[str, list[SeatResult]] = {}
    for match in matches:
        for seat in match.seats:
            if seat.kind is not SeatKind.BOT:
                taken.setdefault(seat.player or seat.name, []).append(seat)

    def standing(seats: Sequence[SeatResult]) -> tuple[int, float]:
        ranks = [seat.rank for seat in seats]
        return -ranks.count(1), sum(ranks) / len(ranks)

    order = sorted(taken.values(), key=lambda seats: (*standing(seats), seats[0].name))
    standings = [standing(seats) for seats in order]
    for seats, (minus_wins, average) in zip(order[:_MOST_PLAYERS], standings, strict=False):
        yield {
            "place": 1 + standings.index((minus_wins, average)),
            "name": seats[0].name,
            "kind": seats[0].kind.value,
            "matches": len(seats),
            "wins": -minus_wins,
            "average_place": round(average, 1),
        }


def _honour_rows(matches: Sequence[tuple[MatchResult, MatchHonours]]) -> Iterator[Row]:
    """Yield the best hole, the luckiest slam and the player with the most comebacks, if there are any."""
    best = [(match, each.best) for match, each in matches if each.best is not None]
    if best:
        match, hole = min(best, key=lambda found: found[1].score)
        yield _honour_row("best_hole", hole.player, match=match, hole=hole.hole) | {"score": hole.score}
    slams = [(match, each.slam) for match, each in matches if each.slam is not None]
    if slams:
        match, slam = max(slams, key=lambda found: found[1].points)
        yield _honour_row("luckiest_slam", slam.player, match=match, hole=slam.hole) | {"card": slam.card}
    names = [each.comeback for _, each in matches if each.comeback is not None]
    if names:
        most = max(dict.fromkeys(names), key=names.count)
        yield {"honour": "comebacks", "name": most, "matches": names.count(most)}


def _honour_row(what: str, name: str, *, match: MatchResult, hole: int) -> Row:
    return {"honour": what, "name": name, "match": match.id, "variant": match.variant, "hole": hole}
