"""The page for phones in a real browser: tapped by hand from the name to the end of a match."""

from __future__ import annotations

import contextlib
import itertools
import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from golfnet.engine.layout import Position, Seat
from golfnet.engine.notation import position_text
from golfnet.engine.options import as_options, from_options
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies import data
from golfnet.protocol.replies.replies import TableView
from tests.client import tables
from tests.e2e.browser import Browser, Stale
from tests.e2e.service import Service, free_port
from tests.protocol.tabletop import NAMES, Tabletop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FIRST = ("Ready", "Do nothing", "Pass", "Draw")
"""What the bar is asked for first, in this order."""


@pytest.fixture
def page(needs_tool: Callable[[str], str]) -> Iterator[str]:
    """Give the address of a server's page."""
    needs_tool("chromium")
    needs_tool("chromedriver")
    port = free_port()
    server = Service("--memory", "--web", "--web-port", str(port))
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.stop(kill=True)


def enter(browser: Browser, page: str, name: str) -> None:
    """Open the page and give a name."""
    browser.go(page)
    browser.type("#name", name)
    browser.tap(browser.find("#name-form button")[0])
    browser.until(lambda: browser.run("return !document.getElementById('lobby').hidden"))


def command(browser: Browser, line: str) -> None:
    """Type a command into the field for lines."""
    browser.type("#line", f":{line}\n")


def headline(browser: Browser) -> str:
    return str(browser.run("return document.getElementById('headline').textContent"))


def make_a_move(browser: Browser, count: int) -> bool:
    """Tap what the page lights up; return whether anything was."""
    try:
        bar = {browser.text(button): button for button in browser.find("#bar button")}
        lit = (
            browser.find("#own .card.lit.down") or browser.find("#own .card.lit") or browser.find(".card.lit")
        )
        for label in ("Knock", *FIRST) if count > 8 else FIRST:
            if label in bar:
                browser.tap(bar[label])
                return True
        if lit:
            browser.tap(lit[count % len(lit)])
            return True
        if bar and headline(browser) != "The match is over.":
            browser.tap(next(iter(bar.values())))
            return True
    except Stale:  # it was redrawn under the finger
        pass
    return False


def play(browser: Browser, *, seconds: float = 180, moves: int = 1000) -> int:
    """Play to the end of the match, or so many moves; return how many were made."""
    deadline, made = time.monotonic() + seconds, 0
    while headline(browser) != "The match is over." and made < moves:
        assert time.monotonic() < deadline, headline(browser)
        made += make_a_move(browser, made)
        time.sleep(0.05)
    return made


def play_to_a_turn(browser: Browser, *, moves: int) -> None:
    """Make so many moves, and go on to the beginning of a turn, where no tap that changes a card is on its way."""
    play(browser, moves=moves)

    def begins() -> bool:
        with contextlib.suppress(Stale):
            if "Draw" in [browser.text(button) for button in browser.find("#bar button")]:
                return True
        make_a_move(browser, moves)
        return False

    browser.until(begins)


def own_cards(browser: Browser) -> object:
    return browser.run("return [...document.querySelectorAll('#own .card')].map((card) => card.textContent)")


def check_the_page(browser: Browser) -> None:
    """Check what a hand needs: nothing lies outside, everything is large enough, nothing is complained of."""
    assert browser.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    small = browser.run(
        "return [...document.querySelectorAll('button.lit, #bar button, #own .card, input, select')]"
        ".filter((each) => each.offsetParent && each.type !== 'checkbox').map((each) => each.getBoundingClientRect())"
        ".filter((box) => box.width < 47.5 || box.height < 47.5).length"
    )
    assert small == 0
    assert browser.complaints() == []


@pytest.mark.parametrize(
    ("variant", "size"), [("six-card", (390, 844)), ("cactus", (390, 844)), ("six-card", (1280, 800))]
)
def test_a_match_is_tapped_to_its_end(page: str, variant: str, size: tuple[int, int]) -> None:
    with Browser(*size) as browser:
        enter(browser, page, f"Ann-{variant[0]}{size[0]}")
        command(browser, f"create {variant} seats=2 holes=1 clock=0")
        browser.until(lambda: browser.find("#bar button"))
        command(browser, "bot random")
        assert play(browser) > 3  # a bot that knocks at once leaves a cactus player so many
        check_the_page(browser)
        log = browser.run("return document.getElementById('log').textContent")
        assert "The match is over" in log


