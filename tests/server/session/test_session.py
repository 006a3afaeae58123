"""The conversation with one peer: modes, ids, order, limits, what is plain, and how it ends."""

import random

import msgspec
import pytest
import trio

from golfnet.protocol.lines import LINE_LIMIT
from golfnet.protocol.replies.schema import schema
from tests.protocol.fitting import misfit_of_line
from tests.server.house import Peer, Program, open_house, play_at_random

EVERY_RULE_SET = (
    ("four-turn", 3),
    ("cactus target=12", 3),
    ("six-card holes=2 final_turn=on", 3),
    ("six-card-final holes=2 jokers=2", 3),
    ("four-card-knock holes=3 recall=always", 3),
    ("multiples holes=2 reveal=on", 2),
    ("cactus target=12 slam=order", 3),
    ("cactus target=12 slam=lot", 3),
)
SCHEMA = schema()
NAMES = ("Ann", "Bob", "Cid")


def kinds(objects: list[dict[str, object]]) -> list[object]:
    return [thing["type"] for thing in objects]


async def raw(peer: Peer, line: str | bytes) -> list[dict[str, object]]:
    """Send a line and return the objects that came of it."""
    return [msgspec.json.decode(text) for text in (await peer.say(line)).splitlines()]


# --- machine mode


async def test_hello_is_answered_by_welcome_then_ok(autojump_clock: object) -> None:
    async with open_house(commands_per_second=10) as house:
        peer = await house.connect()
        welcome, ok = await raw(peer, "1 hello 1 client=test/1.0")
    assert (welcome["type"], welcome["protocol"]) == ("welcome", 1)
    assert str(welcome["server"]).startswith("golfnet/")
    assert isinstance(welcome["caps"], list)
    limits = welcome["limits"]
    assert isinstance(limits, dict)
    assert (limits["line"], limits["commands_per_second"]) == (1024, 10)
    assert ok == {"type": "ok", "id": 1}


async def test_a_program_skips_the_greeting_by_looking_for_a_brace(autojump_clock: object) -> None:
    async with open_house() as house:
        peer = await house.connect()
        greeting = (await peer.take()).decode()
    assert 1 <= greeting.count("\r\n") <= 3
    assert not any(line.startswith("{") for line in greeting.splitlines())


async def test_another_protocol_is_refused_by_an_object_and_the_mode_stays(autojump_clock: object) -> None:
    async with open_house() as house:
        peer = await house.connect()
        written, text = (await peer.say("4 hello 2 client=new/9")).splitlines()
        refusal = msgspec.json.decode(written)
        assert (refusal["type"], refusal["id"], refusal["code"]) == ("error", 4, "BAD_PROTOCOL")
        assert text.startswith("? BAD_PROTOCOL This server speaks only protocol 1")
        assert (await peer.say("version")).startswith("= ")
        assert msgspec.json.decode((await peer.say("hello 1")).splitlines()[0])["type"] == "welcome"
        (again,) = (await peer.say("hello 2")).splitlines()
        assert msgspec.json.decode(again)["code"] == "BAD_PROTOCOL"


async def test_output_ends_in_lf_alone_in_machine_mode_and_in_crlf_in_text_mode(
    autojump_clock: object,
) -> None:
    async with open_house() as house:
        person = await house.connect()
        text = await person.say("help")
        program = await house.program("Ann")
        await program.take()
        machine = await program.say("help")
    assert text.count("\n") == text.count("\r\n") > 3
    assert "\r" not in machine
    assert machine.endswith("\n")


@pytest.mark.parametrize("number", ["1", "7", "999999999", "0"])
async def test_ids_come_back_as_numbers(autojump_clock: object, number: str) -> None:
    async with open_house() as house:
        program = await house.program("Ann")
        assert await raw(program, f"{number} ping k") == [
            {"type": "ok", "id": int(number), "key": "k", "note": "pong k"}
        ]
        [error] = await raw(program, f"{number} nonsense")
        assert (error["type"], error["code"], error["id"]) == ("error", "UNKNOWN_VERB", int(number))


