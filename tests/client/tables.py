"""Handmade views, for testing screens and choices without a server."""

import os
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from golfnet.engine.cards import Seat
from golfnet.engine.match import Match
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies.replies import Happened, SlamView, TableView
from golfnet.protocol.replies.view_codec import seat_to_wire, view_to_wire
from golfnet_client.model.model import Model, Place
from golfnet_client.model.remembered import Remembered
from golfnet_client.screens.canvas import Canvas
from golfnet_client.screens.table_screen import draw_table

NAMES = ("Ann", "Bob", "Cid", "Dora", "Emil", "Fay", "Gus", "Hal", "Ida", "Jo", "Kim", "Lou")


def a_view(variant: str, *layouts: str, **changes: Any) -> TableView:
    """Return a view of a hole in play. A layout is its slots, separated by blanks; the first one is the viewer's."""
    rules = VARIANTS[variant].for_seats(len(layouts))
    match = Match("m1")
    seats = [
        seat_to_wire(match, None, Seat(n), name=NAMES[n], slots=tuple(layout.split()), turns=1, host=n == 0)
        for n, layout in enumerate(layouts)
    ]
    table: dict[str, Any] = {"table": "t1", "seq": 40, "state": "playing", "slam_ms": 0}
    view = view_to_wire(match, None, rules=rules, you=Seat(0), seats=seats, **table)
    piles = {"stock": 30, "discard": "7H", "discard_no": 3, "discard_count": 3, "beneath": "KC"}
    hole = {"hole": 1, "phase": "turn", "turn": "A", "dealer": "B", "leader": "A", "owed": (0,) * len(seats)}
    return replace(view, **piles | hole | {"commitment": "0" * 64} | changes)


def nothing_remembered() -> Remembered:
    """Return what a client remembers on its first run; changes are never stored."""
    return Remembered(Path(os.devnull))


def a_row(table: str, **changes: Any) -> dict[str, Any]:
    row = {"table": table, "variant": "cactus", "state": "open", "taken": 1, "seats": 4, "players": []}
    return row | {"name": "", "options": "", "watchers": 0, "private": False} | changes


def with_scores(view: TableView, *scores: tuple[int, ...]) -> TableView:
    totals = [sum(hole[seat] for hole in scores) for seat in range(len(view.seats))]
    seats = tuple(replace(seat, total=total) for seat, total in zip(view.seats, totals, strict=True))
    return replace(view, scores=scores, seats=seats, hole=len(scores) + 1)


def a_model(view: TableView | None = None, *said: str, now: float = 100.0) -> Model:
    """Return a model at a table, with lines in its log."""
    model = Model(server="golf.example.org")
    model.name, model.link = "Ann", "connected"
    if view is not None:
        model.receive(view, now)
    else:
        model.place = Place.LOBBY
    for text in said:
        model.add_line("event", text)
    return model


def six_card() -> TableView:
    """Return a turn of six-card with four seats, after two holes."""
    view = a_view(
        "six-card",
        "5C ? KD 5H ? ?",
        "? 9S 3D ? ? ?",
        "10H ? ? 10D ? AS",
        "? ? ? 2C 7C ?",
        actions=("draw", "take", "take 1", "take 2", "take 3", "take 4", "take 5", "take 6"),
    )
    return with_scores(view, (12, 7, 20, 9), (3, 15, -2, 11))


def holding() -> TableView:
    """Return the turn of ``six_card`` after the viewer has drawn a card."""
    swaps = tuple(f"swap {slot}" for slot in range(1, 7))
    return replace(
        six_card(), phase="holding", holding="A", drawn="5S", stock=29, actions=("discard", *swaps)
    )


def cactus() -> TableView:
    """Return an open slam window in cactus, with penalty cards and empty slots."""
    return a_view(
        "cactus",
        "? ? - ? ?",
        "? ? ? ?",
        "? - ? ? ? ?",
        phase="slam",
        turn="B",
        discard="9D",
        discard_no=12,
        closer="C",
        slam=SlamView(discard_no=12, card="9D", ms=2400, mode="race"),
        actions=("pass", "slam"),
        targets=("A1", "A2", "A4", "A5", "B1", "B2", "B3", "B4", "C1", "C3", "C4", "C5", "C6"),
    )


def waiting(**changes: Any) -> TableView:
    """Return an open table with the viewer as its host and two of four seats free."""
    view = a_view(
        "six-card", "", "", state="open", hole=0, phase=None, turn=None, discard=None, actions=("ready",)
    )
    return replace(view, options=view.options | {"seats": "2-4"}, **changes)


def counted(*, state: str = "between") -> TableView:
    """Return the end of a hole of six-card-final with four seats, including the closer's penalty."""
    view = with_scores(
        a_view(
            "six-card-final",
            "5C 9H KD 5H 7S 2D",
            "QC 9S 3D QH AD 4C",
            "10H 2D JC 10D 2S AS",
            "KH 8D 6S 2C 7C 6H",
            state=state,
            closer="C",
            actions=("ready",) if state == "between" else ("rematch",),
        ),
        (12, 7, 20, 9),
        (18, 17, 21, 17),
    )
    return replace(view, hole=2, phase="over")


def twelve() -> TableView:
    """Return a table of twelve, on another player's turn."""
    return a_view("six-card-final", *["? 9S 3D KH ? 10C"] * 12, turn="E", closer="D")


def happens(model: Model, *events: object, now: float = 100.0, ms: int | None = None) -> None:
    for event in events:
        view = model.table
        assert view is not None
        model.receive(
            Happened(table=view.table, seq=view.seq + 1, event=event, names=(), ms=ms),  # type: ignore[arg-type]
            now,
        )


def picture(model: Model, width: int, height: int, now: float = 100.0) -> Canvas:
    canvas = Canvas(width, height, "felt")
    draw_table(canvas, model, now)
    return canvas
