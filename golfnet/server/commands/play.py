"""Commands for a match: starting it, cuts and seals for deals, all play actions, and looking at the table."""

from functools import lru_cache
from itertools import zip_longest
from typing import Final

import trio
from msgspec import structs

from golfnet.engine.actions import action_text, parse_action
from golfnet.engine.hole import TURN
from golfnet.engine.rules import SlamMode
from golfnet.protocol.commands.catalog import verbs_of
from golfnet.protocol.commands.parse import Request
from golfnet.protocol.commands.settings import Cards, Mark
from golfnet.protocol.commands.specs import Group, usage
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import clean_text
from golfnet.protocol.text.retelling import retold
from golfnet.protocol.text.speech import on_demand
from golfnet.protocol.text.typeset import TextLine, finished
from golfnet.protocol.text.words import Voice
from golfnet.server.budget import origin_of, too_soon
from golfnet.server.commands import listings
from golfnet.server.commands.handlers import (
    HANDLERS,
    NO_NAME,
    Answering,
    Anyone,
    SeatedPlayer,
    Viewer,
    need_confirmation,
    send_lines,
    send_list,
)
from golfnet.server.commands.identity import NEXT
from golfnet.server.lobby import Lobby
from golfnet.server.lookups import Question, Steps
from golfnet.server.session.session import Session
from golfnet.server.table.broadcast import events_again
from golfnet.server.table.seating import ChairKind
from golfnet.server.table.turns import NO_CHOICE, advice, need_hints


@HANDLERS.on("start")
def start(context: SeatedPlayer, request: Request) -> None:
    """Start the match, at once or when everyone is ready."""
    context.session.send_ok(request, context.table.starting.start(context.player), table=context.table)


@HANDLERS.on("ready")
def ready(context: SeatedPlayer, request: Request) -> None:
    """Mark a player as ready; if the hole has begun, people get an ok with a note instead of an error."""
    table = context.table
    is_playing = table.hole is not None and table.seating.chair(context.seat).kind is ChairKind.HUMAN
    if is_playing and not context.session.writer.machine:
        context.session.send_ok(request, table=table, note=_STARTED)
        return
    table.starting.ready(context.player)
    context.session.send_ok(request, table.starting.missing(context.player) or None, table=table)


@HANDLERS.on("rematch")
def rematch(context: SeatedPlayer, request: Request) -> None:
    """Open another match at the same table."""
    context.table.starting.rematch(context.player)
    context.session.send_ok(request, table=context.table)


@HANDLERS.on("cut")
def cut(context: SeatedPlayer, request: Request) -> None:
    """Set the player's text for the next shuffle."""
    context.table.sealing.cut(context.player, clean_text(request.text("text")))
    context.session.send_ok(request, table=context.table)


@HANDLERS.on("seal")
def seal(context: SeatedPlayer, request: Request) -> None:
    """Set the seal on a text for the next shuffle, or list what the player needs to make one."""
    session, table = context.session, context.table
    if not request.words:
        send_list(session, request, "seal", [listings.deal_of(table, context.seat)])
        return
    table.sealing.seal(context.player, request.text("hex"))
    session.send_ok(request, table=table)


@HANDLERS.on(*verbs_of(Group.PLAY))
def play(context: SeatedPlayer, request: Request) -> None:
    """Carry out an action in the hole."""
    table = context.table
    if request.verb == "pass" and request.words:
        if request.words[0].lower() != "hole":
            raise Refused(Code.BAD_ARGUMENT, f"Usage: {usage(request.spec)}")
        table.windows.pass_hole(context.seat)
        context.session.send_ok(request, table=table, note=_PASSING)
        return
    if request.verb == "pass" and _means_decline(context):
        request = structs.replace(request, verb="decline")
    if request.verb == "knock" and _is_first_turn(context):
        need_confirmation(context.session, f"knock {table.match.id} {table.hole_seq}", _FIRST_KNOCK)
    meant = context.session.discard_meant if request.verb == "slam" else 0
    text = " ".join([request.verb, *request.words])
    parse = _parse_once if len(text) <= _LONGEST_ACTION else parse_action
    action = parse(text, context.seat, meant)
    note = _claimed(context, request.verb) if table.act(context.seat, action, request.at) else None
    context.session.send_ok(request, note, table=table)


_LONGEST_ACTION: Final = 32
"""The maximum length of a cached action: longer ones are not legal, and could name hundreds of cards."""

_parse_once: Final = lru_cache(1024)(parse_action)


def _claimed(context: SeatedPlayer, verb: str) -> str | None:
    writer = context.session.writer
    if context.table.rules.slam is not SlamMode.RACE:
        return _SEALED if verb == "slam" else _PASSED if writer.settings.is_brief else _SEALED_PASS
    return _PASSED if verb == "pass" and not writer.machine else None


def _means_decline(context: SeatedPlayer) -> bool:
    if context.session.writer.machine:
        return False
    lines, _ = context.table.broadcast.offer(context.seat)
    return "decline" in lines and "pass" not in lines


