"""``golfnet bot`` as a separate program: with a person on ``nc``, through a crash, and to the end of a match."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING

from tests.e2e.service import GOLFNET, Service, Talk, free_port

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def bot(port: int, *words: str) -> contextlib.closing[Talk]:
    # Of repeated options the last one counts: unless a test gives its own directory, nothing is saved.
    return closing(Talk(str(GOLFNET), "bot", "--connect", f"127.0.0.1:{port}", "--seen", os.devnull, *words))


def test_a_bot_reconnects_and_continues_after_the_server_is_killed(
    needs_tool: Callable[[str], str], tmp_path: Path
) -> None:
    nc = needs_tool("nc")
    port = free_port()
    flags = ("--db", str(tmp_path / "golfnet.db"), "--clock", "0", "--start-delay", "1")
    first = Service(*flags, port=port)
    with contextlib.ExitStack() as stack:
        stack.callback(first.stop, kill=True)
        ann = stack.enter_context(closing(Talk(nc, "127.0.0.1", str(port))))
        token = ann.say("name ann", r"resume (\S{16,})").group(1).decode()
        ann.say("create four-turn seats=2", r"^\* t\d+, four-turn")
        robot = stack.enter_context(bot(port, "--table", "t1", "--fast", "--name", "Zoe"))
        ann.wait_for(r"^\* Zoe \(B\)")
        ann.say("ready", "Look at two of your cards")
        first.stop(kill=True)
        robot.wait_for("trying again")
        second = Service(*flags, port=port)
        stack.callback(second.stop, kill=True)
        back = stack.enter_context(closing(Talk(nc, "127.0.0.1", str(port))))
        back.send(f"resume {token}")
        robot.wait_for("At t1, seat B.*(?s:.)*At t1, seat B")
        back.send("peek 3 4")
        for turn in (1, 2, 3):
            back.wait_for(f"It is your turn, turn {turn} of 4")
            back.send("draw")
            back.send("discard")
        robot.process.send_signal(signal.SIGINT)
        robot.rest()
        assert robot.process.returncode == 130
        back.wait_for(r"Zoe \(B\) leaves")


def test_two_bots_play_a_match_whose_record_agrees_with_what_one_saw(tmp_path: Path) -> None:
    words = ("--rules", "four-turn", "--option", "holes=2", "--matches", "1", "--fast", "--level", "hard")
    database, seen, record = tmp_path / "golfnet.db", tmp_path / "seen", tmp_path / "record.jsonl"
    with contextlib.ExitStack() as stack:
        running = Service("--db", str(database), "--start-delay", "0", "--pause", "1")
        stack.callback(running.stop, kill=True)
        one = stack.enter_context(bot(running.port, *words, "--seen", str(seen)))
        one.wait_for("At t1, seat A")
        two = stack.enter_context(bot(running.port, *words))
        ends = [one.rest(), two.rest()]
        assert [one.process.returncode, two.process.returncode] == [0, 0]
    assert all(b"Match m1 is over: place " in end for end in ends)
    exported = subprocess.run(
        [str(GOLFNET), "export", "m1", "--db", str(database)], capture_output=True, check=True
    )
    record.write_bytes(exported.stdout)
    [file] = seen.iterdir()
    verify = [str(GOLFNET), "verify", str(record), "--seen", str(file)]
    verified = subprocess.run(verify, capture_output=True, check=False)
    assert (verified.returncode, verified.stderr) == (0, b"")
    assert b"and 2 sealed deals match what was fixed before" in verified.stdout


def test_a_bot_accepts_only_the_given_key_over_tls(tmp_path: Path) -> None:
    flags = ("--db", str(tmp_path / "golfnet.db"), "--tls-self-signed", "--tls-port", "0")
    running = Service(*flags)
    try:
        found = running._talk.wait_for(r"tls://127\.0\.0\.1:(\d+)")
        port, shown = int(found.group(1)), running._talk.wait_for(r"SHA-256 (\w{64})").group(1).decode()
        with bot(port, "--tls", "--fingerprint", "0" * 64) as robot:
            assert b"expected the key 0000" in robot.rest()
            assert robot.process.returncode == 1
        with bot(port, "--tls", "--fingerprint", shown, "--rules", "six-card") as robot:
            robot.wait_for("At t1, seat A: six-card")
            robot.process.send_signal(signal.SIGTERM)
            robot.rest()
            assert robot.process.returncode == 0
    finally:
        running.stop(kill=True)
