"""Fair deals: the engine's only source of randomness, a committed seed combined with the players' cuts.

There are two schemes. In ``golfnet-deal-v1`` a server that knows the seed can choose the deal by making the last cut.
In ``golfnet-deal-v2`` players seal their cuts, and reveal them once all are sealed. Every function is deterministic:
anyone with a finished record can repeat its deals with any implementation of HMAC-SHA256. Seeds are 32 raw bytes here,
and lower-case hex in events and records. Sources: RFC 2104 (HMAC), FIPS 180-4 (SHA-256). Rejection sampling makes all
orders equally likely.
"""

import hashlib
import hmac
import json
import re
import struct
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import count
from typing import Final, TypeVar

from golfnet.engine.cards import Card, deck_text

SEED_BYTES: Final = 32

CUT_BYTES: Final = 200
"""The maximum size in bytes of a text that a player may add to a shuffle."""

SEALED_BYTES: Final = 16
"""The minimum size in bytes of a text worth sealing: a shorter one could be guessed before it is revealed."""

T = TypeVar("T")


class Scheme(StrEnum):
    """How a hole is dealt; the values are part of what is hashed."""

    V1 = "golfnet-deal-v1"
    V2 = "golfnet-deal-v2"


def commitment(match: str, hole: int, seed: bytes, scheme: Scheme) -> str:
    """Return the commitment that is announced before the cuts, 64 hex digits."""
    return _digest(f"{scheme} commit", match, str(hole), seed)


def seal(match: str, hole: int, name: str, cut: str) -> str:
    """Return the seal on a cut that a player will reveal, 64 hex digits; ``name`` is the player's name at the table."""
    return _digest(f"{Scheme.V2} seal", match, str(hole), name, cut)


def is_digest(text: str) -> bool:
    """Return whether a text has the form of a commitment or a seal."""
    return re.fullmatch("[0-9a-f]{64}", text) is not None


def context(*, match: str, hole: int, variant: str, seats: Sequence[str], deck: Sequence[Card]) -> str:
    """Return what a deal depends on besides seed and cuts, as canonical JSON: sorted keys, no spaces, ASCII."""
    record = {"deck": deck_text(deck), "hole": hole, "match": match, "seats": list(seats), "variant": variant}
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def deal_key(seed: bytes, context: str, cuts: Sequence[str], scheme: Scheme) -> bytes:
    """Return the key from which all randomness in a hole comes; ``cuts`` has one text per seat, perhaps empty."""
    ends = "".join(cut + "\n" for cut in cuts)
    return _hmac(seed, f"{scheme} key\n{context}\n{ends}".encode())


def shuffled(key: bytes, cards: Sequence[T]) -> tuple[T, ...]:
    """Return the cards shuffled with a key (Fisher–Yates from the last card down)."""
    order = list(cards)
    words = _words(key)
    for i in range(len(order) - 1, 0, -1):
        j = _below(i + 1, words)
        order[i], order[j] = order[j], order[i]
    return tuple(order)


def reshuffle_key(key: bytes, number: int) -> bytes:
    """Return the key for a reshuffle of the hole; ``number`` counts from 1."""
    return _hmac(key, b"reshuffle" + number.to_bytes(4, "big"))


def lot_order(key: bytes, discard_no: int, clockwise: Sequence[T]) -> tuple[T, ...]:
    """Return the order of claims for one discard under ``slam=lot``; ``clockwise`` begins at the discarder's left."""
    return shuffled(_hmac(key, b"lot" + discard_no.to_bytes(4, "big")), clockwise)


def random_dealer(key: bytes, seats: int) -> int:
    """Return the first dealer under ``dealer=random`` from hole 1's key (X17)."""
    return int.from_bytes(_hmac(key, b"dealer")[:4], "big") % seats


def _digest(*parts: str | bytes) -> str:
    text = b"\n".join([part.encode() if isinstance(part, str) else part for part in parts])
    return hashlib.sha256(text).hexdigest()


def _words(key: bytes) -> Iterator[int]:
    for counter in count():
        block = _hmac(key, b"shuffle" + counter.to_bytes(8, "big"))
        yield from struct.unpack(">8I", block)


def _below(bound: int, words: Iterator[int]) -> int:
    limit = 2**32 - 2**32 % bound
    return next(word for word in words if word < limit) % bound


def _hmac(key: bytes, text: bytes) -> bytes:
    return hmac.digest(key, text, "sha256")
