"""Frames: the same whatever the chunks, both ways, and nothing else."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.protocol.errors import RemoteProtocolError
from golfnet.protocol.links import frames
from golfnet.protocol.links.frames import (
    FrameKind,
    FrameReader,
    FrontRoundTrip,
    LinkFrame,
    Prover,
    StateReader,
    is_proven,
    proof,
)
from golfnet.protocol.links.handover import STATE_LIMIT, Handover

ANY_FRAMES = st.lists(
    st.sampled_from(FrameKind).flatmap(
        lambda kind: st.binary(
            min_size=frames._LENGTHS[kind][0], max_size=min(frames._LENGTHS[kind][1], 80)
        ).map(lambda payload: LinkFrame(kind, payload))
    )
)


def cut(data: bytes, cuts: list[int]) -> list[bytes]:
    """Return bytes in pieces."""
    places = [0, *sorted({at % (len(data) + 1) for at in cuts}), len(data)]
    return [data[start:end] for start, end in pairwise(places)]


@given(ANY_FRAMES, st.lists(st.integers(0, 5000)))
def test_every_chunking_gives_the_same_frames(sent: list[LinkFrame], cuts: list[int]) -> None:
    reader = FrameReader()
    data = b"".join([frames.encode(*frame) for frame in sent])
    assert [frame for piece in cut(data, cuts) for frame in reader.feed(piece)] == sent


@given(st.binary(max_size=200))
def test_any_bytes_give_frames_or_a_clear_error(data: bytes) -> None:
    with suppress(RemoteProtocolError):
        for frame in FrameReader().feed(data):
            assert frames.encode(*frame) in data


@pytest.mark.parametrize("letter", [0, ord("h"), ord("Z"), 255])
def test_an_unknown_kind_is_an_error(letter: int) -> None:
    with pytest.raises(RemoteProtocolError, match=f"a kind of frame, not {letter}"):
        list(FrameReader().feed(b"\0\0" + bytes([letter])))


def test_a_stranger_cannot_make_a_reader_wait_for_much() -> None:
    reader = FrameReader(limit=48)
    with pytest.raises(RemoteProtocolError, match="STATE: 1 to 48 bytes, not 65535"):
        list(reader.feed(b"\xff\xffS"))


def test_frames_before_an_error_are_still_given() -> None:
    given_ = FrameReader().feed(frames.encode(FrameKind.TAKEN) + b"\0\1K")
    assert next(given_).kind is FrameKind.TAKEN
    with pytest.raises(RemoteProtocolError):
        next(given_)


@given(st.binary(max_size=200_000))
def test_what_a_session_writes_arrives_whole(data: bytes) -> None:
    parts = [frame.payload for frame in FrameReader().feed(frames.encode_bytes(data))]
    assert b"".join(parts) == data


@given(st.binary(min_size=1, max_size=4096), st.floats(0, 4000))
def test_input_keeps_its_age(data: bytes, age: float) -> None:
    (frame,) = FrameReader().feed(frames.encode_input(data, age))
    read, ago = frames.decode_input(frame.payload)
    assert read == data
    assert ago == pytest.approx(age, abs=1e-6)


def test_an_age_that_cannot_be_is_none() -> None:
    (frame,) = FrameReader().feed(frames.encode_input(b"x", -1))
    assert frames.decode_input(frame.payload) == (b"x", 0.0)


@pytest.mark.parametrize("measured", [FrontRoundTrip(0.03), FrontRoundTrip(0.02, 0.025, 77)])
def test_a_round_trip_arrives(measured: FrontRoundTrip) -> None:
    (frame,) = FrameReader().feed(frames.encode_round_trip(measured))
    assert frames.decode_round_trip(frame.payload) == measured


@pytest.mark.parametrize("size", [0, 1, 65534, 65535, 200_000])
def test_a_state_of_any_size_arrives_whole(size: int) -> None:
    state, reader = bytes(range(256)) * (size // 256 + 1), StateReader()
    got = [reader.feed(frame.payload) for frame in FrameReader().feed(frames.encode_state(state[:size]))]
    assert got[-1] == state[:size]
    assert not any(part is not None for part in got[:-1])


def test_a_state_has_a_bound() -> None:
    reader = StateReader()
    for _ in range(STATE_LIMIT // 60_000):
        reader.feed(b"\1" + bytes(60_000))
    with pytest.raises(RemoteProtocolError, match="at most"):
        reader.feed(b"\1" + bytes(60_000))


def test_another_version_of_links_is_refused() -> None:
    payload = frames.encode_hello(7, bytes(16))[3:]
    assert frames.decode_hello(payload) == (7, bytes(16))
    with pytest.raises(RemoteProtocolError, match="version 1 of links, not 2"):
        frames.decode_hello(b"\0\2" + payload[2:])


def test_a_proof_is_good_for_its_side_and_its_nonces_only() -> None:
    mine, yours = b"m" * 16, b"y" * 16
    given_ = proof("secret", Prover.FRONT, mine, yours)
    assert is_proven(given_, "secret", Prover.FRONT, mine, yours)
    assert not is_proven(given_, "secret", Prover.OWNER, mine, yours)
    assert not is_proven(given_, "secret", Prover.FRONT, yours, mine)
    assert not is_proven(given_, "other", Prover.FRONT, mine, yours)


def test_a_state_of_a_newer_version_is_understood() -> None:
    assert Handover.decode(b'{"machine_gun":1,"client":"x","writer":{"tint":2}}') == Handover(client="x")


@pytest.mark.parametrize("data", [b"", b"[]", b'{"lines":[1]}', b"\xff", b"[" * 100_000])
def test_nonsense_is_no_state(data: bytes) -> None:
    with pytest.raises(RemoteProtocolError):
        Handover.decode(data)
