"""Commands outside of play, where other tests of the server do not come by."""

import pytest
import trio

from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.server.commands.dispatch import HANDLERS
from tests.server.house import open_house


def test_every_command_has_a_handler_and_every_handler_a_command() -> None:
    assert set(HANDLERS) == set(COMMANDS)


@pytest.mark.parametrize("verb", sorted(COMMANDS))
async def test_before_a_name_nothing_about_players_or_tables_is_done(
    autojump_clock: object, verb: str
) -> None:
    """Some commands come before a name; none of the others gets beyond saying so."""
    free = {
        *(
            "hello",
            "name",
            "login",
            "resume",
            "who",
            "tables",
            "variants",
            "rules",
            "help",
            "set",
            "ping",
            "pong",
        ),
        *("version", "quit", "telnet", "objects", "history", "record", "top", "stats", "last", "again"),
    }
    arguments = {
        **{"create": "six-card", "seek": "six-card", "join": "t1", "watch": "t1", "kick": "A", "host": "A"},
        **{"say": "hi", "shout": "hi", "tell": "Ann hi", "cut": "x", "register": "secret-one", "peek": "1"},
        **{
            "passwd": "one-two-3 four-five",
            "flip": "1",
            "swap": "1",
            "switch": "A1 B1",
            "slam": "A1",
            "give": "1",
        },
    }
    async with open_house() as house:
        peer = await house.connect()
        answer = await peer.say(f"{verb} {arguments.get(verb, '')}")
        if verb not in free:
            assert answer.startswith("? NO_NAME "), answer


async def test_settings_are_listed_said_and_changed(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await house.program("Ann")
        await ann.done("set")
        names = [row["name"] for row in ann.last("rows")["rows"]]
        assert {"style", "cards", "color", "width", "bell", "prefix"} <= set(names)
        assert (await ann.done("set width 100"))["setting"] == {"width": "100"}
        assert "100" in (await ann.done("set width"))["note"]
        for line in ("set width 5000", "set style gothic", "set nothing", "set nothing on"):
            assert (await ann.ask(line))["code"] == "BAD_ARGUMENT"


async def test_prefixes_are_signs_words_or_nothing(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await house.person("Ann")
        assert (await ann.say("version")).startswith("= golfnet")
        await ann.say("set prefix off")
        assert (await ann.say("version")).startswith("golfnet")
        await ann.say("set prefix words")
        assert not (await ann.say("version")).startswith(("=", "golfnet"))


async def test_colour_and_bell_come_only_when_asked_for(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, bob = await house.person("Ann"), await house.person("Bob")
        await ann.say("set color on")
        await ann.say("set bell on")
        await ann.say("create four-turn seats=2")
        await bob.say("join t1")
        await trio.sleep(6)
        hers, his = await ann.take(), await bob.take()
        for line in ("peek 3 4",):
            hers += (await ann.say(line)).encode()
            his += (await bob.say(line)).encode()
        hers += await ann.take()
        await bob.say("draw")
        await bob.say("discard")
        hers += await ann.take()
        his += await bob.take()
    assert b"\x1b[" in hers
    assert b"\x07" in hers
    assert not set(his) & {7, 27}


async def test_ping_and_version_answer_in_one_ok(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await house.program("Ann")
        assert (await ann.done("4 ping abc"))["key"] == "abc"
        assert "protocol 1" in (await ann.done("version"))["note"]


async def test_who_and_tables_say_who_is_where(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, bob = await house.table("four-turn seats=2", "Ann", "Bob")
        eve = await house.program("Eve")
        await eve.done("watch t1")
        await bob.drop()
        await ann.done("who")
        rows = {row["name"]: row for row in ann.last("rows")["rows"]}
        assert (rows["Ann"]["table"], rows["Ann"]["seat"], rows["Ann"]["present"]) == ("t1", "A", True)
        assert (rows["Bob"]["seat"], rows["Bob"]["present"], rows["Bob"]["idle_ms"]) == ("B", False, None)
        assert (rows["Eve"]["table"], rows["Eve"]["watching"]) == (None, ["t1"])
        await ann.done("tables")
        [row] = ann.last("rows")["rows"]
        assert (row["watchers"], row["state"], row["variant"]) == (1, "playing", "four-turn")


async def test_who_is_named_keeps_the_name_on_this_connection(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await house.program("Ann")
        assert (await ann.ask("name Bob"))["code"] == "ALREADY_NAMED"


async def test_a_flood_of_nameless_connections_does_not_stop_others(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, bob = await house.table("four-turn seats=2", "Ann", "Bob")
        for _ in range(300):
            await house.connect()
        await ann.done("peek 3 4")
        await bob.done("peek 3 4")
        assert len(house.lobby.sessions) == 302
        await trio.sleep(31)
        assert len(house.lobby.sessions) == 2
        assert list(house.lobby.tables) == ["t1"]
