"""A table's setup: the options of ``create`` and ``seek``, its stored row, and whether its match is rated.

The row holds what the events of a table do not contain, such as the setup and the chairs.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, json

from golfnet.engine.errors import RuleError
from golfnet.engine.forms import SWITCH, alike
from golfnet.engine.frozen import replaced
from golfnet.engine.options import FIELDS, as_options, override
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import clean_text
from golfnet.protocol.names import LEVELS
from golfnet.server.budget import Budgets, origin_of, too_soon
from golfnet.server.table.seating import Chair, ChairKind, StoredChair

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    from golfnet.engine.rules import RuleSet
    from golfnet.server.config import Config
    from golfnet.server.session.player import Player
    from golfnet.server.table.table import Table

WRONG: Final = 10
SECONDS: Final = 60.0
"""How many wrong passwords one origin may try at a table, and the period in seconds."""

_LONGEST_NAME: Final = 32
"""How many characters of a mistyped rule set are compared with the names of real ones. No such name is longer, and the
comparison is slow for long words."""

_ORIGINS_KEPT: Final = 1000
"""Maximum number of origins with wrong passwords remembered per table: a few tens of kilobytes."""

_FORM: Final = "scrypt-512-8-1"


class TableLock:
    """Checks a private table's password. Raises ``ValueError`` if ``stored`` is not a salted hash as made by ``of``."""

    __slots__ = ("_digest", "_salt", "_wrong", "stored")

    def __init__(self, stored: str) -> None:
        form, salt, digest = stored.split("$")
        if form != _FORM:
            raise ValueError(f"expected a hash of the form {_FORM}, got {form}")
        self.stored = stored
        self._salt, self._digest = bytes.fromhex(salt), bytes.fromhex(digest)
        self._wrong = Budgets(WRONG, SECONDS, kept=_ORIGINS_KEPT)

    @staticmethod
    def of(password: str) -> TableLock:
        """Return the lock for a password."""
        salt = secrets.token_bytes(16)
        return TableLock(f"{_FORM}${salt.hex()}${_digest(password, salt).hex()}")

    def opens(self, password: str, address: str, now: float) -> bool:
        """Return whether a password is right, or raise ``Refused`` after too many wrong ones from the same origin."""
        origin = origin_of(address)
        if wait := self._wrong.wait(origin, now):
            raise too_soon(wait, "Too many wrong passwords. Wait {}.")
        right = hmac.compare_digest(_digest(password, self._salt), self._digest)
        if not right:
            self._wrong.spend(origin, now)
        return right


def _digest(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=512, r=8, p=1, dklen=32)


_NAME_LENGTH: Final = 40
"""Maximum number of characters in a table's name: what fits in the list of tables."""


class StoredSetup(Struct, frozen=True, kw_only=True):
    """The host's choices apart from the rules and the password; ``clock`` and ``pause`` are in seconds.

    With ``starts_when_enough``, the match starts a few seconds after there are enough players, even if the table is not
    full. With ``hints``, players may ask what a good bot would do.
    """

    name: str
    clock: int
    pause: int
    starts_when_full: bool
    starts_when_enough: bool = False
    hints: bool = True


class Setup(StoredSetup, frozen=True, kw_only=True):
    """The host's choices apart from the rules; only private tables have a lock."""

    lock: TableLock | None = None


def named_rules(catalogue: Mapping[str, RuleSet], name: str) -> RuleSet:
    """Return a rule set by its name, or raise ``Refused``."""
    rules = catalogue.get(name.lower())
    if rules is None:
        word = name.lower()[:_LONGEST_NAME]
        fits = [each for each in catalogue if word in each.split("-")] or alike(word, catalogue, most=3)
        hint = f"Did you mean {' or '.join(fits)}?" if fits else f"Choose one of: {', '.join(catalogue)}."
        raise Refused(Code.NO_SUCH_VARIANT, f"There is no rule set {clean_text(name)}. {hint}")
    return rules


