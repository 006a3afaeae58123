"""The page for phones in a real browser: matches are played by tapping, from the name to the end."""

import contextlib
import itertools
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from golfnet.engine.layout import Position, Seat
from golfnet.engine.notation import position_text
from golfnet.engine.options import as_options, from_options
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies import data
from tests.client import tables
from tests.e2e.browser import Browser, Stale
from tests.e2e.phone import (
    against_a_bot,
    check_the_page,
    enter,
    headline,
    make_a_move,
    own_cards,
    place,
    play,
    play_to_a_turn,
    tap_if_shown,
    told,
)
from tests.e2e.service import Service, free_port
from tests.protocol.tabletop import NAMES, Tabletop


@pytest.mark.slow
def test_a_match_can_be_played_by_tapping(page: str, browser: Browser) -> None:
    enter(browser, page, "Ann")
    against_a_bot(browser, "six-card seats=2 holes=1 clock=0 turn_cap=3")
    assert play(browser) > 3
    check_the_page(browser)
    names = browser.run(
        "return [...document.querySelectorAll('.card')].map((card) => card.getAttribute('aria-label'))"
    )
    assert all(names)
    assert any(name.startswith("Your card 1: ") for name in names)
    assert "The match is over" in told(browser, "log")
    # On a machine that hangs for seconds the secret is late, and the page says so.
    assert told(browser, "deal") == "✓ deal checked" or "without your secret" in told(browser, "log")


TELL = """
const seen = [];
send = () => {};
for (const reply of arguments[0]) {
  receive(reply);
  seen.push(JSON.stringify(game.view && [game.view, [...glimpses].map(([at, { card }]) => [at, card])]));
}
return seen.map((each) => JSON.parse(each));
"""
"""Gives the page replies without a server; returns the page's view and glimpsed cards after each reply."""

MATCHES = (("cactus", "once", Seat(0)), ("cactus", "always", Seat(2)), ("cactus", "once", None))


def replies_of(table: Tabletop) -> Iterator[tuple[Any, dict[str, str]]]:
    """Play two holes; yield each reply to a viewer, and after each step a view with the cards on the table."""
    for reply in table.replies(holes=2):
        yield json.loads(data.encode(reply)), {}
        hole = table.match.hole
        if hole is None or not table.is_settled:
            continue
        cards = {
            position_text(Position(Seat(seat), slot)): card.card.text
            for seat, layout in enumerate(hole.layouts)
            for slot, card in enumerate(layout, 1)
            if card is not None
        }
        yield json.loads(data.encode(table.view())), cards


def test_a_card_that_was_shown_is_displayed_only_in_its_current_place(page: str, browser: Browser) -> None:
    glimpsed = 0
    for seed, (variant, recall, you) in enumerate(MATCHES):
        browser.go(page)
        options = as_options(VARIANTS[variant]) | {"recall": recall, "holes": 2, "target": None}
        table = Tabletop(from_options(variant, options), NAMES[:3], you, seed)
        replies, lying = zip(*replies_of(table), strict=True)
        seen = []
        for start in range(0, len(replies), 100):  # a script has half a minute, even on a busy machine
            seen += browser.run(TELL, replies[start : start + 100])
        for reply, known, cards in zip(replies, seen, lying, strict=True):
            if cards:
                view, glimpses = known
                assert view["seq"] == reply["seq"]
                assert dict(glimpses).items() <= cards.items(), reply
                glimpsed += len(glimpses)
        check_the_page(browser)
        rows = browser.run(
            "return [...document.querySelectorAll('#scores tr')]"
            ".map((row) => [...row.children].map((cell) => cell.textContent))"
        )
        scores = list(zip(*view["scores"], strict=True))
        assert rows == [
            ["Hole", "1", "2", "total"],
            *[[name, *map(str, own), f"= {sum(own)}"] for name, own in zip(NAMES, scores, strict=False)],
        ]
    assert glimpsed > 25


def test_a_card_is_forgotten_if_an_event_was_missed(page: str, browser: Browser) -> None:
    browser.go(page)
    view = json.loads(data.encode(tables.cactus()))
    browser.run(TELL, [view])
    browser.run("glimpses.set('A1', { card: '7H', until: Date.now() + 9000 })")
    juggled = {"type": "event", "table": "t1", "seq": 41, "event": "juggled", "seat": "C"}
    ((_, kept), (_, still)) = browser.run(TELL, [juggled, view | {"seq": 41}])
    assert kept == still == [["A1", "7H"]]
    ((_, glimpses),) = browser.run(TELL, [view | {"seq": 43}])
    assert glimpses == [], "the card may have moved meanwhile"


