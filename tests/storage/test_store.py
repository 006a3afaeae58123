"""The contract of every store."""

import pytest

from golfnet.protocol.replies.data import log_body
from golfnet.protocol.replies.presence import Opened
from golfnet.storage.faults import StoreReason
from golfnet.storage.records import record_lines
from golfnet.storage.results import rated
from golfnet.storage.store import Store, VariantStats, number_of
from golfnet.storage.writes import (
    AppendEvent,
    CloseTable,
    DeletePlayer,
    FinishMatch,
    OpenTable,
    ReserveMatch,
    SavePlayer,
    SeatEnding,
    TrimTable,
    Write,
)
from tests.storage.conftest import refused
from tests.storage.matches import STARTED, played, rules_of
from tests.storage.rows import ACCOUNT, BOT, GUEST, HOUSE, match, player, rating, seat
from tests.storage.test_results import new_player


def test_non_ascii_names_are_returned_with_their_skeletons(store: Store) -> None:
    save = [SavePlayer(player(number, name)) for number, name in ((10, "Zoë"), (2, "Ольга"), (3, "Ann"))]
    store.write(save)
    assert store.names_beyond_ascii() == [("p2", "Ольга", "ольга"), ("p10", "Zoë", "zoë")]


# Tables and their logs.


def test_more_events_than_fit_in_one_statement_can_be_stored(store: Store) -> None:
    store.write([OpenTable("t1", b"")])
    events = [AppendEvent("t1", seq, b"%d" % seq) for seq in range(1, 701)]
    store.write(events)
    assert [seq for seq, _ in next(store.tables()).events] == list(range(1, 701))


def test_a_log_is_trimmed_only_once_its_match_is_stored(store: Store) -> None:
    store.write([OpenTable("t1", b""), *[AppendEvent("t1", seq, b"") for seq in (1, 2, 3)]])
    for stored, left in ([], [1, 2, 3]), ([FinishMatch(match(1), b"one\n")], [3]):
        store.write([*stored, TrimTable("t1", 3, "m1")])
        assert [seq for seq, _ in next(store.tables()).events] == left


@pytest.mark.parametrize("wrong", [OpenTable("t01", b""), OpenTable("t0", b""), ReserveMatch("t7")], ids=repr)
def test_an_invalid_id_is_refused_with_the_whole_batch(store: Store, wrong: Write) -> None:
    with refused(StoreReason.CONFLICT):
        store.write([FinishMatch(match(6), b"six\n"), wrong])
    assert (store.match("m6"), store.top("six-card", ACCOUNT)) == (None, ())


def test_writes_while_tables_are_read_are_safe(store: Store) -> None:
    store.write([OpenTable("t1", b""), OpenTable("t2", b""), OpenTable("t3", b"")])
    reading = store.tables()
    assert next(reading).table == "t1"
    store.write([CloseTable("t2"), OpenTable("t4", b"")])
    assert {"t3"} <= {log.table for log in reading} <= {"t3", "t4"}


# Numbers.


@pytest.mark.parametrize(
    "text", ["", "t", "m1", "t0", "t01", "t-1", "t1 ", "t²", "t" + "9" * 16, "T1", "t1.0"]
)
def test_invalid_table_ids_have_no_number(text: str) -> None:
    assert number_of("t", text) == 0


def test_queries_with_malformed_ids_find_nothing(store: Store) -> None:
    store.write([FinishMatch(match(1), b"a\n"), SavePlayer(player(2))])
    for text in ("", "p99999999999999999999", "m-1", "m1; DROP TABLE match", "m²"):
        assert (store.record(text), store.match(text), store.player(text)) == (None, None, None)
        assert (store.matches(table=text), store.stats(text)) == ((), ())


# Players.


def test_deleting_a_player_frees_the_name_and_deletes_the_ratings(store: Store) -> None:
    store.write([SavePlayer(player(1, "Ann")), SavePlayer(player(2)), FinishMatch(match(1), b"")])
    store.write([DeletePlayer("p1"), DeletePlayer("p77")])
    assert store.player_by_skeleton("ann") is None
    assert [rating.player for rating in store.top("six-card", ACCOUNT)] == ["p2"]
    assert store.matches(player="p1")[0].seats[0].name == "Player1"
    store.write([SavePlayer(player(3, "Ann", tokens=(b"token 1",)))])


