"""Announcements survive being written and read, and malformed values are ignored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet import __version__
from golfnet.protocol.announcement import Occupancy, WaysIn, occupancy_of, properties, ways_in

PORTS = st.none() | st.integers(1, 65535)


def test_a_server_announces_its_version_protocol_and_ports() -> None:
    assert properties(WaysIn(tls_port=7779)) == {
        "version": __version__,
        "protocol": "1",
        "tls_port": "7779",
    }


@given(telnet=PORTS, tls=PORTS)
def test_announcements_survive_being_written_and_read(telnet: int | None, tls: int | None) -> None:
    ways = WaysIn(telnet_port=telnet, tls_port=tls)
    assert ways_in(properties(ways)) == ways


COUNTS = st.none() | st.integers(0, 999_999)


@given(players=COUNTS, tables=COUNTS)
def test_announced_occupancy_survives_being_written_and_read(players: int | None, tables: int | None) -> None:
    occupancy = Occupancy(players=players, open_tables=tables)
    told = properties(WaysIn(telnet_port=7778), occupancy)
    assert occupancy_of(told) == occupancy
    assert ways_in(told) == WaysIn(telnet_port=7778)
    assert sum(len(f"{key}={value}") + 1 for key, value in told.items()) < 200, "it fits into one packet"


@pytest.mark.parametrize("text", [None, "", "-1", "many", "٣", "1 ", "9" * 5000])
def test_malformed_occupancy_numbers_are_ignored(text: str | None) -> None:
    assert occupancy_of({"players": text, "open_tables": text}) == Occupancy()


@pytest.mark.parametrize("port", [None, "", "0", "65536", "-1", "²", "٣", "7779 ", "tls", "9" * 5000])
def test_malformed_ports_are_ignored(port: str | None) -> None:
    assert ways_in({"tls_port": port, "tls": "1"}) == WaysIn()
