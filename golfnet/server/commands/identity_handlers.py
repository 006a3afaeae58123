"""What the commands about who one is do: names, accounts, tokens, and the sessions that they stand for.

Who has a name may come in as somebody else, but not from a seat: the name it had is left as by ``quit``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.replies import Notice
from golfnet.server.commands import listings
from golfnet.server.commands.answers import Handler, need_player, send_ok, send_rows
from golfnet.storage.writes import PlayerKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.protocol.commands.parse import Request
    from golfnet.server.lobby import Lobby
    from golfnet.server.session.player import Player
    from golfnet.server.session.session import Session

_NOW: Final = "Now: seek six-card to play with whoever comes, tables to see who plays, or help."
"""What a newcomer is told after the name."""

_WAITS: Final = Notice(
    code="WAIT",
    text="Many wrong passwords came for this name. Yours is checked as soon as it is its turn; please wait.",
)


def _name(lobby: Lobby, session: Session, request: Request) -> None:
    if session.player is not None:
        raise Refused(
            Code.ALREADY_NAMED,
            f"You are {session.player.name} on this connection; for another name, quit and connect again.",
        )
    lobby.need_welcome(request.words[0])
    player, token, ticket = lobby.accounts.new_guest(request.words[0], session.transport.address)
    lobby.attach(session, player)
    _answer_identity(lobby, session, request, player, token, ticket)


def _resume(lobby: Lobby, session: Session, request: Request) -> None:
    _need_no_seat(session, request.verb)
    player = lobby.accounts.by_token(request.words[0], session.transport.address)
    lobby.attach(session, player)
    table = lobby.tables.of(player)
    if table is not None:
        send_ok(session, request, name=player.name, table=table.id, seq=table.seq)
    else:
        send_ok(session, request, name=player.name)


def _login(lobby: Lobby, session: Session, request: Request) -> None:
    _need_no_seat(session, request.verb)
    name, *rest = request.words

    def login(password: str) -> None:
        async def work() -> None:
            address = session.transport.address
            player, token, ticket = await lobby.passwords.login(name, password, address, _tell_wait(session))
            lobby.attach(session, player)
            _answer_identity(lobby, session, request, player, token, ticket)

        lobby.later(session, request, work)

    _with_password(session, rest, "Password:", login)


def _register(lobby: Lobby, session: Session, request: Request) -> None:
    player = need_player(session)

    def register(password: str) -> None:
        async def work() -> None:
            token, ticket = await lobby.passwords.register(player, password, session.transport.address)
            note = f"{player.name} is an account now. The token you had before is void; this one is good."
            send_ok(session, request, ticket=ticket, name=player.name, token=token, note=note)

        lobby.later(session, request, work)

    _with_password(session, list(request.words), "Choose a password:", register)


def _passwd(lobby: Lobby, session: Session, request: Request) -> None:
    player = need_player(session)

    def change(old: str, new: str) -> None:
        async def work() -> None:
            token, ticket = await lobby.passwords.change(
                player, old, new, session.transport.address, _tell_wait(session)
            )
            note = "The password is changed. All tokens that you had before are void; this one is good."
            send_ok(session, request, ticket=ticket, name=player.name, token=token, note=note)

        lobby.later(session, request, work)

    words = list(request.words)
    _with_password(
        session,
        words[:1],
        "Old password:",
        lambda old: _with_password(session, words[1:], "New password:", lambda new: change(old, new)),
    )


def _sessions(lobby: Lobby, session: Session, request: Request) -> None:
    send_rows(session, request, "sessions", listings.sessions(need_player(session)))


def _logout(lobby: Lobby, session: Session, request: Request) -> None:
    player = need_player(session)
    which = request.words[0].lower() if request.words else "this"
    tokens = list(player.tokens)
    ended = _ended(tokens, player.token, which)
    leaves = player.token in ended
    if leaves and player.kind is PlayerKind.GUEST and player.table is not None:
        raise Refused(
            Code.ALREADY_SEATED,
            f"You sit at {player.table.id}, and a guest who logs out cannot come back: leave first, or register.",
        )
    lobby.accounts.end_tokens(player, ended)
    ticket = lobby.accounts.save(player)
    sessions = "1 session" if len(ended) == 1 else f"{len(ended)} sessions"
    send_ok(session, request, ticket=ticket, note=f"{sessions} ended.")
    if leaves:
        session.close(Code.QUIT, "Goodbye.")


def _ended(tokens: list[bytes], own: bytes, which: str) -> list[bytes]:
    """Return the tokens that a word is about, of all a player has and the one it came in with; raises ``Refused``."""
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
        f"Expected others, all or a number from 1 to {len(tokens)}; sessions lists them.",
    )


def _tell_wait(session: Session) -> Callable[[], None]:
    return lambda: session.send(_WAITS)


def _with_password(session: Session, given: list[str], prompt: str, then: Callable[[str], None]) -> None:
    if given:
        then(given[0])
    elif session.voice.machine:
        raise Refused(Code.BAD_ARGUMENT, "A program sends its password as an argument.")
    else:
        session.ask_password(prompt, then)


def _answer_identity(
    lobby: Lobby, session: Session, request: Request, player: Player, token: str, ticket: int
) -> None:
    table = lobby.tables.of(player)
    where: dict[str, Any] = {} if table is None else {"table": table.id, "seq": table.seq}
    if table is None and not session.voice.machine:
        where["note"] = _NOW
    send_ok(session, request, ticket=ticket, name=player.name, token=token, **where)


def _need_no_seat(session: Session, verb: str) -> None:
    player = session.player
    if player is not None and player.table is not None:
        raise Refused(
            Code.ALREADY_SEATED,
            f"You are {player.name} and sit at {player.table.id}. To {verb} as somebody else, leave first, "
            "or do it on another connection.",
        )


IDENTITY_HANDLERS: Final[dict[str, Handler]] = {
    "name": _name,
    "resume": _resume,
    "login": _login,
    "register": _register,
    "passwd": _passwd,
    "sessions": _sessions,
    "logout": _logout,
}
