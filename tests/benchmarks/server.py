"""How fast the server is, against servers written the usual way, started in the same run.

T is a line echo by ``trio.serve_tcp``. Every figure is taken several times, in turns with what it is compared to; the
table shows the median and the range. Everything is on loopback, for a few seconds at a time. Server and load each
have a core of their own where the system allows that, except that servers use all where latency is measured; where
``load`` is near 100 % the load was the limit.
"""

from __future__ import annotations

import argparse
import compileall
import os
import random
import socket
import statistics
import subprocess
import sys
from collections import deque
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final

from tests.benchmarks._load import (
    Crowd,
    Metronome,
    Pacer,
    Player,
    Talker,
    Times,
    players,
    seat,
)
from tests.benchmarks._measure import Figures, Speed, complain, crowd, measure, ping, row
from tests.benchmarks._picture import PARTS as PICTURE_PARTS
from tests.benchmarks._processes import LOAD_CORE, Server, baseline, golfnet, pin
from tests.benchmarks._text import PARTS as TEXT_PARTS
from tests.benchmarks._turns import PARTS as TURN_PARTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TABLES: Final = 250
OFFERED: Final = 2000
"""Commands a second in paced loads."""

KIB: Final = 1024


# --- one line there and back


def show_ping(options: argparse.Namespace) -> None:
    figures, notes = Figures(), {}
    sizes = [100, 1000, *([10_000] if options.most >= 10_000 else [])]
    for _ in range(options.repeat):
        for size in sizes:
            for name, kind in (("T", "echo"), ("asyncio", "protocol")):
                with baseline(kind) as server:
                    speed = ping(server, size, options.seconds, golf=False)
                figures.add(f"{name} {size}", speed.rate)
                notes[f"{name} {size}"] = speed.note
            with golfnet() as server:
                speed = ping(server, size, options.seconds, golf=True)
            figures.add(f"golfnet {size}", speed.rate)
            notes[f"golfnet {size}"] = speed.note
    for size in sizes:
        aim = {1000: ">= 2.6", 10_000: ">= 2.8"}.get(size, "")
        row(
            f"ping, {size} connections, against T",
            aim,
            figures.ratio(f"golfnet {size}", f"T {size}"),
            "T",
            notes[f"golfnet {size}"],
        )
        row(f"  T itself, {size} connections", "", figures.values[f"T {size}"], "/s", notes[f"T {size}"])
        row(
            f"  asyncio protocol echo, {size} connections",
            "",
            figures.ratio(f"asyncio {size}", f"T {size}"),
            "T",
            notes[f"asyncio {size}"],
        )
    if 10_000 in sizes:
        row(
            "ping, 10,000 connections against 1,000",
            ">= 0.55",
            figures.ratio("golfnet 10000", "golfnet 1000"),
        )


# --- one line to four seats


def chat(server: Server, tables: int, seconds: float, *, golf: bool) -> Speed:
    with crowd(server) as peers:
        if golf:
            seated = players(peers, tables * 4)
            seat(peers, seated, 4)
            talkers = peers.recast(seated, Talker)
        else:
            talkers = peers.settle(tables * 4, Talker, lambda each: True)
            peers.run(0.5)  # until the last is accepted: a table of three would wait for ever
        for first in range(0, len(talkers), 4):
            for each in talkers[first : first + 4]:
                each.table = talkers[first : first + 4]
            talkers[first].speak()
        return measure(server, peers, lambda: sum(each.heard for each in talkers), seconds)


