"""What the commands about what is on the table do: the whole view, short questions, and what was said last."""

from typing import Final

from golfnet.protocol.commands.parse import Request
from golfnet.protocol.text.speech import on_demand
from golfnet.server.commands.answers import send_lines, send_ok, send_rows, send_table_ok
from golfnet.server.commands.contexts import Anyone, Viewer
from golfnet.server.commands.registry import Handlers

HANDLERS: Final = Handlers()


@HANDLERS.on("look")
def look(context: Viewer, request: Request) -> None:
    """Send the whole view."""
    context.table.look(context.player)
    send_table_ok(context.session, request, context.table)


@HANDLERS.on("hand", "top-card", "turn", "score")
def answer_short(context: Viewer, request: Request) -> None:
    """Answer a short question about the view."""
    word = "top" if request.verb == "top-card" else request.verb
    send_lines(context.session, on_demand(word, context.table.view(context.table.seating.of(context.player))))
    send_ok(context.session, request)


@HANDLERS.on("last", "again")
def again(context: Anyone, request: Request) -> None:
    """Repeat the last event, or whatever was said last."""
    session = context.session
    repeats = session.writer.repeats
    lines = repeats.last_event if request.verb == "last" else repeats.last_thing
    if lines:
        send_lines(session, lines)
        send_ok(session, request)
    else:
        send_ok(session, request, note="Nothing has happened at a table yet.")


@HANDLERS.on("log")
def slam_log(context: Viewer, request: Request) -> None:
    """List how the slams of the last hole were judged."""
    table = context.table
    send_rows(context.session, request, "log", table.slam_log(), note=table.slam_log_note())
