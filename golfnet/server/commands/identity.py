"""Commands about who is on a connection (names, accounts, tokens and their sessions), and about the connection itself.

A player without a seat may log in under another name, giving up the old one as with ``quit``.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from msgspec import UNSET, structs

from golfnet import __version__
from golfnet.protocol.commands import settings as settings_table
from golfnet.protocol.commands.parse import Request
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import LINE_LIMIT, OBJECT_LIMIT
from golfnet.protocol.replies.replies import PROTOCOL, Limits, Notice, Welcome
from golfnet.protocol.telnet.telnet import TelnetRequest
from golfnet.protocol.text.words import counted
from golfnet.server.accounts import claims
from golfnet.server.accounts.passwords import PASSWORD_LENGTH, need_length
from golfnet.server.budget import WATCHED_AT_ONCE, is_this_machine
from golfnet.server.commands.handlers import HANDLERS, Anyone, NamedPlayer, send_list
from golfnet.server.lookups import Question, Steps
from golfnet.server.net.transport import Carrier
from golfnet.server.nodes import Elsewhere
from golfnet.server.session.player import Player
from golfnet.server.session.session import Session
from golfnet.server.table.arbiter import SHORTEST_REACTION
from golfnet.storage.writes import PlayerKind

NEXT: Final = 'Next: type "play" to play, "tables" to see who is playing, or "help".'
"""What a player in the lobby can type."""

_IN_CLEAR: Final = (
    "This connection is not encrypted: others on the network can read the password on its way. "
    "Use one that you use nowhere else."
)
"""The warning before somebody types a new password over an unencrypted connection."""

_CHOOSE: Final = f"Choose a password, at least {PASSWORD_LENGTH[0]} characters (Enter alone cancels):"

_OLD: Final = "Old password:"

_WAITS: Final = Notice(
    code="WAIT",
    text="There were many wrong passwords for this name. Yours is in the queue; please wait.",
)


@HANDLERS.on("name")
def name(context: Anyone, request: Request) -> Steps[None]:
    """Log in as a guest, with a free name or one that the peer has probably had before."""
    lobby, text, transport = context.lobby, request.words[0], context.session.transport
    lobby.need_no_ban(text)
    may_claim = lobby.config.reclaim and transport.carrier is not Carrier.PROXY_ALONE
    found = yield from claims.by_name(lobby.accounts, text, transport.address, allows_claims=may_claim)
    _log_in(context, request, found)


@HANDLERS.on("resume")
def resume(context: Anyone, request: Request) -> Steps[None]:
    """Log in again with a token."""
    accounts, address = context.lobby.accounts, context.session.transport.address
    _log_in(context, request, (yield from claims.by_token(accounts, request.words[0], address)))


@HANDLERS.on("login")
def login(context: Anyone, request: Request) -> Steps[None]:
    """Log in to an account with its password."""
    lobby, session, name = context.lobby, context.session, request.words[0]
    if (password := _password(session, request, 1, "Password:")) is None:
        return
    if lobby.accounts.find(name) is None and (found := (yield from lobby.nodes.found(name))):
        raise Elsewhere(found.node)

    async def work() -> None:
        address, waits = session.transport.address, partial(session.send, _WAITS)
        with _asking_again(session, request, "Password:", words=1):
            _log_in(context, request, await lobby.passwords.login(name, password, address, waits))

    yield Question(None, work)


@HANDLERS.on("register")
def register(context: NamedPlayer, request: Request) -> Steps[None]:
    """Register the guest's name as an account with a password."""
    lobby, session, player = context.lobby, context.session, context.player
    if player.kind is PlayerKind.ACCOUNT:
        raise Refused(
            Code.ALREADY_NAMED, "Your name is already registered. To change its password, type: passwd"
        )
    if (password := _new_password(session, request, 0)) is None:
        return
    registering = partial(lobby.passwords.register, player, password, session.transport.address)
    token, ticket = yield Question(None, registering)
    note = (
        f"Your name {player.name} is registered. Next time, type: login {player.name}. "
        "Your old token no longer works; use the new one."
    )
    if lobby.accounts.protected(player):
        note += " For a day, anyone with an older token for this name can still take it back."
    if request.words and not session.writer.machine and _is_in_clear(session):
        note += f" {_IN_CLEAR}"  # a person who was prompted for the password has already been warned
    session.send_ok(request, ticket=ticket, name=player.name, token=token, note=note)


@HANDLERS.on("passwd")
def passwd(context: NamedPlayer, request: Request) -> Steps[None]:
    """Change the password of the player's account."""
    lobby, session, player = context.lobby, context.session, context.player
    lobby.passwords.need_account(player)
    old = _password(session, request, 0, _OLD)
    new = None if old is None else _new_password(session, request, 1)
    if old is None or new is None:
        return

    async def work() -> None:
        address, waits = session.transport.address, partial(session.send, _WAITS)
        with _asking_again(session, request, _OLD):
            token, ticket = await lobby.passwords.change(player, old, new, address, waits)
            note = "Your password has been changed. Your old tokens no longer work; use the new one."
            session.send_ok(request, ticket=ticket, name=player.name, token=token, note=note)

    yield Question(None, work)


