"""``golfnet arena``: play bots against each other, and measure each level."""

import argparse
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Final, TypeVar

from golfnet.bots.arena import (
    TABLE_HEAD,
    Matchup,
    Standing,
    deals_for,
    play_bound,
    play_deal,
    table_row,
    with_error,
)
from golfnet.bots.bot import LEVELS, Mean
from golfnet.cli.main import positive
from golfnet.cli.output import Failed
from golfnet.engine.errors import RuleError
from golfnet.engine.options import override
from golfnet.engine.variants import VARIANTS
from golfnet.rulesets import catalogue

WIDTH: Final = 640
ROW: Final = 36
LEFT: Final = 90
RIGHT: Final = 120
TOP: Final = 48


def bars(title: str, values: Mapping[str, Mean]) -> str:
    """Return a picture of the values as horizontal bars from zero, with whiskers of two standard errors each way."""
    whiskers = {name: value.error * 2 if isfinite(value.error) else 0.0 for name, value in values.items()}
    low = min([0.0, *(value.mean - whiskers[name] for name, value in values.items())])
    high = max([0.0, *(value.mean + whiskers[name] for name, value in values.items())])
    scale = (WIDTH - LEFT - RIGHT) / ((high - low) or 1.0)

    def at(points: float) -> float:
        return LEFT + (points - low) * scale

    height = TOP + ROW * len(values) + 16
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="14">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="16" y="28" font-size="16">{escape(title)}</text>',
    ]
    for row, (name, value) in enumerate(values.items()):
        top = TOP + ROW * row
        middle = top + ROW / 2
        left, right = sorted((at(0.0), at(value.mean)))
        start, end = at(value.mean - whiskers[name]), at(value.mean + whiskers[name])
        lines += [
            f'<text x="{LEFT - 8}" y="{middle + 5:.1f}" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{left:.1f}" y="{top + 6}" width="{right - left:.1f}" height="{ROW - 12}" fill="#5b8c5a"/>',
            f'<path d="M{start:.1f} {middle:.1f}H{end:.1f}" stroke="black"/>',
            f'<text x="{max(right, end) + 8:.1f}" y="{middle + 5:.1f}">'
            f"{with_error(value.mean, value.error, 2)}</text>",
        ]
    lines += [f'<path d="M{at(0.0):.1f} {TOP}V{TOP + ROW * len(values)}" stroke="black"/>', "</svg>", ""]
    return "\n".join(lines)


Task = TypeVar("Task")
Result = TypeVar("Result")

EPILOG = """\
Every deal is played in each rotation of the seats, so that no level gets better cards; if two seats have the same
level, identical rotations are played only once. Standard errors are those of means over deals. The same seed gives the
same table, whatever the number of processes.

  golfnet arena --rules six-card --seats hard,medium,medium,easy --holes 3000 --seed 1
  golfnet arena --rules six-card --seats hard,hard --option final_turn=on --plot six-card.svg

--bound measures how much better than hard a seat could play. A clairvoyant, who sees every card and even the stock,
plays against hard at tables of 2 and 4 seats. Every deal is first played with hard in all seats, and then again with
the clairvoyant in each seat in turn. The table shows the points of hard, the points that the clairvoyant saves in its
own seat, and its lead: these points minus what the other seats save on average. The same is measured for expert.

  golfnet arena --bound --holes 20
  golfnet arena --bound --rules cactus --holes 200"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: the rules, the levels of the seats, and the number of holes."""
    parser.add_argument(
        "--rules",
        choices=list(catalogue()),
        metavar="NAME",
        help="a rule set (default six-card; with --bound, all six built-in ones)",
    )
    parser.add_argument(
        "--seats",
        type=_levels,
        metavar="LEVELS",
        help=f"the level in each seat: {', '.join(LEVELS)} (default hard,medium,medium,easy)",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change an option of the rules; repeatable",
    )
    parser.add_argument(
        "--holes",
        type=positive,
        metavar="N",
        help="play at least this many holes (default 1000; with --bound, 20 for each player in each row)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        metavar="N",
        help="the seed for all random choices (default %(default)s)",
    )
    parser.add_argument(
        "--jobs", type=positive, metavar="N", help="number of processes (default: one per processor)"
    )
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="also write the points per hole as an SVG picture"
    )
    parser.add_argument("--times", action="store_true", help="also print the processor time per decision")
    parser.add_argument(
        "--bound", action="store_true", help="instead measure how much better than hard a seat could play"
    )


