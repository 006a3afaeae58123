"""Frames survive being written and read, however they are cut into chunks; anything else is an error."""

from contextlib import suppress

import msgspec
import pytest
from hypothesis import given, strategies as st

from golfnet.protocol import links
from golfnet.protocol.errors import RemoteProtocolError
from golfnet.protocol.links import (
    Accepted,
    AnyFrame,
    Caller,
    FrameReader,
    Hello,
    Prover,
    Traveller,
    encode,
    is_proven,
    proof,
)
from golfnet.protocol.telnet.options import Charset, Mtts, WindowSize
from golfnet.protocol.telnet.telnet import TimingAnswer
from tests.engine.strategies import records
from tests.protocol.chunking import cut, places

KINDS = [*links.Frame.__subclasses__(), WindowSize, Charset, TimingAnswer]
FRAMES = st.one_of(
    st.sampled_from(KINDS).flatmap(records),
    st.builds(Mtts, st.integers(0, 999_999_999)),
    st.builds(Hello, st.integers(0, 2**64 - 1), st.integers(0, 9), st.binary(min_size=16, max_size=16)),
)


def wrapped(payload: bytes) -> bytes:
    return len(payload).to_bytes(2, "big") + b"F" + payload


@given(st.lists(FRAMES), places())
def test_any_chunking_gives_the_same_frames(sent: list[AnyFrame], cuts: list[int]) -> None:
    reader = FrameReader()
    data = b"".join([encode(frame) for frame in sent])
    read = [frame for piece in cut(data, cuts) for frame in reader.feed(piece)]
    assert read == sent
    assert [*map(type, read)] == [*map(type, sent)]


@given(st.binary(max_size=200) | st.binary(max_size=60).map(wrapped))
def test_any_bytes_give_frames_or_a_clear_error(data: bytes) -> None:
    with suppress(RemoteProtocolError):
        list(FrameReader().feed(data))


def test_a_frame_of_an_unknown_kind_or_an_oversized_one_is_an_error() -> None:
    malformed = msgspec.msgpack.encode({"type": "Caller", "player": {"watched": [1]}})
    for payload in (b"", b"\x81\xa4type\xa3New", b"\x91" * 10_000, b"[]", malformed):
        with pytest.raises(RemoteProtocolError, match="a known frame: "):
            list(FrameReader().feed(wrapped(payload)))
    with pytest.raises(RemoteProtocolError, match="a known letter, not b'G'"):
        list(FrameReader().feed(encode(Accepted()).replace(b"F", b"G")))
    with pytest.raises(RemoteProtocolError, match="a frame of at most 48 bytes, not 65535"):
        list(FrameReader(limit=48).feed(b"\xff\xffF"))  # refused before it is read


def test_frames_before_an_error_are_still_delivered() -> None:
    read = FrameReader().feed(encode(Accepted()) + wrapped(b"\xc1"))
    assert next(read) == Accepted()
    with pytest.raises(RemoteProtocolError):
        next(read)


def test_another_version_of_the_link_protocol_is_refused() -> None:
    hello = encode(Hello(7, 8, bytes(16)))
    first, next_one = b"\0\x1aH\0\1" + bytes(24), hello[:3] + b"\0\5" + hello[5:]
    for version, data in ((1, first), (5, next_one)):
        with pytest.raises(RemoteProtocolError, match=f"4 of links, not {version}: nodes with different"):
            list(FrameReader().feed(data))


def test_a_proof_is_valid_only_for_its_side_secret_and_nonces() -> None:
    mine, yours = b"m" * 16, b"y" * 16
    given_ = proof("secret", Prover.FRONT, mine, yours)
    assert is_proven(given_, "secret", Prover.FRONT, mine, yours)
    assert not is_proven(given_, "secret", Prover.OWNER, mine, yours)
    assert not is_proven(given_, "secret", Prover.FRONT, yours, mine)
    assert not is_proven(given_, "other", Prover.FRONT, mine, yours)


def test_a_caller_from_a_newer_version_is_understood() -> None:
    player, settings = {"id": "p1", "shoe": 9}, {"tint": 2}
    fields = {"type": "Caller", "machine_gun": 1, "player": player, "settings": settings}
    read = FrameReader().feed(wrapped(msgspec.msgpack.encode(fields)))
    assert [*read] == [Caller(player=Traveller(id="p1"))]
