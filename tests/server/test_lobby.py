"""The server around sessions and tables: talk, names, faults that stay where they are, and the end of a server."""

import pytest
import trio

from golfnet.engine.actions import Action
from golfnet.engine.layout import Seat
from golfnet.engine.match import Step
from golfnet.server.commands import listings
from golfnet.server.table.starting import Starting
from golfnet.server.table.table import Table
from tests.server.house import House, Program, open_house

BIDI = "\u202e\u2066\u200f"
ESCAPES = "\x1b]0;title\x07\x1b[31m\x9b1m\x00\x08\x7f"


def chats(program: Program) -> list[tuple[str, str, str]]:
    return [(c["from"], c["to"], c["text"]) for c in program.objects if c["type"] == "chat"]


async def named(house: House, *names: str) -> list[Program]:
    return [await house.program(name) for name in names]


# --- what can be played


@pytest.mark.parametrize("verb", ["create", "seek"])
@pytest.mark.parametrize(
    ("asked", "code", "named_in_it"),
    [
        ("nothing", "NO_SUCH_VARIANT", "six-card"),
        ("six-card seats=1", "BAD_OPTION", "seats"),
        ("six-card seats=9", "BAD_OPTION", "8"),
        ("six-card seats=x", "BAD_OPTION", "seats"),
        ("six-card holes=0", "BAD_OPTION", "holes"),
        ("six-card clock=5000", "BAD_OPTION", "3600"),
        ("six-card clock=-1", "BAD_OPTION", "clock"),
        ("six-card decks=1 seats=8 rows=9", "BAD_OPTION", ""),
        ("six-card colour=red", "BAD_OPTION", "colour"),
    ],
)
async def test_what_cannot_be_played_is_refused_with_the_option_and_the_bound(
    autojump_clock: object, verb: str, asked: str, code: str, named_in_it: str
) -> None:
    async with open_house() as house:
        [ann] = await named(house, "Ann")
        error = await ann.ask(f"{verb} {asked}")
        assert error["code"] == code
        assert named_in_it in error["message"]
        assert not house.lobby.tables


# --- talk