@pytest.mark.parametrize("line", ["007 ping k", "1234567890 ping k", "-1 ping", "1"])
async def test_what_is_no_id_is_a_verb_that_nobody_knows(autojump_clock: object, line: str) -> None:
    async with open_house() as house:
        program = await house.program("Ann")
        [error] = await raw(program, line)
    assert (error["type"], error["code"]) == ("error", "UNKNOWN_VERB")
    assert "id" not in error


async def test_every_command_has_exactly_one_answer_in_order(autojump_clock: object) -> None:
    """Whatever is sent, in one piece or byte by byte: one ok or error each, none for ``pong``."""
    lines = (
        *(
            "1 ping a",
            "2 nonsense",
            "3 who",
            "4 tables",
            "5 draw",
            "6 create four-turn seats=2",
            "7 variants",
        ),
        *("8 rules cactus", "9 help", "10 help slam", "11 set", "12 set width 100", "13 set nothing 1"),
        *("pong x", "14 pong y", "pong", "15 version", "16 say hello", "17 shout hello", "18 tell Ann hello"),
        *(
            "19 ready",
            "20 start",
            "21 look",
            "22 cut seven",
            "23 history",
            "24 top",
            "25 stats",
            "26 record m9",
        ),
        *("27 mute Bob", "28 noplay Bob", "29 mute", "30 leave", "31 unseek", "32 watch t99", "33 unwatch"),
        *("34 join t99", "35 rematch", "36 kick B", "37 host Z", "38 bot easy", "39 log", "40 telnet off"),
        *(
            "41 name Ann",
            "42 resume nothing",
            "43 d",
            "44 hand",
            "45 hello 1",
            "46 seek multiples",
            "47 unseek",
        ),
    )
    expected = [int(line.split()[0]) for line in lines if "pong" not in line]
    for piece in (1, 7, 100_000):
        async with open_house() as house:
            program = await house.program("Ann")
            await program.poll()
            stream = "".join(line + "\r\n" for line in lines).encode()
            for at in range(0, len(stream), piece):
                await program.send(stream[at : at + piece])
            answers = [thing for thing in await program.poll() if thing["type"] in ("ok", "error")]
            assert [answer.get("id") for answer in answers] == expected


async def test_short_forms_and_prefixes_are_for_people(autojump_clock: object) -> None:
    async with open_house() as house:
        program = await house.program("Ann")
        for line in ("vers", "d", "l"):
            assert (await program.ask(line))["code"] == "UNKNOWN_VERB"
        person = await house.person("Bob")
        assert (await person.say("vers")).startswith("= golfnet")


async def test_a_line_too_long_and_a_line_that_is_no_text_have_no_id(autojump_clock: object) -> None:
    async with open_house() as house:
        program = await house.program("Ann")
        [error] = await raw(program, b"5 say " + b"x" * LINE_LIMIT + b"\n")
        assert (error["code"], "id" in error) == ("LINE_TOO_LONG", False)
        [error] = await raw(program, b"5 say \xff\xfe\n".replace(b"\xff", b"\xc3"))
        assert (error["code"], "id" in error) == ("BAD_ENCODING", False)
        assert (await program.ask("6 ping"))["type"] == "ok"


async def test_1024_bytes_are_allowed_without_the_line_end_and_after_backspaces(
    autojump_clock: object,
) -> None:
    async with open_house() as house:
        program = await house.program("Ann")
        most = b"ping " + b"k" * (LINE_LIMIT - 5)
        assert (await raw(program, most + b"\r\n"))[0]["type"] == "ok"
        assert (await raw(program, most + b"k\n"))[0]["code"] == "LINE_TOO_LONG"
        assert (await raw(program, most + b"kk\x08\x7f\n"))[0]["type"] == "ok"


async def test_each_line_end_counts_once(autojump_clock: object) -> None:
    async with open_house() as house:
        program = await house.program("Ann")
        objects = await raw(program, b"ping 1\nping 2\r\nping 3\r\0ping 4\rping 5\n\n\r\n\0\0\n")
    assert [thing["key"] for thing in objects] == ["1", "2", "3", "4", "5"]


