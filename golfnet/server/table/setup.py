"""The options of ``create`` and ``seek``: a table's rules, its setup, and the bots that should join it."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from golfnet.engine.errors import RuleError
from golfnet.engine.forms import SWITCH
from golfnet.engine.notation import alike
from golfnet.engine.options import FIELDS, override
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import clean_text
from golfnet.protocol.names import LEVELS
from golfnet.server.budget import Budgets, origin_of, too_soon

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from golfnet.engine.rules import RuleSet
    from golfnet.server.config import Config

WRONG: Final = 10
SECONDS: Final = 60.0
"""How many wrong passwords one origin may try at a table, and the period in seconds."""

_LONGEST_NAME: Final = 32
"""How many characters of a mistyped rule set are compared with the names of real ones. No such name is longer, and the
comparison is slow for long words."""

_ORIGINS_KEPT: Final = 1000
"""Maximum number of origins with wrong passwords remembered per table: a few tens of kilobytes."""

_FORM: Final = "scrypt-512-8-1"
_SALT_BYTES: Final = 16


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
        salt = secrets.token_bytes(_SALT_BYTES)
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
    if text.lower() in ("off", "none"):
        return 0
    if not (_is_number(text) and int(text) <= 3600):
        raise Refused(
            Code.BAD_OPTION,
            f"{option}: this is a number of seconds up to 3600, or 0 for none, not {clean_text(text)}.",
        )
    return int(text)


DEFAULT_LEVEL: Final = "medium"

BOT_OPTIONS: Final = ("fill", "level")
"""The options of ``create`` and ``seek`` that are about bots rather than the game."""


class BotRequest(Struct, frozen=True, kw_only=True):
    """A host's request that bots take the seats that are still free after ``seconds``."""

    level: str
    seconds: int


def bots_in(options: Mapping[str, str], default: int = 0) -> BotRequest | None:
    """Return the bots that the options ask for, if any, or raise ``Refused``."""
    seconds, level = seconds_option(options.get("fill"), "fill", default), bot_level(options.get("level"))
    if seconds:
        return BotRequest(level=level, seconds=seconds)
    if "level" in options:
        raise Refused(
            Code.BAD_OPTION,
            "level: this needs fill=SECONDS, too, the time after which bots of that level join.",
        )
    return None


def bot_level(name: str | None) -> str:
    """Return the bot level with this name (without a name, the default level), or raise ``Refused``."""
    level = (name or DEFAULT_LEVEL).lower()
    if level not in LEVELS:
        raise Refused(
            Code.BAD_ARGUMENT, f"There is no bot level {level}. Choose one of: {', '.join(LEVELS)}."
        )
    return level


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()
