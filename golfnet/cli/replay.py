"""``golfnet replay``: show a recorded match step by step, as one seat saw it or with all cards face up.

A seat's viewpoint is what that seat saw during play: the engine masks events and views, as on the server. The record is
checked along the way; at the first error, the replay stops and reports it.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from heapq import nlargest
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from golfnet.bots import coach
from golfnet.cli.output import Failed, show_drawn
from golfnet.cli.verify import lines_of
from golfnet.engine import actions as do
from golfnet.engine.cards import Seat, parse_seat, seat_letter
from golfnet.engine.events import Committed, Dealt, Event, HoleEnded
from golfnet.engine.hole import Hole, changed
from golfnet.engine.play import follow_up
from golfnet.engine.views import mask, open_layouts, view
from golfnet.protocol.commands.settings import MAX_WIDTH, MIN_WIDTH, Cards, Settings, Style, Talk
from golfnet.protocol.replies.replies import Happened, TableView
from golfnet.protocol.replies.view_codec import seat_to_wire, view_to_wire
from golfnet.protocol.text.text import render
from golfnet.protocol.text.words import Voice
from golfnet.storage.records import BadRecord
from golfnet.storage.verification import VerifiedEvent, action_of, verified_events


class Viewpoint(NamedTuple):
    """Whose view is shown: a seat's, or a watcher's if ``seat`` is None; if ``open``, all cards are shown."""

    seat: Seat | None
    open: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: the record, whose view to show, and how."""
    parser.add_argument("record", metavar="RECORD", help="a record file; - is standard input")
    viewpoint = parser.add_mutually_exclusive_group()
    viewpoint.add_argument("--seat", type=_seat, metavar="LETTER", help="as this seat saw it; A is the first")
    viewpoint.add_argument(
        "--coach",
        type=_seat,
        metavar="LETTER",
        help="only the three choices that cost this seat the most, and what a hard bot would have done",
    )
    viewpoint.add_argument("--watch", action="store_true", help="as a watcher sees it")
    viewpoint.add_argument("--all", action="store_true", help="with all cards face up (the default)")
    parser.add_argument(
        "--step",
        action="store_true",
        help="wait after each step: Enter continues, h skips to the end of the hole, q quits",
    )
    parser.add_argument("--hole", type=int, default=1, metavar="N", help="start at this hole")
    parser.add_argument("--style", type=Style, choices=list(Style), default=Style.ART, help="default: art")
    parser.add_argument(
        "--cards", type=Cards, choices=list(Cards), default=Cards.SYMBOLS, help="default: symbols"
    )


def run(args: argparse.Namespace) -> None:
    """Show the record."""
    colors = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    width = min(max(shutil.get_terminal_size().columns, MIN_WIDTH), MAX_WIDTH)
    settings = Settings(style=args.style, talk=Talk.FULL, cards=args.cards, width=width, color=colors)
    seat = args.seat if args.coach is None else args.coach
    viewpoint = Viewpoint(seat, open=seat is None and not args.watch)
    try:
        events = verified_events(lines_of(args.record))
        if args.coach is None:
            _show(events, viewpoint, settings, first_hole=args.hole, in_steps=args.step)
        else:
            _show_mistakes(events, viewpoint, settings)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Failed(f"{args.record}: {error.strerror}") from None
    except BadRecord as problem:
        raise Failed(f"{args.record}: {problem}", 1) from None


def _seat(text: str) -> Seat:
    try:
        return parse_seat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected {error}") from None


def _show(
    events: Iterable[VerifiedEvent],
    viewpoint: Viewpoint,
    settings: Settings,
    *,
    first_hole: int,
    in_steps: bool,
) -> None:
    waits, hole = in_steps, 0
    for verified in events:
        _check_seat(verified, viewpoint)
        if (hole := _hole_of(verified)) < first_hole:
            continue
        _draw(_to_wire(verified, viewpoint), settings, viewpoint)
        if isinstance(verified.event, HoleEnded):
            waits = in_steps
        match = verified.match
        waited_for = match.hole is not None and match.is_playing and follow_up(match.hole) is None
        if waited_for and (waits or isinstance(verified.event, Dealt)):
            _draw(view_of(verified, viewpoint), settings, viewpoint)
        if waits and (waited_for or isinstance(verified.event, HoleEnded)):
            match _read_key():
                case "q":
                    return
                case "h":
                    waits = False
    if hole < first_hole:
        raise Failed(f"there is no hole {first_hole} in this record: the last is {hole}")


