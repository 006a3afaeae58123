"""The payloads of subnegotiations, and negotiation according to RFC 1143."""

from collections import deque

from hypothesis import given, strategies as st

from golfnet.protocol.telnet.options import (
    CHARSET_REJECTED,
    CHARSET_REQUEST,
    RECEIVED,
    Charset,
    Cue,
    Gmcp,
    Mtts,
    Negotiator,
    Side,
    answer_charset_request,
    is_emulation,
    parse_abilities,
    parse_charset_answer,
    parse_gmcp,
    parse_terminal_name,
    parse_window_size,
)
from golfnet.protocol.telnet.wire import Command, Negotiation, TelnetParser, negotiation


def test_the_terminal_name_is_read() -> None:
    assert parse_terminal_name(b"\0MTTS 137 ") == "MTTS 137"
    assert parse_terminal_name(b"\0" + b"x" * 40) == "x" * 40
    wrong = (b"", b"\0", b"\0  ", b"\1", b"\1XTERM", b"XTERM", b"\0\x1b[2J", b"\0x\xc3\xa9", b"\0X\n")
    assert [*map(parse_terminal_name, (*wrong, b"\0" + b"x" * 41))] == [None] * 10


def test_terminal_abilities_are_read_as_bits() -> None:
    abilities = {"MTTS 0": 0, "mtts 65": Mtts.SCREEN_READER | 1, "MTTS 999999999": 999_999_999}
    assert {name: parse_abilities(name) for name in abilities} == abilities
    for name in ("XTERM", "MTTS", "MTTS ", "MTTS -1", "MTTS 1x", "MTTS 9999999999", "MTTS ٣"):
        assert parse_abilities(name) is None


def test_terminal_names_that_are_emulations_are_recognized() -> None:
    assert all(map(is_emulation, ("ANSI", "vt100", "VT52", "VTNT")))
    assert not any(map(is_emulation, ("MUDLET", "ANSI-MUD", "XTERM", "VTX", "TINTIN++")))


def test_the_answer_to_our_charset_request_is_read() -> None:
    for answer, is_utf_8 in ((b"\x02UTF-8", True), (b"\x02utf-8", True), (b"\x02LATIN-1", False)):
        assert parse_charset_answer(answer) == Charset(utf_8=is_utf_8)
    assert parse_charset_answer(CHARSET_REJECTED) == Charset(utf_8=False)
    assert parse_charset_answer(CHARSET_REQUEST) is parse_charset_answer(b"") is None


def test_a_peers_charset_request_is_answered() -> None:
    assert answer_charset_request(b"\x01 US-ASCII Utf-8 ISO-8859-1") == b"\x02Utf-8"
    assert answer_charset_request(b"\x01[TTABLE]\x01;UTF-8") == b"\x02UTF-8"
    for without in (b"\x01;ISO-8859-1;US-ASCII", b"\x01;", b"\x01", b"\x01[TTABLE]"):
        assert answer_charset_request(without) == CHARSET_REJECTED
    assert [*map(answer_charset_request, (b"\x02UTF-8", b"\x03", b"\x04table", b""))] == [None] * 4


def test_a_gmcp_object_has_a_name_and_perhaps_json_and_malformed_gmcp_is_ignored() -> None:
    assert parse_gmcp(b"Core.Ping") == Gmcp(package="Core.Ping", json=b"")
    assert parse_gmcp(b'Core.Hello  {"client": "x"} ') == Gmcp(package="Core.Hello", json=b'{"client": "x"}')
    for wrong in (b"", b" {}", b"Core.", b".Core", b"C\xc3\xb6re", b"Core.Hello \xff", b"Core\n{}"):
        assert parse_gmcp(wrong) is None


@given(st.binary(max_size=60))
def test_any_payload_can_be_parsed(payload: bytes) -> None:
    name = parse_terminal_name(payload)
    assert name is None or (name.isascii() and name.isprintable())
    sent = parse_gmcp(payload)
    assert sent is None or payload.startswith(sent.package.encode())
    assert (parse_window_size(payload) is None) == (len(payload) != 4)
    answer = answer_charset_request(payload)
    assert (answer is None) == (not payload.startswith(b"\x01"))
    assert answer is None or answer == CHARSET_REJECTED or parse_charset_answer(answer) == Charset(utf_8=True)


OPTION = 31


def received(negotiator: Negotiator, verb: Command, option: int) -> bytes:
    return negotiator.step(RECEIVED[verb][0], option, RECEIVED[verb][1])


def test_do_is_answered_with_will_or_wont_and_will_with_do_or_dont() -> None:
    us = Negotiator(frozenset({(Side.US, 1), (Side.PEER, 2)}))
    assert received(us, Command.DO, 1) == negotiation(Command.WILL, 1)
    assert received(us, Command.DO, 2) == negotiation(Command.WONT, 2)
    assert received(us, Command.WILL, 2) == negotiation(Command.DO, 2)
    assert received(us, Command.WILL, 1) == negotiation(Command.DONT, 1)
    assert [us.is_on(Side.US, 1), us.is_on(Side.PEER, 2), us.is_on(Side.US, 2)] == [True, True, False]
    assert received(us, Command.DONT, 1) == negotiation(Command.WONT, 1)
    assert us.step(Side.PEER, 2, Cue.WANT_OFF) == negotiation(Command.DONT, 2)
    assert [us.is_on(Side.US, 1), us.is_on(Side.PEER, 2)] == [False, False]


NEGOTIATORS = st.frozensets(st.sampled_from([(side, OPTION) for side in Side])).map(Negotiator)
WANTED_OR_DELIVERED = st.sampled_from([Cue.WANT_ON, Cue.WANT_OFF, None])
STEPS = st.lists(st.tuples(WANTED_OR_DELIVERED, st.integers(0, 1), st.sampled_from(Side)), max_size=30)


@given(NEGOTIATORS, NEGOTIATORS, STEPS)
def test_two_negotiators_settle_and_agree(
    left: Negotiator, right: Negotiator, steps: list[tuple[Cue | None, int, Side]]
) -> None:
    ends, arriving, said = (left, right), (deque[Negotiation](), deque[Negotiation]()), 0
    for cue, end, side in [*steps, *[(None, end, Side.US) for end in (0, 1) * 4 * (len(steps) + 1)]]:
        if cue is not None:
            data = ends[end].step(side, OPTION, cue)
        elif arriving[end]:
            heard = arriving[end].popleft()
            data = received(ends[end], heard.verb, heard.option)
        else:
            continue
        for token in TelnetParser(awake=True).feed(data):
            assert isinstance(token, Negotiation)
            arriving[1 - end].append(token)
            said += 1
    assert not any(arriving), "everything has been answered"
    assert said <= 4 * (len(steps) + 1)
    assert left.is_on(Side.US, OPTION) == right.is_on(Side.PEER, OPTION)
    assert left.is_on(Side.PEER, OPTION) == right.is_on(Side.US, OPTION)
