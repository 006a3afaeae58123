"""Commands about identity: names, accounts, tokens, and the sessions that tokens stand for.

A player without a seat may log in under another name, and then leaves the old one as with ``quit``.
"""

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from golfnet.protocol.commands.parse import Request
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import skeleton
from golfnet.protocol.replies.replies import Notice
from golfnet.server.accounts import claims
from golfnet.server.accounts.passwords import PASSWORD_LENGTH, need_length
from golfnet.server.budget import is_this_machine
from golfnet.server.commands import listings
from golfnet.server.commands.answers import Handlers, send_list, send_ok
from golfnet.server.commands.contexts import Anyone, NamedPlayer
from golfnet.server.lookups import Steps, carried_out
from golfnet.server.net.transport import Carrier
from golfnet.server.session.session import Session
from golfnet.storage.writes import PlayerKind

HANDLERS: Final = Handlers()

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
    lobby, session = context.lobby, context.session
    lobby.need_welcome(request.words[0])
    accounts, text, transport = lobby.accounts, request.words[0], session.transport
    may_claim = lobby.config.reclaim and transport.carrier is not Carrier.PROXY_ALONE
    _log_in(
        context, request, (yield from claims.by_name(accounts, text, transport.address, may_claim=may_claim))
    )


@HANDLERS.on("resume")
def resume(context: Anyone, request: Request) -> Steps[None]:
    """Log in again with a token."""
    address = context.session.transport.address
    _log_in(context, request, (yield from claims.by_token(context.lobby.accounts, request.words[0], address)))


@HANDLERS.on("login")
def login(context: Anyone, request: Request) -> None:
    """Log in to an account with its password."""
    lobby, session, name = context.lobby, context.session, request.words[0]
    password = _password(session, request, 1, "Password:")
    if password is None:
        return

    async def work() -> None:
        address = session.transport.address
        if lobby.accounts.find(name) is None:
            await carried_out(lobby.nodes.need_nowhere(skeleton(name)))
        try:
            player, token, ticket = await lobby.passwords.login(name, password, address, _tell_wait(session))
        except Refused as refused:
            _ask_again(session, request, refused, "Password:", words=1)
            return
        _log_in(context, request, claims.Identified(player, token, ticket))

    context.tasks.start(session, request, work)


@HANDLERS.on("register")
def register(context: NamedPlayer, request: Request) -> None:
    """Register the guest's name as an account with a password."""
    lobby, session, player = context.lobby, context.session, context.player
    lobby.passwords.need_guest(player)
    password = _new_password(session, request, 0)
    if password is None:
        return

    async def work() -> None:
        token, ticket = await lobby.passwords.register(player, password, session.transport.address)
        note = (
            f"Your name {player.name} is registered. Next time, type: login {player.name}. "
            "Your old token no longer works; use the new one."
        )
        if lobby.accounts.protected(player):
            note += " For a day, anyone with an older token for this name can still take it back."
        if request.words and not session.writer.machine and _is_in_clear(session):
            note += f" {_IN_CLEAR}"  # a person who was prompted for the password has already been warned
        send_ok(session, request, ticket=ticket, name=player.name, token=token, note=note)

    context.tasks.start(session, request, work)


@HANDLERS.on("passwd")
def passwd(context: NamedPlayer, request: Request) -> None:
    """Change the password of the player's account."""
    lobby, session, player = context.lobby, context.session, context.player
    lobby.passwords.need_account(player)
    old = _password(session, request, 0, _OLD)
    new = None if old is None else _new_password(session, request, 1)
    if old is None or new is None:
        return

    async def work() -> None:
        try:
            token, ticket = await lobby.passwords.change(
                player, old, new, session.transport.address, _tell_wait(session)
            )
        except Refused as refused:
            _ask_again(session, request, refused, _OLD)
            return
        note = "Your password has been changed. Your old tokens no longer work; use the new one."
        send_ok(session, request, ticket=ticket, name=player.name, token=token, note=note)

    context.tasks.start(session, request, work)


