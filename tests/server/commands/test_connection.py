"""Settings of a connection, greetings, and what is shown only on request."""

import trio

from tests.server.house import House


async def test_settings_can_be_listed_shown_and_changed(house: House) -> None:
    ann = await house.program("Ann", "set")
    names = [row["name"] for row in ann.last("rows")["rows"]]
    assert {"style", "cards", "color", "width", "bell", "prefix"} <= set(names)
    assert (await ann.done("set width 100"))["setting"] == {"width": "100"}
    assert "100" in (await ann.done("set width"))["note"]
    for line in ("set width 5000", "set style gothic", "set nothing", "set nothing on"):
        assert (await ann.ask(line))["code"] == "BAD_ARGUMENT"


async def test_prefixes_can_be_signs_words_or_off(house: House) -> None:
    ann = await house.person("Ann")
    assert (await ann.say("version")).startswith("= golfnet")
    await ann.say("set prefix off")
    assert (await ann.say("version")).startswith("golfnet")
    await ann.say("set prefix words")
    assert not (await ann.say("version")).startswith(("=", "golfnet"))


async def test_colour_and_bell_are_sent_only_on_request(house: House) -> None:
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


async def test_a_person_who_says_hello_is_greeted(house: House) -> None:
    person = await house.connect()
    for line in ("hello there", "hello", "HELLO server!", 'hello "', "hello x=1"):
        assert "name YOURNAME" in await person.say(line)
    await person.say("name Ann")
    assert await person.say("7 hello there") == (
        "= Hello, Ann! To play, type play. Or greet the lobby: shout hello\r\n"
    )
    await person.say("create six-card seats=2")
    assert "say hello" in await person.say("hello everybody")
    assert "BAD_PROTOCOL" in await person.say("hello 2")
    assert "welcome" in await person.say("hello 1 client=x/1")


async def test_a_program_with_a_malformed_hello_is_corrected_not_greeted(house: House) -> None:
    program = await house.program()
    for line in ("hello", "hello there"):
        assert (await program.ask(line))["code"] == "BAD_ARGUMENT"
