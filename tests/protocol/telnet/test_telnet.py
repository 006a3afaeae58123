"""The server's telnet: what is requested, agreed, refused and answered, and what a plain peer never sees."""

import tracemalloc
from itertools import product

import pytest
from hypothesis import given, strategies as st

from golfnet.protocol.telnet.options import Charset, Gmcp, Mtts, WindowSize
from golfnet.protocol.telnet.telnet import (
    OPTION_LIMIT,
    OPTION_SECONDS,
    Signal,
    TelnetEvent,
    TelnetPeer,
    TelnetRequest,
    TimingAnswer,
)
from golfnet.protocol.telnet.wire import (
    Command,
    Negotiation,
    Subnegotiation,
    TelnetOption,
    TelnetParser,
    Token,
    command,
    negotiation,
    subnegotiation,
)
from tests.protocol.chunking import cut, places, single_bytes, streams

DM, GA = 242, 249
SGA, LINEMODE, NEW_ENVIRON, MCCP2 = 3, 34, 39, 86
WILL, WONT, DO, DONT = Command.WILL, Command.WONT, Command.DO, Command.DONT

PIECES = (
    *(negotiation(*each) for each in product((WILL, WONT, DO, DONT), (0, 1, 3, 6, 24, 25, 31, 42, 70, 201))),
    *map(command, (Command.AYT, Command.IP, Command.EC, Command.EL, Command.NOP, GA, DM)),
    *(subnegotiation(24, b"\0XTERM"), subnegotiation(24, b"\0MTTS 5"), subnegotiation(31, b"\0\xff\0\xff")),
    *(subnegotiation(42, b"\1;UTF-8"), subnegotiation(42, b"\2UTF-8"), subnegotiation(201, b"Core.Hello {}")),
    *(b"\xff\xfb", b"\xff\xf6", b"\xff\xf7", b"\xff\xf8", b"\xffA", b"\xfa", b"\xf0", b"\x18\x00X", b"\0"),
    *(b"\xff", b"\xff\xff", b"\xff\xfa", b"\xff\xf0", b"\xff\xfe", b"\xff\xfa\x18\x00X\xff\xf0"),
    *(b"draw\r\n", b"dr\xc3\xa9\bew\r\0", b"\n", b"x" * 300),
)


def talk(peer: TelnetPeer, *chunks: bytes) -> tuple[list[bytes | TelnetEvent], bytes]:
    """Return the items read from the chunks, with adjacent runs of data joined, and the reply."""
    items: list[bytes | TelnetEvent] = []
    reply = b""
    for chunk in chunks:
        found, answer = peer.receive(chunk, now=0.0)
        reply += answer
        for item in found:
            last = items[-1] if items else None
            if isinstance(item, bytes) and isinstance(last, bytes):
                items[-1] = last + item
            else:
                items.append(item)
    return items, reply


def events(peer: TelnetPeer, *chunks: bytes) -> list[bytes | TelnetEvent]:
    return talk(peer, *chunks)[0]


def replies(peer: TelnetPeer, data: bytes) -> bytes:
    return talk(peer, data)[1]


def tokens(data: bytes) -> list[Token]:
    return TelnetParser(awake=True).feed(data)


def started(*agreed: bytes) -> TelnetPeer:
    """Return a peer that has sent its opening and received these answers."""
    peer = TelnetPeer()
    peer.start()
    for answer in agreed:
        peer.receive(answer, now=-1000.0)
    return peer


def test_the_opening_offers_and_asks_for_the_expected_options() -> None:
    wanted = [(DO, "TTYPE"), (DO, "NAWS"), (DO, "BINARY")]
    offered = [(WILL, "CHARSET"), (WILL, "EOR"), (WILL, "MSSP"), (WILL, "GMCP")]
    expected = [negotiation(verb, TelnetOption[name]) for verb, name in (*wanted, *offered)]
    assert TelnetPeer().start() == b"".join(expected)


