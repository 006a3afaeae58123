"""Who sits where: first free seats, stable letters, and chairs that know who plays them."""

from golfnet.engine.layout import Seat
from golfnet.server.table.seating import Chair, ChairKind, Seating


def seated(*names: str, size: int = 4) -> Seating:
    seating = Seating([None] * size)
    for name in names:
        seating.take(Chair(name=name, kind=ChairKind.BOT))
    return seating


def test_the_first_free_seat_is_taken() -> None:
    seating = seated("a", "b", "c")
    seating.vacate(Seat(1))
    assert seating.take(Chair(name="d", kind=ChairKind.BOT)) == 1
    assert seating.names == ("a", "d", "c", "")
    assert (len(seating), seating.is_full) == (3, False)
    seating.take(Chair(name="e", kind=ChairKind.BOT))
    assert seating.is_full


def test_seats_are_closed_up_in_order_and_chairs_keep_their_identity() -> None:
    seating = seated("a", "b", "c")
    last = seating.at(Seat(2))
    assert last is not None
    seating.vacate(Seat(0))
    seating.close_ranks()
    assert seating.names == ("b", "c")
    assert seating.place(last) == 1
    assert seating.is_full


def test_neither_bots_nor_the_house_are_awaited() -> None:
    bot, house = Chair(name="a", kind=ChairKind.BOT), Chair(name="b", kind=ChairKind.HOUSE)
    assert (bot.present, bot.is_waited_for) == (True, False)
    assert (house.present, house.is_waited_for) == (False, False)
    assert seated("a").humans == []


def test_a_chair_is_lost_once_its_owner_is_away_without_grace() -> None:
    chair = Chair(name="a", kind=ChairKind.HUMAN)
    assert not chair.is_lost
    chair.is_away = True
    assert chair.is_lost
