"""Parts that several screens share: header, keys, score card, log; and what is drawn over a screen."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, islice
from typing import Final

from golfnet.engine.cards import SEAT_LETTERS
from golfnet.engine.rulebook import summary
from golfnet.engine.rules import RuleSet
from golfnet.engine.scoring import places
from golfnet.protocol.replies.replies import TableView
from golfnet.protocol.text.typeset import clipped, display_width, wrapped
from golfnet.protocol.text.words import ordinal
from golfnet_client.model.model import Model
from golfnet_client.model.pages import Menu, Pages
from golfnet_client.model.story import Entry
from golfnet_client.screens.canvas import Canvas, Look
from golfnet_client.screens.choices import Choice


def draw_header(canvas: Canvas, model: Model, title: str) -> None:
    """Draw the first line: the title, the player's name, and the state of the connection."""
    canvas.fill(0, 0, canvas.width, 1, "header")
    state = "not connected" if not model.is_connected and model.name else model.server
    parts = (model.name, state) if canvas.width >= NARROW or not model.is_connected else (model.name,)
    start = canvas.put_right(canvas.width - 1, 0, " · ".join(filter(None, parts)), "header")
    end = canvas.put(1, 0, "golf", "header brand")
    canvas.put(end + 2, 0, title, "header", width=max(0, start - end - 3))