def _draw(reply: Happened | TableView, settings: Settings, viewpoint: Viewpoint) -> None:
    for line in render(reply, settings, you=viewpoint.seat).lines:
        show_drawn(line)


_Mistake = tuple[float, VerifiedEvent, VerifiedEvent, coach.Advice]
"""What a choice cost in points, the table before it, what happened then, and what would have been better."""


def _show_mistakes(events: Iterable[VerifiedEvent], viewpoint: Viewpoint, settings: Settings) -> None:
    worst = nlargest(3, _mistakes(events, viewpoint), key=itemgetter(0))
    if not worst:
        show_drawn("This seat played as well as a hard bot would have.")
    in_order = sorted(worst, key=lambda mistake: mistake[1].seq)
    for number, (cost, before, happened, advice) in enumerate(in_order):
        if number:
            show_drawn("")
        show_drawn(f"Hole {_hole_of(happened)}: this cost about {cost:.1f} points.")
        for reply in (view_of(before, viewpoint), _to_wire(happened, viewpoint)):
            _draw(reply, settings, viewpoint)
        voice = Voice(settings=settings, you=viewpoint.seat, names=happened.match.names)
        show_drawn(f"A hard bot: {voice.told(advice.sentence)}")


def _mistakes(events: Iterable[VerifiedEvent], viewpoint: Viewpoint) -> Iterator[_Mistake]:
    """Yield the choices that cost a seat points, judged by what the seat knew at the time."""
    bot = None
    seat = viewpoint.seat
    for before, verified in pairwise(events):
        _check_seat(verified, viewpoint)
        if seat is None or verified.match.rules is None:
            continue
        bot = bot or coach.new_bot(verified.match.rules)
        hole = before.match.hole
        action = None if hole is None else _choice(hole, verified.event, seat)
        if hole is not None and action is not None:
            cost, advice = coach.compare(bot, view(hole, seat), action) or (0.0, None)
            if advice is not None and cost > coach.SAME:
                yield cost, before, verified, advice
        bot.observe(mask(verified.event, seat))


def _choice(hole: Hole, event: Event, seat: Seat) -> do.Action | None:
    """Return the choice that an event reports for a seat, or None if it reports none."""
    if getattr(event, "seat", None) != seat or (cause := action_of(hole, event)) is None:
        return None
    _, action = cause
    # The order in which two switched cards are named does not matter; the coach rates only one order.
    return do.Switch(*sorted((action.first, action.second))) if isinstance(action, do.Switch) else action


def _check_seat(verified: VerifiedEvent, viewpoint: Viewpoint) -> None:
    seats = len(verified.match.names)
    if viewpoint.seat is not None and seats and viewpoint.seat >= seats:
        verified.line.bad("seats", f"a seat {seat_letter(viewpoint.seat)}", f"{seats} seats")


def _hole_of(verified: VerifiedEvent) -> int:
    """Return the number of the hole that an event belongs to; the end of the match belongs to the last hole."""
    if isinstance(verified.event, Committed):
        return verified.event.hole
    return verified.match.started.hole if verified.match.started is not None else 1


def _read_key() -> str:
    try:
        return input("[Enter: next step   h: to the end of the hole   q: quit] ").strip().lower()[:1]
    except EOFError:
        return "q"


def _to_wire(verified: VerifiedEvent, viewpoint: Viewpoint) -> Happened:
    match = verified.match
    return Happened(
        table=verified.table,
        seq=verified.seq,
        event=verified.event if viewpoint.open else mask(verified.event, viewpoint.seat),
        names=match.names,
        rules=match.rules,
        scores=match.scores,
        closer=match.hole.closer if match.hole is not None else None,
    )


def view_of(verified: VerifiedEvent, viewpoint: Viewpoint) -> TableView:
    """Return the table as seen from a viewpoint, once cards have been dealt."""
    match = verified.match
    assert match.hole is not None
    assert match.rules is not None
    seen = view(match.hole, viewpoint.seat)
    if viewpoint.open:
        drawn = match.hole.drawn
        seen = changed(seen, layouts=open_layouts(match.hole), drawn=drawn.card if drawn else None)
    return view_to_wire(
        match,
        seen,
        table=verified.table,
        seq=verified.seq,
        rules=match.rules,
        state="playing" if match.is_playing else "between" if match.places is None else "finished",
        you=viewpoint.seat,
        seats=[seat_to_wire(match, seen, Seat(seat), name=name) for seat, name in enumerate(match.names)],
        slam_ms=match.rules.slam_window * 1000,
    )
