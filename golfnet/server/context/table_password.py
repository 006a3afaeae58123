"""The password of a private table: kept as a salted hash only, and slow to guess.

A table's password is one word among friends and ends with its table, and whoever types it waits for nothing but the
answer. So its hash is one that the loop can make between two commands: scrypt (RFC 7914) of half a megabyte takes 1.5
ms, about what opening a table costs anyway, and makes a stolen database ten thousand times dearer to guess from than a
plain digest would. Wrong words are few: ``WRONG`` a minute from one origin, and what is refused is not hashed.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import secrets
from typing import Final

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.text.words import seconds as in_words
from golfnet.server.throttle import Budgets, origin_of

WRONG: Final = 10
SECONDS: Final = 60.0

_ORIGINS_KEPT: Final = 1000
"""Origins with wrong words, for each table: some ten kilobytes."""

_FORM: Final = "scrypt-512-8-1"
_SALT_BYTES: Final = 16


class TableLock:
    """What opens one private table; ``stored`` is all that is kept of its password, ``ValueError`` where it is none."""

    __slots__ = ("_digest", "_salt", "_wrong", "stored")

    def __init__(self, stored: str) -> None:
        form, salt, digest = stored.split("$")
        if form != _FORM:
            raise ValueError(f"a hash of the form {_FORM}, not {form}")
        self.stored = stored
        self._salt, self._digest = bytes.fromhex(salt), bytes.fromhex(digest)
        self._wrong = Budgets(WRONG, SECONDS, kept=_ORIGINS_KEPT)

    @staticmethod
    def of(password: str) -> TableLock:
        """Return the lock that a password opens."""
        salt = secrets.token_bytes(_SALT_BYTES)
        return TableLock(f"{_FORM}${salt.hex()}${_digest(password, salt).hex()}")

    def opens(self, password: str, address: str, now: float) -> bool:
        """Tell whether a password is right; raises ``Refused`` where too many from the address were wrong."""
        origin = origin_of(address)
        if wait := self._wrong.wait(origin, now):
            raise Refused(
                Code.RATE_LIMITED,
                f"Too many wrong passwords. Wait {in_words(math.ceil(wait) * 1000)}.",
                wait_ms=math.ceil(wait * 1000),
            )
        right = hmac.compare_digest(_digest(password, self._salt), self._digest)
        if not right:
            self._wrong.spend(origin, now)
        return right


def _digest(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=512, r=8, p=1, dklen=32)
