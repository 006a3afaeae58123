"""Where the processor time of a command goes: a golfnet server that looks at itself while programs, or people,
play at it.

A thousand times a second of processor time the server notes what it is doing. What is noted weighs as much as the
main thread has worked since the note before; the innermost function on the stack that belongs to a stage tells the
stage. The thread that writes to the disk is measured by its own clock. Loopback only.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import threading
import time
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tests.benchmarks._load import Echo, Talker, players, seat
from tests.benchmarks._measure import complain, crowd
from tests.benchmarks._people import people
from tests.benchmarks._processes import LOAD_CORE, golfnet, pin

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from tests.benchmarks._load import Crowd, Peer

EVERY: Final = 0.001
"""Seconds of processor time between two notes."""

STAGES: Final = {
    "golfnet.server.net.hub": {"_round": "read", "_serve": "read", "_settle": "write"},
    "golfnet.server.net.hub_transport": {
        "_read": "read",
        "ready": "read",
        "_send": "write",
        "settle": "write",
        "write": "write",
    },
    "golfnet.server.session.decoder": {"*": "parse"},
    "golfnet.server.session.writer": {"*": "session"},
    "golfnet.protocol.lines": {"*": "parse"},
    "golfnet.protocol.commands.parse": {"*": "parse"},
    "golfnet.engine.match": {"*": "decide"},
    "golfnet.engine.play": {"*": "decide"},
    "golfnet.storage.records": {"*": "journal"},
    "golfnet.server.journal.journal": {"_reached": "show, held", "*": "journal"},
    "golfnet.server.table.broadcast": {
        "send_events": "show events",
        "send_prompts": "choices and prompts",
        "view": "views",
    },
    "golfnet.protocol.replies.data": {"*": "render"},
    "golfnet.protocol.text.text": {"*": "render"},
    "golfnet.protocol.text.speech": {"*": "render"},
    "golfnet.server.table.clocks": {"*": "clocks"},
    "golfnet.server.clock": {"*": "clocks"},
    "golfnet.server.session.session": {"*": "session"},
    "golfnet.server.session.incoming": {"*": "session"},
    "golfnet.server.session.outgoing": {"*": "session", "release": "show, held"},
    "golfnet.server.session.player": {"*": "show, held"},
    "golfnet.server.commands.dispatch": {"*": "dispatch"},
    "golfnet.server.commands.contexts": {"*": "dispatch"},
    "golfnet.server.commands.answers": {"*": "dispatch"},
    "golfnet.server.table.table": {"*": "table"},
    "golfnet.server.commands.play": {"*": "dispatch"},
}
"""The stage of functions by module; what they call belongs to it, too, as far as it has no stage of its own."""


class Notes:
    """What the main thread was doing, in seconds by stage, and by function for those who want to know more."""

    def __init__(self) -> None:
        self.stages: defaultdict[str, float] = defaultdict(float)
        self.functions: defaultdict[str, float] = defaultdict(float)
        self.clear()

    def clear(self) -> None:
        """Begin anew."""
        self.stages.clear()
        self.functions.clear()
        self.before = threads()
        self._last = time.thread_time()

    def take(self, number: int, frame: FrameType | None) -> None:
        """Note the stage of a frame (a signal handler)."""
        now = time.thread_time()
        worked, self._last = now - self._last, now
        if frame is not None:
            self.functions[f"{frame.f_globals.get('__name__')}.{frame.f_code.co_name}"] += worked
        self.stages[stage(frame)] += worked


def threads() -> dict[str, float]:
    """Return the processor time of all threads but the main one, in seconds, by name."""
    return {
        each.name: time.clock_gettime(time.pthread_getcpuclockid(each.ident))
        for each in threading.enumerate()
        if each.ident is not None and each is not threading.main_thread()
    }


def stage(frame: FrameType | None) -> str:
    """Return the stage that a frame belongs to."""
    while frame is not None:
        named = STAGES.get(frame.f_globals.get("__name__", ""))
        if named is not None:
            found = named.get(frame.f_code.co_name) or named.get("*")
            if found is not None:
                return found
        frame = frame.f_back
    return "event loop"


def observed(file: str) -> None:
    """Run golfnet as the command line says; between two signals note what it does, then write that down."""
    from golfnet.cli.main import main

    notes = Notes()

    def begin(*_: object) -> None:
        notes.clear()
        signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)

    def end(*_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        others = {name: seconds - notes.before.get(name, 0.0) for name, seconds in threads().items()}
        noted = {"stages": notes.stages, "functions": notes.functions, "threads": others}
        Path(f"{file}.new").write_text(json.dumps(noted))
        Path(f"{file}.new").rename(file)

    signal.signal(signal.SIGPROF, notes.take)
    signal.signal(signal.SIGUSR1, begin)
    signal.signal(signal.SIGUSR2, end)
    main()


# --- loads


def play(variant: str) -> Callable[[Crowd], Callable[[], float]]:
    """Return a load: matches at 250 tables."""

    def begin(peers: Crowd) -> Callable[[], float]:
        seated = players(peers, 1000)
        seat(peers, seated, 4, f"create {variant}")
        for each in seated:
            each.play()

        def done() -> float:
            complain(seated)
            return sum(each.done for each in seated)

        return done

    return begin


def people_at_tables(style: str) -> Callable[[Crowd], Callable[[], float]]:
    """Return a load: the same matches by people who are shown them in a style."""

    def begin(peers: Crowd) -> Callable[[], float]:
        crew = people(peers, 1000, style, random.Random(1))
        seat(peers, crew, 4)
        for each in crew:
            each.play()
        return lambda: sum(each.done for each in crew)

    return begin


def ping(peers: Crowd) -> Callable[[], float]:
    """Begin a load: a thousand programs that ping."""
    return _echoes(peers, players(peers, 1000))


def text_ping(peers: Crowd) -> Callable[[], float]:
    """Begin a load: a thousand people who ping."""
    crew = people(peers, 1000, "art", random.Random(1))
    peers.run(0.5)  # until their greetings are read
    return _echoes(peers, crew)


def _echoes(peers: Crowd, crew: Sequence[Peer]) -> Callable[[], float]:
    echoes = peers.recast(crew, Echo)
    for each in echoes:
        each.send(Echo.line)
    return lambda: sum(each.count for each in echoes)


def chat(peers: Crowd) -> Callable[[], float]:
    """Begin a load: 250 tables that talk."""
    seated = players(peers, 1000)
    seat(peers, seated, 4)
    talkers = peers.recast(seated, Talker)
    for first in range(0, 1000, 4):
        for each in talkers[first : first + 4]:
            each.table = talkers[first : first + 4]
        talkers[first].speak()
    return lambda: sum(each.heard for each in talkers)


LOADS: Final = {
    "ping": ping,
    "text-ping": text_ping,
    "chat": chat,
    **{each: people_at_tables(each) for each in ("art", "plain", "speech")},
    **{each: play(each) for each in ("six-card", "four-turn", "cactus")},
}


def main() -> None:
    """Print a table of microseconds a command, by stage."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("load", nargs="?", choices=[*LOADS], default="six-card", help="default six-card")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long (default 5)")
    parser.add_argument("--memory", action="store_true", help="with a store in memory instead of on disk")
    parser.add_argument("--functions", type=int, default=0, metavar="N", help="show N functions, too")
    options = parser.parse_args()
    pin(os.getpid(), LOAD_CORE)
    with TemporaryDirectory(prefix="golfnet-stages-") as folder:
        file = f"{folder}/notes"
        program = f"from tests.benchmarks.stages import observed; observed({file!r})"
        with golfnet(durable=not options.memory, program=program) as server, crowd(server) as peers:
            count = LOADS[options.load](peers)
            peers.run(options.seconds / 4)
            os.kill(server.process.pid, signal.SIGUSR1)
            before = count()
            peers.run(options.seconds)
            commands = count() - before
            os.kill(server.process.pid, signal.SIGUSR2)
            peers.wait(lambda: Path(file).exists())
            noted = json.loads(Path(file).read_text())
    show(options.load, noted, commands, options.functions)


def show(load: str, noted: dict[str, dict[str, float]], commands: float, functions: int) -> None:
    """Print the notes as microseconds a command."""
    stages = noted["stages"]
    total = sum(stages.values())
    print(f"{load}: {commands:,.0f} commands, {1e6 * total / commands:.1f} µs each in the main thread")
    for name, seconds in sorted(stages.items(), key=lambda each: -each[1]):
        print(f"  {name:<22}{1e6 * seconds / commands:8.1f} µs {seconds / total:6.1%}")
    for name, seconds in noted["threads"].items():
        print(f"  thread {name:<15}{1e6 * seconds / commands:8.1f} µs")
    for name, seconds in sorted(noted["functions"].items(), key=lambda each: -each[1])[:functions]:
        print(f"    {name:<50}{1e6 * seconds / commands:8.1f} µs {seconds / total:6.1%}")


if __name__ == "__main__":
    main()
