"""Pictures of the client: a seeded hole is played, and the screen is drawn as SVG.

``python -m tests.pictures`` redraws the client's two pictures, a still one and the README's animation;
``--help`` says how to draw others. Nothing is drawn by hand: bots play, and the client processes what it is told
and draws its own screen.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, product
from pathlib import Path
from random import Random
from typing import Any, Final
from xml.sax.saxutils import escape

from prompt_toolkit.output import ColorDepth

from golfnet.bots.bot import BotPlayer, Contest
from golfnet.bots.levels import make_bot
from golfnet.engine.actions import Action
from golfnet.engine.cards import Seat
from golfnet.engine.events import Dealt, Event, HoleEnded, TurnBegan
from golfnet.engine.variants import VARIANTS
from golfnet.engine.views import View, view
from golfnet.protocol.replies.replies import Happened, Prompt, TableView
from golfnet.protocol.replies.view_codec import seat_to_wire, view_to_wire
from golfnet_client.model.model import Model
from golfnet_client.screens.canvas import Canvas
from golfnet_client.screens.count import preview
from golfnet_client.screens.style import FELTS, classes, style_of
from golfnet_client.terminal.client import Client
from tests.client.tables import nothing_remembered

STILL: Final = Path(__file__).parents[1] / "client" / "table.svg"
MOVING: Final = STILL.with_name("hole.svg")
SIZE: Final = (100, 29)
SIZES: Final = ((40, 15), (60, 17), (80, 23), (100, 29), (132, 42), (200, 59))
"""Sizes for pictures of every screen."""

NAMES: Final = ("Ann", "easy-bot", "medium-bot", "hard-bot")
LEVELS: Final = ("hard", "easy", "medium", "hard")
RULES: Final = VARIANTS["six-card"].for_seats(len(NAMES))
SEED: Final = 61
STYLE: Final = style_of("dark", FELTS[0], ColorDepth.DEPTH_24_BIT)
CELL: Final = (9, 19)
"""The width and height of a character cell in the picture's units."""


class _Person(BotPlayer):
    """The viewer's seat: a bot plays it, and a client is told everything that the bot is told.

    ``moments`` are the screens at the beginning of each turn, at each choice, and at the end of the hole.
    """

    contest: Contest

    def __init__(self) -> None:
        super().__init__(make_bot(LEVELS[0], RULES, Random(f"{SEED}/0")))
        model = Model(server="solo")
        model.name, model.link, model.is_still = NAMES[0], "connected", True
        self.client = Client(model, nothing_remembered(), now=lambda: 100.0)
        self.client.send = self.client.ask_quietly = lambda line: None
        self.moments: list[tuple[str, Canvas]] = []

    def observe(self, event: Event) -> None:
        super().observe(event)
        table = self.client.model.table
        if isinstance(event, Dealt):
            self.client.receive(self._whole())
        elif table is not None:
            self.client.receive(Happened(table=table.table, seq=table.seq + 1, event=event, names=NAMES))
        if isinstance(event, TurnBegan | HoleEnded):
            is_own = isinstance(event, TurnBegan) and event.seat == Seat(0)
            what = "own turn" if is_own else type(event).__name__
            self.moments.append((what, self.client.picture(*SIZE)))

    def choose(self, view: View) -> Action:
        action = super().choose(view)
        self._prompt(*view.choices.as_offer(Seat(0)))
        _choose_best(self.client.model)
        self.moments.append((self.client.model.shown.phase or "", self.client.picture(*SIZE)))
        self._prompt((), ())
        return action

    def _prompt(self, actions: tuple[str, ...], targets: tuple[str, ...]) -> None:
        table = self.client.model.shown
        at: dict[str, Any] = {"table": table.table, "seq": table.seq, "phase": table.phase or "", "ms": None}
        self.client.receive(Prompt(actions=actions, targets=targets, **at))

    def _whole(self) -> TableView:
        """Return the view of the table after the deal."""
        match = self.contest.match
        assert match.hole is not None
        seen = view(match.hole, Seat(0))
        seats = [
            seat_to_wire(match, seen, Seat(number), name=name, kind="bot" if number else "human")
            for number, name in enumerate(NAMES)
        ]
        table: dict[str, Any] = {"table": "t1", "seq": 1, "state": "playing", "slam_ms": 3000}
        return view_to_wire(match, seen, rules=RULES, you=Seat(0), seats=seats, **table)


