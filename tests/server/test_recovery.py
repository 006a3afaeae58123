"""A server that restarts on the same store: nothing is lost, and returning players continue."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
import trio

from golfnet.bots.bot import BotPlayer
from golfnet.bots.levels import make_bot
from golfnet.engine.events import Event
from golfnet.engine.rules import RuleSet
from golfnet.server.table.membership import DROPS_FORGIVEN
from golfnet.server.table.setup import TableRow
from golfnet.server.tables import restore
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.store import Store, TableLog
from golfnet.storage.writes import AppendEvent, FinishMatch, PlayerKind, SaveTable, Write
from tests.server.house import House, all_done, open_house, play_at_random
from tests.storage.rows import rating, tables_aside

pytestmark = pytest.mark.usefixtures("virtual_time")


async def test_players_away_after_a_match_are_not_awaited_forever() -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        ann, bob = await house.table("six-card seats=2 holes=1 clock=5", "Ann", "Bob")
        for _ in range(DROPS_FORGIVEN):
            await bob.drop()
            bob = await house.resumed(bob)
        await bob.drop()  # the house plays the seat at once, and nobody waits for Bob any more
        await play_at_random([ann], random.Random(3))
    async with open_house(store=store) as house:
        ann = await house.resumed(ann)
        await trio.sleep(house.lobby.config.grace + 1)
        assert [(event["name"], event["cause"]) for event in ann.events("left")] == [("Bob", "grace")]


async def test_a_rematch_is_stored_with_its_first_event() -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        await play_at_random(await house.table("four-turn seats=2", "Ann", "Bob"), random.Random(3))
        house.lobby.tables["t1"].starting.reopen()
        (log,) = store.tables()
        assert msgspec.json.decode(log.row)["rematch"]


class KilledAtTheEnd:
    """A journal that stores no result and nothing after it, as if the server had been killed, but reports success."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.is_dead = False

    def submit(self, writes: Sequence[Write], then: Callable[[], None]) -> None:
        self.is_dead = self.is_dead or any(isinstance(write, FinishMatch) for write in writes)
        if not self.is_dead:
            self.store.write(writes)
        then()


@pytest.mark.parametrize("rematches", [0, 1])
async def test_a_finished_match_whose_result_was_not_stored_gets_its_result_once(rematches: int) -> None:
    store, chance = MemoryStore(), random.Random(5)
    async with open_house(store=store) as house:
        programs = await house.table("six-card seats=2 holes=1 clock=60", "Ann", "Bob")
        for _ in range(rematches):
            await play_at_random(programs, chance)
            await all_done(programs, "rematch")
        house.lobby.gate._submit = KilledAtTheEnd(store).submit
        await play_at_random(programs, chance)
        last = f"m{1 + rematches}"
        assert store.match(last) is None
    for _ in range(2):
        async with open_house(store=store) as house:
            assert house.lobby.tables["t1"].match.id == last
        result = store.match(last)
        assert result is not None
        assert result.finished
        assert (result.started, len(result.seats)) == (house.lobby.tables["t1"].starting.started_at, 2)
        [*lines] = store.record(last) or ()
        assert msgspec.json.decode(lines[0])["match"] == last
        assert [match.id for match in store.matches()] == [f"m{n}" for n in range(1 + rematches, 0, -1)]
        played = [rating(store, seat.player or "", "six-card", PlayerKind.GUEST) for seat in result.seats]
        assert [each.matches for each in played if each is not None] == [1 + rematches] * 2


@pytest.mark.settings(house_level="medium")
async def test_bots_and_the_house_keep_their_level_and_what_they_have_seen(house: House) -> None:
    class Recorder(BotPlayer):
        def __init__(self, level: str, rules: RuleSet) -> None:
            super().__init__(make_bot(level, rules, random.Random(1)))
            self.level, self.told = level, list[Event]()

        def observe(self, event: Event) -> None:
            self.told.append(event)
            super().observe(event)

    tables = house.lobby.tables
    tables.make_bot = Recorder
    ann, bob = await house.opened("four-turn seats=4 clock=0", "Ann", "Bob")
    await ann.done("bot hard", "bot easy", "ready")
    await bob.done("ready", "leave")
    before = tables["t1"]
    await play_at_random([ann], random.Random(1), until=lambda: len(before.hole_log) > 20)
    after = restore(house.lobby, next(house.lobby.store.tables()), house.lobby.accounts.known)
    old, new = [
        [chair.bot for chair in table.seating if isinstance(chair.bot, Recorder)] for table in (before, after)
    ]
    assert [mind.level for mind in new] == [mind.level for mind in old] == ["medium", "hard", "easy"]
    for one, other in zip(old, new, strict=True):
        assert other.told == one.told[-len(other.told) :]
        assert len(other.told) == len(before.hole_log)