async def test_rates_are_counted_over_any_one_second_and_pong_is_free(autojump_clock: object) -> None:
    async with open_house(commands_per_second=10) as house:
        program = await house.program("Ann")
        await trio.sleep(2)
        await raw(program, b"ping\n" * 5)
        await trio.sleep(0.6)
        objects = await raw(program, b"ping\n" * 5 + b"pong 1\n" * 50 + b"9 pong 1\n" * 20 + b"7 ping\n")
        assert kinds(objects) == ["ok"] * 5 + ["error"]
        error = objects[-1]
        assert (error["code"], error["id"], error["retry"]) == ("RATE_LIMITED", 7, True)
        assert error["wait_ms"] == pytest.approx(400, abs=2)
        await trio.sleep(float(str(error["wait_ms"])) / 1000)
        assert kinds(await raw(program, b"ping\n" * 6)) == ["ok"] * 5 + ["error"]


async def test_quit_is_answered_then_said_goodbye_to(autojump_clock: object) -> None:
    async with open_house() as house:
        program = await house.program("Ann")
        ok, bye = await raw(program, "3 quit")
        assert ok == {"type": "ok", "id": 3}
        assert (bye["type"], bye["code"]) == ("bye", "QUIT")
        assert bye["message"]
        assert program.is_closed


@pytest.mark.parametrize("line", ["variants", "help", "rules cactus", "rules multiples"])
async def test_long_lists_come_in_parts_under_16_kib(autojump_clock: object, line: str) -> None:
    async with open_house() as house:
        program = await house.program("Ann")
        written = (await program.say(f"4 {line}")).encode().splitlines(keepends=True)
    assert all(len(one) <= 16 * 1024 for one in written)
    *parts, ok = [msgspec.json.decode(one) for one in written]
    assert ok == {"type": "ok", "id": 4}
    assert {(part["type"], part["id"], part["kind"]) for part in parts} == {("rows", 4, line.split()[0])}
    assert [part["more"] for part in parts] == [True] * (len(parts) - 1) + [False]


async def test_what_many_tables_make_long_is_cut_into_parts(autojump_clock: object) -> None:
    async with open_house() as house:
        for number in range(90):
            program = await house.program(f"Player{number}")
            await program.done(f'create six-card name="{"long name " * 4}"')
        written = (await program.say("4 tables")).encode().splitlines(keepends=True)
        *parts, _ = [msgspec.json.decode(one) for one in written]
    assert max(map(len, written)) <= 16 * 1024
    assert len(parts) > 1
    assert [row["table"] for part in parts for row in part["rows"]] == [f"t{n}" for n in range(1, 91)]


# --- views, events, prompts


@pytest.mark.parametrize("command", ["create four-turn seats=3", "seek four-turn"])
async def test_opening_a_table_answers_with_a_view_then_ok(autojump_clock: object, command: str) -> None:
    async with open_house() as house:
        program = await house.program("Ann")
        objects = await raw(program, f"8 {command}")
    assert [thing["event"] for thing in objects if thing["type"] == "event"] == [
        *("opened", "seated", "committed")
    ]
    answer = [thing for thing in objects if thing["type"] != "event"]
    assert kinds(answer) == ["view", "prompt", "ok"]
    assert answer[0]["commitment"]
    assert (answer[-1]["id"], answer[-1]["table"], answer[-1]["seq"]) == (8, "t1", 3)


@pytest.mark.parametrize("command", ["join t1", "watch t1", "look t1"])
async def test_joining_watching_and_looking_answer_with_a_view_then_ok(
    autojump_clock: object, command: str
) -> None:
    async with open_house() as house:
        host = await house.program("Ann")
        await host.done("create four-turn seats=3")
        other = await house.program("Bob")
        if command.startswith("look"):
            await other.done("watch t1")
        objects = await raw(other, f"8 {command}")
        view = objects[0]
        assert view["type"] == "view"
        assert view["you"] == ("B" if command.startswith("join") else None)
        after = objects[objects.index(view) + 1 :]
        assert set(kinds(after)) <= {"prompt", "ok"}
        assert after[-1]["seq"] == view["seq"]


