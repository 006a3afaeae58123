"""Addresses as people write them, and why a server cannot be reached, in words."""

from __future__ import annotations

import pytest

from golfnet.protocol.address import PORT, TLS_PORT, Address, BadAddress, parse_address, reason_of
from golfnet.server.config import Config


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("golf.example.org", Address(host="golf.example.org")),
        ("golf.example.org:99", Address(host="golf.example.org", port=99)),
        ("tls://golf.example.org", Address(host="golf.example.org", port=7779, tls=True)),
        ("tls://golf.example.org:7777", Address(host="golf.example.org", tls=True)),
        ("[::1]:99", Address(host="::1", port=99)),
        ("::1", Address(host="::1")),
    ],
)
def test_addresses(text: str, address: Address) -> None:
    assert parse_address(text) == address
    assert parse_address(str(address)) == address


@pytest.mark.parametrize("tls", [True, False])
@pytest.mark.parametrize("port", [7777, 7779, 80])
@pytest.mark.parametrize("host", ["192.168.0.5", "fd00::5", "golf.example.org"])
def test_an_address_cut_short_is_read_back_as_itself(host: str, port: int, tls: bool) -> None:
    address = Address(host=host, port=port, tls=tls)
    assert parse_address(address.short) == address
    assert len(address.short) <= len(str(address))


def test_who_asks_for_tls_otherwise_means_the_same() -> None:
    assert parse_address("golf.example.org", tls=True) == parse_address("tls://golf.example.org")
    assert parse_address("golf.example.org:99", tls=True) == parse_address("tls://golf.example.org:99")


def test_the_default_ports_are_those_of_a_server_without_settings() -> None:
    assert (Config().port, Config().tls_port) == (PORT, TLS_PORT)


@pytest.mark.parametrize(
    "text", ["", ":", "host:", "host:port", "host:0", "host:70000", ":7777", "a..b", "a" * 64]
)
def test_what_is_no_address(text: str) -> None:
    if text == "host:":
        assert parse_address(text) == Address(host="host")
        return
    with pytest.raises(BadAddress, match="a server such as"):
        parse_address(text)


def test_a_reason_is_words_alone_of_the_last_address_that_was_tried() -> None:
    assert reason_of(ConnectionRefusedError(111, "Connection refused")) == "connection refused"
    problem = OSError("all attempts failed")
    problem.__cause__ = ExceptionGroup(
        "tried", [OSError(1, "Not permitted"), OSError(113, "No route to host")]
    )
    assert reason_of(problem) == "no route to host"
    assert reason_of(TimeoutError()) == "no answer"
