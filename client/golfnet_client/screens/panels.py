"""Parts that several screens share: header, keys, score card, log."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from golfnet.engine.notation import SEAT_LETTERS
from golfnet.engine.rulebook import summary
from golfnet.engine.scoring import places
from golfnet.protocol.text.typeset import display_width, wrapped
from golfnet.protocol.text.words import ordinal
from golfnet_client.screens.choices import Choice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from golfnet.engine.rules import RuleSet
    from golfnet.protocol.replies.replies import SeatView, TableView
    from golfnet_client.model.model import Model
    from golfnet_client.model.story import Entry
    from golfnet_client.screens.canvas import Canvas


def draw_header(canvas: Canvas, model: Model, title: str) -> None:
    """Draw the first line: the title, the player's name, and the state of the connection."""
    canvas.fill(0, 0, canvas.width, 1, "header")
    state = "not connected" if not model.is_connected and model.name else model.server
    parts = (model.name, state) if canvas.width >= NARROW or not model.is_connected else (model.name,)
    right = " · ".join(filter(None, parts))
    start = canvas.put_right(canvas.width - 1, 0, right, "header")
    end = canvas.put(1, 0, "golf", "header brand")
    canvas.put(end + 2, 0, title, "header", width=max(0, start - end - 3))


def draw_alarm(canvas: Canvas) -> None:
    """Draw an alarm over the first line: a deal was not as promised."""
    canvas.fill(0, 0, canvas.width, 1, "alarm")
    text = "! THE DEAL IS NOT WHAT WAS PROMISED: press ! for more"
    canvas.put(1, 0, text, "alarm", width=canvas.width - 2)
    canvas.zone(0, 0, canvas.width, 1, "key !")


def seat_style(letter: str) -> str:
    """Return the style of a seat's colour, the same on every screen."""
    return f"seat-{SEAT_LETTERS.index(letter)}"


def draw_actions(
    canvas: Canvas, x: int, bottom: int, width: int, offers: Sequence[Choice], *, most: int = 2
) -> int:
    """Draw the choices with their keys in at most ``most`` lines above ``bottom``; return the number of lines.

    If they do not fit, the last choices are left out, but never those for the command line and help.
    """
    chips = list(offers)
    always = _ALWAYS if width >= NARROW else [choice._replace(label="") for choice in _ALWAYS]
    rows = _rows([*chips, *always], width)
    while len(rows) > most and chips:
        chips.pop()
        rows = _rows([*chips, *always], width)
    rows = rows[:most]
    for y, row in enumerate(rows, bottom - len(rows) + 1):
        canvas.fill(0, y, x + width + 1, 1, "actions")
        at = x
        for key, label, line in row:
            start, dim = at, " dim" if line is None else ""
            at = canvas.put(at, y, f" {key} ", "actions dim" if dim else "actions key")
            if label:
                at = canvas.put(at, y, f" {label} ", f"actions{dim}")
            canvas.zone(start, y, at - start, 1, f"key {key}")
            at += 1
    return len(rows)


def _rows(chips: list[Choice], width: int) -> list[list[Choice]]:
    rows: list[list[Choice]] = [[]]
    used = 0
    for chip in chips:
        size = len(chip.key) + (display_width(chip.label) + 5 if chip.label else 3)
        if used + size > width and rows[-1]:
            rows.append([])
            used = 0
        rows[-1].append(chip)
        used += size
    if len(rows) > 1 and len(rows[-1]) == 1:
        rows[-1].insert(0, rows[-2].pop())  # never leave one key alone on the last line
    return rows


NARROW: Final = 56
"""In windows with fewer columns, the permanent keys are drawn without labels."""

_ALWAYS: Final = [Choice(":", "type", ""), Choice("?", "help", "")]