def test_a_plain_peer_gets_no_telnet_bytes() -> None:
    peer = TelnetPeer()
    assert talk(peer, b"draw\r\n", b"say \xff\n", b"\xff\xfe\n") == ([b"draw\r\nsay \xff\n\xff\xfe\n"], b"")
    unasked = [peer.request(what, now=0.0) for what in TelnetRequest if what is not TelnetRequest.START]
    unasked += [peer.mark_end_of_record(), peer.gmcp("Golf.Event", b"{}"), peer.mssp({"NAME": "golfnet"})]
    assert b"".join(unasked) == b""
    assert not peer.started
    assert peer.encode(b"\xff") == b"\xff"


def test_a_peer_that_starts_negotiating_gets_the_opening_once() -> None:
    peer = TelnetPeer()
    assert replies(peer, negotiation(WILL, TelnetOption.NAWS)) == TelnetPeer().start()
    assert peer.started
    assert peer.start() == b""
    assert replies(peer, negotiation(DO, SGA)) == negotiation(WONT, SGA)
    assert peer.encode(b"\xff") == b"\xff\xff"


REFUSED = (TelnetOption.ECHO, SGA, LINEMODE, NEW_ENVIRON)


def test_some_options_are_always_refused() -> None:
    for option in (*REFUSED, MCCP2, 23, 32, 93, 200, 255):
        peer = started()
        assert replies(peer, negotiation(DO, option)) == negotiation(WONT, option)
        assert replies(peer, negotiation(WILL, option)) == negotiation(DONT, option)


@given(streams(PIECES))
def test_no_input_leads_to_a_request_for_a_refused_option_or_a_much_longer_answer(data: bytes) -> None:
    peer = TelnetPeer()
    opening, (_, reply) = peer.start(), peer.receive(data, now=0.0)
    assert len(reply) <= 6 * len(data)
    for token in tokens(opening + reply):
        if isinstance(token, Negotiation) and token.verb in (WILL, DO):
            assert token.option not in REFUSED
        assert token != Negotiation(verb=WILL, option=TelnetOption.BINARY)


def test_input_is_hidden_only_while_a_password_is_typed() -> None:
    peer = started()
    assert peer.request(TelnetRequest.HIDE_INPUT, now=0.0) == negotiation(WILL, TelnetOption.ECHO)
    assert peer.request(TelnetRequest.HIDE_INPUT, now=0.0) == b""
    assert replies(peer, negotiation(DO, TelnetOption.ECHO)) == b""
    assert peer.request(TelnetRequest.SHOW_INPUT, now=0.0) == negotiation(WONT, TelnetOption.ECHO)
    assert replies(peer, negotiation(DONT, TelnetOption.ECHO)) == b""
    assert peer.request(TelnetRequest.SHOW_INPUT, now=0.0) == b""


def test_commands_are_reported_in_order_among_the_data() -> None:
    said = b"ab\xff\xf7c\xff\xf8de\xff\xf4f\xff\xf3g\xff\xf6\r\n\xff\xf1\xff\xf9\xff\xf5\xff\xf2\xff\xef"
    expected = [b"ab\bc", Signal.ERASE_LINE, b"de", Signal.ERASE_LINE, b"f", Signal.ERASE_LINE]
    assert talk(started(), said) == ([*expected, b"g", Signal.ARE_YOU_THERE, b"\r\n"], b"")


def test_the_window_size_is_reported_when_it_changes() -> None:
    peer = started(negotiation(WILL, TelnetOption.NAWS))
    wide = subnegotiation(TelnetOption.NAWS, b"\x00\xff\x00\x18")
    assert events(peer, wide) == [WindowSize(columns=255, rows=24)]
    assert events(peer, subnegotiation(TelnetOption.NAWS, b"\0\0\0\0")) == [WindowSize(columns=0, rows=0)]
    assert events(peer, subnegotiation(TelnetOption.NAWS, b"\0")) == []


def test_subnegotiations_without_agreement_are_ignored() -> None:
    sizes, names = subnegotiation(31, b"\0\x50\0\x18"), subnegotiation(24, b"\0XTERM")
    charset, gmcp = subnegotiation(42, b"\1;UTF-8"), subnegotiation(201, b"Core.Hello {}")
    assert talk(started(), sizes + names + charset + gmcp) == ([], b"")


