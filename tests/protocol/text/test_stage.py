"""The stage, for a big screen: as large as the window allows, never larger, and without secrets."""

import cProfile
import re
from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import example, given, settings as hypothesis_settings, strategies as st
from msgspec.structs import replace

from golfnet.engine.options import as_options
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.commands.settings import Cards, Settings
from golfnet.protocol.replies.replies import TableView
from golfnet.protocol.text.stage import Joining, stage_lines
from golfnet.protocol.text.typeset import display_width, finished
from tests.protocol.tabletop import Tabletop

NAMES = ("Ann", "Bob", "Cid", "Dora", "Eve", "Finn", "Gus", "Hoa", "Ida", "Jon", "桜子", "Maximiliane-Josefa")
SIZES = ((80, 24), (120, 40), (200, 60))
MOVES = tuple(f"Bob (B) draws from the stock ({left} left)." for left in range(30, 20, -1))


def table(rules: str, seats: int, *, steps: int = 40) -> TableView:
    played = Tabletop(VARIANTS[rules], NAMES[:seats], None, seed=3)
    for _ in islice(played.replies(holes=1), steps):
        pass
    return played.view()


def shown(view: TableView, settings: Settings) -> list[str]:
    return finished(stage_lines(view, MOVES, settings), settings)


@hypothesis_settings(max_examples=40)
@given(
    rules=st.sampled_from(sorted(VARIANTS)),
    seats=st.integers(2, 12),
    steps=st.integers(5, 120),
    width=st.integers(32, 200),
    height=st.integers(16, 60),
    cards=st.sampled_from(Cards),
)
@example(rules="cactus", seats=4, steps=30, width=32, height=30, cards=Cards.SYMBOLS)
def test_the_picture_fits_any_window_shows_the_piles_and_leaves_a_line_free(
    *, rules: str, seats: int, steps: int, width: int, height: int, cards: Cards
) -> None:
    view = table(rules, min(seats, VARIANTS[rules].seats.high), steps=steps)
    lines = shown(view, Settings(width=width, height=height, cards=cards))
    assert 0 < len(lines) < height
    assert max(map(display_width, lines)) <= width
    assert view.state != "playing" or re.search(r"stock:? \d", "\n".join(lines))


def test_a_status_too_long_for_its_lines_is_cut_at_its_end() -> None:
    view = replace(table("cactus", 8, steps=3), name="everybody is welcome")
    assert shown(view, Settings(width=32))[:3] == [
        '  t12 "everybody is welcome",',
        "    cactus, hole 1, to 25",
        "  points. Eight players still h~",
    ]


def test_cards_are_as_large_as_the_window_allows() -> None:
    view = table("six-card", 4)
    screens = [shown(view, Settings(width=width, height=height)) for width, height in SIZES]
    heights = [sum("\u2502" in line for line in screen) for screen in screens]
    assert heights == sorted(set(heights))
    assert "\u2588\u2588\u2588" in "".join(screens[-1])
    assert "".join(shown(view, Settings(width=200, height=60, cards=Cards.LETTERS))).isascii()


def played_views(rules: str, seats: int, *, seed: int) -> Iterator[TableView]:
    """Yield what the stage shows of a hole, from the deal until all layouts are turned up."""
    played = Tabletop(VARIANTS[rules], NAMES[:seats], None, seed=seed)
    for _ in played.replies(holes=1):
        if played.match.hole is not None and played.match.places is None:
            yield played.view()


def places(lines: list[str], view: TableView) -> list[tuple[str, int, int]]:
    """Return where each player's name and each dealt card are on the screen: what, line, column."""
    dealt = str(view.options["rows"] * view.options["columns"])
    found = []
    for number, line in enumerate(lines):
        heads = re.finditer(r"(?:^  |   )(?P<seat>[A-L]) (?!holds)\S", line) if number > 1 else ()
        found += [(head["seat"], number, head.start("seat")) for head in heads]
        cards = re.finditer(r"[\u256d\u00b7][\u2500\u00b7](?P<slot>\d+)[\u2500\u00b7]", line)
        found += [(card["slot"], number, card.start()) for card in cards]
    assert all(int(what) <= int(dealt) for what, _, _ in found if what.isdigit())
    return found


@pytest.mark.parametrize("seats", [2, 6])
@pytest.mark.parametrize("rules", sorted(VARIANTS))
def test_nothing_moves_on_screen_while_a_hole_is_played(rules: str, seats: int) -> None:
    """Names and cards keep their places, whatever happens in the hole and whosever turn it is."""
    stood: dict[tuple[int, int], list[tuple[str, int, int]]] = {}
    for view in islice(played_views(rules, seats, seed=seats), 0, 200, 2):
        for width, height in SIZES:
            now = places(shown(view, Settings(width=width, height=height)), view)
            assert [what for what, _, _ in now if what.isalpha()].count("A") == 1
            assert now == stood.setdefault((width, height), now)