@HANDLERS.on("sessions")
def sessions(context: NamedPlayer, request: Request) -> None:
    """List the player's sessions, one for each valid token."""
    send_list(context.session, request, "sessions", listings.sessions(context.player))


@HANDLERS.on("logout")
def logout(context: NamedPlayer, request: Request) -> None:
    """Revoke tokens, and close the connection if its own token is one of them."""
    lobby, session, player = context.lobby, context.session, context.player
    which = request.words[0].lower() if request.words else "this"
    tokens = list(player.tokens)
    ended = _ended(tokens, player.token, which)
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
    ticket = lobby.accounts.save(player)
    sessions = "1 session" if len(ended) == 1 else f"{len(ended)} sessions"
    send_ok(session, request, ticket=ticket, note=f"{sessions} ended.")
    if leaves:
        session.close(Code.QUIT, "Goodbye.")


def _ended(tokens: list[bytes], own: bytes, which: str) -> list[bytes]:
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
        f"Which sessions? Type others, all or a number from 1 to {len(tokens)}. To see them, type: sessions",
    )


def _tell_wait(session: Session) -> Callable[[], None]:
    return lambda: session.send(_WAITS)


def _password(session: Session, request: Request, place: int, prompt: str) -> str | None:
    """Return the password: a word of the command, or a line typed for it. If there is none, ask and return None."""
    given = (*request.words, *request.typed)
    if place < len(given):
        return given[place]
    if session.writer.machine:
        raise Refused(Code.BAD_ARGUMENT, "A program sends its password as an argument.")
    session.ask_password(prompt, request)
    return None


def _new_password(session: Session, request: Request, place: int) -> str | None:
    """Return a new password as ``_password`` does, but warn a person who is prompted, and have it typed twice."""
    warning = f"{_IN_CLEAR} " if _is_in_clear(session) else ""
    password = _password(session, request, place, f"{warning}{_CHOOSE}")
    if password is None or place < len(request.words) or session.writer.machine:
        return password
    anew = replace(request, typed=request.typed[: place - len(request.words)])
    try:
        need_length(password)
        again = _password(session, request, place + 1, "The same password again:")
        if again is not None and again != password:
            raise Refused(Code.BAD_ARGUMENT, "The two passwords are different.")
    except Refused as refused:
        session.ask_again(refused, _CHOOSE, anew)
        return None
    return None if again is None else password


def _ask_again(session: Session, request: Request, refused: Refused, prompt: str, *, words: int = 0) -> None:
    """After a wrong password, start again from the first prompt; raise ``refused`` if there was no prompt.

    ``words`` is the number of the command's words that are not passwords.
    """
    if refused.code is not Code.LOGIN_FAILED or not request.typed or len(request.words) > words:
        raise refused
    session.ask_again(refused, prompt, replace(request, typed=()))


def _is_in_clear(session: Session) -> bool:
    """Return whether the connection is unencrypted, as far as the server knows."""
    transport = session.transport
    return transport.carrier is Carrier.PLAIN and not is_this_machine(transport.address)


def _log_in(context: Anyone, request: Request, identified: claims.Identified) -> None:
    """Attach the connection to a player, and answer with their name and new token, if any.

    A person gets the answer before the table; a program gets its view before the answer, as the protocol requires.
    """
    lobby, session = context.lobby, context.session
    player, token, ticket, note = identified
    is_program = session.writer.machine
    lobby.attach(session, player)
    if is_program:
        lobby.welcome_back(player)
    table = player.table
    fields: dict[str, Any] = {"name": player.name}
    if token:
        fields["token"] = token
    if table is not None:
        fields |= {"table": table.id, "seq": table.seq}
    elif not is_program:
        note = f"{note} {NEXT}".lstrip()
    send_ok(session, request, ticket=ticket, note=note or None, **fields)
    if not is_program:
        lobby.welcome_back(player)