def test_nobody_is_asked_to_slam_once_a_slam_has_succeeded(page: str, browser: Browser) -> None:
    browser.go(page)
    view = json.loads(data.encode(tables.cactus()))
    hit = {"event": "slammed", "by": "B", "at": "B1", "card": "9S", "result": "hit", "discard_no": 13}
    browser.run(TELL, [view])
    assert "Slam?" in headline(browser)
    assert browser.find("#bar button:not([hidden])")
    assert browser.find(".card.lit")
    won = view | {"seq": 41, "slam": view["slam"] | {"won": True}}
    browser.run(TELL, [{"type": "event", "table": "t1", "seq": 41, **hit}, won])
    assert "Slam?" not in headline(browser)
    assert not browser.find("#bar button:not([hidden])")
    assert not browser.find(".card.lit")


def test_quick_taps_all_count(page: str, browser: Browser) -> None:
    enter(browser, page, "Speedy")
    against_a_bot(browser, "six-card seats=2 holes=1 clock=0")
    browser.until(lambda: "turn up" in headline(browser))
    browser.run("document.querySelectorAll('#own .card.lit').forEach((card, n) => n < 2 && card.click())")
    browser.until(lambda: len(browser.find("#own .card:not(.down)")) == 2)
    assert told(browser, "alarm") == ""


def tap_lit(browser: Browser, where: str, index: int = 0) -> None:
    """Tap the lit card with this index, once there is one."""
    browser.until(lambda: len(browser.find(f"{where} .card.lit")) > index, 10)
    browser.tap(browser.find(f"{where} .card.lit")[index])


SLAM, SWITCH = "You slam slot", "You switch your slot"


def slam_and_switch(browser: Browser, sentences: set[str], count: int) -> None:
    """Make a move, preferring a slam or a switch that the log has not reported yet."""
    if SLAM not in sentences and (tap_if_shown(browser, "Slam a card") or "like" in headline(browser)):
        tap_lit(browser, "#own")
    elif SWITCH not in sentences and tap_if_shown(browser, "Switch two"):
        tap_lit(browser, "#own", 1)
        tap_lit(browser, "#others")
    else:
        make_a_move(browser, count % 8)  # with a count above 8 it would knock


def test_a_power_and_a_slam_can_be_tapped(page: str, browser: Browser) -> None:
    """With these options nearly every discarded card gives a power and can be slammed."""
    enter(browser, page, "Polly")
    options = "seats=2 holes=99 clock=0 slam=order slam_window=20 power=012345678910JQ"
    against_a_bot(browser, f"cactus {options}")
    sentences: set[str] = set()
    counts = itertools.count()

    def both_are_told() -> bool:
        log = told(browser, "log")
        sentences.update(sentence for sentence in (SLAM, SWITCH) if sentence in log)
        with contextlib.suppress(Stale, TimeoutError):  # redrawn during the tap, or too late for the slam
            slam_and_switch(browser, sentences, next(counts))
        return len(sentences) == 2

    browser.until(both_are_told, 120)
    check_the_page(browser)


@pytest.mark.parametrize("is_kept", [True, False], ids=["on disk", "in memory"])
def test_a_phone_reconnects_after_a_server_is_killed(browser: Browser, tmp_path: Path, is_kept: bool) -> None:
    """The player is back at the cards or, if nothing was stored, in the lobby under the same name."""
    port, web = free_port(), free_port()
    store = ("--db", str(tmp_path / "golf.db")) if is_kept else ("--memory",)
    flags = "--web", "--web-port", str(web), "--start-delay", "0", "--house-delay", "0"
    start = partial(Service, *store, *flags, port=port)
    server = start()
    try:
        enter(browser, f"http://127.0.0.1:{web}/", "Kim")
        against_a_bot(browser, "six-card seats=2 clock=0")
        play_to_a_turn(browser, moves=2)
        before, token = own_cards(browser), browser.run("return token")
        server.stop(kill=True)
        browser.until(lambda: "lost" in told(browser, "alarm"))
        server = start()
        if is_kept:
            browser.until(lambda: told(browser, "alarm") == "")
            browser.until(lambda: own_cards(browser) == before)
        else:
            browser.until(lambda: browser.run("return token !== arguments[0] && isOpen()", token), 60)
            browser.until(lambda: place(browser) == "lobby")
            assert told(browser, "where") == "Kim"
    finally:
        server.stop(kill=True)
