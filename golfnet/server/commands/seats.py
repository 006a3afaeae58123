"""Commands about seats: opening, joining, watching and leaving tables, and what hosts do with seats."""

from collections.abc import Sequence
from functools import partial
from typing import Final

import msgspec
import trio

from golfnet.engine.cards import Seat, seat_letter
from golfnet.engine.forms import SWITCH, listed
from golfnet.engine.variants import SIX_CARD
from golfnet.protocol.commands.parse import Request
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import clean_text
from golfnet.protocol.replies.presence import TableState
from golfnet.protocol.text.stage import NO_JOINING, Joining
from golfnet.server.budget import WATCHED_AT_ONCE, is_shared
from golfnet.server.commands import listings
from golfnet.server.commands.handlers import (
    HANDLERS,
    NamedPlayer,
    SeatedPlayer,
    Viewer,
    need_confirmation,
    present,
)
from golfnet.server.lobby import Lobby
from golfnet.server.lookups import Steps
from golfnet.server.nodes import Elsewhere
from golfnet.server.seeking import Wanted, extras, fitting, near, offered, opening
from golfnet.server.session.player import Player
from golfnet.server.table.setup import (
    BOT_OPTIONS,
    BotRequest,
    bot_level,
    bots_in,
    forfeits,
    loss_by_leaving,
    named_rules,
    plan,
    seconds_option,
)
from golfnet.server.table.table import Table
from golfnet.server.tables import table_id
from golfnet.storage.store import IdKind


@HANDLERS.on("create")
def create(context: NamedPlayer, request: Request) -> Steps[None]:
    """Open a table with the player as its host."""
    lobby, player = context.lobby, context.player
    bots = bots_in(request.options)
    yield from _need_no_drain(context)
    rules, setup = plan(lobby.config, named_rules(lobby.catalogue, request.words[0]), _about_play(request))
    lobby.need_room()
    yield from lobby.nodes.need_ids(IdKind.TABLE, IdKind.MATCH)
    table = lobby.tables.open(player, rules, setup)
    if bots is not None:
        table.filling.request(bots)
    context.session.send_ok(request, _way_to_play(context, table) or None, table=table)
    lobby.news.opened(table)


def _way_to_play(context: NamedPlayer, table: Table) -> str:
    """Return what a person can type to play at once; empty for programs, which know the verbs."""
    return "" if context.session.writer.machine else table.starting.way_to_play(context.player)


@HANDLERS.on("join")
def join(context: NamedPlayer, request: Request) -> Steps[None]:
    """Take a seat or, if none is free, a place in line for the next match (for programs, only with ``wait=on``)."""
    usual = "off" if context.session.writer.machine else "on"
    try:
        waits = SWITCH.read(request.options.get("wait", usual))
    except ValueError:
        raise Refused(Code.BAD_ARGUMENT, f"wait is {SWITCH.takes}.") from None
    table = yield from _find_table(context, request)
    player, password = context.player, request.options.get("password", "")
    has_free_seat = table.state is TableState.OPEN and not table.seating.is_full
    if not waits or has_free_seat or table.hosts.offered_seat(player) is not None:
        table.membership.sit(player, password)
        _send_seat(context, request, table)
        return
    _need_room_to_watch(player, table)
    if others := [other.id for other in _waited_for(context) if other is not table]:
        raise Refused(
            Code.ALREADY_SEATED,
            f"You are already waiting for a seat at {others[0]}. To leave that line, type: leave",
        )
    way = table.hosts.way_back(player)
    place = table.waiting.enter(player, password)
    if table.state is TableState.OPEN:
        why = f"All seats at {table.id} are taken."
    else:
        why = f"The match at {table.id} is {'being played' if table.is_running else 'over'}."
    why += f" You are number {place} in line for the next match. Until then, you watch."
    note = " ".join(filter(None, (why, way, "To leave the line, type: leave")))
    context.session.send_ok(request, table=table, note=note, place=place)


def _waited_for(context: NamedPlayer) -> list[Table]:
    watched = context.lobby.tables.watched_by(context.player)
    return [table for table in watched if table.waiting.place(context.player)]


