"""Which server a client trusts at an address: one verified by an authority, or else the first one seen there.

Invariants: a server that authorities have verified is never trusted without them again, and a key is replaced only by
verification or by the person's decision. A renewed certificate with the same key is the same server.
"""

import hashlib
from collections.abc import Callable
from typing import Final

from golfnet.protocol.address import Address, NoCertificate, key_fingerprint

AUTHORITY: Final = "authority"
"""The value stored for a server whose certificate was signed by a trusted authority."""

KEY: Final = "key:"
"""The prefix of the value stored for any other server; the SHA-256 of its public key follows.

Older clients stored the SHA-256 of its certificate, without a prefix.
"""


class Untrusted(OSError):
    """A server that is not the trusted one; ``shown`` is the value to store in order to trust it."""

    def __init__(self, address: Address, known: str, shown: str, reason: str) -> None:
        expected = "verification by an authority" if known == AUTHORITY else f"the key {_short(known)}"
        why = f" ({reason})" if reason else ""
        super().__init__(
            f"{address} is not the same server: expected {expected}, found the key {_short(shown)}{why}"
        )
        self.shown = shown


class Trust:
    """Which server to trust at an address.

    ``known`` is the stored value, empty if there is none; ``keep`` is called to store another. ``only`` is the SHA-256
    of the required key or certificate, whatever authorities say.
    """

    def __init__(
        self, known: str = "", *, only: str = "", keep: Callable[[str], object] = lambda known: None
    ) -> None:
        self.known = only or known
        self.asks_authorities = not only
        """Whether verification by authorities is enough."""
        self._keep = keep

    @property
    def knows_a_key(self) -> bool:
        """Whether the server is known by its key or certificate."""
        return self.known not in ("", AUTHORITY)

    def recognises(self, certificate: bytes) -> bool:
        """Return whether a DER certificate is the known server's. Raise ``OSError`` if it cannot be read."""
        shown = _key_of(certificate)
        if self.known.removeprefix(KEY) not in (
            shown.removeprefix(KEY),
            hashlib.sha256(certificate).hexdigest(),
        ):
            return False
        if self.asks_authorities:
            self._learn(shown)
        return True

    def vouched_for(self) -> None:
        """Trust the server that authorities have just vouched for."""
        self._learn(AUTHORITY)

    def meet(self, address: Address, reason: str, certificate: bytes) -> bool:
        """Trust the first server seen. Raise ``Untrusted`` for any other; ``reason`` is why verification failed."""
        shown = _key_of(certificate)
        if self.known:
            raise Untrusted(address, self.known, shown, reason)
        self._learn(shown)
        return True

    def accept(self, problem: Untrusted) -> None:
        """Trust the server in ``problem``, as the person has decided; the caller stores this."""
        self.known = problem.shown

    def _learn(self, known: str) -> None:
        if self.known != known:
            self.known = known
            self._keep(known)


def _key_of(certificate: bytes) -> str:
    """Return the value to store for a server with this certificate. Raise ``OSError`` if it cannot be read."""
    try:
        return KEY + key_fingerprint(certificate)
    except NoCertificate:
        raise OSError("the server's certificate cannot be read") from None


def _short(known: str) -> str:
    """Return the part of a key that people compare."""
    return known.removeprefix(KEY)[:16]