def test_a_reload_comes_back_to_the_same_cards(page: str) -> None:
    with Browser(390, 844) as browser:
        enter(browser, page, "Rita")
        command(browser, "create six-card seats=2 clock=0")
        browser.until(lambda: browser.find("#bar button"))
        command(browser, "bot random")
        play_to_a_turn(browser, moves=8)
        before = own_cards(browser)
        browser.go(page)
        browser.until(lambda: own_cards(browser) == before)
        check_the_page(browser)


def test_two_phones_sit_at_one_table(page: str) -> None:
    with Browser(390, 844) as ann, Browser(320, 640) as bob:
        enter(ann, page, "Anna")
        command(ann, "create six-card seats=2 holes=1 clock=0")
        ann.until(lambda: ann.find("#bar button"))
        table = ann.run("return document.getElementById('headline').textContent")
        enter(bob, page, "Bobby")
        command(
            bob, f"join {table.rpartition('join ')[2].split()[0]}" if "join" in table else "seek six-card"
        )
        bob.until(lambda: not bob.run("return document.getElementById('table').hidden"))
        deadline = time.monotonic() + 180
        made = 0
        while headline(ann) != "The match is over.":
            assert time.monotonic() < deadline, (headline(ann), headline(bob))
            made += make_a_move(ann, made) + make_a_move(bob, made)
        bob.until(lambda: headline(bob) == "The match is over.")
        check_the_page(ann)
        check_the_page(bob)


def test_eight_seats_fit_a_small_phone(page: str) -> None:
    with Browser(320, 640) as browser:
        enter(browser, page, "Tiny")
        command(browser, "create six-card seats=8 clock=0 fill=1 level=random")
        browser.until(lambda: len(browser.find("#others section")) == 7)
        play(browser, moves=4)
        browser.until(lambda: len(browser.find("#own .card")) == 6)
        check_the_page(browser)
        names = browser.run(
            "return [...document.querySelectorAll('.card')].map((card) => card.getAttribute('aria-label'))"
        )
        assert all(names)
        assert any(name.startswith("Your card 1: ") for name in names)


TELL = """
const seen = [];
window.looks = 0;
window.send = (line) => { looks += line.startsWith("look"); };
for (const reply of arguments[0]) {
  receive(reply);
  seen.push(JSON.stringify(view && [view, [...glimpses].map(([at, { card }]) => [at, card])]));
}
return seen.map((each) => JSON.parse(each));
"""
"""Tells the page replies without a server; returns what it knows after each: its view, and the cards glimpsed."""

SHOWN = ("state", "hole", "turn", "stock", "discard", "beneath", "discard_no", "holding", "drawn", "scores")
"""What the page shows of a table beside its seats."""

MATCHES = (
    ("cactus", "once", Seat(0)),
    ("cactus", "always", Seat(2)),
    ("cactus", "once", None),
    ("six-card", "once", Seat(1)),
    ("four-card-knock", "always", Seat(0)),
)


def shown(view: dict[str, Any]) -> dict[str, Any]:
    seats = [{key: seat[key] for key in ("seat", "name", "slots", "total")} for seat in view["seats"]]
    slam = view["slam"] and (view["slam"]["discard_no"], view["slam"]["card"], view["slam"].get("won", False))
    return {key: view[key] for key in SHOWN} | {"seats": seats, "slam": slam}


