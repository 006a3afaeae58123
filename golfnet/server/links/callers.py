"""The identity and telnet state of a session's peer, in the form that another node needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio
from msgspec.structs import replace

from golfnet.protocol.links.caller import Caller, TelnetAgreed, TelnetNews
from golfnet.protocol.telnet.telnet import Charset, Signal, TerminalType, TimingAnswer, WindowSize
from golfnet.server.session.decoder import TelnetReply
from golfnet.server.session.writer import ANSWERS, ANSWERS_AND_TABLE

if TYPE_CHECKING:
    from golfnet.protocol.telnet.telnet import TelnetPeer
    from golfnet.server.session.session import Session


def caller_of(session: Session) -> Caller:
    """Return what another node needs to know about a peer."""
    player, writer = session.player, session.writer
    known = Caller(
        address=session.transport.address,
        carrier=session.transport.carrier.value,
        connected=trio.current_time() - session.connected,
        client=session.client,
        machine=writer.machine,
        tells=writer.tells,
        settings=writer.preferences.snapshot(),
        objects_word=writer.objects_word,
        objects_table=writer.objects_kinds is ANSWERS_AND_TABLE,
        telnet=agreed_in(session.telnet),
    )
    if player is None:
        return known
    return replace(
        known,
        player=player.id,
        token=player.token,
        stay=player.stay,
        table="" if player.table is None else player.table.id,
        watched=player.watched,
        muted=dict(player.muted),
        avoided=dict(player.avoided),
    )


def adopt(session: Session, caller: Caller) -> None:
    """Set up a session for a peer as it was on another node."""
    writer, session.client = session.writer, caller.client
    writer.machine, writer.tells = caller.machine, caller.tells
    writer.preferences.restore(caller.settings)
    writer.objects_word = caller.objects_word
    writer.objects_kinds = ANSWERS_AND_TABLE if caller.objects_table else ANSWERS


def agreed_in(telnet: TelnetPeer | None) -> TelnetAgreed | None:
    """Return the telnet options that a peer has agreed to, or None if it does not speak telnet."""
    if telnet is None:
        return None
    marks = bool(telnet.mark_end_of_record())
    return TelnetAgreed(started=telnet.started, marks=marks, objects=telnet.takes_objects)


def news_in(heard: object, session: Session) -> TelnetNews | None:
    """Return what an input event other than text means for the player's node, or None if nothing."""
    match heard:
        case WindowSize(columns=columns, rows=rows):
            return TelnetNews(window=(columns, rows))
        case TerminalType(abilities=abilities):
            return TelnetNews(abilities=int(abilities))
        case Charset(utf_8=utf_8):
            return TelnetNews(utf_8=utf_8)
        case TimingAnswer(seconds=seconds):
            return TelnetNews(took=seconds)
        case TelnetReply() | Signal.AGREED:
            return TelnetNews(agreed=agreed_in(session.telnet))
    return None
