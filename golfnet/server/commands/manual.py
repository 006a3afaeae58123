"""This server's manual: the help pages, with this server's limits and times."""

from functools import lru_cache

from golfnet.engine.fairdeal import CUT_BYTES, SEALED_BYTES
from golfnet.engine.rules import USUAL_WINDOW, SlamMode
from golfnet.engine.variants import SIX_CARD
from golfnet.manual import read_files
from golfnet.protocol.commands.pages import Manual, read_manual
from golfnet.protocol.lines import LINE_LIMIT
from golfnet.protocol.names import NAME_LIMIT
from golfnet.protocol.replies.replies import PROTOCOL
from golfnet.server.accounts.accounts import NEWCOMER_SECONDS, TOKENS
from golfnet.server.accounts.claims import GUEST_DAYS
from golfnet.server.accounts.passwords import PASSWORD_LENGTH
from golfnet.server.budget import BESIDE_LINES, REPLAY_LINES, WATCHED_AT_ONCE
from golfnet.server.commands.identity import OBJECTS_WORD_LENGTH
from golfnet.server.commands.listings import EVENING_SECONDS, MOST_MATCHES
from golfnet.server.commands.seats import BOTS_AFTER
from golfnet.server.config import SETTINGS, Config
from golfnet.server.session.roundtrip import ALLOWED, UNCONFIRMED
from golfnet.server.session.session import CONFIRM_SECONDS, MOST_MISTAKES
from golfnet.server.table.arbiter import SHORTEST_REACTION, TIE
from golfnet.server.table.clocks import TIMEOUTS_FORGIVEN, WARN_AT, WARN_LEFT
from golfnet.server.table.gallery import BAN_SECONDS, INVITED_SECONDS
from golfnet.server.table.hosts import HOST_WAITED_FOR
from golfnet.server.table.membership import DROPS_FORGIVEN, RETURNS_FORGIVEN
from golfnet.server.table.rows import RATED_CLOCK
from golfnet.server.table.sealing import AWAY_SECONDS, REVEAL_SECONDS
from golfnet.server.table.starting import WITH_ENOUGH
from golfnet.server.table.waiting import MOST_WAITING
from golfnet.server.table.windows import AFTER_A_SLAM


@lru_cache(maxsize=1)
def manual_for(config: Config) -> Manual:
    """Return the manual for a server with these settings; it is read on first use."""
    return read_manual(read_files(), values_of(config))


def values_of(config: Config) -> dict[str, float]:
    """Return all values that the manual can refer to: times in seconds, sizes in bytes."""
    return {
        "after_a_slam": AFTER_A_SLAM,
        "ban": BAN_SECONDS,
        "beside_lines": BESIDE_LINES,
        "chat_per_10_seconds": config.chat_per_10_seconds,
        "clock": config.clock,
        "commands_per_second": config.commands_per_second,
        "confirm": CONFIRM_SECONDS,
        "cut_bytes": CUT_BYTES,
        "excess_per_10_seconds": config.excess_per_10_seconds,
        "false_start": SHORTEST_REACTION / 1e6,
        "grace": config.grace,
        "guest_time": GUEST_DAYS * 24 * 3600,
        "host_waited_for": HOST_WAITED_FOR,
        "invited": INVITED_SECONDS,
        "last_drop": DROPS_FORGIVEN + 1,
        "last_timeout": TIMEOUTS_FORGIVEN + 1,
        "line_limit": LINE_LIMIT,
        "most_round_trip": ALLOWED / 1e6,
        "name_limit": NAME_LIMIT,
        "most_waiting": MOST_WAITING,
        "newcomer_time": NEWCOMER_SECONDS,
        "objects_word_least": OBJECTS_WORD_LENGTH[0],
        "objects_word_most": OBJECTS_WORD_LENGTH[1],
        "outbox": config.outbox,
        "password_least": PASSWORD_LENGTH[0],
        "password_tries": MOST_MISTAKES + 1,
        "pause": config.pause,
        "port": _port(config, "port"),
        "protocol": PROTOCOL,
        "rated_clock": RATED_CLOCK,
        "returns_forgiven": RETURNS_FORGIVEN,
        "sealed_bytes": SEALED_BYTES,
        "six_card_seats": SIX_CARD.seats.high,
        "sealed_window": USUAL_WINDOW[SlamMode.ORDER],
        "slam_window": USUAL_WINDOW[SlamMode.RACE],
        "start_delay": config.start_delay,
        "telnet_port": _port(config, "telnet_port"),
        "tell_time": REVEAL_SECONDS,
        "away_time": AWAY_SECONDS,
        "tie": TIE / 1e6,
        "tokens": TOKENS,
        "unconfirmed": UNCONFIRMED / 1e6,
        "warn_at": WARN_AT,
        "warn_left": WARN_LEFT,
        "watched_tables": WATCHED_AT_ONCE,
        "evening_matches": MOST_MATCHES,
        "evening_time": EVENING_SECONDS,
        "replay_lines": REPLAY_LINES,
        "bots_after": BOTS_AFTER,
        "with_enough": WITH_ENOUGH,
    }


def _port(config: Config, name: str) -> int:
    """Return the port that a setting names, or the default if this server opens none or chooses a free one."""
    usual = SETTINGS[name].default
    assert isinstance(usual, int)
    port: int = getattr(config, name)
    return port if port > 0 else usual
