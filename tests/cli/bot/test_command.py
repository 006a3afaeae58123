"""``golfnet bot`` from the command line: what it takes and what it refuses; ``tests/e2e`` lets it play."""

from __future__ import annotations

import socket
from contextlib import closing

import pytest

from golfnet.cli.main import main


def unused_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        return int(listener.getsockname()[1])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--level insane", "choose from"),
        ("--matches 0", "expected a whole number from 1, not '0'"),
        ("--name t12", "names such as t12 are kept for tables"),
        ("--fingerprint abc", "the 64 hex digits of a SHA-256"),
        ("--connect :1", "expected a server such as"),
        ("--table=", "expected a table such as t3, not ''"),
    ],
)
def test_arguments_that_mean_nothing_are_refused(
    words: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bot", "--connect", "127.0.0.1:1", *words.split()])
    assert ended.value.code == 2
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--table t1 --rules cactus", "cannot be used together"),
        ("--option seats=3", "--option can only be used with --rules"),
        (f"--fingerprint {'0' * 64}", "--fingerprint can only be used with --tls"),
        ("--rules cactus --password sesame", "--password can only be used with --table"),
        ("--rules cactus --option seats", "NAME=VALUE, not 'seats'"),
        ("--rules cactus --option bananas=3", "no option 'bananas'"),
        ('--table t1,t2 --password no"way', "join t1,t2"),
        (f"--table t1 --password {'a' * 1000}", "at most 1014 bytes"),
        ("--table t1 --password \udcff", "is not UTF-8 text"),
    ],
)
def test_tasks_that_no_server_would_take_are_refused(
    words: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bot", "--connect", "127.0.0.1:1", *words.split()]) == 2
    error = capsys.readouterr().err
    assert error.startswith("golfnet bot: ")
    assert expected in error


def test_without_a_server_it_fails(capsys: pytest.CaptureFixture[str]) -> None:
    port = unused_port()
    assert main(["bot", "--connect", f"127.0.0.1:{port}"]) == 1
    told = f"golfnet bot: 127.0.0.1:{port}: no connection (connection refused)\n"
    assert capsys.readouterr() == ("", told)
