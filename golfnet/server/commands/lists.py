"""What the commands that answer with a list do: who and what is here, rules and help, and what was played."""

from typing import Final

from golfnet.protocol.commands.parse import Request
from golfnet.protocol.errors import Code, Refused
from golfnet.server.commands import listings
from golfnet.server.commands.answers import send_list, send_rows
from golfnet.server.commands.contexts import Anyone, named
from golfnet.server.commands.registry import Handlers
from golfnet.server.context.setup import named_rules

HANDLERS: Final = Handlers()


@HANDLERS.on("who")
def who(context: Anyone, request: Request) -> None:
    """List the players."""
    send_list(context.session, request, "who", listings.players(context.lobby))


@HANDLERS.on("tables")
def tables(context: Anyone, request: Request) -> None:
    """List the tables."""
    send_list(context.session, request, "tables", listings.tables(context.lobby))


@HANDLERS.on("variants")
def variants(context: Anyone, request: Request) -> None:
    """List the rule sets."""
    send_rows(context.session, request, "variants", listings.variants(context.lobby.catalogue))


@HANDLERS.on("rules")
def rules(context: Anyone, request: Request) -> None:
    """Print the rules of a rule set, or those of the player's table."""
    from golfnet.engine.rulebook import rules_text  # written out for the first who asks

    lobby, player = context.lobby, context.session.player
    if request.words:
        asked = named_rules(lobby.catalogue, request.words[0])
    elif player is not None and (table := lobby.tables.of(player)) is not None:
        asked = table.rules
    else:
        raise Refused(Code.BAD_ARGUMENT, f"rules NAME, one of {', '.join(lobby.catalogue)}.")
    send_rows(context.session, request, "rules", rules_text(asked).splitlines())


@HANDLERS.on("help")
def help_(context: Anyone, request: Request) -> None:
    """Print a page of help."""
    from golfnet.protocol.commands.help import help_page  # made for the first who asks
    from golfnet.server.commands.manual import manual_for

    word = request.words[0] if request.words else None
    page = help_page(word, manual_for(context.lobby.config), context.lobby.catalogue)
    send_rows(context.session, request, "help", page)


@HANDLERS.on("history")
def history(context: Anyone, request: Request) -> None:
    """List finished matches: of a table, of the player, or all."""
    store, player = context.lobby.store, context.session.player
    table = request.text("table")
    if table == "all":
        rows = listings.history(store)
    elif table:
        rows = listings.history(store, table=table)
    else:
        rows = listings.history(store, player=player.id if player is not None else None)
    send_list(context.session, request, "history", rows)


@HANDLERS.on("record")
def record(context: Anyone, request: Request) -> None:
    """Print the record of a finished match."""
    send_list(
        context.session, request, "record", listings.record(context.lobby.store, request.words[0].lower())
    )


@HANDLERS.on("top")
def top(context: Anyone, request: Request) -> None:
    """List the best players."""
    lobby, variant = context.lobby, request.words[0] if request.words else None
    send_list(context.session, request, "top", listings.ladder(lobby.store, lobby.catalogue, variant))


@HANDLERS.on("stats")
def stats(context: Anyone, request: Request) -> None:
    """List what a player has reached; without a name, what the player itself has."""
    name = request.words[0] if request.words else named(context, request).player.name
    send_list(context.session, request, "stats", listings.stats(context.lobby.store, name))
