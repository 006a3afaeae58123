"""Commands that answer with a list: players, tables, rules, help, finished matches, and the scoreboard of an evening.

Scoreboards are made one at a time, in a worker thread.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial
from itertools import chain, islice
from typing import Final

import msgspec

from golfnet.engine.events import Event
from golfnet.engine.rules import RuleSet
from golfnet.protocol.commands.pages import PageLayout
from golfnet.protocol.commands.parse import Request
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.text.retelling import retold
from golfnet.protocol.text.words import Voice, counted
from golfnet.server.budget import REPLAY_LINES, origin_of
from golfnet.server.commands import listings
from golfnet.server.commands.handlers import HANDLERS, Anyone, named, send_list
from golfnet.server.lookups import Question, Steps
from golfnet.server.table.setup import named_rules
from golfnet.server.table.table import Table


@HANDLERS.on("who")
def who(context: Anyone, request: Request) -> Steps[None]:
    """List the players and bots on all nodes."""
    lobby = context.lobby
    count, residents = yield from lobby.nodes.residents_elsewhere()
    _, tables = yield from lobby.nodes.tables_elsewhere()
    others = (row for _, row in listings.residents(residents, tables))
    rows = listings.players_once(chain(listings.players(lobby), others))
    send_list(context.session, request, "who", rows, note=_unlisted(count - len(residents), "player"))


@HANDLERS.on("tables")
def tables(context: Anyone, request: Request) -> Steps[None]:
    """List the tables on all nodes."""
    count, others = yield from context.lobby.nodes.tables_elsewhere()
    elsewhere = (msgspec.json.decode(row) for _, row in others)
    rows = listings.tables_once(chain(listings.tables(context.lobby), elsewhere))
    send_list(context.session, request, "tables", rows, note=_unlisted(count - len(others), "table"))


def _unlisted(count: int, what: str) -> str | None:
    return f"And {counted(count, what)} more." if count > 0 else None


@HANDLERS.on("variants")
def variants(context: Anyone, request: Request) -> None:
    """List the rule sets."""
    send_list(context.session, request, "variants", listings.variants(context.lobby.catalogue))


@HANDLERS.on("rules")
def rules(context: Anyone, request: Request) -> None:
    """Send the rules of a rule set or the player's table; people get a summary unless they ask for the full rules."""
    lobby, writer = context.lobby, context.session.writer
    words = [word for word in request.words if word.lower() not in (FULL, SHORT) or word in lobby.catalogue]
    table = _table_of(context)
    if words:
        asked = named_rules(lobby.catalogue, words[0])
    elif table is not None:
        asked = table.rules
    elif writer.machine:
        raise Refused(Code.BAD_ARGUMENT, f"Which rules? Type rules and one of: {', '.join(lobby.catalogue)}.")
    else:
        hint = "To read the rules of one, type rules and its name."
        send_list(context.session, request, "variants", listings.variants(lobby.catalogue), note=hint)
        return
    length = {word.lower() for word in request.words if word not in words}
    is_whole = FULL in length or (writer.machine and SHORT not in length)
    whole = f"To read all the rules, type: {' '.join(['rules', *words, FULL])}"
    lines = _rules_lines(asked, writer.layout, is_whole=is_whole, machine=writer.machine)
    send_list(context.session, request, "rules", lines, note=None if is_whole or writer.machine else whole)


def _rules_lines(rules: RuleSet, layout: PageLayout, *, is_whole: bool, machine: bool) -> Iterable[str]:
    from golfnet.engine.rulebook import rules_in_short, rules_text, summary  # loaded on first use

    if not is_whole:
        if machine:
            return summary(rules, is_typed=False)
        return rules_in_short(rules, width=layout.width).splitlines()
    lines = rules_text(rules, width=layout.width).splitlines()
    return [line for line in lines if line or not layout.is_spoken]


FULL: Final = "full"
"""The word to type after ``rules`` for the full rules."""
SHORT: Final = "short"
"""The word for the summary, which people also get without it."""


def _table_of(context: Anyone) -> Table | None:
    player = context.session.player
    return None if player is None else player.table


@HANDLERS.on("help")
def help_(context: Anyone, request: Request) -> None:
    """Send a page of help."""
    from golfnet.protocol.commands.help import help_page  # loaded on first use
    from golfnet.server.commands.manual import manual_for

    lobby, layout = context.lobby, context.session.writer.layout
    lines = help_page(request.text("topic"), manual_for(lobby.config), lobby.catalogue, layout)
    send_list(context.session, request, "help", lines)