async def test_watchers_are_not_heard_by_players_during_a_hole(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, bob = await house.table("four-turn seats=2 holes=2", "Ann", "Bob")
        eve, fay = await named(house, "Eve", "Fay")
        await eve.done("watch t1")
        await fay.done("watch t1")
        await eve.done("say B has two aces")
        await ann.done("say good luck")
        for program in (ann, bob, fay):
            await program.poll()
        assert chats(fay) == [("Eve", "watchers", "B has two aces"), ("Ann", "table", "good luck")]
        assert chats(bob) == chats(ann) == [("Ann", "table", "good luck")]


async def test_between_holes_all_talk_together(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, eve = await named(house, "Ann", "Eve")
        await ann.done("create four-turn")
        await eve.done("watch t1")
        await eve.done("say hello")
        await ann.poll()
        assert chats(ann) == chats(eve) == [("Eve", "table", "hello")]


async def test_private_talk_reaches_one_player_and_lobby_talk_those_at_no_table(
    autojump_clock: object,
) -> None:
    async with open_house() as house:
        ann, bob, cid = await named(house, "Ann", "Bob", "Cid")
        await cid.done("create four-turn")
        await ann.done("tell BOB psst")
        await ann.done("tell Cid hi")
        await ann.done("shout anybody?")
        await cid.done("shout here")
        for program in (ann, bob, cid):
            await program.poll()
        assert chats(bob) == [
            *(("Ann", "Bob", "psst"), ("Ann", "lobby", "anybody?"), ("Cid", "lobby", "here"))
        ]
        assert chats(cid) == [("Ann", "Cid", "hi"), ("Cid", "lobby", "here")]
        for name in ("Zoe", "nobody\u202e"):
            assert (await ann.ask(f"tell {name} hi"))["code"] == "NO_SUCH_PLAYER"


async def test_the_muted_are_not_heard_however_the_name_is_written(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, bob = await house.table("four-turn seats=2", "Ann", "Bob")
        await bob.done("mute ANN")
        assert "Ann" in (await bob.done("mute"))["note"]
        await ann.done("say hello")
        await ann.done("shout hello")
        assert (await ann.ask("tell Bob hello"))["code"] == "MUTED"
        await bob.poll()
        assert chats(bob) == []
        await bob.done("mute ann off")
        await ann.done("say hello again")
        await bob.poll()
        assert chats(bob) == [("Ann", "table", "hello again")]


async def test_much_talk_is_held_up_with_the_time_to_wait(autojump_clock: object) -> None:
    async with open_house(chat_per_10_seconds=8) as house:
        [ann] = await named(house, "Ann")
        answers = [await ann.ask("shout hello") for _ in range(9)]
        assert [answer["type"] for answer in answers] == ["ok"] * 8 + ["error"]
        assert (answers[-1]["code"], answers[-1]["wait_ms"]) == ("RATE_LIMITED", 10_000)


@pytest.mark.parametrize("style", ["machine", "art", "plain", "speech"])
async def test_nothing_that_disturbs_a_screen_passes_from_one_player_to_another(
    autojump_clock: object, style: str
) -> None:
    dirt = ESCAPES + BIDI
    async with open_house() as house:
        ann = await house.program("Ann")
        bob = await house.person("Bob")
        await bob.say("hello 1" if style == "machine" else f"set style {style}")
        for line in (
            *(f'create six-card name="{dirt}Fun{dirt}"', "bot", "say a", f"say {dirt}hello{dirt}"),
            *(f"shout {dirt}lobby{dirt}", f"tell Bob {dirt}you{dirt}", f"cut {dirt}seven{dirt}"),
        ):
            await ann.send(line)
        written = await bob.take()
        for line in ("tables", "who", "watch t1", "look", f"join {dirt}t9", f"rules {dirt}", f"{dirt}xyzzy"):
            await bob.send(line)
            written += await bob.take()
        await ann.send(f"say {dirt}once more{dirt}")
        written += await bob.take()
    assert b"once more" in written
    assert b"Fun" in written
    text = written.decode()
    assert not [char for char in text if (ord(char) < 32 and char not in "\r\n") or 127 <= ord(char) < 160]
    assert not set(text) & set(BIDI)


async def test_text_of_nothing_visible_is_refused(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, _ = await named(house, "Ann", "Bob")
        for line in (f"shout {BIDI}", f"tell Bob {ESCAPES}x"[:-1], "shout"):
            assert (await ann.ask(line))["code"] == "BAD_ARGUMENT"


# --- names


@pytest.mark.parametrize("name", ["ann", "ANN", "\uff21nn", "\u0410nn"])
async def test_a_name_that_looks_like_one_taken_is_refused(autojump_clock: object, name: str) -> None:
    async with open_house() as house:
        await house.program("Ann")
        stranger = await house.program()
        assert (await stranger.ask(f"name {name}"))["code"] in ("NAME_TAKEN", "BAD_NAME")


@pytest.mark.parametrize("name", ["server", "a b", "x" * 60, "", "Bo\u202eb", "!", "admin", "house"])
async def test_a_name_that_is_none_is_refused(autojump_clock: object, name: str) -> None:
    async with open_house() as house:
        stranger = await house.program()
        assert (await stranger.ask(f'name "{name}"'))["type"] == "error"
        assert (await stranger.ask("create six-card"))["code"] == "NO_NAME"


async def test_a_guest_s_name_stays_its_own_for_a_day(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await house.program("Ann")
        await ann.drop()
        stranger = await house.program()
        assert (await stranger.ask("name Ann"))["code"] == "NAME_TAKEN"
        await stranger.drop()
        await trio.sleep(24 * 3600 + 1)
        stranger = await house.program("Ann")
        assert stranger.token != ann.token
        late = await house.program()
        assert (await late.ask(f"resume {ann.token}"))["code"] == "BAD_TOKEN"


# --- a fault in one table


async def test_a_fault_in_one_table_closes_that_table_only(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_house() as house:
        ann, bob = await house.table("four-turn seats=2", "Ann", "Bob")
        cid, dan = await house.table("four-turn seats=2", "Cid", "Dan")
        broken, genuine = house.lobby.tables["t1"], Table.decide

        def decide(table: Table, seat: Seat, action: Action) -> Step:
            if table is broken:
                raise ZeroDivisionError("a bug")
            return genuine(table, seat, action)

        monkeypatch.setattr(Table, "decide", decide)
        error = await ann.ask("5 peek 3 4")
        assert (error["code"], error["id"]) == ("INTERNAL", 5)
        await bob.poll()
        assert "fault" in bob.events("closed")[-1]["reason"]
        assert list(house.lobby.tables) == ["t2"]
        assert "a bug" in caplog.text
        await cid.done("peek 3 4")
        await dan.done("peek 3 4")
        await ann.done("create four-turn")
        assert [each.log.table for each in house.lobby.store.aside()] == ["t1"]


async def test_a_fault_in_a_timer_closes_that_table_only(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_house() as house:
        ann, bob = await named(house, "Ann", "Bob")
        await ann.done("create four-turn seats=2")
        cid = (await house.table("four-turn seats=2", "Cid", "Dan"))[0]
        monkeypatch.setattr(Starting, "begin", lambda starting: 1 / 0)
        await bob.done("join t1")
        await trio.sleep(6)
        await bob.poll()
        assert bob.events("closed")
        assert "ZeroDivisionError" in caplog.text
        await cid.done("peek 3 4")


async def test_a_fault_in_telling_of_the_fault_still_closes_the_table(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_house() as house:
        ann, bob = await house.table("four-turn seats=2", "Ann", "Bob")
        monkeypatch.setattr(house.lobby.tables["t1"], "emit", lambda *events, but=None: 1 / 0)
        assert (await ann.ask("peek 3 4"))["code"] == "INTERNAL"
        assert not house.lobby.tables
        monkeypatch.undo()
        await bob.done("create four-turn")
        assert caplog.records


async def test_a_fault_outside_of_tables_closes_none(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_house() as house:
        ann, bob = await house.table("four-turn seats=2", "Ann", "Bob")
        monkeypatch.setattr(listings, "history", lambda *args, **options: 1 / 0)
        assert (await ann.ask("history"))["code"] == "INTERNAL"
        await bob.done("look")
        assert caplog.records


async def test_a_fault_of_a_watched_table_is_not_the_watcher_s_own(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_house() as house:
        await house.table("four-turn seats=2", "Ann", "Bob")
        cid = (await house.table("four-turn seats=2", "Cid", "Dan"))[0]
        monkeypatch.setattr(house.lobby.tables["t1"], "watch", lambda player: 1 / 0)
        assert (await cid.ask("watch t1"))["code"] == "INTERNAL"
        assert list(house.lobby.tables) == ["t2"]
        assert caplog.records


# --- the end of a server


async def test_a_server_about_to_stop_says_so_and_opens_no_tables(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, bob = await house.table("four-turn seats=2", "Ann", "Bob")
        cid = await house.program("Cid")
        house.lobby.drain()
        await cid.poll()
        assert cid.last("notice")["code"] == "SHUTTING_DOWN"
        for line in ("create four-turn", "seek four-turn"):
            assert (await cid.ask(line))["code"] == "SHUTTING_DOWN"
        await ann.done("peek 3 4")
        house.lobby.stop()
        for program in (ann, bob, cid):
            await program.poll()
            assert (program.objects[-1]["type"], program.objects[-1]["code"]) == ("bye", "SHUTDOWN")
            assert program.is_closed
        assert not bob.events("dropped")