def _need_room_to_watch(player: Player, table: Table) -> None:
    if len(player.watched) >= WATCHED_AT_ONCE and table.id not in player.watched:
        raise Refused(
            Code.TOO_MANY,
            f"You are already watching {WATCHED_AT_ONCE} tables. To stop watching one, type: unwatch TABLE",
        )


@HANDLERS.on("seek", "play")
def seek(context: NamedPlayer, request: Request) -> Steps[None]:
    """Take a seat at a suitable table, or open one; at a table that ``play`` opens, bots soon take free seats."""
    lobby, player, options = context.lobby, context.player, _about_play(request)
    words, with_bot = _without_bot(request)
    soon = 1 if with_bot else lobby.config.fill or (BOTS_AFTER if request.verb == "play" else 0)
    bots = bots_in(request.options, soon)
    base = named_rules(lobby.catalogue, words[0] if words else SIX_CARD.name)
    rules, setup = plan(lobby.config, base, options)
    wanted = Wanted(rules=rules, clock=setup.clock, named=frozenset(options), is_any=not words)
    tables = () if with_bot else lobby.tables.values()
    number, table = None, fitting(tables, player, wanted)
    if table is None and not context.session.is_carried:
        yield from _need_no_drain(context)
        lobby.need_room()
        yield from lobby.nodes.need_ids(IdKind.TABLE)
        if with_bot or lobby.nodes.is_alone:
            number = lobby.nodes.ids[IdKind.TABLE].next()
        else:
            number = yield from _number_to_open(lobby, wanted)
        yield from lobby.nodes.need_ids(IdKind.MATCH)
        table = fitting(tables, player, wanted)
    if table is not None:
        table.membership.sit(player)
        others = extras(table, lobby.catalogue[table.rules.name] if wanted.is_any else rules, setup.clock)
        game = f"{table.rules.name} with {others}" if others else table.rules.name
        _send_seat(context, request, table, f"The table plays {game}." if others or wanted.is_any else "")
        return
    hints = near(tables, player, wanted)
    setup = msgspec.structs.replace(
        setup, starts_when_full=True, starts_when_enough=not setup.starts_when_full
    )
    table = lobby.tables.open(player, rules, setup, number)
    if bots is not None:
        table.filling.request(bots)
    if with_bot:
        _send_seat(context, request, table)
        return
    # The note need not say the minimum number of players, which is shown with the table.
    when = "" if setup.starts_when_enough else f"The match begins when {rules.seats.high} players are here."
    nobody = "Nobody else is waiting for this game yet."
    _send_seat(context, request, table, nobody, when, *hints, _way_to_play(context, table))
    lobby.news.opened(table)


def _without_bot(request: Request) -> tuple[Sequence[str], bool]:
    """Return the words of a request without a final ``bot``, and whether there was one; may raise ``Refused``."""
    words = request.words
    with_bot = request.verb == "play" and bool(words) and words[-1].lower() == "bot"
    others = words[:-1] if with_bot else words
    if len(others) > 1:
        raise Refused(
            Code.BAD_ARGUMENT, f"After {words[0]} only the word bot can follow: play {words[0]} bot"
        )
    return others, with_bot


BOTS_AFTER: Final = 20
"""How many seconds ``play`` waits for people before bots join, unless ``fill`` is given: newcomers are impatient."""


def _need_no_drain(context: NamedPlayer) -> Steps[None]:
    """Raise ``Elsewhere`` if this node is draining and another one can open the table."""
    if context.lobby.is_draining and not context.session.is_carried:
        heirs = yield from context.lobby.nodes.asked(lambda directory: directory.heirs(), ())
        if heirs:
            raise Elsewhere(heirs[0][0])


ASKED_AGAIN: Final = 0.05
"""Seconds between queries for a table that another node is about to open."""

OPENING_SECONDS: Final = 1.0
"""How many seconds to wait for another node to open a table; that node may be down."""


