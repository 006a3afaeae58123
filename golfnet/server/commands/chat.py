"""Chat, invitations, and the lists of players whom a player does not want to hear or play with.

Invariants: nobody exceeds a connection's chat limit or chats while silenced by the operator; anything that could garble
a terminal is removed from chat; nobody gets chat from a player they have muted, and the sender's answer does not reveal
this. The table decides whether players get chat from watchers.
"""

import math
from collections.abc import Mapping
from typing import Final

import trio
from msgspec import Struct

from golfnet.protocol.commands.parse import Request
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import clean_text
from golfnet.protocol.names import skeleton
from golfnet.protocol.replies.presence import TableState
from golfnet.protocol.replies.replies import Chat, Notice
from golfnet.server.commands.handlers import (
    HANDLERS,
    Anyone,
    NamedPlayer,
    SeatedPlayer,
    Viewer,
    present,
)
from golfnet.server.lobby import Lobby
from golfnet.server.lookups import Steps
from golfnet.server.nodes import Invited
from golfnet.server.seeking import game_of
from golfnet.server.session.player import Player
from golfnet.storage.directory import Resident


class _Answers(Struct, frozen=True):
    """What ``mute`` or ``noplay`` answers; ``{}`` stands for a name."""

    listed: str
    on: str
    off: str


_MUTED: Final = _Answers(
    "You have muted",
    "From now on you will not see what {} says. They are not told.",
    "You will see what {} says again.",
)
_AVOIDED: Final = _Answers(
    "You are avoiding",
    "From now on you and {} will not be seated together.",
    "You and {} may be seated together again.",
)

_NAMES_KEPT: Final = 100
"""Maximum number of names in a list of unwanted players: limits what one player can make the server keep."""


def need_voice(context: Anyone) -> None:
    """Count a chat command, or raise ``Refused`` if there are too many, or the operator has silenced the player."""
    session = context.session
    if session.player is not None and context.lobby.sanctions.silences(session.player.name):
        raise Refused(Code.NOT_AVAILABLE, "The operator of this server has stopped you from chatting.")
    wait = session.chat_limit.take(session.arrived)
    if wait:
        raise Refused(Code.RATE_LIMITED, "You are talking too fast.", wait_ms=wait)


@HANDLERS.on("say")
def say(context: Viewer, request: Request) -> None:
    """Chat at a table."""
    context.table.broadcast.send_chat(context.player, _clean(request.text("text")))
    context.session.send_ok(request, table=context.table)


@HANDLERS.on("tell")
def tell(context: NamedPlayer, request: Request) -> Steps[None]:
    """Chat with one player."""
    lobby = context.lobby
    other = yield from _addressee(lobby, request.text("name"))
    chat = Chat(speaker=context.player.name, to=other.name, text=_clean(request.text("text")))
    _send(lobby, other, chat)
    context.session.send_ok(request, note=f"To {other.name}: {chat.text}")


def _addressee(lobby: Lobby, name: str) -> Steps[Player | Resident]:
    """Return the connected player with a name, on any node, or raise ``Refused``."""
    if lobby.accounts.find(name) is None and (found := (yield from _found_elsewhere(lobby, name))):
        return found
    return present(lobby, name)


def _found_elsewhere(lobby: Lobby, name: str) -> Steps[Resident | None]:
    found = yield from lobby.nodes.found(name)
    return found if found is not None and found.is_connected else None


def _send(lobby: Lobby, other: Player | Resident, message: Chat | Invited) -> None:
    if isinstance(other, Resident):
        lobby.nodes.send(message, other.node)
    else:
        deliver(lobby, message)


def deliver(lobby: Lobby, message: Chat | Invited) -> None:
    """Send chat or an invitation to a player on this node, unless they are away or have muted the sender.

    Nobody is invited to share a table with a player whom they avoid.
    """
    player = lobby.accounts.find(message.to)
    if player is None or player.session is None or player.has_muted(message.speaker):
        return
    if isinstance(message, Chat):
        player.session.send(message)
    elif not any([player.has_avoided(name) for name in message.players]):
        to = "the next match of" if message.is_next else "play"
        come = f"{'' if player.table is None else 'leave, then '}join {message.table}"
        text = f"{message.speaker} invites you to {to} {message.game}. To come, type: {come}"
        player.session.send(Notice(code="INVITED", text=text, table=message.table, player=message.speaker))