def told(table: Tabletop) -> Iterator[tuple[Any, dict[str, Any], dict[str, str]]]:
    """Play three holes; yield what a viewer is told, what it should know then, and the cards that lie on the table."""
    is_first = True
    for reply in table.replies(holes=3):
        if isinstance(reply, TableView) and not is_first:
            continue  # the page has to know it without
        is_first = is_first and not isinstance(reply, TableView)
        hole = table.match.hole
        if hole is None or is_first or not table.is_settled:
            yield json.loads(data.encode(reply)), {}, {}
            continue
        cards = {
            position_text(Position(Seat(seat), slot)): card.card.text
            for seat, layout in enumerate(hole.layouts)
            for slot, card in enumerate(layout, 1)
            if card is not None
        }
        yield json.loads(data.encode(reply)), shown(json.loads(data.encode(table.view()))), cards


def test_the_page_knows_by_the_events_what_a_whole_view_would_show(page: str) -> None:
    """And no card is shown that does not lie there."""
    glimpsed = 0
    with Browser(390, 844) as browser:
        for seed, (variant, recall, you) in enumerate(MATCHES):
            browser.go(page)
            options = as_options(VARIANTS[variant]) | {"recall": recall, "holes": 3, "target": None}
            table = Tabletop(from_options(variant, options), NAMES[:3], you, seed)
            replies, wanted, lying = zip(*told(table), strict=True)
            seen = browser.run(TELL, replies)
            for reply, known, want, cards in zip(replies, seen, wanted, lying, strict=True):
                if not want:
                    continue
                view, glimpses = known
                assert shown(view) == want, reply
                assert dict(glimpses).items() <= cards.items(), reply
                glimpsed += len(glimpses)
            assert browser.run("return looks") == 0
            check_the_page(browser)
            rows = browser.run(
                "return [...document.querySelectorAll('#scores tr')]"
                ".map((row) => [...row.children].map((cell) => cell.textContent))"
            )
            scores = list(zip(*view["scores"], strict=True))
            assert rows == [
                ["Hole", "1", "2", "3", "total"],
                *[[name, *map(str, own), f"= {sum(own)}"] for name, own in zip(NAMES, scores, strict=False)],
            ]
    assert glimpsed > 50


def test_events_that_are_missed_or_not_known_are_made_up_for_by_a_look(page: str) -> None:
    with Browser(390, 844) as browser:
        browser.go(page)
        view = json.loads(data.encode(tables.cactus()))
        gap = {"type": "event", "table": "t1", "seq": 43, "event": "turn", "seat": "C", "turn": 2}
        new = {"type": "event", "table": "t1", "seq": 41, "event": "juggled", "seat": "C"}
        for event in (gap, new):
            ((before, _), (after, _)) = browser.run(TELL, [view, event])
            assert before == after
            browser.until(lambda: browser.run("return looks") == 1)
        browser.run("glimpses.set('A1', { card: '7H', until: Date.now() + 9000 })")
        ((_, kept),) = browser.run(TELL, [view])
        ((_, glimpses),) = browser.run(TELL, [view | {"seq": 43}])
        assert (kept, glimpses) == ([["A1", "7H"]], []), "a card may have moved meanwhile"


def test_nobody_is_asked_to_slam_once_a_slam_has_succeeded(page: str) -> None:
    with Browser(390, 844) as browser:
        browser.go(page)
        view = json.loads(data.encode(tables.cactus()))
        hit = {"event": "slammed", "by": "B", "at": "B1", "card": "9S", "result": "hit", "discard_no": 13}
        browser.run(TELL, [view])
        assert "Same as" in headline(browser)
        assert browser.find("#bar button")
        assert browser.find(".card.lit")
        browser.run(TELL, [{"type": "event", "table": "t1", "seq": 41, **hit}])
        assert "Same as" not in headline(browser)
        assert not browser.find("#bar button")
        assert not browser.find(".card.lit")


def test_taps_are_answered_without_a_look_and_quick_ones_are_all_taken(page: str) -> None:
    with Browser(390, 844) as browser:
        enter(browser, page, "Speedy")
        command(browser, "create six-card seats=2 holes=1 clock=0")
        browser.until(lambda: browser.find("#bar button"))
        command(browser, "bot random")
        browser.until(lambda: "turn it up" in headline(browser))
        # From here on no look is ever answered.
        browser.run(
            "window.sent = []; const ask = socket.send.bind(socket);"
            "socket.send = (line) => { sent.push(line); if (!line.includes('look')) ask(line); };"
        )
        browser.run("document.querySelectorAll('#own .card.lit').forEach((card, n) => n < 2 && card.click())")
        browser.until(lambda: len(browser.find("#own .card:not(.down)")) == 2)
        assert browser.run("return document.getElementById('alarm').textContent") == ""
        play(browser)
        assert not [line for line in browser.run("return sent") if "look" in line]