@pytest.mark.parametrize(
    ("names", "abilities"),
    [
        ("MUDLET XTERM-256COLOR MTTS_77", [Mtts(77)]),
        ("MTTS_4", [Mtts(4)]),
        ("XTERM XTERM", []),
        ("LINUX UNKNOWN LINUX", []),
        ("A B C", []),
        ("ANSI", []),  # Windows' telnet would switch to the next name
    ],
)
def test_a_terminal_is_asked_for_names_until_they_repeat_or_its_abilities_are_known(
    names: str, abilities: list[Mtts]
) -> None:
    peer = started()
    told = []
    asked = replies(peer, negotiation(WILL, TelnetOption.TTYPE))
    for name in names.split():
        assert tokens(asked) == [Subnegotiation(option=TelnetOption.TTYPE, payload=b"\x01")]
        items, asked = talk(peer, subnegotiation(TelnetOption.TTYPE, b"\0" + name.replace("_", " ").encode()))
        told += items
    assert (told, asked) == (abilities, b"")


def test_a_terminal_can_restart_its_list_of_names() -> None:
    begins, ends = negotiation(WILL, TelnetOption.TTYPE), negotiation(WONT, TelnetOption.TTYPE)
    peer = started(begins, subnegotiation(TelnetOption.TTYPE, b"\0ANSI"), ends)
    question = subnegotiation(TelnetOption.TTYPE, b"\x01")
    assert replies(peer, begins) == negotiation(DO, TelnetOption.TTYPE) + question
    assert replies(peer, subnegotiation(TelnetOption.TTYPE, b"\0XTERM")) == question


def test_either_side_may_request_utf_8_and_if_both_do_the_server_refuses() -> None:
    ours, theirs = (subnegotiation(TelnetOption.CHARSET, asked) for asked in (b"\1;UTF-8", b"\1 UTF-8 ASCII"))
    accepted = subnegotiation(TelnetOption.CHARSET, b"\2UTF-8")
    peer = started()
    assert replies(peer, negotiation(WILL, TelnetOption.CHARSET)) == negotiation(DO, TelnetOption.CHARSET)
    assert replies(peer, theirs) == accepted
    peer = started()
    assert replies(peer, negotiation(DO, TelnetOption.CHARSET)) == ours
    assert replies(peer, theirs) == subnegotiation(TelnetOption.CHARSET, b"\3")
    assert events(peer, accepted) == [Charset(utf_8=True)]
    assert events(peer, accepted) == []  # it was requested only once
    assert replies(peer, theirs) == accepted


def test_marks_statuses_and_objects_are_sent_only_to_peers_who_agreed() -> None:
    peer = started()
    assert replies(peer, negotiation(DO, TelnetOption.EOR)) == b""
    assert peer.mark_end_of_record() == b"\xff\xef"
    assert replies(peer, negotiation(DONT, TelnetOption.EOR)) == negotiation(WONT, TelnetOption.EOR)
    assert peer.mark_end_of_record() == b""
    assert events(peer, negotiation(DO, TelnetOption.GMCP)) == [Signal.AGREED]
    assert peer.gmcp("Golf.Event", b'{"seq":1}') == subnegotiation(TelnetOption.GMCP, b'Golf.Event {"seq":1}')
    said = subnegotiation(TelnetOption.GMCP, b'Core.Hello {"client":"x"}')
    assert events(peer, said) == [Gmcp(package="Core.Hello", json=b'{"client":"x"}')]
    assert events(peer, subnegotiation(TelnetOption.GMCP, b"?")) == []
    assert events(peer, negotiation(DO, TelnetOption.MSSP)) == [Signal.MSSP_WANTED]
    status = {"NAME": "golfnet – ♥", "PORT": "4040"}
    expected = "\1NAME\2golfnet – ♥\1PORT\2" + "4040"
    assert peer.mssp(status) == subnegotiation(TelnetOption.MSSP, expected.encode())
    again = negotiation(DONT, TelnetOption.MSSP) + negotiation(DO, TelnetOption.MSSP)
    assert events(peer, again) == [], "the status is given only once"