@HANDLERS.on("invite")
def invite(context: SeatedPlayer, request: Request) -> Steps[None]:
    """Invite a player to the table; as with ``tell``, the answer does not show whether the invitation is delivered."""
    lobby, table, inviter = context.lobby, context.table, context.player
    player = yield from _addressee(lobby, request.text("name"))
    name, pair, now = player.name, (inviter.id, player.id), trio.current_time()
    for is_unwanted, how, verb in (
        (inviter.has_muted(name), "muted", "mute"),
        (inviter.has_avoided(name), "chosen not to play with", "noplay"),
    ):
        if is_unwanted:
            raise Refused(
                Code.NOT_AVAILABLE, f"You have {how} {name}. To change that, type: {verb} {name} off"
            )
    if wait := lobby.invitations.wait(pair, now):
        raise Refused(Code.RATE_LIMITED, f"You have already invited {name}.", wait_ms=math.ceil(wait) * 1000)
    invited = Invited(
        speaker=inviter.name,
        to=name,
        table=table.id,
        game=game_of(table, lobby),
        players=tuple([owner.name for owner in table.seating.owners]),
        is_next=table.state is not TableState.OPEN,
    )
    is_wanted = table.hosts.invite(inviter, player.id, name)
    lobby.invitations.spend(pair, now)
    if is_wanted:
        _send(lobby, player, invited)
    note = (
        f"You have invited {name}, who can type: join {table.id}" + " (no password needed)" * table.is_private
    )
    context.session.send_ok(request, note, table=table)


@HANDLERS.on("shout")
def shout(context: NamedPlayer, request: Request) -> None:
    """Send chat to everyone who has no seat, or raise ``Refused`` if too many people shout at once."""
    shouted = Chat(speaker=context.player.name, to="lobby", text=_clean(request.text("text")))
    spread(context.lobby, shouted, context.player)
    context.lobby.nodes.send(shouted)
    context.session.send_ok(request)


def spread(lobby: Lobby, shouted: Chat, speaker: Player | None = None) -> None:
    """Send a shout to everyone on this node who has no seat, to the ``speaker`` first; may raise ``Refused``."""

    def send(player: Player) -> None:
        hears = player is speaker or (player.table is None and not player.has_muted(shouted.speaker))
        if player.session is not None and hears:
            player.session.send(shouted)

    lobby.crowd.send(sorted(lobby.accounts, key=lambda player: player is not speaker), send)


@HANDLERS.on("mute")
def mute(context: NamedPlayer, request: Request) -> Steps[None]:
    """Mute or unmute a player, or list the muted players."""
    context.player.muted = yield from _changed_list(context, request, context.player.muted, _MUTED)


@HANDLERS.on("noplay")
def noplay(context: NamedPlayer, request: Request) -> Steps[None]:
    """Avoid a player or stop avoiding them, or list the avoided players."""
    context.player.avoided = yield from _changed_list(context, request, context.player.avoided, _AVOIDED)


def _changed_list(
    context: NamedPlayer, request: Request, names: Mapping[str, str], says: _Answers
) -> Steps[Mapping[str, str]]:
    """Return a player's list with a name added or removed; without a name, send the list and return it unchanged."""
    session, typed = context.session, request.text("name")
    if not request.words:
        session.send_ok(request, note=f"{says.listed}: {', '.join(sorted(names.values())) or 'nobody'}.")
        return names
    known = context.lobby.accounts.find(typed)
    name = clean_text(typed) if known is None else known.name
    bones = skeleton(name)
    if bones in ("", skeleton(context.player.name)) and bones not in names:
        raise Refused(Code.BAD_ARGUMENT, "Who? Type the name of another player after the command.")
    if request.text("state") == "off":
        session.send_ok(request, note=says.off.format(name))
        return {other: listed for other, listed in names.items() if other != bones}
    if len(names) >= _NAMES_KEPT:
        raise Refused(
            Code.TOO_MANY,
            f"{says.listed}: {_NAMES_KEPT} players. Remove one first by typing off after the name.",
        )
    is_here = known or (yield from _found_elsewhere(context.lobby, typed))
    absent = "" if is_here else f"Nobody called {name} is here now. "
    session.send_ok(request, note=absent + says.on.format(name))
    return {**names, bones: name}


def _clean(text: str) -> str:
    cleaned = clean_text(text).strip()
    if not cleaned:
        raise Refused(Code.BAD_ARGUMENT, "There is nothing to send: the text is empty.")
    return cleaned
