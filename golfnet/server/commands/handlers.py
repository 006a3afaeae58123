"""What each command of the wire does, outside play: one function a verb, found in ``HANDLERS``.

A handler answers its request with exactly one ok, or raises ``Refused``; the events it causes are sent before.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from golfnet import __version__
from golfnet.protocol.clean import clean_text
from golfnet.protocol.commands import settings as settings_table
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names.skeletons import skeleton
from golfnet.protocol.replies.replies import PROTOCOL, Chat
from golfnet.server import about
from golfnet.server.commands import listings
from golfnet.server.commands.answers import (
    Handler,
    clean_speech,
    need_breath,
    need_player,
    send_lines,
    send_list,
    send_ok,
    send_rows,
)
from golfnet.server.commands.identity_handlers import IDENTITY_HANDLERS
from golfnet.server.commands.table_handlers import TABLE_HANDLERS
from golfnet.server.context.setup import named_rules
from golfnet.server.session.writer import ANSWERS, ANSWERS_AND_TABLE

if TYPE_CHECKING:
    from golfnet.protocol.commands.parse import Request
    from golfnet.server.lobby import Lobby
    from golfnet.server.session.player import Player
    from golfnet.server.session.session import Session

_NAMES_KEPT: Final = 100
"""Names in a list of players not wanted: bounds what one connection can make the server keep."""


_OBJECTS_WORD: Final = re.compile(r"[A-Za-z0-9_-]{16,64}")
"""What marks objects among lines of text: too much to guess, and nothing to clean or to quote."""


def _hello(lobby: Lobby, session: Session, request: Request) -> None:
    if request.words[0] != str(PROTOCOL):
        raise Refused(
            Code.BAD_PROTOCOL, f"This server speaks protocol {PROTOCOL} only: hello {PROTOCOL}, or hang up."
        )
    session.voice.machine = True
    session.client = request.options.get("client", "")[:80]
    session.send(about.welcome(lobby.config))
    send_ok(session, request)


def _who(lobby: Lobby, session: Session, request: Request) -> None:
    send_list(lobby, session, request, "who", listings.players(lobby))


def _tables(lobby: Lobby, session: Session, request: Request) -> None:
    send_list(lobby, session, request, "tables", listings.tables(lobby))


def _variants(lobby: Lobby, session: Session, request: Request) -> None:
    send_rows(session, request, "variants", listings.variants(lobby.catalogue))


def _rules(lobby: Lobby, session: Session, request: Request) -> None:
    from golfnet.engine.rulebook import rules_text  # written out for the first who asks

    if request.words:
        rules = named_rules(lobby.catalogue, request.words[0])
    elif session.player is not None and (table := lobby.tables.of(session.player)) is not None:
        rules = table.rules
    else:
        raise Refused(Code.BAD_ARGUMENT, f"rules NAME, one of {', '.join(lobby.catalogue)}.")
    send_rows(session, request, "rules", rules_text(rules).splitlines())


def _help(lobby: Lobby, session: Session, request: Request) -> None:
    from golfnet.protocol.commands.help import help_page  # made for the first who asks

    send_rows(session, request, "help", help_page(request.words[0] if request.words else None))


def _set(lobby: Lobby, session: Session, request: Request) -> None:
    words, voice = request.words, session.voice
    if not words:
        send_rows(session, request, "set", settings_table.listed(voice.settings))
        return
    if len(words) == 1:
        row = settings_table.setting_named(words[0])
        send_ok(session, request, note=f"{row.name} is {row.write(voice.settings)}.")
        return
    voice.settings = settings_table.change(voice.settings, words[0], words[1])
    row = settings_table.setting_named(words[0])
    value = row.write(voice.settings)
    send_ok(session, request, setting={row.name: value}, note=f"{row.name} is {value} now.")


def _objects(lobby: Lobby, session: Session, request: Request) -> None:
    word = request.words[0]
    if _OBJECTS_WORD.fullmatch(word) is None:
        raise Refused(Code.BAD_ARGUMENT, "objects takes a word of 16 to 64 letters, digits, - and _.")
    if request.words[1:] not in ((), ("table",)):
        raise Refused(Code.BAD_ARGUMENT, "objects WORD takes nothing more, or the word table.")
    session.voice.objects_word = word.encode()
    session.voice.objects_kinds = ANSWERS if len(request.words) == 1 else ANSWERS_AND_TABLE
    send_ok(session, request)


def _telnet(lobby: Lobby, session: Session, request: Request) -> None:
    if request.words[0].lower() == "on":
        session.voice.start_telnet()
        send_ok(session, request, note="Telnet negotiation begins.")
    else:
        raise Refused(Code.NOT_AVAILABLE, "telnet on begins it; to end it, connect again.")


def _ping(lobby: Lobby, session: Session, request: Request) -> None:
    key = request.words[0] if request.words else ""
    send_ok(session, request, key=key, note=f"pong {key}".rstrip())


def _pong(lobby: Lobby, session: Session, request: Request) -> None:
    if request.words:
        session.round_trips.pong(request.words[0], session.arrived)


def _version(lobby: Lobby, session: Session, request: Request) -> None:
    send_ok(session, request, note=f"golfnet {__version__}, protocol {PROTOCOL}.")


def _quit(lobby: Lobby, session: Session, request: Request) -> None:
    send_ok(session, request)
    session.close(Code.QUIT, "Goodbye.")


def _shout(lobby: Lobby, session: Session, request: Request) -> None:
    player = need_player(session)
    need_breath(lobby, session)
    lobby.shout(player, clean_speech(request.words[0]))
    send_ok(session, request)


def _tell(lobby: Lobby, session: Session, request: Request) -> None:
    player = need_player(session)
    need_breath(lobby, session)
    other = _present(lobby, request.words[0])
    if other.has_muted(player):
        raise Refused(Code.MUTED, f"{other.name} does not listen to you.")
    text = clean_speech(request.words[1])
    if other.session is not None:
        other.session.send(Chat(speaker=player.name, to=other.name, text=text))
    send_ok(session, request, note=f"To {other.name}: {text}")


def _present(lobby: Lobby, name: str) -> Player:
    player = lobby.accounts.find(name)
    if player is None or player.session is None:
        raise Refused(Code.NO_SUCH_PLAYER, f"{clean_text(name)} is not here; who lists everybody.")
    return player


def _mute(lobby: Lobby, session: Session, request: Request) -> None:
    _keep_away(lobby, session, request, need_player(session).muted, "muted")


def _noplay(lobby: Lobby, session: Session, request: Request) -> None:
    _keep_away(lobby, session, request, need_player(session).avoided, "avoided")


def _keep_away(lobby: Lobby, session: Session, request: Request, names: dict[str, str], what: str) -> None:
    """Add a name to a list of those a player does not want, take it off, or say the list."""
    if not request.words:
        send_ok(session, request, note=f"You have {what} {', '.join(sorted(names.values())) or 'nobody'}.")
        return
    known = lobby.accounts.find(request.words[0])
    name = clean_text(request.words[0]) if known is None else known.name
    bones = skeleton(name)
    if not bones:
        raise Refused(Code.BAD_ARGUMENT, "That takes the name of a player.")
    if request.words[1:] and request.words[1].lower() == "off":
        names.pop(bones, None)
        send_ok(session, request, note=f"{name} is not {what} any more.")
        return
    if len(names) >= _NAMES_KEPT:
        raise Refused(Code.TOO_MANY, f"You have {what} {_NAMES_KEPT} players; take one off first.")
    names[bones] = name
    send_ok(session, request, note=f"{name} is {what} from now on.")


def _again(lobby: Lobby, session: Session, request: Request) -> None:
    repeats = session.voice.repeats
    lines = repeats.last_event if request.verb == "last" else repeats.last_thing
    if lines:
        send_lines(session, lines)
        send_ok(session, request)
    else:
        send_ok(session, request, note="Nothing has happened at a table yet.")


HANDLERS: Final[dict[str, Handler]] = {
    "hello": _hello,
    "who": _who,
    "tables": _tables,
    "variants": _variants,
    "rules": _rules,
    "help": _help,
    "set": _set,
    "objects": _objects,
    "telnet": _telnet,
    "ping": _ping,
    "pong": _pong,
    "version": _version,
    "quit": _quit,
    "shout": _shout,
    "tell": _tell,
    "mute": _mute,
    "noplay": _noplay,
    "last": _again,
    "again": _again,
    **IDENTITY_HANDLERS,
    **TABLE_HANDLERS,
}
