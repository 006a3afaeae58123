"""Telnet tokens are read, and noise is not mistaken for telnet; ``test_telnet`` cuts the bytes into chunks."""

from itertools import product

import pytest
from hypothesis import given, strategies as st

from golfnet.protocol.telnet.wire import (
    SUBNEGOTIATION_LIMIT,
    Command,
    Negotiation,
    Subnegotiation,
    TelnetOption,
    TelnetParser,
    Token,
    command,
    escape,
    negotiation,
    subnegotiation,
)

SGA = 3
IAC, SB, SE = b"\xff", b"\xff\xfa", b"\xff\xf0"
DO_NAWS = negotiation(Command.DO, TelnetOption.NAWS)
FITS = Subnegotiation(option=24, payload=b"x" * SUBNEGOTIATION_LIMIT)


def parse(data: bytes, *, awake: bool = True) -> list[Token]:
    return TelnetParser(awake=awake).feed(data)


def test_negotiations_and_commands_survive_being_written_and_read() -> None:
    verbs = (Command.WILL, Command.WONT, Command.DO, Command.DONT)
    for verb, option in product(verbs, (0, 1, 24, 70, 201, 240, 250, 255)):
        assert parse(negotiation(verb, option)) == [Negotiation(verb=verb, option=option)]
    for code in ASKING:
        assert parse(command(code)) == [code]


ASKING = (Command.BRK, Command.IP, Command.AYT, Command.EL)


def test_commands_that_need_no_answer_are_dropped() -> None:
    answered = {*ASKING, Command.EC, *map(Command, range(Command.SB, Command.IAC + 1))}
    for code, data in product({*Command} - answered, (b"dr", b"\xff\xff", b"\xf1")):
        # A preceding IAC IAC is data, whatever follows.
        assert parse(data * 2 + command(code) * 2 + b"aw") == [data.replace(b"\xff\xff", IAC) * 2 + b"aw"]
        asleep = TelnetParser().feed(b"dr" + command(code) + b"aw")[0]
        assert asleep == (b"dr" if code > Command.SE else b"dr" + command(code) + b"aw")


@given(st.integers(0, 255), st.binary(max_size=SUBNEGOTIATION_LIMIT))
def test_subnegotiations_survive_being_written_and_read(option: int, payload: bytes) -> None:
    written = SB + escape(bytes([option])) + escape(payload) + SE
    assert parse(written) == [Subnegotiation(option=option, payload=payload)]
    if option != Command.IAC:
        assert subnegotiation(option, payload) == written


@given(st.binary(), st.booleans())
def test_escaped_data_is_read_back_unchanged(data: bytes, awake: bool) -> None:
    assert b"".join(token for token in parse(escape(data)) if isinstance(token, bytes)) == data
    plain = data.replace(IAC, b"")
    assert parse(plain, awake=awake) == ([plain] if plain else [])


@pytest.mark.parametrize(
    ("data", "tokens"),
    [
        (SB + SE + b"x", [b"x"]),
        (SB + b"\x18" + b"x" * SUBNEGOTIATION_LIMIT + SE + b"who", [FITS, b"who"]),
        (SB + b"\x18" + b"x" * (SUBNEGOTIATION_LIMIT + 1) + SE + b"who", [b"who"]),
        (SB + b"\x18" + IAC * 2 * 5000 + SE + b"who", [b"who"]),
        # A command ends an unterminated subnegotiation.
        (SB + b"\x18\x00XTERM" + DO_NAWS + b"who", [Negotiation(verb=Command.DO, option=31), b"who"]),
        (
            SB + b"\x18\x00XTERM" + SB + b"\x18\x00VT100" + SE,
            [Subnegotiation(option=24, payload=b"\x00VT100")],
        ),
        (SB + b"x" * 600 + command(Command.AYT) + b"who", [Command.AYT, b"who"]),
        # An unescaped IAC is data.
        (b"a\xffb\xff\nc", [b"a\xffb\xff\nc"]),
        (SB + b"\x1f\x00\xff\x00\x18" + SE, [Subnegotiation(option=31, payload=b"\x00\xff\x00\x18")]),
        # Erase Character becomes a backspace.
        (b"drq\xff\xf7aw\xff\xff\xff\xf7", [b"drq\baw\xff\b"]),
    ],
)
def test_incomplete_and_overlong_subnegotiations_end_and_a_stray_iac_is_data(
    data: bytes, tokens: list[Token]
) -> None:
    assert parse(data) == tokens


def test_the_longest_subnegotiation_may_arrive_in_two_parts() -> None:
    parser = TelnetParser()
    assert parser.feed(SB + b"\x18" + b"x" * SUBNEGOTIATION_LIMIT) == []
    assert parser.feed(SE) == [FITS]


def test_noise_is_not_mistaken_for_telnet() -> None:
    utf_16, jpeg = b"\xff\xfep\0e\0e\0k\0\n\0", b"\xff\xd8\xff\xe0"
    others = b"say \xff\n|\xff\xfe\n\xff\xfb\r\n|\xff\xff\xff\xfd\n|\xff\xf0\xff\xef|\xff\xfd\xff\xfb"
    for noise in (utf_16, jpeg, *others.split(b"|")):
        parser = TelnetParser()
        assert parser.feed(noise) == [noise]
        assert not parser.awake


def test_telnet_is_recognized() -> None:
    first_of_putty = negotiation(Command.WILL, TelnetOption.NAWS)
    others = [negotiation(Command.DO, SGA), negotiation(Command.DONT, TelnetOption.ECHO), command(Command.IP)]
    others += [negotiation(Command.DO, TelnetOption.MSSP), subnegotiation(TelnetOption.NAWS, b"\0\x50\0\x18")]
    for said in (first_of_putty, *others):
        parser = TelnetParser()
        assert parser.feed(b"who\n" + said) == [b"who\n", *parse(said)]
        assert parser.awake
        assert parser.feed(b"\xff\xff") == [b"\xff"]


def test_plain_data_is_recognized_unless_a_command_is_incomplete() -> None:
    parser = TelnetParser()
    assert parser.is_plain(b"draw\n")
    assert not parser.is_plain(b"\xff")
    parser.feed(b"\xff")
    assert not parser.is_plain(b"\xf1")
    parser.feed(b"\xf1")
    assert parser.is_plain(b"draw\n")