def _is_first_turn(context: SeatedPlayer) -> bool:
    hole, seat = context.table.hole, context.seat
    return hole is not None and hole.stage is TURN and hole.turn == seat and hole.turns[seat] == 1


_FIRST_KNOCK: Final = (
    "Knock on your first turn? Everybody else has one more turn, then the hole ends. Type knock again "
    "to knock."
)
_PASSING: Final = (
    "You will pass in every slam window of this hole. If you want to slam after all, type: slam POSITION"
)
_STARTED: Final = "The hole has already begun. To see the table, type: look"
_SEALED: Final = "Your claim is in. It stays secret until the window closes."
_PASSED: Final = "You pass."
_SEALED_PASS: Final = "You pass on this card. That stays secret until the window closes."


@HANDLERS.on("look")
def look(context: Viewer, request: Request) -> None:
    """Send the player the full view of the table, and tell a person again what they can do now."""
    table, chair = context.table, context.table.seating.chair_of(context.player)
    table.broadcast.send_view(context.player)
    if chair is not None and not context.session.writer.machine:
        chair.prompted = None
        table.broadcast.send_prompts()
    context.session.send_ok(request, table=table)


@HANDLERS.on("hand", "top-card", "turn", "score")
def answer_short(context: Viewer, request: Request) -> None:
    """Answer a short question about the view."""
    table, word = context.table, "top" if request.verb == "top-card" else request.verb
    also = table.starting.way_to_play(context.player) if word == "turn" else ""
    send_lines(
        context.session, on_demand(word, table.broadcast.view(table.seating.of(context.player)), also=also)
    )
    context.session.send_ok(request)


def tell_what_now(lobby: Lobby, session: Session) -> None:
    """Answer a bare Enter: tell a person what they can do now. Enter is not a command and gets no ok."""
    player, settings = session.player, session.writer.settings
    if player is None:
        send_lines(session, finished([TextLine(Mark.DONE, NO_NAME)], settings))
    elif lobby.is_sure:
        watched = lobby.tables.watched_by(player)
        table = player.table or (watched[-1] if watched else None)
        if table is None:
            send_lines(session, finished([TextLine(Mark.DONE, NEXT)], settings))
        else:
            view, also = table.broadcast.view(table.seating.of(player)), table.starting.way_to_play(player)
            send_lines(session, on_demand("turn", view, settings, also=also))


@HANDLERS.on("last", "again")
def again(context: Anyone, request: Request) -> None:
    """Repeat the last event, or the last thing that was sent."""
    session = context.session
    repeats = session.writer.repeats
    lines = repeats.last_event if request.verb == "last" else repeats.last_thing
    send_lines(session, lines)
    session.send_ok(request, note=None if lines else "Nothing has happened at a table yet.")


@HANDLERS.on("moves")
def moves(context: Viewer, request: Request) -> None:
    """List the moves of this or the last hole, but nothing that players have to remember for themselves."""
    table, writer = context.table, context.session.writer
    you, match = table.seating.of(context.player), table.match
    named = zip_longest(table.seating.names, match.names, fillvalue="")
    names = tuple([now or then for now, then in named])
    voice = Voice(settings=writer.page_settings, you=you, names=names, rules=match.rules, brief=True)
    send_list(context.session, request, "moves", retold(events_again(table, you), voice, writer.layout.width))


@HANDLERS.on("hint")
def hint(context: SeatedPlayer, request: Request) -> Steps[None]:
    """Say what a good bot would do in the player's place, and why; refuse if anything happens in the meantime."""
    lobby, session, table, seat = context.lobby, context.session, context.table, context.seat
    need_hints(table)
    find, at = advice(table, seat), table.hole_seq
    if wait := lobby.hinted.take(context.player.id, trio.current_time()):
        raise too_soon(wait, "No more hints for a while.")

    async def answer() -> None:
        with Answering(session, request):  # a fault in a hint does not close the table
            found = await lobby.coach.run(origin_of(session.transport.address), find)
            if table.hole_seq != at:
                raise Refused(
                    Code.STALE, "Something has happened in the meantime. For another hint, type: hint"
                )
            if found is None:
                raise Refused(Code.BAD_PHASE, NO_CHOICE)
            writer, line = session.writer, action_text(found.action, seat)
            plain = writer.page_settings  # if the line is a program's, the note is for the person at it
            settings = structs.replace(plain, cards=Cards.SYMBOLS) if writer.machine else plain
            voice = Voice(settings=settings, you=seat, names=table.seating.names)
            typed = "" if writer.machine else f" Type: {line}"
            session.send_ok(request, table=table, line=line, note=f"{voice.told(found.sentence)}{typed}")

    yield Question(None, answer)


@HANDLERS.on("log")
def slam_log(context: Viewer, request: Request) -> None:
    """List how the slams of the last finished hole were judged."""
    table = context.table
    rules, log = table.match.rules or table.rules, table.windows.log
    if rules.slam is SlamMode.OFF:
        note = f"There are no slams in {rules.name}."
    else:
        note = log.note(None if table.hole is None else table.hole.deal.hole)
    send_list(context.session, request, "log", log.rows, note=note)