async def test_events_come_before_the_ok_that_names_the_last_of_them(autojump_clock: object) -> None:
    async with open_house() as house:
        first, _ = await house.table("four-turn seats=2", "Ann", "Bob")
        await first.ask("peek 3 4")
        objects = await raw(first, "5 look")
        assert objects[-1]["seq"] == objects[0]["seq"] == first.events()[-1]["seq"]


class Follower:
    """Holds a viewer's events to the contract: no gap from its first view on."""

    def __init__(self) -> None:
        self.seq: int | None = None
        self.said: dict[int, str] = {}

    def take(self, objects: list[dict[str, object]]) -> None:
        for thing in objects:
            if thing["type"] == "view":
                assert isinstance(thing["seq"], int)
                assert self.seq is None or thing["seq"] >= self.seq
                self.seq = thing["seq"]
            elif thing["type"] == "event" and self.seq is not None:
                assert isinstance(thing["seq"], int)
                assert thing["seq"] == self.seq + 1
                self.seq = thing["seq"]
                self.said[self.seq] = str(thing["event"])
            elif thing["type"] == "ok" and "seq" in thing and self.seq is not None:
                assert thing["seq"] == self.seq


@pytest.mark.parametrize(("create", "seats"), EVERY_RULE_SET)
async def test_a_program_that_plays_what_it_is_offered_never_gets_an_error(
    autojump_clock: object, create: str, seats: int
) -> None:
    """Also: all viewers hear the same numbers, none with a gap; oks name the last event; all fits the schema."""
    async with open_house(seed=len(create)) as house:
        programs = await house.table(create, *NAMES[:seats])
        watcher = await house.program("Eve")
        await watcher.done("watch t1")
        await play_at_random(programs, random.Random(len(create)))
        await watcher.poll()
        followers = []
        for program in (*programs, watcher):
            assert not [misfit for thing in program.objects if (misfit := misfit_of_line(thing, SCHEMA))]
            assert not [thing for thing in program.objects if thing["type"] == "error"]
            follower = Follower()
            follower.take(program.objects)
            followers.append(follower)
        for follower in followers:
            assert all(followers[0].said[seq] == name for seq, name in follower.said.items())
        assert not house.lobby.is_paused


@pytest.mark.parametrize(("create", "seats"), EVERY_RULE_SET)
async def test_the_last_prompt_says_what_a_fresh_view_says(
    autojump_clock: object, create: str, seats: int
) -> None:
    """A prompt whenever what a seat may do has changed: so the last one is always right."""
    chance = random.Random(7)
    async with open_house(seed=3) as house:
        programs = await house.table(create, *NAMES[:seats])
        for _ in range(120):
            for program in programs:
                await program.poll()
            for program in programs:
                prompt = program.last("prompt")
                await program.done("look")
                view = program.last("view")
                assert (prompt["actions"], prompt["targets"]) == (view["actions"], view["targets"])
            if view["state"] == "finished":
                break
            await one_choice(programs, chance)


async def one_choice(programs: list[Program], chance: random.Random) -> None:
    """Let one of the programs do one thing that it is offered, or let a second pass."""
    ready = [program for program in programs if program.last("prompt")["actions"]]
    if not ready:
        await trio.sleep(1)
        return
    program = chance.choice(ready)
    lines = [line for line in program.last("prompt")["actions"] if line not in ("slam", "switch")]
    if lines:
        await program.done(chance.choice(lines))
    else:
        await trio.sleep(4)


