"""The lobby's lists: which ones are kept, what stays selected, and countdowns that go on between listings."""

from typing import Any

from golfnet_client.model.lobby import LobbyLists

OPEN: dict[str, Any] = {"table": "t1", "filling": None}
AWAITED: dict[str, Any] = {"table": "t2", "filling": {"level": "easy", "ms": 12_500}}


def test_only_lobby_lists_are_taken() -> None:
    lobby = LobbyLists()
    assert all(lobby.take(kind, [OPEN], 1.0) for kind in ("tables", "who", "variants"))
    assert lobby.tables == lobby.players == lobby.variants == [OPEN]
    assert not lobby.take("history", [AWAITED], 2.0)
    assert lobby.tables == [OPEN]


def test_the_selection_stays_within_the_list() -> None:
    lobby = LobbyLists(chosen=5)
    lobby.take("tables", [OPEN, AWAITED], 1.0)
    assert lobby.chosen == 1
    lobby.take("tables", [], 1.0)
    assert lobby.chosen == 0


def test_the_countdown_to_bots_goes_on_between_two_listings() -> None:
    lobby = LobbyLists()
    counted = []
    for tables in ([OPEN], [OPEN, AWAITED, {"table": "t3"}]):
        lobby.take("tables", tables, 100.0)
        counted.append(lobby.counts_seconds)
    assert counted == [False, True]
    assert [lobby.bots_in(row, 100.0) for row in lobby.tables] == [None, 13, None]
    assert [lobby.bots_in(AWAITED, now) for now in (100.6, 112.4, 113.0, 200.0)] == [12, 1, 0, 0]
