"""How two nodes prove to each other that they know the cluster's secret, without sending it.

Each answers the other's nonce. What stays true: a proof is good for its side and its two nonces only, so that none can
be sent back or used again. This keeps strangers out; it does not hide what follows: that is for TLS, or a network of
the nodes' own.
"""

from __future__ import annotations

import hashlib
import hmac
from enum import Enum
from typing import Final

NONCE_BYTES: Final = 16
PROOF_BYTES: Final = 32


class Prover(Enum):
    """Which side proves something."""

    FRONT = b"golfnet link front"
    OWNER = b"golfnet link owner"


def proof(secret: str, prover: Prover, own: bytes, others: bytes) -> bytes:
    """Return the proof of a side by its own nonce and the other side's."""
    return hmac.digest(secret.encode(), b"\0".join((prover.value, own, others)), hashlib.sha256)


def is_proven(given: bytes, secret: str, prover: Prover, own: bytes, others: bytes) -> bool:
    """Tell whether a proof of a side is right; ``own`` is the nonce of the side that proves."""
    return hmac.compare_digest(given, proof(secret, prover, own, others))
