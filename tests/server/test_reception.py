"""The receiving side of a connection: what is none of ours is told from golf, and nobody pays for telnet unasked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.protocol.lines import LineFault
from golfnet.protocol.telnet import Signal
from golfnet.server.reception import Foreign, Heard, Owed, Reception

ARE_YOU_THERE = b"\xff\xf6"
WILL_NAWS = b"\xff\xfb\x1f"


def heard(*chunks: bytes) -> list[Heard]:
    reception = Reception()
    return [item for chunk in chunks for item in reception.hear(chunk, 1.0)]


def test_lines_come_in_order_with_their_faults() -> None:
    assert heard(b"name Ann\r\nlo", b"ok\n\xc3\n") == ["name Ann", "look", LineFault.BAD_ENCODING]


def test_a_peer_that_speaks_no_telnet_costs_none() -> None:
    reception = Reception()
    reception.hear(b"name Ann\n", 1.0)
    assert reception.telnet is None
    reception.hear(WILL_NAWS, 1.0)
    assert reception.telnet is not None


def test_telnet_is_taken_out_of_the_text_and_answered_first() -> None:
    owed, *items = heard(b"lo" + WILL_NAWS + b"ok\n" + ARE_YOU_THERE)
    assert isinstance(owed, Owed)
    assert owed.answer.startswith(b"\xff")
    assert items == ["look", Signal.ARE_YOU_THERE]


@pytest.mark.parametrize(
    ("first", "what", "answered"),
    [
        (b"\x16\x03\x01\x02\x00", "TLS hello", False),
        (b"GET / HTTP/1.1\r\nHost: here\r\n\r\n", "HTTP request", True),
        (b"CONNECT example.org:25 HTTP/1.0\n", "HTTP request", True),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_other_protocols_are_told_by_their_first_bytes(
    first: bytes, what: str, size: int, *, answered: bool
) -> None:
    reception = Reception()
    for start in range(0, len(first), size):
        for item in reception.hear(first[start : start + size], 1.0):
            assert isinstance(item, Foreign)
            assert item.what == what
            assert item.answer.startswith(b"HTTP/1.1 400 ") is answered
            return
    pytest.fail("was taken for golf")


def test_only_the_beginning_of_a_connection_is_looked_at() -> None:
    assert heard(b"look\n", b"GET / HTTP/1.1\r\n") == ["look", "GET / HTTP/1.1"]


@pytest.mark.parametrize("erase", [b"\xff\xf8", b"\xff\xf4", b"\xff\xf3"])  # EL, IP, BRK
@pytest.mark.parametrize("size", [1, 1000])
def test_what_was_typed_before_a_line_was_erased_is_forgotten_however_it_came(
    erase: bytes, size: int
) -> None:
    typed = b"dr" + erase + b"take\nlo" + erase + b"say hi\n"
    assert heard(*(typed[at : at + size] for at in range(0, len(typed), size)))[-2:] == ["take", "say hi"]


@pytest.mark.parametrize("written", [b'"draw"', b"draw"])
@pytest.mark.parametrize("size", [1, 1000])
def test_a_command_in_gmcp_is_a_line_beside_what_is_being_typed(written: bytes, size: int) -> None:
    typed = b"lo\xff\xfd\xc9" + b"\xff\xfa\xc9Golf.Command " + written + b"\xff\xf0" + b"ok\n"
    lines = [
        item
        for item in heard(*(typed[at : at + size] for at in range(0, len(typed), size)))
        if isinstance(item, str)
    ]
    assert lines == ["draw", "look"]


@given(st.binary(max_size=80), st.lists(st.integers(1, 9)))
def test_chunks_make_no_difference_to_what_is_heard(data: bytes, sizes: list[int]) -> None:
    whole = [item for item in heard(b"look\n", data) if not isinstance(item, Owed)]
    reception, pieces, at = Reception(), [], 0
    reception.hear(b"look\n", 1.0)
    for size in [*sizes, len(data) or 1]:
        pieces += [item for item in reception.hear(data[at : at + size], 1.0) if not isinstance(item, Owed)]
        at += size
    assert ["look", *pieces] == whole