def test_guests_not_seen_for_a_long_time_are_listed(store: Store) -> None:
    late, old = player(1, seen=30.0), (player(2, seen=10.0), player(4, seen=20.0))
    store.write([SavePlayer(each) for each in (late, *old, player(3, kind=ACCOUNT, seen=5.0))])
    assert store.stale_guests(30.0) == ("p2", "p4")
    assert store.stale_guests(30.0, limit=1) == ("p2",)
    guests = seat(2, 1, kind=GUEST), seat(5, 2, kind=GUEST)
    store.write([FinishMatch(match(1, *guests, variant="cactus"), b"")])
    assert store.stale_guests(30.0) == ("p4",)


# Matches.


def test_a_match_is_read_with_its_record(store: Store) -> None:
    seats = seat(1, 2, total=-4), seat(None, 1, kind=BOT), seat(None, 3, kind=HOUSE)
    played = match(1, *seats, finished=False, rated=False)
    record = '{"a":"ö\\u2028"}\n{"b":2}\n'.encode()
    store.write([FinishMatch(played, record)])
    assert store.match("m1") == played
    assert [*(store.record("m1") or ())] == ['{"a":"ö\\u2028"}\n'.encode(), b'{"b":2}\n']


@pytest.mark.parametrize("number", [1, 2])
def test_a_record_contains_only_the_events_of_its_match(store: Store, number: int) -> None:
    short = rules_of("six-card", holes=1)
    logs = [played(short, seed=each, match=f"m{each}", first_seq=each * 1000) for each in (1, 2)]
    bodies = [AppendEvent("t1", seq, log_body(event, ms=ms)) for log in logs for seq, event, ms in log]
    extra = AppendEvent("t1", 999, log_body(Opened(player="Ann")))
    finished = match(number, started=STARTED)
    store.write([OpenTable("t1", b""), extra, *bodies, FinishMatch(finished)])
    store.write([FinishMatch(finished)])
    expected = [*record_lines("t1", logs[number - 1], match=f"m{number}", started=STARTED)]
    assert [*(store.record(f"m{number}") or ())] == expected


def test_an_unfinished_match_has_no_record(store: Store) -> None:
    log = played(rules_of("six-card", holes=1))[:-1]
    store.write([OpenTable("t1", b""), *(AppendEvent("t1", seq, log_body(event)) for seq, event, _ in log)])
    for table in ("t1", "t2"):
        with refused(StoreReason.CONFLICT):
            store.write([FinishMatch(match(1, table=table))])
    assert store.matches() == ()


def test_matches_are_listed_in_reverse_storage_order_whatever_the_clock(store: Store) -> None:
    for number, ended in ((1, 500.0), (2, 400.0), (4, 300.0), (3, 300.0)):
        store.write([FinishMatch(match(number, table=f"t{number % 2 + 1}", ended=ended), b"")])
    assert [each.id for each in store.matches()] == ["m3", "m4", "m2", "m1"]
    assert [each.id for each in store.matches(limit=2)] == ["m3", "m4"]
    assert [each.id for each in store.matches(table="t2")] == ["m3", "m1"]
    assert list(store.match_ids()) == ["m1", "m2", "m4", "m3"]
    store.write([FinishMatch(match(5, seat(1, 1), seat(3, 2), seat(3, 3)), b"")])
    assert [each.id for each in store.matches(player="p3")] == ["m5"]
    assert [each.id for each in store.matches(player="p1", limit=2)] == ["m5", "m3"]
    assert [each.id for each in store.matches(player="p1", table="t2")] == ["m3", "m1"]
    assert store.stored_matches(["m1", "m4", "m7"]) == {"m1", "m4"}
    assert store.stored_matches([]) == frozenset()


