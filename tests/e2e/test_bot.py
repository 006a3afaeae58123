"""``golfnet bot`` as a separate program, over TLS; ``tests/systems`` lets two of them play a match."""

import contextlib
import os
import signal
from contextlib import closing
from pathlib import Path

from tests.e2e.service import GOLFNET, Service, Talk


def bot(port: int, *words: str) -> contextlib.closing[Talk]:
    # Nothing is saved, unless a test gives another place with --seen: if an option is repeated, the last one counts.
    return closing(Talk(str(GOLFNET), "bot", "--connect", f"127.0.0.1:{port}", "--seen", os.devnull, *words))


def test_a_bot_accepts_only_the_given_key_over_tls_and_leaves_when_told_to(tmp_path: Path) -> None:
    flags = ("--db", str(tmp_path / "golfnet.db"), "--tls-self-signed", "--tls-port", "0")
    running = Service(*flags)
    try:
        found = running._talk.wait_for(r"tls://127\.0\.0\.1:(\d+)")
        port, shown = int(found.group(1)), running._talk.wait_for(r"SHA-256 (\w{64})").group(1).decode()
        with bot(port, "--tls", "--fingerprint", "0" * 64) as robot:
            assert b"expected the key 0000" in robot.rest()
            assert robot.process.returncode == 1
        for number, (stop, status) in enumerate([(signal.SIGTERM, 0), (signal.SIGINT, 130)], 1):
            with bot(port, "--tls", "--fingerprint", shown, "--rules", "six-card") as robot:
                robot.wait_for(f"At t{number}, seat A: six-card")
                robot.process.send_signal(stop)
                robot.rest()
                assert robot.process.returncode == status
    finally:
        running.stop(kill=True)