@HANDLERS.on("history")
def history(context: Anyone, request: Request) -> Steps[None]:
    """List finished matches: a table's, the player's, or all."""
    store, asked = context.lobby.store, request.text("whose")
    table = None if asked in ("", "all") else asked
    player = None if asked or context.session.player is None else context.session.player.id
    rows = yield from context.lobby.lookups.asked(lambda: listings.history(store, table=table, player=player))
    own = None if player is None else "To see everybody's matches, type: history all"
    note = f"To read one again, type: replay {rows[0]['match']}" if rows else own
    send_list(context.session, request, "history", rows, note=note)


@HANDLERS.on("record")
def record(context: Anyone, request: Request) -> Steps[None]:
    """Send the record of a finished match."""
    store, match = context.lobby.store, request.words[0].lower()
    return _asked(context, request, lambda: listings.record(store, match))


@HANDLERS.on("replay")
def replay(context: Anyone, request: Request) -> Steps[None]:
    """Describe a match or one of its holes event by event; by default, the last match of the table or the player."""
    lobby, session, hole = context.lobby, context.session, request.number("hole")
    asked, table, player = request.text("match").lower(), _table_of(context), session.player
    if not asked and player is None:
        raise Refused(
            Code.BAD_ARGUMENT,
            "Which match? Type replay and a match such as m4. To see finished matches, type: history all",
        )
    if table is None and player is not None:
        table = next(reversed(lobby.tables.watched_by(player)), None)

    def query() -> tuple[str, int, Iterator[Event]]:
        at = None if table is None else table.id
        match = asked or listings.last_match(lobby.store, at, "" if player is None else player.id)
        match = f"m{match}" if match.isdecimal() else match
        return match, *listings.events_of(lobby.store, match, hole)

    match, holes, events = yield from lobby.lookups.asked(query)
    writer = session.writer
    voice = Voice(settings=writer.page_settings, you=None, names=(), brief=True)
    lines = _bounded(retold(events, voice, writer.layout.width), match)
    note = f"To read one hole alone, type: replay {match} 1" if hole is None and holes > 1 else None
    send_list(session, request, "replay", lines, note=note)


def _bounded(lines: Iterator[str], match: str) -> Iterator[str]:
    yield from islice(lines, REPLAY_LINES)
    if next(lines, None) is not None:
        yield f"The replay stops here, after {REPLAY_LINES} lines. To read one hole alone, type: replay {match} HOLE"


@HANDLERS.on("top")
def top(context: Anyone, request: Request) -> Steps[None]:
    """List the best players by rating."""
    lobby, variant = context.lobby, request.words[0] if request.words else None
    return _asked(context, request, lambda: list(listings.ladder(lobby.store, lobby.catalogue, variant)))


@HANDLERS.on("stats")
def stats(context: Anyone, request: Request) -> Steps[None]:
    """Send a player's statistics, by default those of the player who asks."""
    name = request.words[0] if request.words else named(context, request).player.name
    return _asked(context, request, lambda: list(listings.stats(context.lobby.store, name)))


def _asked(context: Anyone, request: Request, query: Callable[[], Iterable[listings.Row]]) -> Steps[None]:
    send_list(context.session, request, request.verb, (yield from context.lobby.lookups.asked(query)))


@HANDLERS.on("evening")
def evening(context: Anyone, request: Request) -> Steps[None]:
    """Send the scoreboard for the last few hours, or since a time of day."""
    lobby, session = context.lobby, context.session
    now = lobby.wall_clock()
    since, note = now - listings.EVENING_SECONDS, f"in the last {listings.EVENING_SECONDS / 3600:g} hours."
    if request.words:
        since = hour_before(request.words[0], now)
        note = f"since {datetime.fromtimestamp(since):%Y-%m-%d %H:%M}, the server's time."
    origin = origin_of(session.transport.address)
    board = partial(lobby.lookups.read, partial(listings.scoreboard, lobby.store, lobby.honours, since))
    matches, rows = yield Question(None, partial(lobby.evenings.run, origin, board))
    send_list(session, request, "evening", rows, note=f"{counted(matches, 'match')} {note}")


def hour_before(word: str, now: float) -> float:
    """Return the last time at which the server's clock showed this time of day, or raise ``Refused``."""
    found = re.fullmatch(r"([01]?[0-9]|2[0-3])(?::([0-5][0-9]))?", word)
    if found is None:
        raise Refused(Code.BAD_ARGUMENT, "Type evening alone, or with an hour such as 20:00.")
    today = datetime.fromtimestamp(now)
    begun = today.replace(hour=int(found[1]), minute=int(found[2] or 0), second=0, microsecond=0)
    return (begun if begun <= today else begun - timedelta(days=1)).timestamp()
