"""Frames survive being written and read, however they are cut into chunks; anything else is an error."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.protocol import links
from golfnet.protocol.errors import RemoteProtocolError
from golfnet.protocol.lines import LineFault
from golfnet.protocol.links import (
    Caller,
    FrameKind,
    FrameReader,
    Greeting,
    LinkFrame,
    Prover,
    is_proven,
    proof,
)
from tests.protocol.chunking import cut, places


def frames(kind: FrameKind) -> st.SearchStrategy[LinkFrame]:
    payloads = st.binary(min_size=kind.least, max_size=min(kind.most, 80))
    return st.builds(LinkFrame, st.just(kind), payloads)


@given(st.lists(st.sampled_from(FrameKind).flatmap(frames)), places())
def test_any_chunking_gives_the_same_frames(sent: list[LinkFrame], cuts: list[int]) -> None:
    reader = FrameReader()
    data = b"".join([links.encode(*frame) for frame in sent])
    assert [frame for piece in cut(data, cuts) for frame in reader.feed(piece)] == sent


@given(st.binary(max_size=200))
def test_any_bytes_give_frames_or_a_clear_error(data: bytes) -> None:
    with suppress(RemoteProtocolError):
        for frame in FrameReader().feed(data):
            assert links.encode(*frame) in data


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"\0\0\0", "a known kind of frame, not 0"),
        (b"\0\0\xff", "a known kind of frame, not 255"),
        (b"\xff\xffS", "CALLER: 2 to 48 bytes, not 65535"),  # refused before it is read
    ],
)
def test_a_frame_of_an_unknown_kind_or_an_oversized_one_is_an_error(data: bytes, problem: str) -> None:
    with pytest.raises(RemoteProtocolError, match=problem):
        list(FrameReader(limit=48).feed(data))


def test_frames_before_an_error_are_still_delivered() -> None:
    given_ = FrameReader().feed(links.encode(FrameKind.TAKEN) + b"\0\1K")
    assert next(given_).kind is FrameKind.TAKEN
    with pytest.raises(RemoteProtocolError):
        next(given_)


@given(st.binary(max_size=200_000), st.integers(0, 100), st.integers(0, 100))
def test_session_output_arrives_complete_and_only_its_last_frame_has_the_higher_count(
    data: bytes, before: int, more: int
) -> None:
    written = FrameReader().feed(links.encode_bytes(data, before + more, before))
    parts = [links.decode_bytes(frame.payload) for frame in written]
    assert b"".join([part for _, part in parts]) == data
    assert [done for done, _ in parts] == [before] * (len(parts) - 1) + [before + more]


@given(st.text(max_size=200) | st.sampled_from(LineFault), st.floats(0, 4000))
def test_a_line_is_sent_with_its_age(line: str | LineFault, age: float) -> None:
    (frame,) = FrameReader().feed(links.encode_line(line, age))
    read, ago = links.decode_line(frame)
    assert read == line
    assert isinstance(read, LineFault) == isinstance(line, LineFault)
    assert ago == pytest.approx(age, abs=1e-6)


def test_a_malformed_line_frame_is_an_error() -> None:
    for kind, payload in ((FrameKind.LINE, b"\0\0\0\0\xff"), (FrameKind.FAULT, b"\0\0\0\0x")):
        with pytest.raises(RemoteProtocolError):
            links.decode_line(LinkFrame(kind, payload))


def test_another_version_of_the_link_protocol_is_refused() -> None:
    hello = Greeting(7, 8, bytes(16))
    payload = links.encode_hello(hello)[3:]
    assert links.decode_hello(payload) == hello
    with pytest.raises(
        RemoteProtocolError, match="version 3 of links, not 1: nodes with different versions cannot"
    ):
        links.decode_hello(b"\0\1" + bytes(24))  # the first version
    with pytest.raises(RemoteProtocolError, match="version 3 of links, not 4"):
        links.decode_hello(b"\0\4" + payload[2:])


def test_a_proof_is_valid_only_for_its_side_secret_and_nonces() -> None:
    mine, yours = b"m" * 16, b"y" * 16
    given_ = proof("secret", Prover.FRONT, mine, yours)
    assert is_proven(given_, "secret", Prover.FRONT, mine, yours)
    assert not is_proven(given_, "secret", Prover.OWNER, mine, yours)
    assert not is_proven(given_, "secret", Prover.FRONT, yours, mine)
    assert not is_proven(given_, "other", Prover.FRONT, mine, yours)


def test_a_caller_from_a_newer_version_is_understood() -> None:
    assert Caller.decode(b'{"machine_gun":1,"player":"p1","settings":{"tint":2}}') == Caller(player="p1")


@pytest.mark.parametrize("data", [b"", b"[]", b'{"watched":[1]}', b"\xff", b"[" * 100_000])
def test_a_malformed_caller_is_an_error(data: bytes) -> None:
    with pytest.raises(RemoteProtocolError):
        Caller.decode(data)