def _moments() -> list[tuple[str, Canvas]]:
    """Play a hole in front of a client; return its screens, each with the phase in which the viewer had to choose."""
    person = _Person()
    others = [
        BotPlayer(make_bot(level, RULES, Random(f"{SEED}/{seat}")))
        for seat, level in enumerate(LEVELS[1:], 1)
    ]
    person.contest = Contest(RULES, [person, *others], Random(SEED))
    person.contest.play_hole()
    return person.moments


def played() -> Canvas:
    """Return the screen in the third turn of a hole, with a drawn card held and the best slot for it selected."""
    return [canvas for what, canvas in _moments() if what == "holding"][2]


def filmed() -> list[tuple[Canvas, float]]:
    """Return the screens shown during a hole, each with its duration in seconds.

    The screens are the viewer's choices in the first two turns, the beginning of each turn, and the end of the hole.
    """
    moments = _moments()
    third = [number for number, (what, _) in enumerate(moments) if what == "own turn"][2]
    seconds = {"own turn": 1.2, "TurnBegan": 1.2, "HoleEnded": 6.0}
    return [(canvas, seconds.get(what, 1.6)) for what, canvas in (*moments[: third + 1], moments[-1])]


def _choose_best(model: Model) -> None:
    """Select the slot in which the held card helps most."""
    table = model.shown
    slots = range(1, len(table.seats[0].slots) + 1)
    gains = [(seen.after - seen.before, slot) for slot in slots if (seen := preview(table, slot)) is not None]
    if gains:
        model.cursor = f"A{min(gains)[1]}"


def svg(canvas: Canvas) -> str:
    """Return a picture of cells as SVG: backgrounds and blocks as areas, everything else as text."""
    return _document(canvas, ["".join(_pieces(canvas))])


def moving_svg(shown: Sequence[tuple[Canvas, float]]) -> str:
    """Return an animation that shows one screen after another; a piece that stays is drawn only once.

    People who have asked for reduced motion see only the middle screen.
    """
    begins = [*accumulate([seconds for _, seconds in shown], initial=0.0)]
    stays: dict[str, list[tuple[int, int]]] = {}
    for number, (canvas, _) in enumerate(shown):
        for piece in _pieces(canvas):
            spans = stays.setdefault(piece, [])
            start = spans.pop()[0] if spans and spans[-1][1] == number else number
            spans.append((start, number + 1))
    drawn: dict[tuple[int, int], list[str]] = {}
    for piece, spans in stays.items():
        for span in spans:
            drawn.setdefault(span, []).append(piece)
    rules = ["g[class]{visibility:hidden}"]
    parts = drawn.pop((0, len(shown)), [])
    for (start, end), pieces in sorted(drawn.items()):
        name = f"f{start}-{end}"
        steps = [(begins[start], "visible"), (begins[end], "hidden")]
        if start:
            steps.insert(0, (0.0, "hidden"))
        frames = "".join([f"{100 * at / begins[-1]:.2f}%{{visibility:{how}}}" for at, how in steps])
        rules.append(
            f".{name}{{animation:{name} {begins[-1]:g}s step-end infinite}}@keyframes {name}{{{frames}}}"
        )
        still = " still" if start <= len(shown) // 2 < end else ""
        parts.append(f'<g class="{name}{still}">{"".join(pieces)}</g>')
    rules.append("@media(prefers-reduced-motion:reduce){g[class]{animation:none}.still{visibility:visible}}")
    return _document(shown[0][0], [f"<style>{''.join(rules)}</style>", *parts])


def _document(canvas: Canvas, parts: list[str]) -> str:
    width, height = canvas.width * CELL[0], canvas.height * CELL[1]
    font = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace"
    lines = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">',
        "<title>A hole of six-card in the terminal client of golfnet</title>",
        f'<g font-family="{font}" font-size="15" shape-rendering="crispEdges" xml:space="preserve">',
        *filter(None, parts),
        "</g>\n</svg>\n",
    )
    return "\n".join(lines)