def _number_to_open(lobby: Lobby, wanted: Wanted) -> Steps[int]:
    """Return a number for a new table, or raise ``Elsewhere`` if another node has or is opening a suitable table."""
    nodes = lobby.nodes
    number = nodes.ids[IdKind.TABLE].next()
    offer, rejected, waited = opening(number, nodes.number, wanted), frozenset[str](), 0.0
    nodes.opening.add(offer.table)
    while offers := (yield from nodes.asked(lambda directory: directory.seek(offer, rejected), ())):  # noqa: B023
        found = offered(offers, wanted)
        if found is not None and not found.is_opening:
            raise Elsewhere(found.node)
        if found is not None and waited < OPENING_SECONDS:
            yield from nodes.awaited(partial(trio.sleep, ASKED_AGAIN))
            waited += ASKED_AGAIN
        else:
            rejected |= {each.table for each in offers}
    return number


def _find_table(context: NamedPlayer, request: Request) -> Steps[Table]:
    """Return the table that has this id or name, or the table of the player with this name on this node.

    Raise ``Refused`` if there is no such table or several have the name, ``Elsewhere`` if another node has the table.
    """
    lobby, typed = context.lobby, request.words[0]
    table, nodes = lobby.tables.get(table_id(typed)), lobby.nodes
    if table is not None:
        return table
    node = yield from nodes.asked(lambda directory: directory.place_of("", table_id(typed)), None)
    if node is not None and node != nodes.number:
        raise Elsewhere(node)
    _, others = yield from nodes.tables_elsewhere()
    rows: list[tuple[int | None, listings.Row]] = [(None, row) for row in listings.tables(lobby)]
    rows += [(at, msgspec.json.decode(row)) for at, row in others]
    name = clean_text(typed).casefold()
    alike = [(row["table"], at) for at, row in rows if name and row["name"].casefold() == name]
    if len(alike) > 1:
        some = listed([id for id, _ in alike[:_SHOWN]] + ["more"] * (len(alike) > _SHOWN))
        raise Refused(
            Code.NO_SUCH_TABLE,
            f"Several tables have that name: {some}. Type the id, as in: {request.verb} {alike[0][0]}",
        )
    if not alike and (player := lobby.accounts.find(typed)) is not None:
        if (table := player.table) is not None:
            return table
        if player.session is not None:
            raise Refused(
                Code.NO_SUCH_TABLE,
                f"{player.name} is not at a table, and no table has that name. To see all tables, type: tables",
            )
    typed, node = alike[0] if alike else (typed, None)
    if node is not None:
        raise Elsewhere(node)
    return lobby.tables.named(typed)


_SHOWN: Final = 5
"""How many tables with the same name are listed in a refusal."""


def _about_play(request: Request) -> dict[str, str]:
    return {key: value for key, value in request.options.items() if key not in BOT_OPTIONS}


def _send_seat(context: NamedPlayer, request: Request, table: Table, *more: str) -> None:
    seat = f"You are at table {table.id}, in seat {seat_letter(table.chair_of(context.player).seat)}."
    context.session.send_ok(request, table=table, note=" ".join([seat, *filter(None, more)]))


@HANDLERS.on("unseek")
def unseek(context: SeatedPlayer, request: Request) -> None:
    """Give up a seat at a table whose match has not begun."""
    table = context.table
    if table.state is not TableState.OPEN:
        raise Refused(Code.BAD_PHASE, "The match has already begun. To give up your seat, type: leave")
    table.membership.leave(context.player)
    context.session.send_ok(request, note=f"You have left {table.id}.")


@HANDLERS.on("leave")
def leave(context: Viewer, request: Request) -> None:
    """Give up a seat, or a place in line."""
    table, player = context.table, context.player
    if player.table is None:
        if not (waited_for := _waited_for(context)):
            raise Refused(
                Code.NOT_SEATED,
                f"You are watching {table.id} and have no seat. To stop watching, type: unwatch",
            )
        table = waited_for[0]
        table.gallery.unwatch(player)
        context.session.send_ok(request, note=f"You have left the line and stopped watching {table.id}.")
        return
    if loss := loss_by_leaving(table, player):
        need_confirmation(
            context.session,
            f"leave {table.match.id}",
            f"Leave for good? {loss} Type leave again to leave.",
        )
    note = f"You have left {table.id}."
    if forfeits(table, player):
        note += " On the ladder, the match counts as a last place for you."
    table.membership.leave(player)
    context.session.send_ok(request, note=note)


