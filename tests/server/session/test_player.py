"""Which discard is meant by a slam that does not give its number."""

import pytest

from golfnet.server.session.player import Discards


@pytest.mark.parametrize(
    ("shown", "meant"),
    [
        ([], {9.0: 0}),
        ([(4, 1.0), (5, 2.0)], {0.9: 0, 1.0: 4, 1.9: 4, 2.0: 5, 9.0: 5}),
        ([(4, 1.0), (4, 3.0)], {2.0: 4}),
        ([(4, 4.0), (5, 5.0), (6, 6.0)], {4.5: 0, 5.5: 5, 6.5: 6}),
    ],
    ids=["none", "the last by then", "the first time it was shown", "the last two are kept"],
)
def test_the_last_discard_shown_by_then_is_meant(
    shown: list[tuple[int, float]], meant: dict[float, int]
) -> None:
    discards = Discards()
    for number, at in shown:
        discards.note(number, at)
    assert {at: discards.last_by(at) for at in meant} == meant
