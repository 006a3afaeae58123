"""What the server says of itself: to every new connection, in answer to ``hello``, and to listings of MUDs."""

from typing import Final

from golfnet import __version__
from golfnet.protocol.lines import LINE_LIMIT
from golfnet.protocol.replies.replies import MAX_OBJECT, PROTOCOL, Limits, Welcome
from golfnet.server.budget import WATCHED_AT_ONCE
from golfnet.server.config import Config
from golfnet.server.slams.arbiter import FALSE_START

CAPS: Final = ("at", "prompt", "ping")

GREETING: Final = (
    f"golfnet {__version__}: the card game Golf, for people and programs.",
    'Type "name YOURNAME" to come in, or "help".',
)


def welcome(config: Config) -> Welcome:
    """Return the answer to ``hello``."""
    return Welcome(
        protocol=PROTOCOL,
        server=f"golfnet/{__version__}",
        caps=CAPS,
        limits=Limits(
            line=LINE_LIMIT,
            object=MAX_OBJECT,
            commands_per_second=config.commands_per_second,
            excess_per_10_seconds=config.excess_per_10_seconds,
            chat_per_10_seconds=config.chat_per_10_seconds,
            name_seconds=config.name_time,
            idle_seconds=config.idle_time,
            grace_seconds=config.grace,
            outbox=config.outbox,
            false_start_ms=FALSE_START // 1000,
            watched=WATCHED_AT_ONCE,
        ),
    )


def mssp(config: Config, *, players: int) -> dict[str, str | list[str]]:
    """Return what MUD listings are told about the server; ``players`` are those who are connected."""
    return {
        "NAME": "golfnet",
        "PLAYERS": str(players),
        "CODEBASE": f"golfnet {__version__}",
        "PORT": str(config.port),
        "GENRE": "None",
        "SUBGENRE": "Card game",
        "ANSI": "1",
        "UTF-8": "1",
        "GMCP": "1",
    }