@HANDLERS.on("watch")
def watch(context: NamedPlayer, request: Request) -> Steps[None]:
    """Watch a table."""
    player = context.player
    try:
        table = yield from _find_table(context, request)
    except Elsewhere:
        if player.table is None:
            raise
        raise Refused(
            Code.NOT_AVAILABLE,
            f"That table is not on the same machine as yours. To watch it, leave {player.table.id} first.",
        ) from None
    _need_room_to_watch(player, table)
    style = request.options.get("style", "")
    if style not in ("", STAGE):
        raise Refused(Code.BAD_ARGUMENT, f"The only style here is style={STAGE}, for a big screen.")
    writer = context.session.writer
    if style or (writer.stage is not None and writer.stage.table == table.id):
        writer.show_on_stage(table.id if style else None, _joining(context, table))
    table.gallery.watch(player, request.options.get("password", ""))
    context.session.send_ok(request, table=table, note=f"You are watching {table.id}.")


STAGE: Final = "stage"
"""The style in which a watched table is shown on a big screen."""


def _joining(context: NamedPlayer, table: Table) -> Joining:
    """Return what a big screen says about joining; the server's addresses are shown only within its own network."""
    is_near = context.lobby.config.lan or is_shared(context.session.transport.address)
    password = " password=WORD" if table.is_private else ""
    return msgspec.structs.replace(
        context.lobby.joining if is_near else NO_JOINING, command=f"join {table.id}{password}"
    )


@HANDLERS.on("unwatch")
def unwatch(context: NamedPlayer, request: Request) -> None:
    """Stop watching a table, or all tables."""
    player, known = context.player, context.lobby.tables
    tables = [known.named(request.words[0])] if request.words else known.watched_by(player)
    if not tables or any(table.id not in player.watched for table in tables):
        raise Refused(Code.NOT_WATCHING, "You are not watching that. To watch a table, type: watch TABLE")
    writer = context.session.writer
    line = "left the line and " if any([table.waiting.place(player) for table in tables]) else ""
    for table in tables:
        table.gallery.unwatch(player)
        if writer.stage is not None and writer.stage.table == table.id:
            writer.show_on_stage(None)
    ids = ", ".join([table.id for table in tables])
    context.session.send_ok(request, note=f"You have {line}stopped watching {ids}.")


@HANDLERS.on("bot")
def bot(context: SeatedPlayer, request: Request) -> None:
    """Fill a free seat with a bot, or all free seats after a delay."""
    table, note = context.table, None
    level = bot_level(request.text("level"))
    if "fill" in request.options:
        seconds = seconds_option(request.options["fill"], "fill", 0)
        note = table.filling.request(BotRequest(level=level, seconds=seconds) if seconds else None)
    else:
        table.membership.add_bot(level)
    context.session.send_ok(request, note, table=table)


@HANDLERS.on("kick")
def kick(context: SeatedPlayer, request: Request) -> None:
    """Remove a player or watcher from the table."""
    context.table.membership.kick(context.player, request.text("who"))
    context.session.send_ok(request, table=context.table)


@HANDLERS.on("seat")
def seat(context: SeatedPlayer, request: Request) -> None:
    """Let another player play in the seat of a player who is away."""
    table, player = context.table, present(context.lobby, request.text("name"))
    table.hosts.offer_seat(context.player, Seat(request.number("seat") or 0), player)
    note = f"{player.name} can sit down there now, and has been told to type: join {table.id}"
    context.session.send_ok(request, table=table, note=note)


@HANDLERS.on("host")
def host(context: SeatedPlayer, request: Request) -> None:
    """Make another player the host."""
    context.table.hosts.hand_over(request.text("who"))
    context.session.send_ok(request, table=context.table)
