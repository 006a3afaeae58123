"""Pictures of the client: a hole is played from a seed, and what the screen shows at one moment is drawn as SVG.

``python -m tests.pictures`` draws the picture of the README anew; ``--help`` says how to draw others. Nothing is
painted by hand: the bots play, the client folds what it is told, the screen is the client's own.
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from prompt_toolkit.output import ColorDepth

from golfnet.bots.arena import Contest
from golfnet.bots.player import BotPlayer, make_bot
from golfnet.engine.events import Dealt
from golfnet.engine.layout import Seat
from golfnet.engine.variants import VARIANTS
from golfnet.engine.views import view
from golfnet.protocol.replies.offers import choices_to_wire
from golfnet.protocol.replies.replies import Happened, Prompt
from golfnet.protocol.replies.view_codec import seat_to_wire, view_to_wire
from golfnet_client.model.model import Model
from golfnet_client.screens.count import preview
from golfnet_client.screens.palettes import FELTS
from golfnet_client.screens.style import style_of
from golfnet_client.terminal.client import Client

if TYPE_CHECKING:
    from collections.abc import Iterator

    from golfnet.engine.actions import Action
    from golfnet.engine.events import Event
    from golfnet.engine.views import View
    from golfnet.protocol.replies.replies import TableView
    from golfnet_client.screens.canvas import Canvas

README: Final = Path(__file__).parents[1] / "client" / "table.svg"
"""The picture of the README."""

NAMES: Final = ("Ann", "easy-bot", "medium-bot", "hard-bot")
LEVELS: Final = ("hard", "easy", "medium", "hard")
SEED: Final = 61
CELL: Final = (9, 19)
"""Columns and lines in the units of the picture."""


class _Enough(Exception):
    """The moment to be drawn has come."""


class _Person(BotPlayer):
    """The seat that looks on: a bot plays for it, and the client is told everything that it is told."""

    contest: Contest

    def __init__(self, level: str, variant: str, client: Client, turns: int) -> None:
        super().__init__(make_bot(level, VARIANTS[variant].for_seats(len(NAMES)), Random(f"{SEED}/0")))
        self._client = client
        self._turns = turns

    def observe(self, event: Event) -> None:
        super().observe(event)
        table = self._client.model.table
        if isinstance(event, Dealt):
            self._client.heard(self._whole())
        elif table is not None:
            self._client.heard(
                Happened(table=table.table, seq=table.seq + 1, event=event, names=NAMES, ms=None)
            )

    def choose(self, view: View) -> Action:
        table = self._client.model.table
        assert table is not None
        actions, targets = choices_to_wire(view.choices, Seat(0))
        self._client.heard(
            Prompt(
                table=table.table,
                seq=table.seq,
                phase=table.phase or "",
                actions=actions,
                targets=targets,
                ms=None,
            )
        )
        self._turns -= table.phase == "holding"
        if not self._turns:
            raise _Enough
        return super().choose(view)

    def _whole(self) -> TableView:
        """Return the table as it is shown after the deal."""
        match = self.contest.match
        assert match.hole is not None
        assert match.rules is not None
        seen = view(match.hole, Seat(0))
        return view_to_wire(
            match,
            seen,
            table="t1",
            seq=1,
            rules=match.rules,
            state="playing",
            you=Seat(0),
            seats=[
                seat_to_wire(match, seen, Seat(number), name=name, kind="bot" if number else "human")
                for number, name in enumerate(NAMES)
            ],
            slam_ms=3000,
        )


def played(variant: str = "six-card", turns: int = 3) -> Client:
    """Return the client in a hole, holding the card of so many turns, the best slot for it chosen."""
    model = Model(server="solo")
    model.name, model.link, model.is_still = NAMES[0], "connected", True
    client = Client(model, send=lambda line: None, now=lambda: 100.0)
    person = _Person(LEVELS[0], variant, client, turns)
    others = [
        BotPlayer(make_bot(level, VARIANTS[variant].for_seats(len(NAMES)), Random(f"{SEED}/{seat}")))
        for seat, level in enumerate(LEVELS[1:], 1)
    ]
    contest = Contest(VARIANTS[variant].for_seats(len(NAMES)), [person, *others], Random(SEED))
    person.contest = contest
    with suppress(_Enough):
        contest.play_hole()
    _choose_best(model)
    return client


def _choose_best(model: Model) -> None:
    """Choose the slot in which the held card helps most."""
    table = model.table
    assert table is not None
    slots = range(1, len(table.seats[0].slots) + 1)
    gains = [(seen.after - seen.before, slot) for slot in slots if (seen := preview(table, slot)) is not None]
    if gains:
        model.cursor = f"A{min(gains)[1]}"


def svg(canvas: Canvas, theme: str = "dark", felt: str = FELTS[0]) -> str:
    """Return a picture of cells as SVG: grounds and blocks as areas, all else as text."""
    wide, high = CELL
    style = style_of(theme, felt, ColorDepth.DEPTH_24_BIT)
    areas: dict[str, list[str]] = {}
    strokes: dict[str, list[str]] = {}
    texts: list[str] = []
    for y, (chars, styles) in enumerate(zip(canvas.chars, canvas.styles, strict=True)):
        for start, end in _runs(styles):
            attrs = style.get_attrs_for_style_str(styles[start])
            ink, ground = f"#{attrs.color}", f"#{attrs.bgcolor}"
            areas.setdefault(ground, []).append(
                f"M{start * wide} {y * high}h{(end - start) * wide}v{high}h{(start - end) * wide}z"
            )
            for x in range(start, end):
                if chars[x] in _BLOCKS:
                    left, top, right, bottom = _BLOCKS[chars[x]]
                    areas.setdefault(f"{ink} ", []).append(
                        f"M{x * wide + left * wide:g} {y * high + top * high:g}"
                        f"H{x * wide + right * wide:g}V{y * high + bottom * high:g}H{x * wide + left * wide:g}z"
                    )
                elif chars[x] in _STROKES:
                    up, down = _STROKES[chars[x]]
                    strokes.setdefault(ink, []).append(
                        f"M{x * wide} {(y + up) * high}L{(x + 1) * wide} {(y + down) * high}"
                    )
            texts += _texts(chars, start, end, y, ink, is_bold=bool(attrs.bold))
    width, height = canvas.width * wide, canvas.height * high
    # Grounds come before blocks, whose colours are marked by a blank.
    paths = [
        f'<path fill="{colour.strip()}" d="{"".join(parts)}"/>'
        for colour, parts in sorted(areas.items(), key=lambda item: item[0].endswith(" "))
    ]
    paths += [f'<path stroke="{ink}" fill="none" d="{"".join(parts)}"/>' for ink, parts in strokes.items()]
    font = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">',
            "<title>A hole of six-card in the terminal client of golfnet</title>",
            f'<g shape-rendering="crispEdges">{"".join(paths)}</g>',
            f'<g font-family="{font}" font-size="15" xml:space="preserve">',
            *texts,
            "</g>",
            "</svg>",
            "",
        ]
    )


def _runs(styles: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a row that have one style."""
    start = 0
    for column in range(1, len(styles) + 1):
        if column == len(styles) or styles[column] != styles[start]:
            yield start, column
            start = column