def plan(config: Config, base: RuleSet, options: Mapping[str, str]) -> tuple[RuleSet, Setup]:
    """Return the rules and setup for the options, or raise ``Refused`` with the bad option and its possible values."""
    chosen = dict(options)
    name, password = clean_text(chosen.pop("name", "")).strip()[:_NAME_LENGTH], chosen.pop("password", "")
    clock = seconds_option(chosen.pop("clock", None), "clock", config.clock)
    pause = seconds_option(chosen.pop("pause", None), "pause", config.pause)
    low, high = base.seats
    try:
        hints = SWITCH.read(chosen.pop("hints", "on"))
    except ValueError:
        raise Refused(Code.BAD_OPTION, f"hints: this is {SWITCH.takes}.") from None
    seats = chosen.get("seats")
    if seats is not None:
        if not (_is_number(seats) and low <= int(seats) <= high):
            raise Refused(
                Code.BAD_OPTION,
                f"seats: for {base.name} this is a number from {low} to {high}, not {clean_text(seats)}.",
            )
        chosen["seats"] = f"{low}-{seats}"  # the host may still start with fewer
    try:
        rules = override(base, chosen)
    except RuleError as error:
        raise Refused.by_rules(error) from None
    return rules, Setup(
        name=name,
        clock=clock,
        pause=pause,
        starts_when_full=seats is not None,
        hints=hints,
        lock=TableLock.of(password) if password else None,  # last, so that a refused request costs no hashing
    )


def is_same(one: RuleSet, other: RuleSet, apart_from: Container[str] = ("seats",)) -> bool:
    """Return whether two rule sets are the same ``apart_from`` some options; by default, the number of players."""
    return all(getattr(one, name) == getattr(other, name) for name in FIELDS if name not in apart_from)


def seconds_option(text: str | None, option: str, default: int) -> int:
    """Return the number of seconds in an option's text (0 for off), or raise ``Refused``."""
    if text is None:
        return default
    number = "0" if text.lower() in ("off", "none") else text
    if not (_is_number(number) and int(number) <= 3600):
        raise Refused(
            Code.BAD_OPTION,
            f"{option}: this is a number of seconds up to 3600, or 0 for none, not {clean_text(text)}.",
        )
    return int(number)


BOT_OPTIONS: Final = ("fill", "level")
"""The options of ``create`` and ``seek`` that are about bots rather than the game."""


class BotRequest(Struct, frozen=True, kw_only=True):
    """A host's request that bots take the seats that are still free after ``seconds``."""

    level: str
    seconds: int


def bots_in(options: Mapping[str, str], default: int = 0) -> BotRequest | None:
    """Return the bots that the options ask for, if any, or raise ``Refused``."""
    seconds, level = seconds_option(options.get("fill"), "fill", default), bot_level(options.get("level"))
    if not seconds and "level" in options:
        raise Refused(
            Code.BAD_OPTION,
            "level: this needs fill=SECONDS, too, the time after which bots of that level join.",
        )
    return BotRequest(level=level, seconds=seconds) if seconds else None


def bot_level(name: str | None) -> str:
    """Return the bot level with this name (without a name, medium), or raise ``Refused``."""
    level = (name or "medium").lower()
    if level not in LEVELS:
        raise Refused(
            Code.BAD_ARGUMENT, f"There is no bot level {level}. Choose one of: {', '.join(LEVELS)}."
        )
    return level


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


class ChairRow(StoredChair, kw_only=True, omit_defaults=True):
    """The stored form of a chair, with the ids of its ``player`` and of the owner that it is ``kept_for``."""

    player: str | None = None
    kept_for: str | None = None


class TableRow(StoredSetup, frozen=True, kw_only=True):
    """A table as stored, without its events; ``host`` is a player id, ``title`` and ``notes`` are the rule set's.

    ``lock`` is the hash of a private table's password; older versions of golfnet stored ``password`` in the clear.
    """

    variant: str
    title: str = ""
    notes: tuple[str, ...] = ()
    options: dict[str, Any]
    lock: str = ""
    password: str = ""
    host: str | None
    started: float
    chairs: list[ChairRow | None]
    fill: int = 0
    level: str = ""
    """The level of the bots that take the free seats after ``fill`` seconds; 0 seconds means no bots."""
    rematch: bool = False
    sealing_closed: bool = False