def test_a_tap_that_is_refused_says_why(page: str) -> None:
    with Browser(390, 844) as browser:
        enter(browser, page, "Late")
        command(browser, "create six-card seats=2 holes=1 clock=0")
        browser.until(lambda: browser.find("#bar button"))
        command(browser, "bot random")
        play_to_a_turn(browser, moves=3)
        browser.run("view.seq -= 1; act('draw')")
        browser.until(
            lambda: "tap again" in browser.run("return document.getElementById('alarm').textContent")
        )


def tap_labelled(browser: Browser, label: str) -> bool:
    """Tap a button of the bar, if it is there."""
    for button in browser.find("#bar button"):
        if browser.text(button).startswith(label):
            browser.tap(button)
            return True
    return False


def tap_lit(browser: Browser, where: str, index: int = 0) -> None:
    """Tap a lit card, once there are so many."""
    browser.until(lambda: len(browser.find(f"{where} .card.lit")) > index, 10)
    browser.tap(browser.find(f"{where} .card.lit")[index])


TOLD = {"You slam your card", "You switch your card"}


def slam_and_switch(browser: Browser, told: set[str], count: int) -> None:
    """Tap what a turn offers: a slam and a switch, whenever the cards allow one that was not told yet."""
    if "You slam your card" not in told and tap_labelled(browser, "Slam a card"):
        tap_lit(browser, "#own")
    elif "You switch your card" not in told and tap_labelled(browser, "Switch two cards"):
        tap_lit(browser, "#own", 1)
        tap_lit(browser, "#others")
    else:
        make_a_move(browser, count % 8)  # below the count from which it knocks


def test_a_power_and_a_slam_are_tapped(page: str) -> None:
    """Nearly every card that is discarded gives a power here, and can be slammed on."""
    with Browser(390, 844) as browser:
        enter(browser, page, "Polly")
        options = "seats=2 holes=99 clock=0 slam=order slam_window=20 power=012345678910JQ"
        command(browser, f"create cactus {options}")
        browser.until(lambda: browser.find("#bar button"))
        command(browser, "bot random")
        told: set[str] = set()
        counts = itertools.count()

        def both_are_told() -> bool:
            log = browser.run("return document.getElementById('log').textContent")
            told.update(sentence for sentence in TOLD if sentence in log)
            with contextlib.suppress(
                Stale, TimeoutError
            ):  # redrawn under the finger, or too late for the slam
                slam_and_switch(browser, told, next(counts))
            return told == TOLD

        browser.until(both_are_told, 120)
        check_the_page(browser)


def test_a_phone_finds_its_cards_again_after_the_server_was_killed(
    needs_tool: Callable[[str], str], tmp_path: Path
) -> None:
    needs_tool("chromium")
    needs_tool("chromedriver")
    port, web = free_port(), free_port()
    flags = ("--db", str(tmp_path / "golf.db"), "--web", "--web-port", str(web))
    server = Service(*flags, port=port)
    try:
        with Browser(390, 844) as browser:
            enter(browser, f"http://127.0.0.1:{web}/", "Kim")
            command(browser, "create six-card seats=2 clock=0")
            browser.until(lambda: browser.find("#bar button"))
            command(browser, "bot random")
            play_to_a_turn(browser, moves=8)
            before = own_cards(browser)
            server.stop(kill=True)
            browser.until(
                lambda: "lost" in browser.run("return document.getElementById('alarm').textContent")
            )
            server = Service(*flags, port=port)
            browser.until(lambda: browser.run("return document.getElementById('alarm').textContent") == "")
            browser.until(lambda: own_cards(browser) == before)
    finally:
        server.stop(kill=True)