def show_chat(options: argparse.Namespace) -> None:
    figures, notes = Figures(), {}
    sizes = [size for size in (100, 1000, 10_000) if size <= options.most]
    for _ in range(options.repeat):
        for size in sizes:
            with baseline("echo") as server:
                figures.add(f"T {size}", ping(server, size, options.seconds, golf=False).rate)
            with baseline("tables") as server:
                figures.add(f"tables {size}", chat(server, size // 4, options.seconds, golf=False).rate)
            with golfnet() as server:
                speed = chat(server, size // 4, options.seconds, golf=True)
            figures.add(f"golfnet {size}", speed.rate)
            notes[size] = speed.note
    for size in sizes:
        row(
            f"one line to four seats, {size // 4} tables, delivered lines",
            ">= 3.0" if size == TABLES * 4 else "",
            figures.ratio(f"golfnet {size}", f"T {size}"),
            "T",
            notes[size],
        )
        row("  a trio table server with writer tasks", "", figures.ratio(f"tables {size}", f"T {size}"), "T")


# --- matches


def matches(server: Server, tables: int, seconds: float, variant: str) -> Speed:
    with crowd(server) as peers:
        seated = players(peers, tables * 4)
        seat(peers, seated, 4, f"create {variant}")
        for each in seated:
            each.play()
        speed = measure(server, peers, lambda: sum(each.done for each in seated), seconds)
        complain(seated)
        return speed


def show_matches(options: argparse.Namespace) -> None:
    figures, notes = Figures(), {}
    for _ in range(options.repeat):
        with baseline("echo") as server:
            figures.add("T", ping(server, 1000, options.seconds, golf=False).rate)
        for variant in ("six-card", "four-turn"):
            for durable in (True, False):
                name = f"{variant} {'durable' if durable else 'memory'}"
                with golfnet(durable=durable) as server:
                    speed = matches(server, TABLES, options.seconds, variant)
                figures.add(name, speed.rate)
                notes[name] = speed.note
    for variant in ("six-card", "four-turn"):
        aim = ">= 0.25" if variant == "six-card" else ""
        row(
            f"random {variant} matches, {TABLES} tables, commands",
            aim,
            figures.ratio(f"{variant} durable", "T"),
            "T",
            notes[f"{variant} durable"],
        )
        row(
            "  durable against memory",
            ">= 0.9",
            figures.ratio(f"{variant} durable", f"{variant} memory"),
            "",
            notes[f"{variant} memory"],
        )


# --- latency


def paced_matches(server: Server, seconds: float) -> Times:
    times = Times()
    with crowd(server) as peers:
        seated = players(peers, TABLES * 4)
        seat(peers, seated, 4)
        queue: deque[Player] = deque()
        for each in seated:
            each.queue = queue
            each.play()
        beat = Metronome(queue, OFFERED)
        peers.run(seconds / 2, beat)
        beat.missed = 0
        for each in seated:
            each.times = times
        peers.run(seconds, beat)
        if beat.missed > OFFERED * seconds / 50:
            print(f"    {beat.missed} beats of {OFFERED * seconds:.0f} found nobody with anything to do")
        complain(seated)
    return times


def paced_echo(server: Server, seconds: float) -> Times:
    with crowd(server) as peers:
        queue: deque[Pacer] = deque()
        pacers = peers.settle(TABLES * 4, Pacer, lambda each: True)
        times = Times()
        for each in pacers:
            each.queue, each.times = queue, times
        queue.extend(pacers)
        peers.run(seconds / 2, Metronome(queue, OFFERED))
        times.taken.clear()
        peers.run(seconds, Metronome(queue, OFFERED))
    return times


def show_paced(options: argparse.Namespace) -> None:
    # The servers may run on every core here, as they do in life: a thread that waits for the disk is of use only
    # where it need not wait for the core as well.
    figures = Figures()
    for _ in range(options.repeat):
        with baseline("echo", pinned=False) as server:
            times = paced_echo(server, options.seconds)
            figures.add("T p50", times.at(0.5))
            figures.add("T p99", times.at(0.99))
        for name in ("durable", "memory"):
            with golfnet(durable=name == "durable", pinned=False) as server:
                times = paced_matches(server, options.seconds)
            figures.add(f"{name} p50", times.at(0.5))
            figures.add(f"{name} p99", times.at(0.99))
    row(
        f"paced matches, {OFFERED} commands/s, command to its ok: p99",
        "<= 3",
        figures.values["durable p99"],
        "ms",
    )
    row(
        "  paced p50 against T's",
        "<= 3",
        figures.ratio("durable p50", "T p50"),
        "",
        f"{statistics.median(figures.values['durable p50']):.2f} ms against "
        f"{statistics.median(figures.values['T p50']):.2f} ms",
    )
    row("  p50 with a memory store against T's", "", figures.ratio("memory p50", "T p50"))
    added = [a - b for a, b in zip(figures.values["durable p50"], figures.values["memory p50"], strict=True)]
    row("  what durability adds to p50", "<= 0.4", added, "ms")


# --- one stopped reader


def show_stopped(options: argparse.Namespace) -> None:
    figures = Figures()
    for _ in range(options.repeat):
        for stopped in (False, True):
            with golfnet() as server, crowd(server) as peers:
                figures.add(f"stopped {stopped}", neighbours(peers, options.seconds, stopped=stopped))
    row(
        "a watcher at every table stopped reading: neighbours' p99",
        "<= 2",
        figures.ratio("stopped True", "stopped False"),
        "",
        f"{statistics.median(figures.values['stopped True']):.2f} ms",
    )


def neighbours(peers: Crowd, seconds: float, *, stopped: bool) -> float:
    """Return the p99 of players at 50 tables that each have a watcher, who reads or has stopped reading."""
    everybody = players(peers, 250)
    seated, watchers = everybody[:200], everybody[200:]
    seat(peers, seated, 4)
    for watcher, host in zip(watchers, seated[::4], strict=True):
        watcher.ask(f"watch {host.table}".encode())
    peers.wait(lambda: all(each.is_seated for each in watchers))
    if stopped:
        for watcher in watchers:
            peers.ignore(watcher)
    queue: deque[Player] = deque()
    times = Times()
    for each in seated:
        each.queue = queue
        each.play()
    beat = Metronome(queue, OFFERED / 5)
    peers.run(seconds / 2, beat)
    for each in seated:
        each.times = times
    peers.run(seconds, beat)
    return times.at(0.99)


# --- memory, coming in, starting


def show_memory(options: argparse.Namespace) -> None:
    figures = Figures()
    for _ in range(options.repeat):
        with golfnet() as server, crowd(server) as peers:
            players(peers, 100)
            before = server.memory
            start = perf_counter()
            seated = players(peers, TABLES * 4)
            figures.add("rate", TABLES * 4 / (perf_counter() - start))
            named = server.memory
            seat(peers, seated, 4)
            for each in seated:
                each.play()
            peers.wait(partial(have_played, seated), 120)
            playing = server.memory
            figures.add("named", (named - before) / len(seated) / KIB)
            figures.add("table", (playing - named) / TABLES / KIB)
            figures.add("seated", (playing - before) / len(seated) / KIB)
        with golfnet() as server, crowd(server) as peers:
            players(peers, 100)
            before = server.memory
            idle = peers.settle(2000, Pacer, lambda each: bool(each.times.taken))
            figures.add("idle", (server.memory - before) / len(idle) / KIB)
    row("memory of an idle connection", "<= 3", figures.values["idle"], "KiB")
    row("  of one with a name", "", figures.values["named"], "KiB")
    row(
        "memory of a seated connection, its part of the table included",
        "<= 8",
        figures.values["seated"],
        "KiB",
    )
    row("  of a table of four in play", "", figures.values["table"], "KiB")
    row("connections a second, until each has its name", "", figures.values["rate"], "/s")


def have_played(seated: Sequence[Player]) -> bool:
    return all(each.done > 20 for each in seated)


def show_start(options: argparse.Namespace) -> None:
    # As installed: modules that were edited would be compiled anew at every start.
    for folder in ("golfnet", "tests/benchmarks"):
        compileall.compile_dir(Path(__file__).parents[2] / folder, quiet=1)
    figures = Figures()
    for _ in range(options.repeat * 4):
        for name, start in (("bare", partial(baseline, "bare")), ("golfnet", golfnet)):
            begun = perf_counter()
            with start() as server, socket.create_connection(("127.0.0.1", server.port)) as peer:
                figures.add(name, perf_counter() - begun)
                if name == "golfnet":
                    peer.sendall(b"version\r\n")
                    peer.recv(1)
                    figures.add("answered", perf_counter() - begun)
                figures.add(f"{name} processor", server.cpu)
        help_ = [sys.executable, "-c", "from golfnet.cli.main import main; main()", "--help"]
        for name, command in (("help", help_), ("pass", [sys.executable, "-c", "pass"])):
            begun = perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            figures.add(name, perf_counter() - begun)
    for what, aim, name, to in (
        ("start to first accepted connection, against a bare trio server", "<= 1.4", "golfnet", "bare"),
        ("  to its first answer", "", "answered", "bare"),
        ("  by processor time", "", "golfnet processor", "bare processor"),
        ("golfnet --help against python -c pass", "<= 3", "help", "pass"),
    ):
        median = statistics.median(figures.values[name]) * 1000
        row(what, aim, figures.ratio(name, to), "", f"{median:.0f} ms")


PARTS: Final[dict[str, Callable[[argparse.Namespace], None]]] = {
    "ping": show_ping,
    "chat": show_chat,
    "matches": show_matches,
    "paced": show_paced,
    "stopped": show_stopped,
    "memory": show_memory,
    "start": show_start,
    **TEXT_PARTS,
    **TURN_PARTS,
    **PICTURE_PARTS,
}


def main() -> None:
    """Print the table, or parts of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "parts", nargs="*", choices=[[], *PARTS], metavar="PART", help=f"of {', '.join(PARTS)}"
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="for each measurement (default 3)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each measurement (default 3)")
    parser.add_argument("--most", type=int, default=10_000, help="connections at the most (default 10000)")
    options = parser.parse_args()
    pin(os.getpid(), LOAD_CORE)
    random.seed(1)
    print(f"{'':<58} {'aim':>9}  {'median':>8}       range", flush=True)
    for name in options.parts or PARTS:
        PARTS[name](options)


if __name__ == "__main__":
    main()
