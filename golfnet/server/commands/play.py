"""What the commands of a match do: how it begins, the deal that is promised, and every line of play."""

from itertools import zip_longest
from typing import Final

from msgspec.structs import replace

from golfnet.engine.rules import SlamMode
from golfnet.protocol.clean import clean_text
from golfnet.protocol.commands.catalog import verbs_of
from golfnet.protocol.commands.parse import Request, to_action
from golfnet.protocol.commands.specs import Group, usage
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.text.brief import is_brief
from golfnet.protocol.text.retelling import retold
from golfnet.protocol.text.speech import on_demand
from golfnet.protocol.text.typeset import Mark, TextLine, finished
from golfnet.protocol.text.words import Voice
from golfnet.server.commands import listings
from golfnet.server.commands.answers import Handlers, send_lines, send_list, send_ok, send_table_ok
from golfnet.server.commands.contexts import NO_NAME, Anyone, SeatedPlayer, Viewer, need_confirmation
from golfnet.server.commands.identity import NEXT
from golfnet.server.lobby import Lobby
from golfnet.server.session.session import Session

HANDLERS: Final = Handlers()


@HANDLERS.on("start")
def start(context: SeatedPlayer, request: Request) -> None:
    """Start the match, at once or when all are ready."""
    missing = context.table.start(context.player)
    send_table_ok(context.session, request, context.table, **({} if missing is None else {"note": missing}))


@HANDLERS.on("ready")
def ready(context: SeatedPlayer, request: Request) -> None:
    """Note that a player is ready; a person who says so after the start has done nothing wrong."""
    if context.table.is_past_ready(context.seat) and not context.session.writer.machine:
        send_table_ok(context.session, request, context.table, note=_STARTED)
        return
    context.table.ready(context.player)
    missing = context.table.missing(context.player)
    send_table_ok(context.session, request, context.table, **({"note": missing} if missing else {}))


@HANDLERS.on("rematch")
def rematch(context: SeatedPlayer, request: Request) -> None:
    """Open another match at the same table."""
    context.table.rematch(context.player)
    send_table_ok(context.session, request, context.table)


@HANDLERS.on("cut")
def cut(context: SeatedPlayer, request: Request) -> None:
    """Take a text for the next shuffle."""
    context.table.cut(context.player, clean_text(request.text("text")))
    send_table_ok(context.session, request, context.table)


@HANDLERS.on("seal")
def seal(context: SeatedPlayer, request: Request) -> None:
    """Take the seal of a text for the next shuffle, or show what goes into one."""
    session, table = context.session, context.table
    if not request.words:
        send_list(session, request, "seal", [listings.deal_of(table, context.seat)])
        return
    table.seal(context.player, request.text("hex"))
    send_table_ok(session, request, table)


@HANDLERS.on(*verbs_of(Group.PLAY))
def play(context: SeatedPlayer, request: Request) -> None:
    """Carry out an action in the hole."""
    table = context.table
    if request.text("until"):
        pass_hole(context, request)
        return
    if request.verb == "pass" and _means_decline(context):
        request = replace(request, verb="decline")
    if request.verb == "knock" and table.is_first_turn(context.seat):
        need_confirmation(context.session, f"knock {table.match.id} {table.hole_number}", _FIRST_KNOCK)
    meant = context.session.discard_meant if request.verb == "slam" else 0
    is_open = table.act(context.seat, to_action(request, context.seat, meant), request.at)
    note = _claimed(context, request.verb) if is_open else ""
    send_table_ok(context.session, request, table, **({"note": note} if note else {}))


def _claimed(context: SeatedPlayer, verb: str) -> str:
    """Return the answer to a slam or a pass in a window that is still open, empty where the slam was judged at once."""
    writer = context.session.writer
    if context.table.rules.slam is not SlamMode.RACE:
        return _SEALED if verb == "slam" else _PASSED if is_brief(writer.settings) else _SEALED_PASS
    return _PASSED if verb == "pass" and not writer.machine else ""


def pass_hole(context: SeatedPlayer, request: Request) -> None:
    """Pass in all further slam windows of the hole."""
    if request.text("until").lower() != "hole":
        raise Refused(Code.BAD_ARGUMENT, f"Usage: {usage(request.spec)}")
    context.table.pass_hole(context.seat)
    send_table_ok(context.session, request, context.table, note=_PASSING)


def _means_decline(context: SeatedPlayer) -> bool:
    """Tell whether a person who passes can only mean the power that it has."""
    if context.session.writer.machine:
        return False
    table, seat = context.table, context.seat
    return table.offers(seat, "decline") and not table.offers(seat, "pass")


_FIRST_KNOCK: Final = (
    "Knock on your first turn? Everybody else has one more turn, then the hole ends. Type knock again "
    "to knock."
)
_PASSING: Final = (
    "You pass in every slam window of this hole. If you want to slam after all, type: slam POSITION"
)
_STARTED: Final = "The hole has already begun. To see the table, type: look"
_SEALED: Final = "Your claim is in. It stays secret until the window closes."
_PASSED: Final = "You pass."
_SEALED_PASS: Final = "You pass on this card. That stays secret until the window closes."


@HANDLERS.on("look")
def look(context: Viewer, request: Request) -> None:
    """Send the whole view."""
    context.table.look(context.player)
    send_table_ok(context.session, request, context.table)


@HANDLERS.on("hand", "top-card", "turn", "score")
def answer_short(context: Viewer, request: Request) -> None:
    """Answer a short question about the view."""
    table, word = context.table, "top" if request.verb == "top-card" else request.verb
    also = table.way_to_play(context.player) if word == "turn" else ""
    send_lines(context.session, on_demand(word, table.view(table.seating.of(context.player)), also=also))
    send_ok(context.session, request)


def tell_what_now(lobby: Lobby, session: Session) -> None:
    """Tell a person who has pressed Enter alone what can be done now; it is no command, and gets no ok."""
    player, settings = session.player, session.writer.settings
    if player is None:
        send_lines(session, finished([TextLine(Mark.DONE, NO_NAME)], settings))
    elif lobby.is_sure:
        watched = lobby.tables.watched_by(player)
        table = lobby.tables.of(player) or (watched[-1] if watched else None)
        if table is None:
            send_lines(session, finished([TextLine(Mark.DONE, NEXT)], settings))
        else:
            view, also = table.view(table.seating.of(player)), table.way_to_play(player)
            send_lines(session, on_demand("turn", view, settings, also=also))


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


@HANDLERS.on("moves")
def moves(context: Viewer, request: Request) -> None:
    """List the moves of the hole in play or of the last one, as far as the viewer may be told them again."""
    table, writer = context.table, context.session.writer
    you, match = table.seating.of(context.player), table.match
    named = zip_longest(table.seating.names, match.names, fillvalue="")
    names = tuple([now or then for now, then in named])
    voice = Voice(settings=writer.page_settings, you=you, names=names, rules=match.rules, brief=True)
    send_list(context.session, request, "moves", retold(table.moves(you), voice, writer.layout.width))


@HANDLERS.on("log")
def slam_log(context: Viewer, request: Request) -> None:
    """List how the slams of the last hole were judged."""
    table = context.table
    send_list(context.session, request, "log", table.slam_log(), note=table.slam_log_note())
