"""The page for phones in a real browser: matches are played by tapping, from the name to the end."""

import contextlib
import itertools
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from golfnet.engine.cards import Position, Seat, position_text
from golfnet.engine.options import as_options, from_options
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies import data
from tests.client import tables
from tests.e2e.browser import Stale
from tests.e2e.phone import Phone
from tests.e2e.service import Service, free_port
from tests.protocol.tabletop import NAMES, Tabletop


@pytest.mark.slow
def test_a_match_can_be_played_by_tapping(page: str, phone: Phone) -> None:
    phone.enter(page, "Ann")
    phone.against_a_bot("six-card seats=2 holes=1 clock=0 turn_cap=3")
    assert phone.play() > 3
    phone.check_the_page()
    names = phone.run(
        "return [...document.querySelectorAll('.card')].map((card) => card.getAttribute('aria-label'))"
    )
    assert all(names)
    assert any(name.startswith("Your card 1: ") for name in names)
    assert "The match is over" in phone.told("log")
    # On a machine that hangs for seconds the secret is late, and the page says so.
    assert phone.told("deal") == "✓ deal checked" or "without your secret" in phone.told("log")


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


def test_a_card_that_was_shown_is_displayed_only_in_its_current_place(page: str, phone: Phone) -> None:
    glimpsed = 0
    for seed, (variant, recall, you) in enumerate(MATCHES):
        phone.go(page)
        options = as_options(VARIANTS[variant]) | {"recall": recall, "holes": 2, "target": None}
        table = Tabletop(from_options(variant, options), NAMES[:3], you, seed)
        replies, lying = zip(*replies_of(table), strict=True)
        seen = []
        for start in range(0, len(replies), 100):  # a script has half a minute, even on a busy machine
            seen += phone.run(TELL, replies[start : start + 100])
        for reply, known, cards in zip(replies, seen, lying, strict=True):
            if cards:
                view, glimpses = known
                assert view["seq"] == reply["seq"]
                assert dict(glimpses).items() <= cards.items(), reply
                glimpsed += len(glimpses)
        phone.check_the_page()
        rows = phone.run(
            "return [...document.querySelectorAll('#scores tr')]"
            ".map((row) => [...row.children].map((cell) => cell.textContent))"
        )
        scores = list(zip(*view["scores"], strict=True))
        assert rows == [
            ["Hole", "1", "2", "total"],
            *[[name, *map(str, own), f"= {sum(own)}"] for name, own in zip(NAMES, scores, strict=False)],
        ]
    assert glimpsed > 25


def test_a_card_is_forgotten_if_an_event_was_missed(page: str, phone: Phone) -> None:
    phone.go(page)
    view = json.loads(data.encode(tables.cactus()))
    phone.run(TELL, [view])
    phone.run("glimpses.set('A1', { card: '7H', until: Date.now() + 9000 })")
    juggled = {"type": "event", "table": "t1", "seq": 41, "event": "juggled", "seat": "C"}
    ((_, kept), (_, still)) = phone.run(TELL, [juggled, view | {"seq": 41}])
    assert kept == still == [["A1", "7H"]]
    ((_, glimpses),) = phone.run(TELL, [view | {"seq": 43}])
    assert glimpses == [], "the card may have moved meanwhile"


def test_nobody_is_asked_to_slam_once_a_slam_has_succeeded(page: str, phone: Phone) -> None:
    phone.go(page)
    view = json.loads(data.encode(tables.cactus()))
    hit = {"event": "slammed", "by": "B", "at": "B1", "card": "9S", "result": "hit", "discard_no": 13}
    phone.run(TELL, [view])
    assert "Slam?" in phone.headline()
    assert phone.find("#bar button:not([hidden])")
    assert phone.find(".card.lit")
    won = view | {"seq": 41, "slam": view["slam"] | {"won": True}}
    phone.run(TELL, [{"type": "event", "table": "t1", "seq": 41, **hit}, won])
    assert "Slam?" not in phone.headline()
    assert not phone.find("#bar button:not([hidden])")
    assert not phone.find(".card.lit")


def test_quick_taps_all_count(page: str, phone: Phone) -> None:
    phone.enter(page, "Speedy")
    phone.against_a_bot("six-card seats=2 holes=1 clock=0")
    phone.until(lambda: "turn up" in phone.headline())
    phone.run("document.querySelectorAll('#own .card.lit').forEach((card, n) => n < 2 && card.click())")
    phone.until(lambda: len(phone.find("#own .card:not(.down)")) == 2)
    assert phone.told("alarm") == ""


def tap_lit(phone: Phone, where: str, index: int = 0) -> None:
    """Tap the lit card with this index, once there is one."""
    phone.until(lambda: len(phone.find(f"{where} .card.lit")) > index, 10)
    phone.tap(phone.find(f"{where} .card.lit")[index])


SLAM, SWITCH = "You slam slot", "You switch your slot"


def slam_and_switch(phone: Phone, sentences: set[str], count: int) -> None:
    """Make a move, preferring a slam or a switch that the log has not reported yet."""
    if SLAM not in sentences and (phone.tap_if_shown("Slam a card") or "like" in phone.headline()):
        tap_lit(phone, "#own")
    elif SWITCH not in sentences and phone.tap_if_shown("Switch two"):
        tap_lit(phone, "#own", 1)
        tap_lit(phone, "#others")
    else:
        phone.make_a_move(count % 8)  # with a count above 8 it would knock


def test_a_power_and_a_slam_can_be_tapped(page: str, phone: Phone) -> None:
    """With these options nearly every discarded card gives a power and can be slammed."""
    phone.enter(page, "Polly")
    options = "seats=2 holes=99 clock=0 slam=order slam_window=20 power=012345678910JQ"
    phone.against_a_bot(f"cactus {options}")
    sentences: set[str] = set()
    counts = itertools.count()

    def both_are_told() -> bool:
        log = phone.told("log")
        sentences.update(sentence for sentence in (SLAM, SWITCH) if sentence in log)
        with contextlib.suppress(Stale, TimeoutError):  # redrawn during the tap, or too late for the slam
            slam_and_switch(phone, sentences, next(counts))
        return len(sentences) == 2

    phone.until(both_are_told, 120)
    phone.check_the_page()


@pytest.mark.parametrize("is_kept", [True, False], ids=["on disk", "in memory"])
def test_a_phone_reconnects_after_a_server_is_killed(phone: Phone, tmp_path: Path, is_kept: bool) -> None:
    """The player is back at the cards or, if nothing was stored, in the lobby under the same name."""
    port, web = free_port(), free_port()
    store = ("--db", str(tmp_path / "golf.db")) if is_kept else ("--memory",)
    flags = "--web", "--web-port", str(web), "--start-delay", "0", "--house-delay", "0"
    start = partial(Service, *store, *flags, port=port)
    server = start()
    try:
        phone.enter(f"http://127.0.0.1:{web}/", "Kim")
        phone.against_a_bot("six-card seats=2 clock=0")
        phone.play_to_a_turn(moves=2)
        before, token = phone.own_cards(), phone.run("return token")
        server.stop(kill=True)
        phone.until(lambda: "lost" in phone.told("alarm"))
        server = start()
        if is_kept:
            phone.until(lambda: phone.told("alarm") == "")
            phone.until(lambda: phone.own_cards() == before)
        else:
            phone.until(lambda: phone.run("return token !== arguments[0] && isOpen()", token), 60)
            phone.until(lambda: phone.place() == "lobby")
            assert phone.told("where") == "Kim"
    finally:
        server.stop(kill=True)
