"""Byte strings cut into chunks in every way a network may cut them."""

from collections.abc import Iterable
from itertools import pairwise

from hypothesis import strategies as st


def single_bytes(data: bytes) -> list[bytes]:
    """Return the bytes of `data` one by one."""
    return [data[at : at + 1] for at in range(len(data))]


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    """Return `data` cut at the given places; some chunks may be empty."""
    edges = [0, *sorted(min(place, len(data)) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


def streams(alphabet: Iterable[bytes]) -> st.SearchStrategy[bytes]:
    """Return a strategy for byte strings that mix the given pieces with random bytes."""
    return st.lists(st.one_of(st.sampled_from(list(alphabet)), st.binary(max_size=3)), max_size=40).map(
        b"".join
    )


def places() -> st.SearchStrategy[list[int]]:
    """Return a strategy for the places at which a byte string of moderate length is cut."""
    return st.lists(st.integers(min_value=0, max_value=120), max_size=8)
