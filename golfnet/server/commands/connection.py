"""Commands about a connection: its protocol, its display settings, and closing it."""

import re
from typing import Final

from golfnet import __version__
from golfnet.protocol.commands import settings as settings_table
from golfnet.protocol.commands.parse import Request
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.replies import PROTOCOL
from golfnet.server import lobby
from golfnet.server.commands.answers import Handlers, send_list, send_ok
from golfnet.server.commands.contexts import Anyone
from golfnet.server.session.player import Player
from golfnet.server.session.writer import ANSWERS, ANSWERS_AND_TABLE

HANDLERS: Final = Handlers()

OBJECTS_WORD_LENGTH: Final = (16, 64)
"""Minimum and maximum length of the prefix that marks objects among lines of text; it must be too long to guess."""

_OBJECTS_WORD: Final = re.compile(r"[A-Za-z0-9_-]+")
"""The form of the prefix: nothing in it needs to be cleaned or quoted."""


@HANDLERS.on("hello")
def hello(context: Anyone, request: Request) -> None:
    """Switch to machine mode, or greet a person."""
    session = context.session
    if not request.words:
        send_ok(session, request, note=_greeting(session.player))
        return
    if request.words[0] != str(PROTOCOL):
        raise Refused(
            Code.BAD_PROTOCOL, f"This server speaks only protocol {PROTOCOL}. Send: hello {PROTOCOL}"
        )
    session.writer.machine = True
    session.writer.tells = "text" in request.options.get("caps", "").split(",")
    session.client = request.options.get("client", "")[:80]
    session.send(lobby.welcome(context.lobby.config))
    send_ok(session, request)


def _changed(name: str, value: str) -> str:
    return f"Cards are now shown as {value}." if name == "cards" else f"{name.capitalize()} is now {value}."


def _greeting(player: Player | None) -> str:
    if player is None:
        return "Hello! To log in, type: name YOURNAME. To learn more first, type: help"
    if player.table is not None:
        return f"Hello, {player.name}! To greet your table, type: say hello"
    return f"Hello, {player.name}! To play, type play. Or greet the lobby: shout hello"


@HANDLERS.on("objects")
def objects(context: Anyone, request: Request) -> None:
    """Turn on objects in addition to the text."""
    writer, word = context.session.writer, request.text("word")
    least, most = OBJECTS_WORD_LENGTH
    if not (least <= len(word) <= most and _OBJECTS_WORD.fullmatch(word)):
        raise Refused(
            Code.BAD_ARGUMENT, f"objects needs a word of {least} to {most} letters, digits, - and _."
        )
    if request.words[1:] not in ((), ("table",)):
        raise Refused(Code.BAD_ARGUMENT, "After objects WORD, only the word table can follow.")
    writer.objects_word = word.encode()
    writer.objects_kinds = ANSWERS if len(request.words) == 1 else ANSWERS_AND_TABLE
    send_ok(context.session, request)


@HANDLERS.on("telnet")
def telnet(context: Anyone, request: Request) -> None:
    """Start telnet negotiation."""
    if request.text("state") != "on":
        raise Refused(Code.NOT_AVAILABLE, "You can only turn telnet on. To turn it off, connect again.")
    context.session.writer.start_telnet()
    send_ok(context.session, request, note="Telnet negotiation begins.")


@HANDLERS.on("set")
def set_(context: Anyone, request: Request) -> None:
    """List the settings, show one or change it."""
    session, words = context.session, request.words
    writer = session.writer
    if not words:
        send_list(session, request, "set", settings_table.listed(writer.settings))
        return
    if len(words) == 1:
        name = settings_table.setting_named(words[0]).name
        send_ok(
            session, request, note=f"{name.capitalize()} is {settings_table.write(writer.settings, name)}."
        )
        return
    # Settings made by a program, even before a person logs in through it, suit the program and are not kept.
    is_own = not (writer.machine or (writer.objects_word and session.player is None))
    name = writer.preferences.choose(words[0], words[1], keeps=is_own)
    if is_own and session.player is not None:
        context.lobby.accounts.keep_settings(session.player, writer.preferences.chosen)
    value = settings_table.write(writer.settings, name)
    send_ok(session, request, setting={name: value}, note=_changed(name, value))


@HANDLERS.on("ping")
def ping(context: Anyone, request: Request) -> None:
    """Answer the peer's ping with an ok that repeats its key."""
    key = request.text("key")
    send_ok(context.session, request, key=key, note=f"pong {key}".rstrip())


@HANDLERS.on("pong")
def pong(context: Anyone, request: Request) -> None:
    """Record the answer to a ping from the server; ``pong`` itself is not answered."""
    if request.words:
        context.session.round_trips.pong(request.text("key"), context.session.arrived)


@HANDLERS.on("version")
def version(context: Anyone, request: Request) -> None:
    """Send the version of the server."""
    send_ok(context.session, request, note=f"golfnet {__version__}, protocol {PROTOCOL}.")


@HANDLERS.on("quit")
def quit_(context: Anyone, request: Request) -> None:
    """Close the connection."""
    send_ok(context.session, request)
    context.session.close(Code.QUIT, "Goodbye.")
