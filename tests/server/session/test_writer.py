"""How replies are written: to a program, to a person, and over telnet."""

import msgspec
from msgspec.structs import replace

from golfnet.engine.cards import Seat
from golfnet.protocol.replies import data
from golfnet.protocol.replies.presence import Seated
from golfnet.protocol.replies.replies import Burst, Happened
from golfnet.protocol.telnet.telnet import TelnetRequest
from golfnet.server.session.decoder import InputDecoder
from golfnet.server.session.writer import ReplyWriter
from tests.client import tables
from tests.server.house import House
from tests.server.null_transport import KeepingTransport, NullTransport


def test_a_program_can_ask_for_events_with_a_text_for_people() -> None:
    writer = ReplyWriter(NullTransport(), InputDecoder())
    writer.machine = writer.tells = True
    assert not writer.speaks_json
    ann, bob = (
        Happened(table="t1", seq=seq, event=Seated(seat=Seat(seq), player=name), names=("Ann", "Bob"))
        for seq, name in enumerate(("Ann", "Bob"))
    )
    written = writer.render(Burst(data.encode(ann) + data.encode(bob), lambda: (ann, bob)), Seat(0))
    first, second = [msgspec.json.decode(line) for line in written.splitlines()]
    assert (first["seq"], first["text"]) == (0, ""), "players do not need to be told that they sit down"
    assert (second["seq"], second["text"]) == (1, "Bob sits down in seat B.")
    assert msgspec.json.decode(writer.render(ann))["text"] == "Ann sits down in seat A."
    for view, said in (
        (tables.six_card(), "It is your turn."),
        (replace(tables.counted(), sealing_ms=900), "The next hole will be dealt in a moment."),
    ):
        assert msgspec.json.decode(writer.render(view))["text"].endswith(said)


async def test_peers_without_telnet_are_sent_no_telnet() -> None:
    wire = KeepingTransport()
    writer = ReplyWriter(wire, InputDecoder())
    for what in (TelnetRequest.HIDE_INPUT, TelnetRequest.SHOW_INPUT, TelnetRequest.TIMING_MARK):
        writer.request(what)
    writer.write_bytes(InputDecoder().telnet.mssp({"NAME": "golfnet"}))
    assert not wire.written


# --- over telnet


async def test_a_screen_reader_gets_speech(house: House) -> None:
    peer = await house.connect(telnet=True)
    await peer.send(b"\xff\xfb\x18")
    for answer in (b"MUDLET", b"XTERM", b"MTTS 64", b"MTTS 64"):
        await peer.take()
        await peer.send(b"\xff\xfa\x18\x00" + answer + b"\xff\xf0")
    await peer.take()
    assert "speech" in (await peer.say("set style"))


async def test_gmcp_mirrors_machine_mode(house: House) -> None:
    peer = await house.connect(telnet=True)
    await peer.send(b"\xff\xfd\xc9")  # IAC DO GMCP
    await peer.send(b"name Ann\r\n")
    await peer.take()
    await peer.send(b"create four-turn seats=2\r\n")
    written = await peer.take()
    await house.program("Bob", "watch t1")
    events = [part.split(b"\xff\xf0")[0] for part in written.split(b"\xff\xfa\xc9Golf.Event ")[1:]]
    assert [msgspec.json.decode(event)["event"] for event in events] == ["opened", "seated", "committed"]
    assert b"Golf.View {" in written


WORD = "abcdefghijklmnop"


async def test_answers_are_also_sent_as_objects_on_lines_with_the_requested_prefix(house: House) -> None:
    ann = await house.connect()
    await ann.say("set width 40")
    assert await ann.say(f"7 objects {WORD}") == f'{WORD} {{"type":"ok","id":7}}\r\n'
    told = (await ann.say(f"8 name {'Ann' * 6}")).split("\r\n")
    word, _, written = told[0].partition(" ")
    answer = msgspec.json.decode(written)
    assert (word, answer["id"], answer["name"]) == (WORD, 8, "Ann" * 6)
    assert answer["token"] in "".join(told[2:])
    assert not any(line.startswith(WORD) for line in told[1:])
    told = (await ann.say("9 join t9")).split("\r\n")
    assert msgspec.json.decode(told[0].removeprefix(WORD))["code"] == "NO_SUCH_TABLE"
    assert told[1].startswith("? NO_SUCH_TABLE")
    told = (await ann.say("quit")).split("\r\n")
    assert [msgspec.json.decode(line.removeprefix(WORD))["type"] for line in told if WORD in line] == [
        "ok",
        "bye",
    ]


async def test_objects_are_refused_to_programs_and_with_an_unsafe_prefix(house: House) -> None:
    ann = await house.connect()
    for word in ("", "short", "x" * 65, "abcdefghijklmno!", "{" * 20, "ä" * 20):
        assert (await ann.say(f"objects {word}")).startswith("? BAD_ARGUMENT ")
        assert (await ann.say("version")).startswith("= ")
    bot = await house.program("Robot")  # a program gets objects anyway
    assert (await bot.ask(f"objects {WORD}"))["code"] == "UNKNOWN_VERB"


async def test_the_end_of_record_mark_comes_before_a_blocks_last_line_end(house: House) -> None:
    mark = b"\xff\xef"
    peer = await house.connect(telnet=True)
    await peer.send(b"\xff\xfd\x19")  # DO EOR
    await peer.take()
    await peer.send("name Ann")
    told = await peer.take()
    assert told.count(mark) == 1
    assert told.endswith(mark + b"\r\n")
    await peer.send("who")
    assert b"\r\n" + mark not in await peer.take()