def test_a_timing_mark_measures_the_round_trip() -> None:
    asked = negotiation(DO, TelnetOption.TIMING_MARK)
    for verb in (WILL, WONT):
        peer, back = started(), negotiation(verb, TelnetOption.TIMING_MARK)
        assert talk(peer, back) == ([], b"")
        assert peer.request(TelnetRequest.TIMING_MARK, now=100.0) == asked
        assert peer.request(TelnetRequest.TIMING_MARK, now=100.1) == b""
        received = peer.receive(b"who\n" + back + back, now=100.25)
        assert received == ([b"who\n", TimingAnswer(seconds=0.25)], b"")
        assert peer.request(TelnetRequest.TIMING_MARK, now=101.0) == asked


def test_every_timing_mark_from_a_peer_is_answered() -> None:
    # A telnet client that has sent Interrupt shows nothing more until the answer arrives.
    mark = negotiation(DO, TelnetOption.TIMING_MARK)
    peer = started()
    assert replies(peer, command(Command.IP) + mark + mark) == negotiation(WILL, TelnetOption.TIMING_MARK) * 2
    assert replies(peer, negotiation(DONT, TelnetOption.TIMING_MARK)) == b""


def test_after_a_flood_of_option_commands_nothing_more_is_read() -> None:
    peer, word = started(), negotiation(DO, 99)
    for number in range(OPTION_LIMIT):
        assert replies(peer, word) == negotiation(WONT, 99), number
    assert talk(peer, b"draw\n" + word + b"pass\n") == ([b"draw\n", Signal.FLOOD], b"")
    assert not peer.is_plain(b"who\n")
    assert talk(peer, b"who\n" + word) == ([], b"")


def test_option_commands_spread_over_time_are_not_a_flood() -> None:
    peer, word = started(), negotiation(DO, 99)
    for number in range(5 * OPTION_LIMIT):
        now = number * OPTION_SECONDS / OPTION_LIMIT
        assert peer.receive(word, now=now)[1] == negotiation(WONT, 99), number


def test_every_command_that_can_be_answered_counts_towards_a_flood() -> None:
    words = (negotiation(DO, TelnetOption.TIMING_MARK), negotiation(WONT, 99), command(Command.AYT))
    for word in (*words, subnegotiation(TelnetOption.CHARSET, b"\1;X")):
        peer = started(negotiation(DO, TelnetOption.CHARSET))
        assert Signal.FLOOD not in events(peer, word * OPTION_LIMIT)
        assert Signal.FLOOD in events(peer, word)


def test_window_sizes_gmcp_objects_and_answers_to_our_timing_marks_are_not_a_flood() -> None:
    peer = started(negotiation(WILL, TelnetOption.NAWS), negotiation(DO, TelnetOption.GMCP))
    size = subnegotiation(TelnetOption.NAWS, b"\0\x50\0\x18")
    ping = subnegotiation(TelnetOption.GMCP, b"Core.Ping")
    expected = [WindowSize(columns=80, rows=24), Gmcp(package="Core.Ping", json=b""), TimingAnswer(seconds=0)]
    for _ in range(OPTION_LIMIT + 1):
        peer.request(TelnetRequest.TIMING_MARK, now=0.0)
        assert events(peer, size, ping, negotiation(WILL, TelnetOption.TIMING_MARK)) == expected


@given(streams(PIECES), places(), st.booleans())
def test_chunking_makes_no_difference(data: bytes, cuts: list[int], at_once: bool) -> None:
    whole, *others = [
        talk(started() if at_once else TelnetPeer(), *chunks)
        for chunks in ([data], single_bytes(data), cut(data, cuts))
    ]
    assert others == [whole, whole]


def test_buffered_input_is_limited_whatever_is_received() -> None:
    peer = started()
    for verb in (WILL, DO):
        for option in range(256):
            peer.receive(negotiation(verb, option), now=1000.0 * option)
    endless = [b"\xff\xfa" + part * 5000 for part in (b"x", b"\x18\xff\xff", b"\xff\xfa")]
    said = subnegotiation(TelnetOption.GMCP, b"Core.Hello {}") + b"".join(endless)
    tracemalloc.start()
    try:
        for now in range(10):
            peer.receive(said + negotiation(WONT, 24) + negotiation(WILL, 24), now=1000.0 * (300 + now))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 8192