@pytest.mark.parametrize("create", ["four-turn", "six-card", "cactus", "multiples"])
async def test_what_is_not_offered_is_refused(autojump_clock: object, create: str) -> None:
    """The actions are exact: every other play command of the same shapes is refused, and changes nothing."""
    lines = (
        *("draw", "take", "knock", "discard", "pass", "decline"),
        *(f"{verb} {slot}" for verb in ("take", "swap", "flip", "peek", "give") for slot in range(1, 8)),
        *(f"peek {a} {b}" for a in range(1, 7) for b in range(1, 7)),
        *(f"flip {a} {b}" for a in range(1, 7) for b in range(1, 7)),
        *(f"peek {seat}{slot}" for seat in "AB" for slot in range(1, 5)),
    )
    chance = random.Random(11)
    async with open_house(seed=5) as house:
        programs = await house.table(create, "Ann", "Bob")
        for _ in range(25):
            for program in programs:
                await program.poll()
            for program in programs:
                offered = program.last("prompt")["actions"]
                if "slam" in offered:
                    continue
                await program.done("look")
                seq = program.last("view")["seq"]
                for line in lines:
                    if not is_offered(line, offered, program.last("view")["you"]):
                        assert (await program.ask(line))["type"] == "error", (line, offered)
                await program.done("look")
                assert program.last("view")["seq"] == seq
            await one_choice(programs, chance)


def is_offered(line: str, offered: list[str], you: str) -> bool:
    """Tell whether a line is one of the actions, in any of the ways to write its positions."""
    verb, *words = line.split()
    plain = [word.removeprefix(you) for word in words]
    return any(
        verb == other.split()[0]
        and sorted(plain) == sorted(word.removeprefix(you) for word in other.split()[1:])
        for other in offered
    )


async def test_at_names_the_event_after_which_a_command_is_stale(autojump_clock: object) -> None:
    async with open_house() as house:
        first, second = await house.table("six-card seats=2", "Ann", "Bob")
        await first.done("flip 1 2")
        await second.done("flip 1 2")
        await second.poll()
        seq = second.events()[-1]["seq"]
        player = second if second.last("prompt")["actions"] else first
        await first.poll()
        await first.done("look")
        before = await player.done(f"draw at={seq}")
        error = await player.ask(f"discard at={seq}")
        assert error["code"] == "STALE"
        await player.done(f"discard at={before['seq']}")


async def test_events_of_the_table_make_no_command_stale(autojump_clock: object) -> None:
    async with open_house() as house:
        first, second = await house.table("six-card seats=2", "Ann", "Bob")
        await first.done("flip 1 2")
        await second.done("flip 1 2")
        await second.poll()
        seq = second.events()[-1]["seq"]
        watcher = await house.program("Eve")
        await watcher.done("watch t1")
        await first.drop()
        assert (await second.done(f"draw at={seq}"))["seq"] > seq + 2


# --- plain text stays plain


@pytest.mark.parametrize("style", ["art", "plain", "speech"])
async def test_the_plain_port_has_no_byte_that_is_not_text(autojump_clock: object, style: str) -> None:
    async with open_house(seed=2) as house:
        person = await house.person("Ann")
        said = [(await person.say(f"set style {style}")).encode()]
        program = await house.program("Bob")
        await program.done("create six-card seats=2 holes=1 pause=0")
        lists = ("help", "help six-card", "variants", "join t1", "tables", "who", "rules", "log", "hand")
        said += [(await person.say(line)).encode() for line in lists]
        chance = random.Random(1)
        await program.done("ready")
        said.append((await person.say("ready")).encode())
        for _ in range(60):
            await program.poll()
            if offered := program.last("prompt")["actions"]:
                await program.done(chance.choice(offered))
            lines = ("flip 1 2", "draw", "discard", "pass", "look", "top", "turn", "score", "last", "again")
            said += [(await person.say(line)).encode() for line in lines]
    everything = b"".join(said)
    assert not set(everything) & ({*range(32), 127, 255} - {10, 13})
    assert everything.count(b"\n") == everything.count(b"\r\n") == everything.count(b"\r")
    everything.decode()
    assert len(everything) > 20_000


# --- other protocols


@pytest.mark.parametrize(
    "request_line", [b"GET / HTTP/1.1", b"POST /" + b"a" * 2000 + b" HTTP/1.1"], ids=["short", "long"]
)
async def test_an_http_request_is_answered_in_kind(request_line: bytes, autojump_clock: object) -> None:
    """And what it brings along is not carried out."""
    request = request_line + b"\r\nHost: localhost\r\n\r\nname WebOne\nshout bought\n"
    for piece in (1, len(request)):
        async with open_house() as house:
            peer = await house.connect()
            await peer.take()
            for at in range(0, len(request), piece):
                await peer.send(request[at : at + piece])
            answer = await peer.take()
            assert answer.startswith(b"HTTP/1.1 400 ")
            assert answer.count(b"HTTP/1.1") == 1
            assert b"WebOne" not in answer
            assert peer.is_closed
            assert not house.lobby.sessions


