"""Fair deals, ``golfnet-deal-v1``: the only chance in the engine, made from a committed seed and the players' cuts.

Every function is deterministic, and anyone with a finished record can repeat it with any HMAC-SHA256. Seeds are 32
raw bytes here, lower-case hex in events and records. Sources: RFC 2104 (HMAC), FIPS 180-4 (SHA-256); rejection
sampling keeps every order equally likely.
"""

import hashlib
import hmac
import json
from collections.abc import Iterator, Sequence
from typing import TypeVar

from golfnet.engine.cards import Card, deck_text

SCHEME = b"golfnet-deal-v1"
SEED_BYTES = 32

T = TypeVar("T")


def commitment(match: str, hole: int, seed: bytes) -> str:
    """Return the promise that is announced before the cuts, 64 hex digits."""
    text = b"\n".join((SCHEME + b" commit", match.encode(), str(hole).encode(), seed))
    return hashlib.sha256(text).hexdigest()


def context(*, match: str, hole: int, variant: str, seats: Sequence[str], deck: Sequence[Card]) -> str:
    """Return what is dealt to whom as canonical JSON: sorted keys, no spaces, ASCII."""
    record = {"deck": deck_text(deck), "hole": hole, "match": match, "seats": list(seats), "variant": variant}
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def deal_key(seed: bytes, context: str, cuts: Sequence[str]) -> bytes:
    """Return the key from which all chance of a hole comes; ``cuts`` holds one text per seat, empty if none."""
    ends = "".join(cut + "\n" for cut in cuts).encode()
    return _hmac(seed, b"\n".join((SCHEME + b" key", context.encode(), ends)))


def shuffled(key: bytes, cards: Sequence[T]) -> tuple[T, ...]:
    """Return the cards in the order drawn from a key (Fisher–Yates from the last card down)."""
    order = list(cards)
    words = _words(key)
    for i in range(len(order) - 1, 0, -1):
        j = _below(i + 1, words)
        order[i], order[j] = order[j], order[i]
    return tuple(order)


def reshuffle_key(key: bytes, count: int) -> bytes:
    """Return the key of the hole's reshuffle number ``count``, from 1."""
    return _hmac(key, b"reshuffle" + count.to_bytes(4, "big"))


def lot_key(key: bytes, discard_no: int) -> bytes:
    """Return the key that orders the claims for one discard under ``slam=lot``."""
    return _hmac(key, b"lot" + discard_no.to_bytes(4, "big"))


def lot_order(key: bytes, discard_no: int, clockwise: Sequence[T]) -> tuple[T, ...]:
    """Return the order of claims under ``slam=lot``; ``clockwise`` begins at the discarder's left."""
    return shuffled(lot_key(key, discard_no), clockwise)


def random_dealer(key: bytes, seats: int) -> int:
    """Return the first dealer under ``dealer=random`` from hole 1's key (X17)."""
    return int.from_bytes(_hmac(key, b"dealer")[:4], "big") % seats


def _words(key: bytes) -> Iterator[int]:
    counter = 0
    while True:
        block = _hmac(key, b"shuffle" + counter.to_bytes(8, "big"))
        for at in range(0, 32, 4):
            yield int.from_bytes(block[at : at + 4], "big")
        counter += 1


def _below(bound: int, words: Iterator[int]) -> int:
    limit = 2**32 - 2**32 % bound
    return next(word for word in words if word < limit) % bound


def _hmac(key: bytes, text: bytes) -> bytes:
    return hmac.digest(key, text, "sha256")
