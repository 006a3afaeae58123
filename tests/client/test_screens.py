"""Every screen as text at several sizes, compared with golden files."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from prompt_toolkit.output import ColorDepth

from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies.replies import FillingView, TableView
from golfnet.protocol.text.typeset import display_width
from golfnet_client.model.model import Place
from golfnet_client.model.replay import Replay
from golfnet_client.model.story import Entry
from golfnet_client.screens.canvas import Look
from golfnet_client.screens.form import new_form
from golfnet_client.screens.style import words
from golfnet_client.terminal.client import Client
from golfnet_client.terminal.keys import press
from tests.client import tables
from tests.client.terminal.person import Person, at_home
from tests.golden import GoldenFiles

GOLDEN = Path(__file__).with_name("golden")
APPROVED = {
    (40, 15): "turn home",
    (60, 17): "twelve scores open counted",
    (80, 23): "turn slam podium home replay form keys",
    (120, 32): "lobby",
    (132, 42): "holding",
}
"""The screens that have golden files, by the size of the window."""
SAID = (
    "Bob (B) takes 9♠ from the discard pile.",
    "Bob (B) puts 9♠ in slot 2 and discards 7♥.",
    "Cid (C) draws from the stock (30 left).",
)


def at_table(view: TableView) -> Client:
    client = Person(view).client
    for text in SAID:
        client.model.add_line("event", text)
    return client


def at(place: Place) -> Client:
    client = Person().client
    client.model.place = place
    return client


def lobby() -> Client:
    client = at(Place.LOBBY)
    model = client.model
    model.add_line("event", "Emil: anybody for cactus?")
    player = {"seat": "A", "name": "Bob", "kind": "human", "present": True}
    left = player | {"name": "Cid", "kind": "house", "present": False}
    model.lobby.tables = [
        tables.a_row("t1", variant="six-card", players=[player], name="Long evening"),
        tables.a_row("t2", taken=2, players=[player, player], private=True),
        tables.a_row("t3", variant="four-turn", players=[player], options="holes=9"),
        tables.a_row("t4", variant="six-card", taken=2, players=[left, player], state="playing"),
    ]
    model.lobby.tables[2]["filling"] = {"level": "medium", "ms": 42_000}
    model.lobby.listed = 98.5
    model.lobby.players = [
        {"name": name, "kind": "guest", "present": True, "table": "t1", "watching": []}
        for name in tables.NAMES
    ]
    return client


def form() -> Client:
    client = at(Place.CREATE)
    client.form = new_form([], VARIANTS)
    client.form.change("variant", "six-card")
    client.form.change("columns", "6")
    client.form.at = [line.name for line in client.form.lines].index("columns")
    return client


def pressed(key: str) -> Client:
    client = at_table(tables.six_card())
    press(client, key)
    return client


def lesson() -> Client:
    client = at_table(tables.holding())
    client.model.lesson = True
    return client


def disconnected() -> Client:
    client = at_table(tables.holding())
    client.model.linked("connection lost", 100.0, 4.0)
    return client


def replay() -> Client:
    client = at(Place.LOBBY)
    views = [
        replace(tables.six_card(), phase="start", hole=hole, you=None, actions=()) for hole in (1, 1, 2, 2)
    ]
    views[1] = views[3] = replace(tables.six_card(), you=None, actions=())
    entries = [Entry("event", f"Bob (B) plays {number}.") for number in range(4)]
    client.replay = Replay(views=views, entries=entries, at=2)
    client.replay.show(client.model)
    return client


SCREENS: dict[str, Callable[[], Client]] = {
    "turn": lambda: at_table(tables.six_card()),
    "holding": lambda: at_table(tables.holding()),
    "slam": lambda: at_table(tables.cactus()),
    "counted": lambda: at_table(tables.counted()),
    "podium": lambda: at_table(tables.counted(state="finished")),
    "twelve": lambda: at_table(tables.twelve()),
    "home": lambda: at_home().client,
    "lesson": lesson,
    "disconnected": disconnected,
    "replay": replay,
    "welcome": lambda: at(Place.WELCOME),
    "lobby": lobby,
    "open": lambda: at_table(tables.waiting(filling=FillingView(level="hard", ms=24_000))),
    "form": form,
    "keys": lambda: pressed("?"),
    "scores": lambda: pressed("v"),
}


@pytest.mark.parametrize(
    ("name", "width", "height"), [(name, *size) for size, names in APPROVED.items() for name in names.split()]
)
def test_a_screen_matches_its_golden_file(name: str, width: int, height: int, golden: GoldenFiles) -> None:
    lines = SCREENS[name]().picture(width, height).lines()
    golden.check(GOLDEN / f"{name}-{width}.txt", "\n".join([*lines, ""]))


def test_no_golden_file_is_left_over() -> None:
    approved = {f"{name}-{width}" for (width, _), names in APPROVED.items() for name in names.split()}
    assert {path.stem for path in GOLDEN.iterdir()} == {*approved, "lessons"}


@pytest.mark.parametrize("name", SCREENS)
def test_screens_of_every_size_are_filled_exactly_and_use_only_defined_styles(name: str) -> None:
    """An undefined style name would reach prompt_toolkit, which may take it for a colour such as ``red``."""
    known = {part for word in words("dark", "green", ColorDepth.DEPTH_24_BIT) for part in word.split()}
    known |= {f"scrollbar.{part}" for part in ("arrow", "background", "button")}  # prompt_toolkit's own
    for width, height in ((20, 5), (40, 12), (60, 20), (79, 24), (132, 42), (250, 90)):
        canvas = SCREENS[name]().picture(width, height)
        assert len(canvas.chars) == height
        assert {sum(display_width(char) for char in row) for row in canvas.chars} == {width}
        assert {part for row in canvas.styles for style in row for part in style.split()} <= known


@pytest.mark.parametrize(("width", "height"), [(20, 5), (80, 23), (160, 49)])
@pytest.mark.parametrize("name", SCREENS)
def test_ascii_screens_are_ascii(name: str, width: int, height: int) -> None:
    client = SCREENS[name]()
    client.look = Look(ascii=True)
    client.model.notify("Put 7♠ into slot 1.", 100.0, "done")
    assert "\n".join(client.picture(width, height).lines()).isascii()
