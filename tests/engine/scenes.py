"""Scenes from play, written as text: what is dealt, what the seats do, and what must result.

A scene begins with the decisions that it shows. Its second line is the deal: a rule set with options, or several rule
sets, and the cards of each seat in the order of its slots. Then there may be an ``upcard``, the first cards of the
``stock`` or the ``whole stock``, and a ``leader``. Start choices are made for everybody, unless the line ends with
``before the start choices``. The other lines are played and checked in order:

    A draw, discard; B take 1         commands that are accepted
    A draw -> drew                    … and these are all events that follow
    A draw, swap 9 !! BAD_SLOT        each of these commands is refused
    all pass; close                   every seat passes; the table closes the slam window
    default play                      every seat plays default actions until the hole ends
    A may draw, knock                 everything that A may send
    A can pass, A cannot pass         something that A may or may not send
    A by default draw                 what the server does when A's time has run out
    cards (7H) 2C | - 3S              the layouts; (7H) lies face down
    A sees ? 2C | - 3S                the layouts as A sees them; ``watcher sees`` too
    A alone is shown 7H 2C            the cards of the last event, which nobody else is shown
    turn B, discards 7C 7H, turns 2 1
    ended knock by B, scores 7 0      the closer, if there is one; the scores may be omitted
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from golfnet.engine.cards import Seat, parse_deck, parse_seat, seat_letter
from golfnet.engine.options import override
from golfnet.engine.variants import VARIANTS
from golfnet.engine.views import mask
from tests.engine.drawing import FOUR, SIX, THREE, Played, cells, dealt, drawn, names

FILES: Final = sorted((Path(__file__).parent / "decisions").glob("*.txt"))
_GIVEN: Final = "upcard|whole stock|stock|leader|before the start choices"
_LAYOUTS: Final = {"FOUR": FOUR, "THREE": THREE, "SIX": SIX}


PHASES: Final = dict(
    line.split(maxsplit=1)
    for line in """
start     four-card-knock: FOUR; before the start choices
flipping  six-card: SIX; before the start choices
one_owed  four-turn: FOUR; before the start choices => A peek 3
chosen    four-card-knock: FOUR; before the start choices => A peek 1 2
turn      four-card-knock: FOUR; upcard 9S
holding   four-card-knock: FOUR; upcard 9S => A draw
taken     four-card-knock: FOUR; upcard 9S => A take
flip      six-card: SIX => A draw, discard
power     cactus: FOUR; stock JC 5D => A draw, discard
window    cactus: FOUR; stock 7C 5D => A draw, discard
slammed   cactus: FOUR; stock 7C 5D => A draw, discard, slam 1
gift      cactus: FOUR; stock 7C 5D => A draw, discard; B slam A1
over      cactus: FOUR; whole stock 5D => A draw
all_up    multiples reveal=on rows=1: 7H 2C | 3S 4S => A flip 1; B draw, discard; A flip 2; B draw, discard
locked    multiples lock=on: FOUR; upcard 9S => A take 2; B draw, discard
emptied   cactus: FOUR; stock 7C => A draw, discard; B slam 4; all pass
moved     cactus rows=1: JH 2C | 3S 4S; stock JC => A draw, discard; B slam A1, give 1; A switch 2 B2
shown     cactus rows=1 start=flip-any-1: 2H 7C | 3S 7H; stock 7D 7S JC => \
A draw, discard, slam 2; close; B draw, discard, slam 2; close; A draw, discard
""".strip().split("\n")
)
"""Scenes of a two-seat hole in each phase and in some special states; if any seat has the turn, it is seat A."""


def all_scenes() -> Iterator[tuple[str, list[str]]]:
    """Yield the title and the lines of each scene."""
    for file in FILES:
        for text in file.read_text("utf-8").strip().split("\n\n"):
            title, *lines = (line.strip() for line in text.split("\n"))
            yield title, lines


def play_scene(lines: list[str]) -> None:
    """Play and check a scene under each of its rule sets."""
    rule_sets, _, layouts = lines[0].partition(": ")
    for rules in rule_sets.split(", "):
        scene(f"{rules}: {layouts}", *lines[1:])


def scene(deal: str, *lines: str) -> Played:
    """Return a hole after a deal and some lines of play."""
    rules, _, drawing = deal.partition(": ")
    name, *options = rules.split()
    layouts, *more = drawing.split("; ")
    given = dict(re.findall(f"(?m)^({_GIVEN}) ?(.*)", "\n".join(more)))
    assert len(given) == len(more), more
    played = dealt(
        override(VARIANTS[name], dict(option.split("=") for option in options)),
        _LAYOUTS.get(layouts, layouts),
        upcard=given.get("upcard", "."),
        stock=given.get("whole stock") or given.get("stock", ""),
        rest="whole stock" not in given,
        leader=given.get("leader", "A"),
    )
    if "before the start choices" not in given:
        played.chosen()
    for line in lines:
        _play(played, line)
    return played


def in_phase(phase: str) -> Played:
    """Return the hole in a phase."""
    return scene(*PHASES[phase].split(" => "))


def _play(played: Played, line: str) -> None:
    if found := re.fullmatch(r"(cards|discards|turns?|ended) (.+)", line):
        state = _state(played, found[1])
        assert found[2] in (state, state.partition(", scores")[0]), line
    elif found := re.fullmatch(r"(\w+) (may|can|cannot|by default|sees|alone is shown) (.+)", line):
        _check_viewer(played, found[1], found[2], found[3])
    elif " !! " in line:
        commands, _, refusal = line.partition(" !! ")
        for command in _commands(commands):
            assert played.refuses(command).refusal == refusal, command
    else:
        commands, _, events = line.partition(" -> ")
        happened = played.plays(*_commands(commands))
        assert not events or names(happened) == events, line


def _commands(text: str) -> Iterator[str]:
    """Yield the commands of a line, each with its seat."""
    for part in text.split("; "):
        first, *others = part.split(", ")
        yield first
        yield from (f"{first.split()[0]} {other}" for other in others)


def _state(played: Played, what: str) -> str:
    hole = played.hole
    match what:
        case "cards":
            return " | ".join(map(" ".join, drawn(hole)))
        case "discards":
            return " ".join(card.text for card in hole.discards)
        case "turns":
            return " ".join(map(str, hole.turns))
        case "turn":
            return "nobody" if hole.turn is None else seat_letter(hole.turn)
    ended = played.ended
    assert ended.layouts == tuple(tuple(slot and slot.card for slot in layout) for layout in hole.layouts)
    by = "" if ended.closer is None else f" by {seat_letter(ended.closer)}"
    scores = " ".join(map(str, ended.scores or ()))
    return f"{ended.reason}{by}, scores {scores}"


def _check_viewer(played: Played, viewer: str, verb: str, text: str) -> None:
    seat = None if viewer == "watcher" else parse_seat(viewer)
    match verb:
        case "may":
            assert played.lines(viewer) == ([] if text == "nothing" else text.split(", ")), viewer
        case "can" | "cannot":
            assert (text in played.lines(viewer)) is (verb == "can"), text
        case "by default":
            assert (played.default_line(viewer) or "nothing") == text
        case "sees":
            assert played.view(None if seat is None else viewer).layouts == cells(text)
        case _:
            for other in (*map(Seat, played.hole.seats), None):
                shown = parse_deck(text) if other == seat else None
                assert getattr(mask(played.log[-1], other), "cards", None) == shown
