"""Splitting input into lines, recognizing foreign protocols, and using telnet only on request."""

import sys
from itertools import product

import pytest
from hypothesis import given, strategies as st

from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.lines import LineFault
from golfnet.protocol.telnet.telnet import Signal
from golfnet.server.budget import CHUNK
from golfnet.server.session.decoder import InputDecoder, Item, OtherProtocol
from tests.protocol.chunking import cut, places

ARE_YOU_THERE = b"\xff\xf6"
WILL_NAWS = b"\xff\xfb\x1f"


def heard(*chunks: bytes, telnet: bool = False) -> list[Item]:
    decoder = InputDecoder()
    if telnet:
        decoder.use_telnet().start()
    return [item for chunk in chunks for item in decoder.feed(chunk, 1.0)]


def pieces(data: bytes, size: int) -> list[bytes]:
    return cut(data, range(size, len(data), size))


def test_lines_faults_and_telnet_are_delivered_in_order() -> None:
    assert heard(b"name Ann\r\nlo", b"ok\n\xc3\n") == ["name Ann", "look", LineFault.BAD_ENCODING]
    reply, *items = heard(b"lo" + WILL_NAWS + b"ok\n" + ARE_YOU_THERE)
    assert isinstance(reply, bytes)
    assert reply.startswith(b"\xff")
    assert items == ["look", Signal.ARE_YOU_THERE]


@pytest.mark.parametrize(
    ("first", "what", "answered"),
    [
        (b"\x16\x03\x01\x02\x00", "TLS hello", False),
        (b"GET / HTTP/1.1\r\nHost: here\r\n\r\n", "HTTP request", True),
        (b"CONNECT example.org:25 HTTP/1.0\n", "HTTP request", True),
        (b"\r\nGET / HTTP/1.1\r\n", "HTTP request", True),
        (b"POST /" + b"a" * 5000 + b" HTTP/1.1\r\n", "HTTP request", True),
        (b"GET http://example.org/ HTTP/1.1\r\n", "HTTP request", True),
        (b"OPTIONS * RTSP/1.0\r\n", "HTTP request", True),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP request", True),
        (b"NAME /WebOne HTTP/1.1\r\n", "HTTP request", True),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "SSH", False),
    ],
)
def test_foreign_protocols_are_known_by_their_first_bytes(first: bytes, what: str, *, answered: bool) -> None:
    for size in (1, 7, 1000):
        item = heard(*pieces(first, size))[0]
        assert isinstance(item, OtherProtocol)
        assert item.what == what
        assert item.answer.startswith(b"HTTP/1.1 400 ") is answered


BODY = b"name WebOne\r\nshout bought\r\n"
HEADER = b"Host: golf:7777\r\nUser-Agent: some\r\nContent-Length: %d\r\n\r\n" % len(BODY)


@pytest.mark.parametrize("telnet", [False, True])
@pytest.mark.parametrize("request_line", [b"POST /%b HTTP/1.1", b"FOO %b HTTP/1.1", b"foo %b"])
def test_no_http_body_is_mistaken_for_commands(request_line: bytes, *, telnet: bool) -> None:
    """A hostile web page chooses the length of the request line, and the body, which has the form of commands."""
    for length, size in product((1, 50, 70, 1020, 3000), (1, 13, 1024, 10_000)):
        sent = request_line % (b"a" * length) + b"\r\n" + HEADER + BODY
        items = heard(*pieces(sent, size), telnet=telnet)
        foreign = [isinstance(item, OtherProtocol) for item in items].index(True)
        assert foreign <= 1, "a request line with an unknown method is read as a command"


def test_no_command_is_mistaken_for_an_http_request() -> None:
    """Each line is sent twice, because the second line of a connection might be taken for a header field."""
    for verb, number in product(COMMANDS, ("", "17 ")):
        for word in (verb.lower(), verb.upper(), verb.title()):
            for rest in ("", " /x", " *", " here:7777", " HTTP/1.1", " what is HTTP/1.1", " http://x"):
                line = f"{number}{word}{rest}"
                assert heard(f"{line}\n{line}\n".encode()) == [line, line]
    assert heard(b"GET up / please\n") == ["GET up / please"]


def test_only_the_beginning_of_a_connection_is_inspected() -> None:
    assert heard(b"look\n", b"GET / HTTP/1.1\r\n") == ["look", "GET / HTTP/1.1"]
    assert heard(b"look\nlook\nHost: here\n", b"Host: here\n") == ["look", "look", "Host: here", "Host: here"]
    assert not isinstance(heard(b"\xff\xfb\x1fhost B\nsay Host: me\n")[-1], OtherProtocol)


@pytest.mark.parametrize("erase", [b"\xff\xf8", b"\xff\xf4", b"\xff\xf3"])  # EL, IP, BRK
def test_telnet_erase_and_interrupt_drop_the_line_typed_so_far(erase: bytes) -> None:
    typed = b"dr" + erase + b"take\nlo" + erase + b"say hi\n"
    for size in (1, 1000):
        assert heard(*pieces(typed, size))[-2:] == ["take", "say hi"]


@pytest.mark.parametrize("written", [b'"draw"', b"draw"])
def test_a_gmcp_command_is_a_line_separate_from_the_one_being_typed(written: bytes) -> None:
    typed = b"lo\xff\xfd\xc9" + b"\xff\xfa\xc9Golf.Command " + written + b"\xff\xf0" + b"ok\n"
    for size in (1, 1000):
        assert [item for item in heard(*pieces(typed, size)) if isinstance(item, str)] == ["draw", "look"]


@pytest.mark.parametrize(
    "filler",
    [
        *(b"\xff\xf1", b"\xff\xf9", b"x\xff\xf7", b"\xff\xff", b"\xff\xf2x\xff\xf7"),
        *(b"x\b", b"\xc3\xa9\x7f", b"\b", b"\0", b"\r\n", b" "),
    ],
)
def test_a_chunk_without_commands_is_decoded_in_few_function_calls(filler: bytes) -> None:
    decoder, calls = InputDecoder(), 0

    def count(frame: object, event: str, arg: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    decoder.feed(b"look\nlook\n" + WILL_NAWS + 9 * filler, 1.0)  # compiles patterns when they are first used
    chunk = filler * (CHUNK // len(filler))
    sys.setprofile(count)
    try:
        decoder.feed(chunk, 1.0)
    finally:
        sys.setprofile(None)
    assert calls < 100


TYPED = st.tuples(
    st.sampled_from(["Übel", "小明", "❤️", "draw"]), st.sampled_from(["\n", "\r", "\r\n", "\r\0"])
)


@pytest.mark.parametrize("answer", [b"", b"\xff\xfb\0", b"\xff\xfc\0"])  # WILL and WONT BINARY
@given(st.lists(TYPED), places())
def test_every_kind_of_line_end_is_read_whatever_was_negotiated(
    answer: bytes, lines: list[tuple[str, str]], cuts: list[int]
) -> None:
    typed = "".join([line + end for line, end in lines]).encode()
    read = [item for item in heard(answer, *cut(typed, cuts)) if not isinstance(item, bytes)]
    assert read == [line for line, _ in lines]


@given(st.binary(max_size=80), places())
def test_the_same_lines_are_read_however_the_input_is_divided(data: bytes, places: list[int]) -> None:
    whole, divided = heard(b"look\n", data), heard(b"look\n", *cut(data, places))
    assert [item for item in divided if not isinstance(item, bytes)] == [
        item for item in whole if not isinstance(item, bytes)
    ]