def _texts(chars: list[str], start: int, end: int, y: int, ink: str, *, is_bold: bool) -> Iterator[str]:
    """Yield the words of a part of a row, each set to the width of its cells."""
    wide, high = CELL
    line = "".join(" " if char in _BLOCKS or char in _STROKES else char or " " for char in chars[start:end])
    weight = ' font-weight="bold"' if is_bold else ""
    at = 0
    for word in line.split("  "):
        text = word.strip()
        if text:
            x = start + at + len(word) - len(word.lstrip())
            yield (
                f'<text x="{x * wide}" y="{y * high + 14}" fill="{ink}"{weight} '
                f'textLength="{len(text) * wide}">{escape(text)}</text>'
            )
        at += len(word) + 2


_BLOCKS: Final = {
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


def readme_picture() -> str:
    """Return the picture of the README."""
    return svg(played().picture(100, 29))


def main() -> None:
    """Draw a picture into a file."""
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__.partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, default=README)
    parser.add_argument("--size", default="100x29", help="columns and lines of the picture, such as 100x29")
    parser.add_argument("--theme", choices=("dark", "light"), default="dark")
    parser.add_argument("--felt", choices=FELTS, default=FELTS[0])
    parser.add_argument("--turns", type=int, default=3, help="how many turns are played")
    args = parser.parse_args()
    width, height = map(int, args.size.split("x"))
    args.file.write_text(svg(played(turns=args.turns).picture(width, height), args.theme, args.felt), "utf-8")


if __name__ == "__main__":
    main()