def test_the_limit_is_applied_before_matches_are_selected_by_time(store: Store) -> None:
    for number, ended in ((1, 900.0), (2, 400.0), (4, 500.0), (3, 300.0)):
        store.write([FinishMatch(match(number, table=f"t{number % 2 + 1}", ended=ended), b"")])
    assert [each.id for each in store.matches(since=400.0)] == ["m4", "m2", "m1"]
    assert [each.id for each in store.matches(since=400.0, limit=3)] == ["m4", "m2"]
    assert [each.id for each in store.matches(since=400.0, table="t1")] == ["m4", "m2"]
    assert [each.id for each in store.matches(since=400.0, player="p1", limit=2)] == ["m4"]
    assert store.matches(since=901.0) == ()
    assert [seat.name for seat in store.matches(since=400.0)[0].seats] == ["Player1", "Player2"]


def test_a_match_written_twice_counts_once(store: Store) -> None:
    store.write([FinishMatch(match(1), b"x\n")])
    ladder = store.top("six-card", ACCOUNT)
    store.write([FinishMatch(match(1), b"x\n")])
    store.write([FinishMatch(match(2), b"y\n"), FinishMatch(match(2), b"y\n")])
    assert len(store.matches()) == 2
    assert [rating.matches for rating in ladder] == [1, 1]
    assert [rating.matches for rating in store.top("six-card", ACCOUNT)] == [2, 2]


# Ladders.


def test_ladders_are_separate_by_rule_set_and_kind(store: Store) -> None:
    four = (seat(1, 2), seat(2, 1), seat(3, 1, kind=GUEST), seat(4, 4, kind=GUEST))
    store.write([FinishMatch(match(1, *four), b""), FinishMatch(match(2, *four[:2], variant="cactus"), b"")])
    assert [rating.player for rating in store.top("six-card", ACCOUNT)] == ["p2", "p1"]
    assert [rating.player for rating in store.top("six-card", GUEST)] == ["p3", "p4"]
    assert [rating.player for rating in store.top("cactus", ACCOUNT)] == ["p2", "p1"]
    assert store.top("six-card", BOT) == ()
    assert len(store.top("six-card", ACCOUNT, limit=1)) == 1


def test_ratings_are_read_back_and_ties_are_ordered_by_player_number(store: Store) -> None:
    played = match(1, seat(10, 2), seat(2, 2), seat(3, 1), variant="cactus")
    store.write([FinishMatch(played, b"")])
    ratings = {rating.player: rating for rating in rated(played, new_player)}
    assert rating(store, "p3", "cactus", ACCOUNT) == ratings["p3"]
    assert rating(store, "p3", "cactus", GUEST) is None
    assert ratings["p2"].points == ratings["p10"].points
    assert [rating.player for rating in store.top("cactus", ACCOUNT)] == ["p3", "p2", "p10"]


def test_stats_count_finished_matches_and_forfeits_but_omit_totals_played_by_a_bot(store: Store) -> None:
    left, gone, back = SeatEnding.LEFT, SeatEnding.ABSENT, SeatEnding.EXCUSED
    matches = (
        match(1, seat(1, 1, total=5, ending=left, rank=2), seat(2, 2, rank=1)),
        match(2, seat(1, 2, total=10), seat(2, 1, total=-3, ending=gone)),
        match(3, seat(1, 1, total=7), seat(2, 2, ending=back), variant="cactus"),
        match(4, seat(1, 1, ending=left), seat(2, 1, ending=gone), finished=False),
        match(5, seat(1, 2, total=5)),
        match(6, seat(1, 1, total=-99), finished=False),
    )
    store.write([FinishMatch(each, b"") for each in matches])
    assert store.stats("p1") == (
        VariantStats("cactus", matches=1, wins=1, forfeits=0, best=7, average=7.0),
        VariantStats("six-card", matches=4, wins=1, forfeits=2, best=5, average=7.5),
    )
    assert store.stats("p2") == (
        VariantStats("cactus", matches=1, wins=0, forfeits=0, best=None, average=None),
        VariantStats("six-card", matches=3, wins=3, forfeits=2, best=10, average=10.0),
    )
    seats = store.matches()[-1].seats
    assert [(each.ending, each.place, each.rank) for each in seats] == [("left", 1, 2), ("played", 2, 1)]