@HANDLERS.on("sessions")
def sessions(context: NamedPlayer, request: Request) -> None:
    """List the player's sessions, one for each valid token, with the time and the address of its last use."""
    rows = [
        {
            "session": number,
            "current": token.hash == context.player.token,
            "from": token.origin,
            "issued": token.issued,
            "used": token.used,
        }
        for number, token in enumerate(context.player.tokens.values(), 1)
    ]
    send_list(context.session, request, "sessions", rows)


@HANDLERS.on("logout")
def logout(context: NamedPlayer, request: Request) -> None:
    """Revoke tokens, and close the connection if its own token is one of them."""
    lobby, session, player = context.lobby, context.session, context.player
    which = request.words[0].lower() if request.words else "this"
    ended = _selected(list(player.tokens), player.token, which)
    leaves = player.token in ended
    if leaves and player.kind is PlayerKind.GUEST and player.table is not None:
        raise Refused(
            Code.ALREADY_SEATED,
            f"You are playing at {player.table.id}, and a guest who logs out cannot come back. Leave first, "
            "or register.",
        )
    kept = lobby.accounts.protected(player)
    ended = [token for token in ended if token not in kept]
    lobby.accounts.end_tokens(player, ended)
    note = f"{counted(len(ended), 'session')} ended."
    session.send_ok(request, ticket=lobby.accounts.save(player), note=note)
    if leaves:
        session.close(Code.QUIT, "Goodbye.")


def _selected(tokens: list[bytes], own: bytes, which: str) -> list[bytes]:
    """Return those of a player's ``tokens`` that a word selects, or raise ``Refused``; ``own`` is the one in use."""
    match which:
        case "this":
            return [own]
        case "others":
            return [token for token in tokens if token != own]
        case "all":
            return tokens
    if which.isdecimal() and 1 <= int(which) <= len(tokens):
        return [tokens[int(which) - 1]]
    raise Refused(
        Code.BAD_ARGUMENT,
        "Which sessions? Type others, all or the number of one. To see them, type: sessions",
    )


def _password(session: Session, request: Request, place: int, prompt: str) -> str | None:
    """Return a password from the command or from a line typed after a prompt; if neither, prompt and return None.

    ``parse`` has refused a program's command without its passwords.
    """
    given = (*request.words, *request.typed)
    if place < len(given):
        return given[place]
    session.ask_password(prompt, request)
    return None


def _new_password(session: Session, request: Request, place: int) -> str | None:
    """Return a new password like ``_password``, but a person who is prompted is warned and has to type it twice."""
    warning = f"{_IN_CLEAR} " if _is_in_clear(session) else ""
    password = _password(session, request, place, f"{warning}{_CHOOSE}")
    if password is None or place < len(request.words):
        return password
    try:
        need_length(password)
        again = _password(session, request, place + 1, "The same password again:")
        if again in (None, password):
            return again
        raise Refused(Code.BAD_ARGUMENT, "The two passwords are different.")
    except Refused as refused:
        anew = structs.replace(request, typed=request.typed[: place - len(request.words)])
        session.ask_again(refused, _CHOOSE, anew)
        return None


@contextmanager
def _asking_again(session: Session, request: Request, prompt: str, *, words: int = 0) -> Iterator[None]:
    """After a wrong password, start again from the first prompt; let the error through if it was not prompted for.

    ``words`` is the number of the command's words that are not passwords.
    """
    try:
        yield
    except Refused as refused:
        if refused.code is not Code.LOGIN_FAILED or len(request.words) > words:
            raise
        session.ask_again(refused, prompt, structs.replace(request, typed=()))


def _is_in_clear(session: Session) -> bool:
    transport = session.transport
    return transport.carrier is Carrier.PLAIN and not is_this_machine(transport.address)


def _log_in(context: Anyone, request: Request, identified: claims.Identified) -> None:
    """Attach the connection to a player, and answer with their name and new token, if any.

    A person gets the answer before the table, and without waiting for its last event to be durable. A program gets its
    view before the answer, as the protocol requires.
    """
    lobby, session = context.lobby, context.session
    player, token, ticket, note = identified
    is_program = session.writer.machine
    lobby.attach(session, player)
    if is_program:
        lobby.welcome_back(player)
    if player.table is None and not is_program:
        note = f"{note} {NEXT}".lstrip()
    session.send_ok(
        request, note or None, table=player.table, ticket=ticket, name=player.name, token=token or UNSET
    )
    if not is_program:
        lobby.welcome_back(player)


