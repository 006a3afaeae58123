"""Which discard is meant by a slam that does not give its number."""

from golfnet.server.session.player import Discards


def test_there_is_no_last_discard_before_one_is_shown() -> None:
    assert Discards().last_by(10.0) == 0


def test_the_last_discard_shown_by_then_counts() -> None:
    discards = Discards()
    discards.note(4, 1.0)
    discards.note(5, 2.0)
    assert [discards.last_by(at) for at in (0.9, 1.0, 1.9, 2.0, 9.0)] == [0, 4, 4, 5, 5]


def test_only_the_first_time_a_discard_is_shown_counts() -> None:
    discards = Discards()
    discards.note(4, 1.0)
    discards.note(4, 3.0)
    assert discards.last_by(2.0) == 4


def test_the_last_two_discards_are_kept() -> None:
    discards = Discards()
    for number in (4, 5, 6):
        discards.note(number, float(number))
    assert [discards.last_by(at) for at in (4.5, 5.5, 6.5)] == [0, 5, 6]