def draw_alarm(canvas: Canvas) -> None:
    """Draw an alarm over the first line: a deal was not as promised."""
    canvas.fill(0, 0, canvas.width, 1, "alarm")
    canvas.put(1, 0, "! THE DEAL IS NOT WHAT WAS PROMISED: press ! for more", "alarm", width=canvas.width - 2)
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
    always = _ALWAYS if width >= NARROW else [choice._replace(label="") for choice in _ALWAYS]
    ways = (_rows([*offers[:shown], *always], width) for shown in range(len(offers), 0, -1))
    rows = next((rows for rows in ways if len(rows) <= most), _rows(always, width)[:most])
    for y, row in enumerate(rows, bottom - len(rows) + 1):
        canvas.fill(0, y, x + width + 1, 1, "actions")
        at = x
        for key, label, line in row:
            start, dim = at, " dim" if line is None else ""
            at = canvas.put(at, y, f" {key} ", "actions dim" if dim else "actions key")
            at = canvas.put(at, y, f" {label} " if label else "", f"actions{dim}")
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
    totals = view.totals
    place = places(totals)
    order = sorted(range(len(totals)), key=lambda seat: totals[seat])[: max(0, height - 1)]
    cell = max([2, *(len(str(score)) for hole in view.scores for score in hole)]) + 1
    name = max(6, min(16, width - 11 - cell * min(3, len(view.scores))))
    first = max(0, len(view.scores) - max(0, width - name - 4 - 6) // cell)
    heading = "".join([f"{hole:>{cell}}" for hole in range(first + 1, len(view.scores) + 1)])
    canvas.put(x, y, f"{'Scores':<{name + 4}}{'<' if first else ' '}{heading}{'total':>6}", "panel title")
    for line, seat in enumerate(order, y + 1):
        who = view.seats[seat]
        style = f"panel {seat_style(who.seat)}"
        canvas.put(x, line, f"{place[seat]:>2}. " if view.scores else "    ", "panel dim")
        ink = f"{style} total" if who.seat == view.you else style
        canvas.put(x + 4, line, f"{who.seat} {who.name}", ink, width=name)
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
    totals = view.totals
    place = places(totals)
    order = sorted(range(len(totals)), key=totals.__getitem__)
    name = max([4, *(display_width(seat.name) for seat in view.seats)]) + 2
    lines = []
    for start in range(0, max(1, len(view.scores)), 9):
        part = range(start, min(start + 9, len(view.scores)))
        lines.append(" " * (name + 5) + "".join([f"{hole + 1:>5}" for hole in part]) + "   total   best")
        for seat in order:
            who = view.seats[seat]
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
    elif model.older:
        width = canvas.put_right(x + width, y, f" ▼ {model.older}", f"{style} urgent") - x
    you = model.table.you if model.table is not None else None
    shown: list[tuple[Entry, list[str]]] = []
    for entry in islice(reversed(model.log), model.older, None):
        if entry is model.news:
            continue  # shown as a notice, above the screen
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


WIDEST_MENU: Final = 76
"""Maximum width of a menu inside its frame, in columns."""


def _margin(canvas: Canvas) -> int:
    return 4 if canvas.width >= NARROW else 0  # too narrow to show anything useful beside the text


def text_width(canvas: Canvas) -> int:
    """Return the maximum width of a text shown over a screen, in columns."""
    return min(canvas.width - _margin(canvas), 100) - 6


def draw_pages(canvas: Canvas, pages: Pages) -> None:
    """Draw the text shown over a screen, and its scroll position."""
    margin = _margin(canvas)
    pages.fit(text_width(canvas))
    width = min(canvas.width - margin, max(50, *(len(line) + 6 for line in (pages.title, *pages.lines))), 100)
    lines = [part for line in pages.lines for part in _fitting(line, width - 6)]
    height = min(canvas.height - 2, len(lines) + 4)
    canvas.zones.clear()
    x, y = (canvas.width - width) // 2, max(0, (canvas.height - height) // 2)
    canvas.box(x, y, width, height, "panel")
    canvas.put(x + 2, y, f" {pages.title} ", "panel title")
    room, rows = height - 4, pages.rows
    last = len(lines) - room
    pages.at = max(0, min(pages.at, len(rows) - 1 if rows else last))
    # Every line of a row but its first is indented; row -1 is the heading.
    row_of = [number - 2 for number in accumulate([line[:1] != " " for line in lines])]
    above = sum([row < pages.at for row in row_of])
    first = max(0, min(above - room // 2, last)) if rows else pages.at
    for at, line in enumerate(lines[first : first + room], first):
        top, chosen = y + 2 + at - first, bool(rows) and row_of[at] == pages.at
        if chosen:
            canvas.fill(x + 1, top, width - 2, 1, "row")
            canvas.put(x + 1, top, "▶" if at == above else "", "row")
        style = "row" if chosen else "panel title" if rows and at == 0 else "panel"
        canvas.put(x + 3, top, line, style, width=width - 6)
        if rows and at:
            canvas.zone(x + 1, top, width - 2, 1, f"page {row_of[at]}")
    more = f"{first + 1}-{min(first + room, len(lines))} of {len(lines)}" if len(lines) > room else ""
    hint = "Enter chooses, Esc closes" if rows else "Esc closes"
    canvas.put_right(x + width - 2, y + height - 1, f" {more}  {hint} " if more else f" {hint} ", "panel dim")


def _fitting(line: str, width: int) -> list[str]:
    """Return a line unchanged if it fits, so that columns stay aligned; otherwise break it between keys."""
    if display_width(line) <= width:
        return [line]
    parts = re.split(r"(?<=\S) {2,}(?=\S{1,6} {2}\S)", line)
    if len(parts) > 1 and line.startswith("  ") and len(parts[1]) > 6:
        return [line for part in parts for line in wrapped(f"  {part.strip()}", width)]
    return wrapped(line, width)


def draw_menu(canvas: Canvas, menu: Menu, top: int | None) -> None:
    """Draw a menu in the middle, or below ``top``; it scrolls if it is too long.

    If the meanings do not fit beside the labels, only that of the selected item is shown, below the list.
    """
    labels = max(display_width(item.label) for item in menu.items)
    meanings = max(display_width(item.meaning) for item in menu.items)
    wanted = max(
        labels + meanings + 10, min(display_width(menu.text), 58) + 2, display_width(menu.title) + 4, 30
    )
    width = max(10, min(wanted, WIDEST_MENU, canvas.width - 4))
    fits = meanings <= max(0, width - 9 - labels)
    text = [*_lines(menu.text, width), ""] if menu.text else []
    details = [] if fits else [_lines(item.meaning, width) for item in menu.items]
    below = 1 + max(map(len, details)) if details else 0
    shown = max(1, min(len(menu.items), canvas.height - 2 - len(text) - below))
    height = len(text) + shown + below + 2
    x = (canvas.width - width - 2) // 2
    # The window is one line taller than the canvas: its last line is the command line.
    y = (canvas.height + 1 - height) // 2 if top is None else max(0, min(top, canvas.height - height))
    canvas.zones.clear()
    canvas.box(x, y, width + 2, height, "panel dim")
    canvas.put(x + 1, y, f" {menu.title} ", "panel title", width=width)
    canvas.put(x + 1, y + height - 1, _hint(menu, width, canvas.look), "panel title", width=width)
    canvas.zone(x, y, width + 2, height, "menu")
    first = max(0, min(menu.at - shown // 2, len(menu.items) - shown))
    items_y = y + 1 + len(text)
    canvas.fill(x + 1, y + 1, width, height - 2, "panel")
    detail = details[menu.at] if details else []
    for row, line in (*enumerate(text, y + 1), *enumerate(detail, items_y + shown + 1)):
        canvas.put(x + 2, row, line, "panel")
    for number, item in enumerate(menu.items[first : first + shown], first):
        row, chosen, key = items_y + number - first, number == menu.at, menu.key_of(number)
        style = "panel row" if chosen else "panel"
        canvas.fill(x + 1, row, width, 1, style)
        canvas.put(x + 2, row, "▶" if chosen else " ", style)
        canvas.put(x + 3, row, f" {key or ' '} ", "panel key" if key else style)
        canvas.put(x + 7, row, clipped(item.label, width - 8), style)
        canvas.put(x + 9 + labels, row, item.meaning if fits else "", style if chosen else "panel dim")
        canvas.zone(x + 1, row, width, 1, f"item {number}")
    if shown < len(menu.items):
        _draw_scroll_bar(canvas, x + width, items_y, shown, first, len(menu.items))


def _lines(text: str, width: int) -> list[str]:
    return [row.strip() for row in wrapped(text, width - 2)]


def _hint(menu: Menu, width: int, look: Look) -> str:
    ways = "up/down" if look.ascii else "↑↓"
    back = "" if menu.stays else ", Esc back"
    full = f" {ways} move, Enter selects{back} "
    return full if len(full) <= width else clipped(f" {ways}, Enter{back} ", width)


def _draw_scroll_bar(canvas: Canvas, x: int, y: int, shown: int, first: int, count: int) -> None:
    canvas.put(x, y, "^", "panel scrollbar.arrow")
    canvas.fill(x, y + 1, 1, shown - 2, "panel scrollbar.background")
    start = y + 1 + (shown - 2) * first // count
    size = max(1, (shown - 2) * shown // count) + 1
    canvas.fill(x, start, 1, min(size, y + shown - 1 - start), "panel scrollbar.button")
    canvas.put(x, y + shown - 1, "v", "panel scrollbar.arrow")


def draw_toast(canvas: Canvas, model: Model) -> None:
    """Draw a confirmation or a notice in the top right corner; refusals are drawn elsewhere, in red."""
    if model.news is None or model.news.kind == "refused":
        return
    lines = [line.strip() for line in wrapped(model.news.text, min(56, canvas.width - 6))][:3]
    width = max(map(display_width, lines)) + 4
    sign = {"done": "=", "chat": ">"}.get(model.news.kind, "!")
    canvas.fill(canvas.width - width - 1, 0, width, len(lines), "panel")
    for number, line in enumerate(lines):
        x = canvas.width - width
        canvas.put(x, number, " " if number else sign, "panel best")
        canvas.put(x + 2, number, line, "panel")
