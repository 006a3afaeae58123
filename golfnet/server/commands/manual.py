"""This server's manual: the help pages, with this server's limits and times."""

from functools import lru_cache
from typing import Final

from golfnet.engine import fairdeal
from golfnet.engine.rules import USUAL_WINDOW, SlamMode
from golfnet.engine.variants import SIX_CARD
from golfnet.manual import read_files
from golfnet.protocol import lines, names
from golfnet.protocol.commands.pages import Manual, read_manual
from golfnet.protocol.replies import replies
from golfnet.server import budget
from golfnet.server.accounts import accounts, claims, passwords
from golfnet.server.commands import identity, listings, seats
from golfnet.server.config import SETTINGS, Config
from golfnet.server.session import roundtrip, session
from golfnet.server.table import (
    arbiter,
    distances,
    gallery,
    hosts,
    membership,
    sealing,
    setup,
    starting,
    turns,
    windows,
)

_MODULES: Final = (
    *(fairdeal, lines, names, replies, budget, accounts, listings, seats, roundtrip, session),
    *(arbiter, distances, gallery, hosts, membership, sealing, setup, starting, turns, windows),
)
"""The modules whose constants the manual can name."""


@lru_cache(maxsize=1)
def manual_for(config: Config) -> Manual:
    """Return the manual for a server with these settings; it is read on first use."""
    return read_manual(read_files(), values_of(config))


def values_of(config: Config) -> dict[str, float]:
    """Return all values that the manual can refer to: times in seconds, sizes in bytes."""
    values = {name: getattr(config, name) for name in SETTINGS}
    for module in _MODULES:
        home = module.__name__.rpartition(".")[2]
        values |= {f"{home}.{name}": value for name, value in vars(module).items() if name.isupper()}
    return values | {
        "guest_time": claims.GUEST_DAYS * 24 * 3600,
        "last_drop": membership.DROPS_FORGIVEN + 1,
        "last_timeout": turns.TIMEOUTS_FORGIVEN + 1,
        "objects_word_least": identity.OBJECTS_WORD_LENGTH[0],
        "objects_word_most": identity.OBJECTS_WORD_LENGTH[1],
        "password_least": passwords.PASSWORD_LENGTH[0],
        "password_tries": session.MOST_MISTAKES + 1,
        "port": _port(config, "port"),
        "six_card_seats": SIX_CARD.seats.high,
        "sealed_window": USUAL_WINDOW[SlamMode.ORDER],
        "slam_window": USUAL_WINDOW[SlamMode.RACE],
        "telnet_port": _port(config, "telnet_port"),
    }


def _port(config: Config, name: str) -> int:
    """Return the port that a setting names, or the default if this server opens none or chooses a free one."""
    usual = SETTINGS[name].default
    assert isinstance(usual, int)
    port: int = getattr(config, name)
    return port if port > 0 else usual