def test_a_redraw_takes_few_function_calls() -> None:
    """Most of a picture is the same as in the previous turn; redrawing all of it for 8 seats took 600 calls."""
    settings, profile = Settings(width=120, height=40), cProfile.Profile(builtins=False)
    for view in islice(played_views("six-card", 8, seed=3), 60, 120):
        profile.runcall(shown, view, settings)
    assert sum(each.callcount for each in profile.getstats()) / 60 < 300


def test_penalty_cards_are_below_those_that_were_dealt() -> None:
    views = played_views("cactus", 4, seed=4)
    view = next(view for view in views if any(len(seat.slots) > 4 for seat in view.seats))
    for width, height in ((80, 24), (120, 40), (60, 20)):
        assert "+ \u2591\u2591" in "\n".join(shown(view, Settings(width=width, height=height)))


WAYS = (("Linux, Mac", "nc 192.168.1.20 7777"), ("phone", "http://192.168.1.20:7780"))
CODE = ("\u2588" * 29,) * 15
JOINING = Joining(ways=WAYS, code=CODE, command="join t12 password=WORD")


def waiting(seats: int, *, ready: str = "", starts_ms: int | None = None) -> TableView:
    """Return a table before its match; the seats whose letters are in ``ready`` are ready."""
    view = table("six-card", max(seats, 2))
    chairs = [replace(seat, slots=(), ready=seat.seat in ready) for seat in view.seats[:seats]]
    beginning = replace(view, state="open", hole=0, phase=None, turn=None, starts_ms=starts_ms)
    return replace(beginning, options=as_options(VARIANTS["six-card"]), seats=tuple(chairs))


def before_the_match(view: TableView, joining: Joining, **chosen: object) -> list[str]:
    settings = replace(Settings(), **chosen)
    return finished(stage_lines(view, ("Bob (B) sits down in seat B.",), settings, joining), settings)


def test_before_the_match_the_screen_says_how_to_join_and_who_is_there() -> None:
    lines = before_the_match(waiting(4, ready="B"), JOINING, width=120, height=40)
    words = [line[:85].rstrip() for line in lines]
    assert words == [
        "  t12, six-card.",
        "  Waiting for players: 4 of 8 seats taken, 2 are enough. Waiting for Dora.",
        "",
        "  To play, connect:",
        "    Linux, Mac  nc 192.168.1.20 7777",
        "    phone       http://192.168.1.20:7780",
        "",
        "  Then type a name, and where to sit:",
        "    name YOURNAME",
        "    join t12 password=WORD",
        "",
        "  At the table:",
        "    A Ann   host, not ready yet",
        "    B Bob   ready",
        "    C Cid   bot",
        "    D Dora  away",
        "",
        "  - Bob (B) sits down in seat B.",
    ]
    assert [line[-29:] for line in lines if "\u2588" in line] == list(CODE)
    colored = before_the_match(waiting(4), JOINING, width=120, height=40, color=True)
    code = f"\x1b[97;40m{CODE[0]}\x1b[39;49m"  # readable on a light screen too
    assert all(line.endswith(code) for line in colored if "\u2588" in line)


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (200, 60), (60, 20), (32, 16)])
@pytest.mark.parametrize("cards", Cards)
@pytest.mark.parametrize("seats", [1, 8])
def test_a_screen_of_any_size_says_what_to_type_to_join(
    width: int, height: int, cards: Cards, seats: int
) -> None:
    lines = before_the_match(waiting(seats), JOINING, width=width, height=height, cards=cards)
    text = "\n".join(lines)
    assert len(lines) < height
    assert max(map(display_width, lines)) <= width
    assert all(way in text for _, way in WAYS)
    assert JOINING.command in text
    assert all(name in text for name in NAMES[:seats])
    assert ("\u2588" in text) is (cards is Cards.SYMBOLS and width >= 80)


def test_players_who_delay_the_start_are_named() -> None:
    def host(view: TableView) -> str:
        (line,) = [line for line in before_the_match(view, JOINING) if line.startswith("    A")]
        return line[:40].rstrip()

    assert host(waiting(4, ready="ABD")) == "    A Ann   host, ready, to type start"
    assert host(waiting(4, ready="ABD", starts_ms=5000)) == "    A Ann   host, ready"
    assert host(waiting(4, ready="A")) == "    A Ann   host, ready"
    assert host(waiting(1, ready="A")) == "    A Ann  host, ready"