def draw_scores(canvas: Canvas, view: TableView, x: int, y: int, width: int, height: int) -> int:
    """Draw the score card with as many of the latest holes as fit; return the number of lines."""
    totals = [seat.total for seat in view.seats]
    place = places(totals)
    order = sorted(range(len(totals)), key=lambda seat: totals[seat])[: max(0, height - 1)]
    cell = max([2, *(len(str(score)) for hole in view.scores for score in hole)]) + 1
    name = max(6, min(16, width - 11 - cell * min(3, len(view.scores))))
    across = max(0, min(len(view.scores), (width - name - 4 - 6) // cell))
    first = len(view.scores) - across
    heading = "".join([f"{hole:>{cell}}" for hole in range(first + 1, len(view.scores) + 1)])
    more = "<" if first else " "
    canvas.put(x, y, f"{'Scores':<{name + 4}}{more}{heading}{'total':>6}", "panel title")
    for line, seat in enumerate(order, y + 1):
        who = view.seats[seat]
        style = f"panel {seat_style(who.seat)}"
        bold = " total" if who.seat == view.you else ""
        canvas.put(x, line, f"{place[seat]:>2}. " if view.scores else "    ", "panel dim")
        canvas.put(x + 4, line, f"{who.seat} {who.name}", f"{style}{bold}", width=name)
        at = x + 4 + name + 1
        for hole in view.scores[first:]:
            score = score_in(hole, seat)
            at = canvas.put(at, line, f"{score:>{cell}}", "panel best" if score == min(hole) else "panel")
        canvas.put(at, line, f"{totals[seat]:>6}", f"{style} total")
    return 1 + len(order)


def score_in(hole: Sequence[int], seat: int) -> int:
    """Return a seat's score in a hole, or 0 if nobody had the seat then."""
    return hole[seat] if seat < len(hole) else 0


def score_lines(view: TableView) -> list[str]:
    """Return the whole score card as text: every hole, totals, best holes and ranks."""
    totals = [seat.total for seat in view.seats]
    place = places(totals)
    order = sorted(range(len(totals)), key=lambda seat: totals[seat])
    name = max([4, *(display_width(seat.name) for seat in view.seats)]) + 2
    lines = []
    for start in range(0, max(1, len(view.scores)), 9):
        part = range(start, min(start + 9, len(view.scores)))
        lines.append(" " * (name + 5) + "".join([f"{hole + 1:>5}" for hole in part]) + "   total   best")
        for seat in order:
            who: SeatView = view.seats[seat]
            row = "".join([f"{score_in(view.scores[hole], seat):>5}" for hole in part])
            best = min((score_in(hole, seat) for hole in view.scores), default=0)
            label = f"{who.seat} {who.name}".ljust(name)
            lines.append(f"{ordinal(place[seat]):<5}{label}{row}{totals[seat]:>8}{best:>7}")
        lines.append("")
    return lines


def draw_log(
    canvas: Canvas, model: Model, x: int, y: int, width: int, height: int, *, style: str = "felt"
) -> int:
    """Draw the log, wrapped, with the newest line last, or older ones if the player has scrolled back.

    The zone ``log N`` says how many entries are shown in full. Return the number of lines drawn.
    """
    if height < 1:
        return 0
    if model.older and height > 1:
        height -= 1
        canvas.put(x, y + height, f"▼ {model.older} newer: page down, end", f"{style} urgent", width=width)
    you = model.table.you if model.table is not None else None
    shown: list[tuple[Entry, list[str]]] = []
    for entry in islice(reversed(model.log), model.older, None):
        lines = _broken(entry, width)
        # An entry's end is useless without its beginning, so an entry is cut only if it is the only one.
        if shown and sum(len(each) for _, each in shown) + len(lines) > height:
            break
        if len(lines) > height:
            lines = _broken(entry, width - 2)[:height]
            lines[-1] += "…"
        shown.insert(0, (entry, lines))
    canvas.zone(x, y, width, height, f"log {len(shown)}")
    for place, (entry, lines) in enumerate(shown, 1):
        newest = "" if place == len(shown) else " old"
        ink = "" if entry.kind == "event" else f" log-{entry.kind}"
        speaker = _SPEAKER.match(entry.text) if entry.kind == "event" else None
        seat = speaker[1] if speaker is not None else (you or "") if entry.kind == "mine" else ""
        for number, line in enumerate(lines):
            text = line.strip() if seat else line
            canvas.put(x + bool(seat), y, text, f"{style}{ink}{newest}", width=width - bool(seat))
            if seat:
                canvas.put(x, y, "▎", f"{style} {seat_style(seat)}")
                if not number and speaker is not None:
                    canvas.put(x + 1, y, line[: line.find(")") + 1], f"{style} {seat_style(seat)}")
            y += 1
    return sum(len(lines) for _, lines in shown)


_SPEAKER: Final = re.compile(r"\S+ \(([A-L])\) ")
"""The beginning of a log line such as ``Bob (B) draws``, with its seat."""


def draw_rules(
    canvas: Canvas, rules: RuleSet, name: str, x: int, top: int, bottom: int, width: int, style: str
) -> None:
    """Draw a summary of the rules that ends above ``bottom``, or nothing if there is no room below ``top``."""
    said = [wrapped(line, width) for line in summary(rules)]
    lines = sum(map(len, said)) + 2
    gap = int(lines + len(said) <= bottom - top)
    y = bottom - lines - gap * (len(said) - 1)
    if y < top:
        return
    canvas.put(x, y, f"Rules of {name}", f"{style} title", width=width)
    y += 2
    for each in said:
        for number, line in enumerate(each):
            canvas.put(x, y + number, line, f"{style} name")
        canvas.put(x, y, each[0][: each[0].find(":") + 1], f"{style} title")
        y += len(each) + gap


@lru_cache(maxsize=1024)
def _broken(entry: Entry, width: int) -> list[str]:
    if entry.kind in ("event", "mine"):
        width -= 1  # room for a bar in the seat's colour
    sign = {"chat": "> ", "refused": "? ", "server": "! ", "done": "= "}.get(entry.kind, "")
    return wrapped(f"{sign}{entry.text}", max(width, 8))
