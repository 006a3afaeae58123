"""Sealed claims: nobody sees them before the window is over, and then order or lot decides."""

import pytest

from golfnet.engine import fairdeal
from golfnet.engine.layout import Seat
from golfnet.engine.rules import SlamMode
from golfnet.server.table.arbiter import Arbiter, SealedArbiter, make_arbiter
from tests.server.table.arbitration import AT, KEY, MS, SHOWN, A, B, C, D, after, link, order


def sealed(mode: SlamMode = SlamMode.ORDER, *, discarder: Seat = B, number: int = 12) -> Arbiter:
    return make_arbiter(mode, discard_no=number, discarder=discarder, seats=4, key=KEY)


def test_sealed_claims_are_complete_when_every_seat_has_answered() -> None:
    sealed_one = sealed()
    for seat in (A, B, C):
        sealed_one.pass_by(seat)
    assert not sealed_one.is_complete
    sealed_one.claim(D, AT, after(50))
    assert sealed_one.is_complete


def test_claims_are_sealed_until_everybody_has_claimed_or_passed() -> None:
    judge = sealed()
    judge.claim(A, AT, after(10))
    judge.pass_by(D)
    judge.claim(B, AT, after(20))
    assert (judge.due(), judge.next(10 * SHOWN)) == (None, None)
    judge.claim(C, AT, after(900))
    assert judge.due() == 0
    assert [say.seat for _ in range(4) if (say := judge.next(0))] == [C, D, A, B]


def test_claims_are_unsealed_when_the_window_ends_and_silent_seats_make_none() -> None:
    judge = sealed()
    judge.claim(B, AT, after(10))
    judge.end()
    assert judge.due() == 0
    assert order(judge) == [B]
    assert judge.due() is None
    assert not judge.may_claim(A)
    assert not judge.may_pass(A)


@pytest.mark.parametrize(("discarder", "expected"), [(A, [B, C, D, A]), (B, [C, D, A, B]), (D, [A, B, C, D])])
def test_order_is_clockwise_from_the_discarders_left_with_the_discarder_last(
    discarder: Seat, expected: list[Seat]
) -> None:
    judge = sealed(discarder=discarder)
    for seat in (D, A, C, B):
        judge.claim(seat, AT, after(seat))
    assert order(judge) == expected


def test_lot_order_is_derived_from_the_deal_key() -> None:
    for number in (1, 2, 12):
        judge = sealed(SlamMode.LOT, number=number)
        for seat in (A, B, C, D):
            judge.claim(seat, AT, after(100 * seat))
        assert tuple(order(judge)) == fairdeal.lot_order(KEY, number, (C, D, A, B))


def test_c21_a_seat_has_one_claim_and_none_after_passing() -> None:
    judge = sealed()
    judge.claim(A, AT, after(200))
    judge.pass_by(C)
    assert [judge.may_claim(seat) for seat in (A, B, C, D)] == [False, True, False, True]
    assert [judge.may_pass(seat) for seat in (A, B, C, D)] == [False, True, False, True]


def test_speed_does_not_count_so_no_sealed_claim_is_too_fast() -> None:
    judge = SealedArbiter(order=(A, B))
    judge.show(A, SHOWN, link(30))
    assert judge.claim(A, AT, after(1)).waited == MS
    assert judge.claim(B, AT, after(1)).waited == 0, "that seat has not been shown the card yet"
