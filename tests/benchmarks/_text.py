"""How fast people are served, in text mode: tables in each style, watchers, ``ping`` and chat, with telnet and without.

Beside every figure stands what it is compared to, from the same run: programs at the same tables, or T. These rows
are part of the table of ``server``.
"""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING, Final

from tests.benchmarks._load import Echo, players, seat
from tests.benchmarks._measure import Figures, Speed, complain, crowd, measure, ping, row
from tests.benchmarks._people import PersonTalker, Watcher, people
from tests.benchmarks._processes import Server, baseline, golfnet

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from tests.benchmarks._load import Crowd, Player

STYLES: Final = {"art": "<= 2", "plain": "<= 2", "speech": "<= 1.3"}
"""Each style, and how many times as much as a program's a person's command may cost."""

TABLES: Final = 250
WATCHED: Final = 15
WATCHERS: Final = 50
"""How many tables are watched, and by how many each."""


def seated(peers: Crowd, tables: int, style: str | None) -> list[Player]:
    """Return players at tables of four: people in a style, or programs."""
    chance = random.Random(1)
    crew: list[Player] = []
    crew += players(peers, tables * 4) if style is None else people(peers, tables * 4, style, chance)
    seat(peers, crew, 4)
    return crew


def matches(server: Server, seconds: float, style: str | None) -> Speed:
    """Return how fast commands of six-card are carried out."""
    with crowd(server) as peers:
        crew = seated(peers, TABLES, style)
        for each in crew:
            each.play()
        speed = measure(server, peers, lambda: sum(each.done for each in crew), seconds)
        complain(crew)
        return speed


def watched(server: Server, seconds: float, style: str | None) -> Speed:
    """Return the same for programs at tables that people watch in a style, or nobody."""
    with crowd(server) as peers:
        crew = seated(peers, WATCHED, None)
        if style is not None:
            for host in crew[::4]:
                watcher = partial(Watcher, style=style, table=host.table)
                peers.settle(WATCHERS, watcher, lambda each: each.is_watching)
        for each in crew:
            each.play()
        return measure(server, peers, lambda: sum(each.done for each in crew), seconds)


def text_ping(server: Server, seconds: float, *, telnet: bool) -> Speed:
    """Return how fast a line there and back is for a thousand people."""
    with crowd(server) as peers:
        crew = people(peers, 1000, "art", random.Random(1), telnet=telnet)
        peers.run(0.5)  # until the last words of the greeting have come: each would count as an answer
        echoes = peers.recast(crew, Echo)
        for each in echoes:
            each.send(Echo.line)
        return measure(server, peers, lambda: sum(each.count for each in echoes), seconds)


def text_chat(server: Server, seconds: float) -> Speed:
    """Return how many lines are delivered where one line goes to four people."""
    with crowd(server) as peers:
        talkers = peers.recast(seated(peers, TABLES, "art"), PersonTalker)
        for first in range(0, len(talkers), 4):
            for each in talkers[first : first + 4]:
                each.table = list(talkers[first : first + 4])
            talkers[first].speak()
        return measure(server, peers, lambda: sum(each.heard for each in talkers), seconds)


def compared(
    options: argparse.Namespace, load: Callable[[Server, float, str | None], Speed]
) -> tuple[Figures, dict[str, str]]:
    """Return the figures of a load for each style, and without people, in turns."""
    figures, notes = Figures(), {}
    for _ in range(options.repeat):
        for style in (None, *STYLES):
            with golfnet() as server:
                speed = load(server, options.seconds, style)
            figures.add(str(style), speed.rate)
            notes[str(style)] = speed.note
    return figures, notes


def show_people(options: argparse.Namespace) -> None:
    """Print what a command at a table of people costs, as a multiple of one at a table of programs."""
    figures, notes = compared(options, matches)
    for style, aim in STYLES.items():
        what = f"a command at a table of people, {style}, against programs"
        row(what, aim, figures.ratio("None", style), "", notes[style])
    print(f"  programs: {notes['None']}", flush=True)


def show_watchers(options: argparse.Namespace) -> None:
    """Print what fifty watchers cost a table of programs."""
    figures, notes = compared(options, watched)
    for style in STYLES:
        what = f"four programs and {WATCHERS} watchers, {style}, against none"
        row(what, "<= 3", figures.ratio("None", style), "", notes[style])
    print(f"  nobody watches: {notes['None']}", flush=True)


def show_text(options: argparse.Namespace) -> None:
    """Print how fast people's lines are, against T."""
    loads: dict[str, Callable[[Server], Speed]] = {
        "ping": lambda server: text_ping(server, options.seconds, telnet=False),
        "telnet": lambda server: text_ping(server, options.seconds, telnet=True),
        "chat": lambda server: text_chat(server, options.seconds),
        "programs": lambda server: ping(server, 1000, options.seconds, golf=True),
    }
    figures = Figures()
    notes: dict[str, str] = {}
    for _ in range(options.repeat):
        with baseline("echo") as server:
            figures.add("T", ping(server, 1000, options.seconds, golf=False).rate)
        for name, load in loads.items():
            with golfnet() as server:
                speed = load(server)
            figures.add(name, speed.rate)
            notes[name] = speed.note
    for name, what, aim in (
        ("ping", "ping in text mode, 1,000 connections, against T", ">= 1.6"),
        ("telnet", "  with telnet and GMCP", ""),
        ("programs", "  programs in the same run", ""),
        ("chat", "one line to four people, 250 tables, delivered lines", ""),
    ):
        row(what, aim, figures.ratio(name, "T"), "T", notes[name])


PARTS: Final[dict[str, Callable[[argparse.Namespace], None]]] = {
    "people": show_people,
    "watchers": show_watchers,
    "text": show_text,
}