def row_bytes(table: Table) -> bytes:
    """Return a table's row as JSON."""
    setup, wanted = table.setup, table.filling.wanted
    return json.encode(
        TableRow(
            variant=table.rules.name,
            title=table.rules.title,
            notes=table.rules.notes,
            options=as_options(table.rules),
            **_stored(StoredSetup, setup),
            lock="" if setup.lock is None else setup.lock.stored,
            host=table.host.id if table.host is not None else None,
            started=table.starting.started_at,
            chairs=[None if chair is None else _chair_row(chair) for chair in table.seating.chairs],
            fill=0 if wanted is None else wanted.seconds,
            level="" if wanted is None else wanted.level,
            rematch=table.starting.is_rematch,
            sealing_closed=table.sealing.is_closed,
        )
    )


def setup_of(row: TableRow) -> Setup:
    """Return a table's stored setup; hash a password that was stored in the clear."""
    return Setup(
        lock=TableLock(row.lock) if row.lock else TableLock.of(row.password) if row.password else None,
        **_stored(StoredSetup, row),
    )


def with_words(rules: RuleSet, row: TableRow) -> RuleSet:
    """Return rules with the title and notes stored in the row, since events do not contain them."""
    return replaced(rules, title=row.title or rules.title, notes=row.notes)


def chair_of(row: ChairRow, find: Callable[[str], Player | None]) -> Chair:
    """Return the chair stored as ``row``; ``find`` looks up a player by id."""
    chair = Chair(
        player=None if row.player is None else find(row.player),
        kept_for=None if row.kept_for is None else find(row.kept_for),
        **_stored(StoredChair, row),
    )
    if chair.player is None and chair.kind is ChairKind.HUMAN:
        chair.kind = ChairKind.HOUSE
    return chair


def _chair_row(chair: Chair) -> ChairRow:
    return ChairRow(
        player=None if chair.player is None else chair.player.id,
        kept_for=None if chair.kept_for is None else chair.kept_for.id,
        **_stored(StoredChair, chair),
    )


def _stored(base: type[Struct], struct: Struct) -> dict[str, Any]:
    """Return the fields that a struct has from a base class, which are stored under the same names."""
    return {name: getattr(struct, name) for name in base.__struct_fields__}


RATED_ANYWAY: Final = frozenset({"seats", "decks", "holes", "target", "dealer"})
"""Options that may be changed in a rated match: they make it longer, larger or luckier, but not a different game."""

RATED_CLOCK: Final = 300
"""The longest clock in a rated match, in seconds: with a longer one, a losing player could wait until others leave."""


def is_rated(table: Table) -> bool:
    """Return whether a match is rated: a short clock, and a known rule set with changes only to ``RATED_ANYWAY``."""
    rules = table.match.rules or table.rules
    base = table.lobby.catalogue.get(rules.name)
    return base is not None and is_same(rules, base, RATED_ANYWAY) and 0 < table.setup.clock <= RATED_CLOCK


def counts(table: Table) -> bool:
    """Return whether a match changes people's ratings: it is rated, and two of its players are in the same pool."""
    kinds = [owner.kind for owner in table.seating.owners]
    return is_rated(table) and len(set(kinds)) < len(kinds)


def forfeits(table: Table, player: Player) -> bool:
    """Return whether leaving now costs rating points: the match is rated, and another player of the pool plays on."""
    own = table.seating.chair_of(player)
    others = [chair for chair in table.seating if chair.player is not player and chair.gone is None]
    return (
        table.is_running
        and is_rated(table)
        and not (own is not None and own.is_lent)
        and any(other.player is not None and other.player.kind is player.kind for other in others)
    )


def loss_by_leaving(table: Table, player: Player) -> str:
    """Return a sentence about what happens if the player leaves now; empty if no match is running."""
    if not table.is_running:
        return ""
    if all(other is player for other in table.seating.players):
        return "The match ends."
    lost = " and the match counts as lost" if forfeits(table, player) else ""
    return f"A bot takes over your seat{lost}."