async def test_a_tables_password_is_stored_as_a_hash_even_if_an_older_server_wrote_it() -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        await house.opened("six-card seats=3 password=sesame", "Ann")
    [log] = store.tables()
    assert b"sesame" not in log.row
    row = msgspec.json.decode(log.row)
    del row["lock"]
    store.write([SaveTable("t1", msgspec.json.encode(row | {"password": "sesame"}))])
    async with open_house(store=store) as house:
        [log] = store.tables()
        assert b"sesame" not in log.row
        bob = await house.program("Bob")
        assert (await bob.ask("join t1 password=other"))["code"] == "WRONG_PASSWORD"
        await bob.done("join t1 password=sesame")


def in_row(**changed: object) -> Callable[[TableLog], Write]:
    """Return a function that returns a write: the given fields of a table's row are changed."""
    return lambda log: SaveTable("t1", msgspec.json.encode(msgspec.json.decode(log.row) | changed))


def with_event(body: bytes) -> Callable[[TableLog], Write]:
    """Return a function that returns a write: an event is added to a table's log."""
    return lambda log: AppendEvent("t1", log.events[-1].seq + 1, body)


SPOILT: dict[str, Callable[[TableLog], Write]] = {
    "no row": lambda log: SaveTable("t1", b"{"),
    "no such rules": in_row(options={"rows": 0}),
    "no such lock": in_row(lock="md5$00$00"),
    "no such kind": in_row(chairs=[{"name": "Ann", "kind": "ghost"}]),
    "no event": with_event(b'{"event":"drew","seat":"A"}'),
    "an event out of order": with_event(b'{"event":"gave","seat":"A","slot":9,"to":"B9"}'),
}
"""Damage to what is stored about a table."""


@pytest.mark.parametrize("how", SPOILT)
async def test_a_spoilt_log_is_set_aside_and_others_start(how: str, caplog: pytest.LogCaptureFixture) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        ann, _ = await house.table("four-turn seats=2", "Ann", "Bob")
        cid, _ = await house.table("four-turn seats=2", "Cid", "Dan")
    store.write([SPOILT[how](next(store.tables()))])
    async with open_house(store=store) as house:
        assert list(house.lobby.tables) == ["t2"]
        assert [log.table for log in tables_aside(store)] == ["t1"]
        assert "setting table t1 aside" in caplog.text
        cid = await house.resumed(cid)
        await cid.done("peek 3 4")
        ann = await house.resumed(ann)
        await ann.done("create four-turn")
    async with open_house(store=store) as house:
        assert list(house.lobby.tables) == ["t2", "t3"]


async def test_a_table_whose_result_can_no_longer_be_computed_is_set_aside(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = MemoryStore()
    monkeypatch.setattr(store, "stored_matches", lambda matches: frozenset())  # the result is lost
    async with open_house(store=store) as house:
        ann, bob = await house.table("six-card seats=2 holes=1 clock=0", "Ann", "Bob")
        await play_at_random([ann, bob], random.Random(4))
        await bob.done("leave")
        await house.table("four-turn seats=2", "Cid", "Dan")
    async with open_house(store=store) as house:
        assert list(house.lobby.tables) == ["t2"]
        assert [log.table for log in tables_aside(store)] == ["t1"]
        assert "closing table t1 after a fault" in caplog.text
        ann = await house.resumed(ann)
        await ann.done("create four-turn")


def test_a_row_without_its_rules_descriptions_can_be_read() -> None:
    """Rows written by older servers have none."""
    fields: dict[str, Any] = {
        **{"variant": "six-card", "options": {}, "name": "", "password": "", "clock": 60, "pause": 15},
        **{"starts_when_full": True, "host": None, "started": 0.0, "chairs": []},
    }
    assert msgspec.convert(fields, TableRow).notes == ()