def run(args: argparse.Namespace) -> None:
    """Play, and print the table."""
    if args.bound:
        return _bound(args)
    rules = args.rules or "six-card"
    setting = _setting(args, rules, args.seats or ("hard", "medium", "medium", "easy"))
    deals = deals_for(setting, args.holes or 1000)
    standing = Standing(setting)
    for outcome in _played(partial(play_deal, setting), range(deals), args.jobs, 4):
        standing.add(outcome)
        _progress(standing, deals)
    options = "".join(f" {option}" for option in args.option)
    print(
        f"{rules}{options}, {len(setting.levels)} seats, {standing.holes} holes, {deals} deals, seed {args.seed}"
    )
    print(*standing.table(), sep="\n")
    if args.times:
        print(*standing.times(), sep="\n")
    if args.plot is not None:
        title = f"{rules}{options}: points per hole, {standing.holes} holes"
        try:
            args.plot.write_text(bars(title, standing.points), "utf-8")
        except OSError as error:
            raise Failed(f"{args.plot}: {error.strerror}", 1) from None


def _bound(args: argparse.Namespace) -> None:
    if args.seats or args.plot or args.times:
        raise Failed("--bound has its own seats and table; leave out --seats, --plot and --times")
    names = [args.rules] if args.rules else list(VARIANTS)
    settings = [_setting(args, name, ("hard",) * seats) for name in names for seats in (2, 4)]
    deals = [-(-(args.holes or 20) // len(setting.levels)) for setting in settings]
    tasks = [
        (setting, number) for setting, count in zip(settings, deals, strict=True) for number in range(count)
    ]
    bounds = _counted(_played(play_bound, tasks, args.jobs, 1), len(tasks))
    print(TABLE_HEAD)
    for setting, count in zip(settings, deals, strict=True):
        print(table_row(setting, islice(bounds, count)), flush=True)


def _counted(bounds: Iterator[Result], deals: int) -> Iterator[Result]:
    for number, bound in enumerate(bounds, 1):
        if sys.stderr.isatty():
            print(f"\r\x1b[K{number} of {deals} deals", end="\r", file=sys.stderr, flush=True)
        yield bound


def _setting(args: argparse.Namespace, name: str, levels: tuple[str, ...]) -> Matchup:
    for text in args.option:
        if "=" not in text:
            raise Failed(f"--option needs NAME=VALUE, not {text!r}")
    options = dict(text.split("=", 1) for text in args.option)
    try:
        return Matchup(override(catalogue()[name], options).for_seats(len(levels)), levels, args.seed)
    except RuleError as error:
        raise Failed(error) from None


def _played(
    play: Callable[[Task], Result], tasks: Sequence[Task], jobs: int | None, chunk: int
) -> Iterator[Result]:
    """Play deals in ``jobs`` processes, by default one per processor, to which ``chunk`` deals are sent at a time."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    jobs = min(jobs or processors or 1, -(-len(tasks) // chunk))
    if jobs == 1:
        yield from map(play, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(play, tasks, chunk)


def _progress(standing: Standing, deals: int) -> None:
    if not sys.stderr.isatty():
        return
    whole = 40 * standing.deals // deals
    leader = min(standing.levels, key=lambda level: standing.points[level].mean)
    print(
        f"\r[{'#' * whole}{'.' * (40 - whole)}] {standing.holes} holes, {leader} "
        f"{standing.points[leader].mean:.2f}\x1b[K",
        end="\n" if standing.deals == deals else "",
        file=sys.stderr,
        flush=True,
    )


def _levels(text: str) -> tuple[str, ...]:
    levels = tuple(text.lower().split(","))
    for level in levels:
        if level not in LEVELS:
            raise argparse.ArgumentTypeError(
                f"expected levels such as hard,easy, chosen from {', '.join(LEVELS)}, not {level!r}"
            )
    return levels