@HANDLERS.on("hello")
def hello(context: Anyone, request: Request) -> None:
    """Switch to machine mode, or greet a person."""
    session, config = context.session, context.lobby.config
    if not request.words:
        session.send_ok(request, note=_greeting(session.player))
        return
    if request.words[0] != str(PROTOCOL):
        raise Refused(
            Code.BAD_PROTOCOL, f"This server speaks only protocol {PROTOCOL}. Send: hello {PROTOCOL}"
        )
    session.writer.machine = True
    wanted = request.options.get("caps", "").split(",")
    session.writer.tells, session.writer.sees = "text" in wanted, "view" in wanted
    limits = Limits(
        line=LINE_LIMIT,
        object=OBJECT_LIMIT,
        commands_per_second=config.commands_per_second,
        excess_per_10_seconds=config.excess_per_10_seconds,
        chat_per_10_seconds=config.chat_per_10_seconds,
        name_seconds=config.name_time,
        idle_seconds=config.idle_time,
        grace_seconds=config.grace,
        outbox=config.outbox,
        false_start_ms=SHORTEST_REACTION // 1000,
        watched=WATCHED_AT_ONCE,
    )
    caps = ("at", "prompt", "ping")
    session.send(Welcome(protocol=PROTOCOL, server=f"golfnet/{__version__}", caps=caps, limits=limits))
    session.send_ok(request)


def _greeting(player: Player | None) -> str:
    if player is None:
        return "Hello! To log in, type: name YOURNAME. To learn more first, type: help"
    if player.table is not None:
        return f"Hello, {player.name}! To greet your table, type: say hello"
    return f"Hello, {player.name}! To play, type play. Or greet the lobby: shout hello"


OBJECTS_WORD_LENGTH: Final = (16, 64)
"""Minimum and maximum length of the prefix that marks objects among lines of text; it must be too long to guess."""


@HANDLERS.on("objects")
def objects(context: Anyone, request: Request) -> None:
    """Turn on objects in addition to the text."""
    writer, word = context.session.writer, request.text("mark")
    least, most = OBJECTS_WORD_LENGTH
    if not re.fullmatch(f"[A-Za-z0-9_-]{{{least},{most}}}", word):  # nothing to be cleaned or quoted
        raise Refused(
            Code.BAD_ARGUMENT, f"objects needs a word of {least} to {most} letters, digits, - and _."
        )
    if request.words[1:] not in ((), ("table",)):
        raise Refused(Code.BAD_ARGUMENT, "After objects WORD, only the word table can follow.")
    writer.objects_word = word.encode()
    writer.objects_table = len(request.words) > 1
    context.session.send_ok(request)


@HANDLERS.on("telnet")
def telnet(context: Anyone, request: Request) -> None:
    """Start telnet negotiation."""
    if request.text("on") != "on":
        raise Refused(Code.NOT_AVAILABLE, "You can only turn telnet on. To turn it off, connect again.")
    context.session.writer.request(TelnetRequest.START)
    context.session.send_ok(request, note="Telnet negotiation begins.")


@HANDLERS.on("set")
def set_(context: Anyone, request: Request) -> None:
    """List all settings, or show or change one of them."""
    session, words = context.session, request.words
    writer = session.writer
    if not words:
        send_list(session, request, "set", settings_table.listed(writer.settings))
    elif len(words) == 1:
        name = settings_table.setting_named(words[0]).name
        value = settings_table.write(writer.settings, name)
        session.send_ok(request, note=f"{name.capitalize()} is {value}.")
    else:
        # A program's settings suit the program, even if a person logs in through it later, so they are not stored.
        is_own = not (writer.machine or (writer.objects_word and session.player is None))
        name = writer.preferences.choose(words[0], words[1], keeps=is_own)
        if is_own and session.player is not None:
            context.lobby.accounts.keep_settings(session.player, writer.preferences.state.chosen)
        value = settings_table.write(writer.settings, name)
        note = (
            f"Cards are now shown as {value}." if name == "cards" else f"{name.capitalize()} is now {value}."
        )
        session.send_ok(request, setting={name: value}, note=note)


@HANDLERS.on("ping")
def ping(context: Anyone, request: Request) -> None:
    """Answer the peer's ping with an ok that repeats its key."""
    key = request.text("key")
    context.session.send_ok(request, key=key, note=f"pong {key}".rstrip())


@HANDLERS.on("pong")
def pong(context: Anyone, request: Request) -> None:
    """Record the answer to a ping from the server; ``pong`` itself is not answered."""
    if request.words:
        context.session.round_trips.pong(request.text("pinged"), context.session.arrived)


@HANDLERS.on("version")
def version(context: Anyone, request: Request) -> None:
    """Send the version of the server."""
    context.session.send_ok(request, note=f"golfnet {__version__}, protocol {PROTOCOL}.")


@HANDLERS.on("quit")
def quit_(context: Anyone, request: Request) -> None:
    """Close the connection."""
    context.session.send_ok(request)
    context.session.close(Code.QUIT, "Goodbye.")
