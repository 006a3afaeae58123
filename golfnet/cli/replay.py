"""``golfnet replay``: show a recorded match step by step, through one seat's eyes or with all cards open.

A seat's eyes see what that seat saw when it was played: events and views are masked by the engine as the server does
it. The record is checked on the way; where it cannot be true, the replay stops and says why.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Iterable
from functools import partial
from typing import Final, NamedTuple

from golfnet.cli.output import complain, show_drawn
from golfnet.cli.verify import lines_of
from golfnet.engine.events import Committed, Dealt, HoleEnded, MatchEnded
from golfnet.engine.hole import Hole
from golfnet.engine.layout import Seat
from golfnet.engine.match import Match
from golfnet.engine.notation import EMPTY, parse_seat, seat_letter
from golfnet.engine.play import follow_up
from golfnet.engine.rules import MAX_HOLES
from golfnet.engine.views import View, mask, view
from golfnet.protocol.commands.settings import MAX_WIDTH, MIN_WIDTH, Cards, Settings, Style
from golfnet.protocol.replies.replies import Happened, TableView
from golfnet.protocol.replies.view_codec import seat_to_wire, view_to_wire
from golfnet.protocol.text.text import render
from golfnet.storage.record_parser import BadRecord
from golfnet.storage.verification import VerifiedEvent, verified_events

STEP_HELP: Final = "Enter: go on   h: to the end of the hole   q: quit"


class Eyes(NamedTuple):
    """Who looks on: a seat, or with ``seat`` None everybody at once, with ``open`` all cards."""

    seat: Seat | None
    open: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take the record, whose eyes to use, and how to show it."""
    parser.add_argument("record", metavar="RECORD", help="a record file; - is standard input")
    eyes = parser.add_mutually_exclusive_group()
    eyes.add_argument(
        "--seat", type=_seat, metavar="LETTER", help="through the eyes of this seat: A is the first"
    )
    eyes.add_argument("--watch", action="store_true", help="as somebody who watches the table")
    eyes.add_argument("--all", action="store_true", help="with all cards open (the default)")
    parser.add_argument("--step", action="store_true", help=f"wait after each step. {STEP_HELP}")
    parser.add_argument("--hole", type=int, default=1, metavar="N", help="begin with this hole")
    parser.add_argument("--style", type=Style, choices=list(Style), default=Style.ART, help="default art")
    parser.add_argument(
        "--cards", type=Cards, choices=list(Cards), default=Cards.SYMBOLS, help="default symbols"
    )


def run(args: argparse.Namespace) -> int:
    """Show the record; return the exit status."""
    colors = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    width = min(max(shutil.get_terminal_size().columns, MIN_WIDTH), MAX_WIDTH)
    settings = Settings(style=args.style, cards=args.cards, width=width, color=colors)
    eyes = Eyes(args.seat, open=args.seat is None and not args.watch)
    show = partial(_show, eyes=eyes, settings=settings, first_hole=args.hole, in_steps=args.step)
    try:
        if args.record == "-":
            show(verified_events(lines_of(sys.stdin.buffer)))
        else:
            with open(args.record, "rb") as file:
                show(verified_events(lines_of(file)))
    except BrokenPipeError:
        raise
    except OSError as error:
        complain("replay", f"{args.record}: {error.strerror}")
        return 2
    except BadRecord as problem:
        complain("replay", f"{args.record}: {problem}")
        return 1
    return 0


def _seat(text: str) -> Seat:
    try:
        return parse_seat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected {error}") from None


def _show(
    moments: Iterable[VerifiedEvent], *, eyes: Eyes, settings: Settings, first_hole: int, in_steps: bool
) -> None:
    """Print what happens, hole by hole or in steps."""
    waits = in_steps
    for moment in moments:
        _check_seat(moment, eyes)
        if _hole_of(moment) < first_hole:
            continue
        for line in render(_happened(moment, eyes), settings, you=eyes.seat):
            show_drawn(line)
        if isinstance(moment.event, HoleEnded):
            waits = in_steps
        waited_for = _waits(moment.match)
        if waited_for and (waits or isinstance(moment.event, Dealt)):
            for line in render(view_of(moment, eyes), settings, you=eyes.seat):
                show_drawn(line)
        if waits and (waited_for or isinstance(moment.event, HoleEnded)):
            match _ask():
                case "q":
                    return
                case "h":
                    waits = False


def _check_seat(moment: VerifiedEvent, eyes: Eyes) -> None:
    seats = len(moment.match.names)
    if eyes.seat is not None and seats and eyes.seat >= seats:
        raise BadRecord(moment.line, "seats", f"a seat {seat_letter(eyes.seat)}", f"{seats} seats")


def _hole_of(moment: VerifiedEvent) -> int:
    """Return the hole that an event belongs to; the end of the match belongs to the last."""
    match moment.event:
        case Committed(hole=hole):
            return hole
        case MatchEnded():
            return MAX_HOLES
    return moment.match.started.hole if moment.match.started is not None else 1


def _waits(match: Match) -> bool:
    """Tell whether everything has happened in the hole that follows by itself."""
    return match.hole is not None and match.is_playing and follow_up(match.hole) is None


def _ask() -> str:
    try:
        return input(f"[{STEP_HELP}] ").strip().lower()[:1]
    except EOFError:
        return "q"


def _happened(moment: VerifiedEvent, eyes: Eyes) -> Happened:
    match = moment.match
    return Happened(
        table=moment.table,
        seq=moment.seq,
        event=moment.event if eyes.open else mask(moment.event, eyes.seat),
        names=match.names,
        rules=match.rules,
        scores=match.scores,
        closer=match.hole.closer if match.hole is not None else None,
    )


def view_of(moment: VerifiedEvent, eyes: Eyes) -> TableView:
    """Return the table as these eyes see it; there must have been a deal."""
    match = moment.match
    if match.hole is None or match.rules is None:
        raise LookupError("no cards are dealt yet")
    seen = view(match.hole, eyes.seat)
    if eyes.open:
        seen = _opened(seen, match.hole)
    return view_to_wire(
        match,
        seen,
        table=moment.table,
        seq=moment.seq,
        rules=match.rules,
        state="playing" if match.is_playing else "between" if match.places is None else "finished",
        you=eyes.seat,
        seats=[seat_to_wire(match, seen, Seat(seat), name=name) for seat, name in enumerate(match.names)],
        slam_ms=match.rules.slam_window * 1000,
    )


def _opened(seen: View, hole: Hole) -> View:
    """Return a view with every card in it, those that lie face down marked as such."""
    layouts = tuple(
        tuple(
            EMPTY if slot is None else slot.card.text if slot.face_up else slot.card.known_text
            for slot in layout
        )
        for layout in hole.layouts
    )
    return seen._replace(layouts=layouts, drawn=hole.drawn.card if hole.drawn is not None else None)
