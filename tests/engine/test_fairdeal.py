"""Fair deals match the test vectors of their schemes, without any bias."""

import hashlib
import json

import pytest

from golfnet.engine import fairdeal
from golfnet.engine.cards import deck_text, parse_deck
from golfnet.engine.fairdeal import Scheme
from golfnet.engine.variants import CACTUS, FOUR_TURN

SEED = bytes(range(32))
NAMES = ("Ann", "Bör")
CONTEXT = fairdeal.context(match="m1", hole=1, variant="four-turn", seats=NAMES, deck=FOUR_TURN.deck_for(2))
KEY = fairdeal.deal_key(SEED, CONTEXT, ("seven", ""), Scheme.V1)
SEALED = {"Ann": "seven", "Bör": "0123456789abcdef"}


def test_the_first_scheme_matches_its_test_vector() -> None:
    assert fairdeal.commitment("m1", 1, SEED, Scheme.V1) == (
        "a54d7997c5f44b398d2f57d03602635db80008b721e2ada590eecaf38757ddee"
    )
    context = "8f8ceec536b5c87e91322918b463bcc7d52ad6be31c04950ca15cb8a49b10fdf"
    assert hashlib.sha256(CONTEXT.encode()).hexdigest() == context
    assert KEY.hex() == "6445639f4417835fbdfd65e4d46a257a1ca88f5aea57668901c198bcc6942d76"
    deck = deck_text(fairdeal.shuffled(KEY, FOUR_TURN.deck_for(2)))
    assert deck.startswith("4H JH 9C KH 5H 2C 8H AH 4S ")
    assert deck.endswith(" KD 2H 6S 3H 10S")
    pile = parse_deck("AS 2S 3S 4S 5S 6S 7S 8S")
    assert deck_text(fairdeal.shuffled(fairdeal.reshuffle_key(KEY, 1), pile)) == "3S 7S 6S 4S 5S AS 2S 8S"
    assert "".join(fairdeal.lot_order(KEY, 258, "BCDEFGHA")) == "HAEFDGCB"
    assert [fairdeal.random_dealer(KEY, seats) for seats in (2, 7, 12)] == [1, 2, 9]


def test_the_second_scheme_matches_its_test_vector() -> None:
    assert fairdeal.commitment("m1", 1, SEED, Scheme.V2) == (
        "f4f22770226c1a5551a00e836d33aaef6bf2b44aa79dd149a266a21163b8aa4d"
    )
    assert [fairdeal.seal("m1", 1, name, cut) for name, cut in SEALED.items()] == [
        "cd303529b02c232029baad6409b377304efa1c54586a55123517d0ac76588cb0",
        "07a470006cc64fd1b985ea81dea8b4a8ff641ced528c5197eeabbed7f4d7c676",
    ]
    key = fairdeal.deal_key(SEED, CONTEXT, tuple(SEALED.values()), Scheme.V2)
    assert key.hex() == "83cc9226acc3746c15a3836984689a9177e33020d08e772f647a1ee330f542dd"
    deck = deck_text(fairdeal.shuffled(key, FOUR_TURN.deck_for(2)))
    assert deck.startswith("KH JC 8C 9D JH 7D 6D 9S 10C ")
    assert deck.endswith(" 7S 5C 6C 2S KC")


def test_seals_have_the_documented_form() -> None:
    assert fairdeal.is_digest("a1" * 32)
    for text in ("A1" * 32, "a1" * 31, "a1" * 32 + "\n", "g1" * 32, ""):
        assert not fairdeal.is_digest(text)


def test_the_context_is_canonical_json_in_ascii() -> None:
    text = fairdeal.context(
        match="m/1", hole=2, variant="cactus", seats=("Zoë", "🂡"), deck=CACTUS.deck_for(2)
    )
    assert text.isascii()
    assert '"match":"m/1"' in text
    assert r'"seats":["Zo\u00eb","\ud83c\udca1"]' in text
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))
    assert json.loads(text)["deck"] == deck_text(CACTUS.deck_for(2))


@pytest.mark.parametrize(
    ("bound", "first_rejected"),
    [(2, 2**32), (3, 2**32 - 1), (7, 2**32 - 4), (52, 2**32 - 48), (2**31 + 1, 2**31 + 1)],
)
def test_random_words_that_would_bias_the_shuffle_are_skipped(bound: int, first_rejected: int) -> None:
    assert first_rejected % bound == 0
    last_taken = first_rejected - 1
    # A word at the boundary is too rare to be found by searching (one in four billion), so it is given here.
    assert fairdeal._below(bound, iter([last_taken, 0])) == bound - 1
    if first_rejected < 2**32:
        assert fairdeal._below(bound, iter([first_rejected, 2**32 - 1, 1])) == 1