async def test_a_tls_hello_is_closed_without_a_word(autojump_clock: object) -> None:
    async with open_house() as house:
        peer = await house.connect()
        await peer.take()
        await peer.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(128, 200)))
        assert await peer.take() == b""
        assert peer.is_closed


async def test_a_name_that_begins_like_http_is_a_command(autojump_clock: object) -> None:
    async with open_house() as house:
        peer = await house.connect()
        assert "UNKNOWN_VERB" in await peer.say("GET up / please")
        assert not peer.is_closed


# --- telnet


@pytest.mark.usefixtures("quick_passwords")
async def test_a_password_is_asked_for_unseen_under_telnet(autojump_clock: object) -> None:
    async with open_house() as house:
        peer = await house.connect(telnet=True)
        assert b"\xff\xfd\x1f" in await peer.take()  # IAC DO NAWS
        await peer.send(b"\xff\xfb\x1fname Ann\r\n")
        await peer.take()
        await peer.send(b"register\r\n")
        asked = await peer.take()
        assert b"\xff\xfb\x01" in asked  # IAC WILL ECHO
        assert b"password" in asked
        await peer.send(b"\xff\xfd\x01seven hearts\r\n")
        again = await peer.take()
        assert b"again" in again
        assert b"\xff" not in again  # it stays hidden between the two questions
        await peer.send(b"seven hearts\r\n")
        answered = await peer.take()
        assert b"\xff\xfc\x01" in answered  # IAC WONT ECHO
        assert b"Your name Ann is registered" in answered
        assert b"seven hearts" not in asked + again + answered


@pytest.mark.usefixtures("quick_passwords")
@pytest.mark.parametrize("answers", [[b"short"], [b"seven hearts", b"seven spades"]])
async def test_what_is_typed_is_shown_again_after_a_refused_password(
    autojump_clock: object, answers: list[bytes]
) -> None:
    async with open_house() as house:
        peer = await house.connect(telnet=True)
        await peer.send(b"name Ann\r\nregister\r\n")
        await peer.take()
        await peer.send(b"\xff\xfd\x01")  # IAC DO ECHO
        for answer in answers:
            await peer.send(answer + b"\r\n")
        refused = await peer.take()
        assert b"BAD_ARGUMENT" in refused
        assert b"\xff\xfc\x01" in refused  # IAC WONT ECHO


async def test_are_you_there_and_timing_mark_are_answered(autojump_clock: object) -> None:
    async with open_house() as house:
        peer = await house.connect()
        await peer.take()
        await peer.send(b"\xff\xf6")
        assert b"golfnet is here" in await peer.take()
        await peer.send(b"\xff\xfd\x06")
        assert b"\xff\xfb\x06" in await peer.take()


# --- the end of input


async def test_what_was_sent_before_the_end_of_input_is_answered(autojump_clock: object) -> None:
    async with open_house() as house:
        peer = await house.connect()
        await peer.take()
        await peer.send(b"name Ann\ncreate four-turn seats=2\nversion")
        await peer.stream.send_eof()  # type: ignore[attr-defined]
        written = (await peer.take()).decode()
        assert "golfnet 0" in written
        assert peer.is_closed
        ann = house.lobby.accounts.find("Ann")
        assert ann is not None
        assert ann.session is None
        assert ann.table is not None


async def test_the_end_of_input_drops_a_seat_and_does_not_leave_it(autojump_clock: object) -> None:
    async with open_house() as house:
        first, second = await house.table("four-turn seats=2", "Ann", "Bob")
        await first.stream.send_eof()  # type: ignore[attr-defined]
        await second.poll()
    assert [event["cause"] for event in second.events("dropped")] == ["lost"]
    assert not second.events("left")