def _pieces(canvas: Canvas) -> list[str]:
    """Return the SVG of each run of cells with one style: its background, blocks, strokes and words."""
    wide, high = CELL
    pieces: list[str] = []
    for y, (chars, styles) in enumerate(zip(canvas.chars, canvas.styles, strict=True)):
        for start, end in _runs(styles):
            attrs = STYLE.get_attrs_for_style_str(classes(styles[start]))
            ink, blocks, strokes = f"#{attrs.color}", "", ""
            for x in range(start, end):
                if chars[x] in _BLOCKS:
                    left, top, right, bottom = _BLOCKS[chars[x]]
                    blocks += (
                        f"M{x * wide + left * wide:g} {y * high + top * high:g}"
                        f"H{x * wide + right * wide:g}V{y * high + bottom * high:g}H{x * wide + left * wide:g}z"
                    )
                elif chars[x] in _STROKES:
                    up, down = _STROKES[chars[x]]
                    strokes += f"M{x * wide} {(y + up) * high}L{(x + 1) * wide} {(y + down) * high}"
            ground = f"M{start * wide} {y * high}h{(end - start) * wide}v{high}h{(start - end) * wide}z"
            piece = f'<path fill="#{attrs.bgcolor}" d="{ground}"/>'
            piece += f'<path fill="{ink}" d="{blocks}"/>' if blocks else ""
            piece += f'<path stroke="{ink}" fill="none" d="{strokes}"/>' if strokes else ""
            pieces.append(piece + "".join(_texts(chars, start, end, y, ink, is_bold=bool(attrs.bold))))
    return pieces


def _runs(styles: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the runs of a row that have one style."""
    for _, run in groupby(range(len(styles)), key=styles.__getitem__):
        start, *rest = run
        yield start, start + len(rest) + 1


def _texts(chars: list[str], start: int, end: int, y: int, ink: str, *, is_bold: bool) -> Iterator[str]:
    """Yield the words in a run of cells, each set to the width of its cells."""
    wide, high = CELL
    line = "".join(" " if char in _BLOCKS or char in _STROKES else char or " " for char in chars[start:end])
    weight = ' font-weight="bold"' if is_bold else ""
    for words in re.finditer(r"\S+( \S+)*", line):
        yield (
            f'<text x="{(start + words.start()) * wide}" y="{y * high + 14}" fill="{ink}"{weight} '
            f'textLength="{len(words[0]) * wide}">{escape(words[0])}</text>'
        )


_BLOCKS: Final = {
    "▛": (0, 0, 1, 0.5),
    "▜": (0, 0, 1, 0.5),
    "▎": (0, 0, 0.25, 1),
    "█": (0, 0, 1, 1),
    "▀": (0, 0, 1, 0.5),
    "▄": (0, 0.5, 1, 1),
    "▌": (0, 0, 0.5, 1),
    "▐": (0.5, 0, 1, 1),
    "▘": (0, 0, 0.5, 0.5),
    "▝": (0.5, 0, 1, 0.5),
    "▖": (0, 0.5, 0.5, 1),
    "▗": (0.5, 0.5, 1, 1),
}
_STROKES: Final = {"\u2571": (1, 0), "\u2572": (0, 1)}


def main() -> None:
    """Draw the two pictures of the client or, with an option, other pictures into a folder."""
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--page", type=Path, metavar="FOLDER", help="draw the page for phones in Chromium instead"
    )
    parser.add_argument("--set", type=Path, metavar="FOLDER", help="draw every screen at every size instead")
    args = parser.parse_args()
    if args.page is not None:
        from tests.page_pictures import draw_page  # needs a browser

        draw_page(args.page)
    elif args.set is not None:
        from tests.client.test_screens import SCREENS

        args.set.mkdir(parents=True, exist_ok=True)
        for (name, screen), (width, height) in product(SCREENS.items(), SIZES):
            (args.set / f"{name}-{width}x{height}.svg").write_text(
                svg(screen().picture(width, height)), "utf-8"
            )
    else:
        STILL.write_text(svg(played()), "utf-8")
        MOVING.write_text(moving_svg(filmed()), "utf-8")


if __name__ == "__main__":
    main()
