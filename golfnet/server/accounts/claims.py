"""Taking a guest's name again without its token: who may, and how whoever had it before gets it back.

People close windows, and the token was in the window. So a guest whose connection is gone may type ``name NAME`` again
from where it was, and has its seat back. Nothing proves that it is the same person: a household, a school, an office
or the users of a VPN may share one address. What they can take is bounded:

- Only the name of a guest who is away, and never a registered one. Nobody who is here is sent off.
- It ends as soon as the owner shows an older token: that ends every token that came after it, and with them the
  connection and even an account that was made of the name meanwhile. For ``CLAIM_SECONDS`` after a claim nothing that
  the other does ends the older tokens. Guests' names are free for everybody after that time anyway.
- What is lost until then stays lost: a seat that was left, turns that were played. Cards that the owner has seen are
  shown again only where the rules have it so.

A guest who wants more than that registers the name.
"""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from golfnet.server.budget import origin_of
from golfnet.storage.writes import PlayerKind, PlayerRow, Token

CLAIM_SECONDS: Final = 24 * 3600.0
"""How long an older token wins a name back, and how long a guest's name waits for one who is away."""


def may_claim(owner: PlayerRow, name: str, address: str) -> bool:
    """Tell whether somebody at an address may take the name of a guest who is away; look-alikes are other names."""
    origin = origin_of(address)
    return (
        owner.kind is PlayerKind.GUEST
        and owner.name.casefold() == name.casefold()
        and bool(origin)
        and any(token.origin == origin for token in owner.tokens)
    )


def contested(tokens: Iterable[Token], now: float) -> dict[bytes, Token]:
    """Return tokens as they are after a claim: each remembers the first claim that came after it."""
    return {token.hash: token if token.claimed else replace(token, claimed=now) for token in tokens}


def won_back(tokens: Iterable[Token], shown: Token) -> dict[bytes, Token]:
    """Return the tokens that are left as an older one is shown: the claim after it, and all since, never were."""
    order = list(tokens)
    at = order.index(shown)
    return {
        token.hash: replace(token, claimed=0.0) if token.claimed >= shown.claimed else token
        for place, token in enumerate(order)
        if place <= at or token.issued < shown.claimed
    }


def is_void(token: Token, now: float) -> bool:
    """Tell whether a token has lost its name to a claim."""
    return bool(token.claimed) and now - token.claimed > CLAIM_SECONDS


def protected(tokens: Iterable[Token], now: float) -> frozenset[bytes]:
    """Return the hashes of the tokens that may still win the name back; nobody but their owner ends them."""
    return frozenset([token.hash for token in tokens if token.claimed and not is_void(token, now)])
