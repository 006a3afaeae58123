"""Whom a client trusts at an address: whoever the system's authorities vouch for, else the key that was there first.

What stays true: a server that authorities have vouched for is never trusted without them again, and a key gives way
only to the authorities or to the person's word. A renewed certificate with the same key is the same server.
"""

import hashlib
from collections.abc import Callable
from typing import Final

from golfnet.protocol.address import Address
from golfnet.protocol.keys import NoCertificate, key_fingerprint

AUTHORITY: Final = "authority"
"""What is kept of a server that authorities vouch for."""

KEY: Final = "key:"
"""What is kept of any other begins so, with the SHA-256 of its public key behind. The SHA-256 of its certificate, with
nothing before it, is what clients kept once."""


class Untrusted(OSError):
    """A server that is another than was trusted; ``shown`` is what would have to be kept to trust it."""

    def __init__(self, address: Address, known: str, shown: str, reason: str) -> None:
        expected = "the word of an authority, as before" if known == AUTHORITY else f"the key {_short(known)}"
        why = f" ({reason})" if reason else ""
        super().__init__(
            f"{address} is another server: expected {expected}, found the key {_short(shown)}{why}"
        )
        self.shown = shown


class Trust:
    """Whom to trust at one address.

    ``known`` is what was kept, empty for nothing; ``keep`` is called with what is to be kept. ``only`` is the SHA-256
    of the key or of the certificate that it has to be, whatever authorities say.
    """

    def __init__(
        self, known: str = "", *, only: str = "", keep: Callable[[str], object] = lambda known: None
    ) -> None:
        self.known = only or known
        self.asks_authorities = not only
        """Whether the authorities may say who it is."""
        self._keep = keep

    @property
    def knows_a_key(self) -> bool:
        """Whether the server is known by its key or certificate."""
        return self.known not in ("", AUTHORITY)

    def recognises(self, certificate: bytes) -> bool:
        """Tell whether a certificate, in DER, is that of the server that is known; raises ``OSError`` if it is none."""
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
        """Trust the first server there is; raise ``Untrusted`` for any other that authorities refuse, for a reason."""
        shown = _key_of(certificate)
        if self.known:
            raise Untrusted(address, self.known, shown, reason)
        self._learn(shown)
        return True

    def accept(self, problem: Untrusted) -> None:
        """Trust the server that was not trusted, by the person's word; it is up to the caller to keep that."""
        self.known = problem.shown

    def _learn(self, known: str) -> None:
        if self.known != known:
            self.known = known
            self._keep(known)


def _key_of(certificate: bytes) -> str:
    """Return what is kept of a server that shows a certificate; raises ``OSError``."""
    try:
        return KEY + key_fingerprint(certificate)
    except NoCertificate:
        raise OSError("the server shows no certificate that can be read") from None


def _short(known: str) -> str:
    """Return as much of a key as people compare."""
    return known.removeprefix(KEY)[:16]
