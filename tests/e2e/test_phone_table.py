"""The page for phones: what it shows after a tap, a prompt or a lost connection, at every size."""

import contextlib
import hashlib
import json
import signal
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from golfnet.engine import fairdeal
from golfnet.protocol.replies import data
from golfnet.protocol.replies.replies import TableView
from tests.client import tables
from tests.e2e.browser import Browser
from tests.e2e.phone import (
    against_a_bot,
    check_the_page,
    command,
    enter,
    give_name,
    headline,
    place,
    play_to_a_turn,
    tap_button,
    told,
)
from tests.e2e.program import Program
from tests.e2e.service import Service, web_service
from tests.page_pictures import SIZES, TELL, eight, moments, power


def show(browser: Browser, page: str, view: TableView) -> None:
    """Load the page and show it a table view; ``sent`` collects what it sends except pings, and nothing is answered."""
    browser.go(page)
    browser.run(TELL, [json.loads(data.encode(view))], "100%", "")
    browser.run("window.sent = []; socket.send = (line) => line.endsWith('ping') || sent.push(line)")


def whole(view: TableView, **changes: Any) -> Any:
    """Change some fields of a view, and return it in the form that the page receives."""
    return json.loads(data.encode(replace(view, **changes)))


def tell(browser: Browser, **fields: object) -> None:
    browser.run("receive(arguments[0])", {"table": "t1", **fields})


def classes(browser: Browser, key: str) -> list[str]:
    found = browser.run("return document.querySelector(`.card[data-key='${arguments[0]}']`).className", key)
    return str(found).split()


def buttons(browser: Browser) -> list[list[str]]:
    """Return the labels on the bar: one list per group, its title first."""
    return browser.run(  # type: ignore[no-any-return]
        "return [...document.querySelectorAll('#bar > div')]"
        ".map((group) => [...group.children].filter((one) => one.offsetParent).map((one) => one.textContent))"
        ".filter((group) => group.length)"
    )


OWN = """
const outside = [...document.querySelectorAll("#own .card")].filter((card) => {
  const box = card.getBoundingClientRect();
  const seen = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.right > innerWidth || !card.contains(seen);
});
return [outside.length, document.documentElement.scrollWidth - innerWidth];
"""
"""How many of the player's cards are partly hidden, and by how much the page is wider than the screen."""


@pytest.mark.parametrize("size", SIZES[::2])
def test_own_cards_are_on_screen_at_every_size(page: str, browser: Browser, size: tuple[int, int]) -> None:
    browser.resize(*size, motion="reduce")
    for moment in moments(browser, page, f"Ann-{size[0]}"):
        assert browser.run(OWN) == [0, 0], moment
        check_the_page(browser)


def test_a_tap_shows_at_once_and_is_undone_with_a_message_if_refused(page: str, browser: Browser) -> None:
    show(browser, page, tables.holding())
    # In one script, to see the state before the browser draws again.
    seen, sent = browser.run(
        "const card = document.querySelector('.card[data-key=A2]'); card.click();"
        "return [document.querySelector('.card[data-key=A2]').className, sent]"
    )
    assert "tapped" in seen
    ((number, line),) = [each.split(" ", 1) for each in sent]
    assert line == "swap 2 at=40"
    browser.run("document.querySelector('.card[data-key=A3]').click()")
    assert "on its way" in told(browser, "alarm")
    tell(browser, type="error", id=int(number), code="STALE", message="", retry=False)
    assert "tap again" in told(browser, "alarm")
    assert "tapped" not in classes(browser, "A2")
    browser.run("document.querySelector('.card[data-key=A3]').click()")
    assert [each.split(" ", 1)[1] for each in browser.run("return sent")] == ["swap 2 at=40", "swap 3 at=40"]


def test_a_change_is_marked_and_also_animated_unless_motion_is_reduced(page: str, browser: Browser) -> None:
    swapped = {"type": "event", "event": "swapped", "seat": "A", "slot": 2, "card": "5S", "discard": "9C"}
    after = whole(tables.holding(), seq=41, holding=None, drawn=None, discard="9C")
    for motion, count in (("no-preference", 2), ("reduce", 0)):
        browser.resize(390, 844, motion=motion)
        show(browser, page, tables.holding())
        durations = browser.run(
            "arguments[0].forEach(receive); return document.getAnimations()"
            ".filter((one) => !one.transitionProperty).map((one) => one.effect.getTiming().duration)",
            [{"table": "t1", "seq": 41, "discard_no": 4, **swapped}, after],
        )
        assert len(durations) == count
        assert all(duration <= 150 for duration in durations)
        assert "last" in classes(browser, "A2")
        assert "last" in classes(browser, "discard")
        assert "last" not in classes(browser, "A1")


def test_slam_and_power_have_own_buttons_and_a_prompt_keeps_the_choice(page: str, browser: Browser) -> None:
    view = power()
    show(browser, page, view)
    slam, own = (
        ["Slam?", "Slam a card", "Pass"],
        ["Your power", "Look at a card", "Switch two", "Do nothing"],
    )
    assert buttons(browser) == [slam, own]
    assert not browser.find(".card.lit")
    tap_button(browser, "Switch two")
    assert headline(browser) == "Tap two cards to switch: 1 of 2."
    browser.run("tap('A1')")
    assert headline(browser) == "Tap two cards to switch: 2 of 2."
    prompt = {"type": "prompt", "seq": 40, "phase": "power", "targets": list(view.targets), "ms": 9000}
    tell(browser, **prompt, actions=[line for line in view.actions if line not in ("slam", "pass")])
    assert headline(browser) == "Tap two cards to switch: 2 of 2."
    assert "chosen" in classes(browser, "A1")
    tell(browser, **prompt | {"targets": ["A2", "B1"]}, actions=["decline", "switch"])
    assert headline(browser) == "Tap two cards to switch: 1 of 2."
    tell(browser, **prompt | {"phase": "slam"}, actions=["slam", "pass"])
    assert headline(browser) == "Slam? Tap a card like J♦, or pass."
    assert not browser.find(".card.chosen")


def test_a_tap_too_fast_for_the_server_is_sent_again(page: str, browser: Browser) -> None:
    enter(browser, page, "Hasty")
    against_a_bot(browser, "six-card seats=2 clock=0")
    browser.until(lambda: browser.find("#own .card.lit"))
    browser.run(
        "for (let n = 0; n < 14; n += 1) socket.send('ping');"
        "document.querySelector('#own .card.lit').click();"
    )
    browser.until(lambda: browser.find("#own .card:not(.down)"))


def test_many_columns_are_shown_in_rows_and_a_tap_enlarges_a_seat(page: str, browser: Browser) -> None:
    browser.resize(320, 568, motion="reduce")
    show(browser, page, eight())
    tops = "return new Set([...document.querySelectorAll('[data-key=B] .card')].map((card) => card.offsetTop)).size"
    pairs = "return document.querySelectorAll('#others [data-key=B] .pair').length"
    width = "return document.querySelector('.card[data-key=B1]').offsetWidth"
    assert (browser.run(tops), browser.run(pairs)) == (2, 2)
    assert browser.run(width) < 30
    browser.tap(browser.find("#others [data-key=B] h3 input")[0])
    assert browser.run(width) >= 48
    assert browser.run(tops) == 2
    browser.tap(browser.find("#others [data-key=B] h3 input")[0])
    assert browser.run(width) < 30
    # The tab key first reaches what can be tapped, and it reaches nothing else on the table.
    show(browser, page, replace(eight(), actions=("draw", "take", "flip 2")))
    order = browser.run(
        "return [...document.querySelectorAll('button')].filter((one) => one.tabIndex >= 0 && one.offsetParent)"
        ".slice(0, 3).map((one) => one.dataset.key || one.value)"
    )
    assert order == ["A2", "draw", "take"]


@pytest.mark.slow
def test_a_dead_connection_is_noticed_and_the_last_tap_is_reported(browser: Browser) -> None:
    with web_service("--start-delay", "0", "--house-delay", "0") as (server, page):
        enter(browser, page, "Dee")
        against_a_bot(browser, "six-card seats=2 clock=0")
        play_to_a_turn(browser, moves=2)
        server.process.send_signal(signal.SIGSTOP)
        tap_button(browser, "Draw")
        said = "Connection lost – trying again. Your last tap (draw) was not answered."
        browser.until(lambda: told(browser, "alarm") == said)
        # Computed, not measured, since the page itself stops for a while on a busy machine.
        assert browser.run("return DEAD_MS + QUIET_MS + 2 * TICK_MS") <= 5000
        assert browser.run("return document.body.dataset.lost") == "true"
        server.process.send_signal(signal.SIGCONT)
        browser.until(lambda: browser.run("return document.body.dataset.lost") == "false", 60)
        browser.until(lambda: told(browser, "alarm") == "")
        browser.run("dispatchEvent(new Event('offline'))")
        assert browser.run("return document.body.dataset.lost") == "true"


def test_the_page_keeps_its_connection_if_the_server_only_hung_a_while(page: str, browser: Browser) -> None:
    enter(browser, page, "Pia")
    said = browser.run("window.first = socket; isDead = true; hooks.lost(); return $('alarm').textContent")
    assert "Connection lost" in said
    browser.run("first.send('9999 ping')")  # any reply from the server
    browser.until(lambda: told(browser, "alarm") == "")
    assert browser.run("return socket === first && isOpen() && document.body.dataset.lost") == "false"


def test_one_friend_joins_by_link_and_one_waits(page: str, browser: Browser, shared_service: Service) -> None:
    with contextlib.ExitStack() as running:

        def hand_over() -> Program:
            """Let a program take over from the person at the phone, who leaves."""
            program = running.enter_context(Program(shared_service.port))
            program.ask("hello 1")
            program.ask(f"resume {browser.run('return token')}")
            browser.forget()
            return program

        enter(browser, page, "Anna")
        browser.tap(browser.find("#open")[0])
        browser.type("input[name=seats]", "2")
        browser.type("input[name=password]", "pear")
        tap_button(browser, "Open", "#open-sheet")
        browser.until(lambda: place(browser) == "table")
        browser.tap(browser.find("#invite")[0])
        link = str(browser.run("return $('link').value"))
        browser.until(lambda: browser.run("return document.querySelector('img.qr').naturalWidth"))
        hand_over()
        give_name(browser, link, "Bobby")
        browser.until(lambda: browser.run("return Boolean(game.view && game.view.you)"))
        table = browser.run("return game.view.table")
        bob = hand_over()
        enter(browser, page, "Cid")
        tap_button(browser, "Wait in line", f"#tables [data-key={table}]")
        browser.type("#word-sheet input", "pear")
        tap_button(browser, "Join", "#word-sheet")
        browser.until(lambda: "in line" in headline(browser))
        bob.ask("leave")
        browser.until(lambda: browser.run("return Boolean(game.view.you)"))
        assert "in line" not in headline(browser)
        for choice in ("Stay", "Leave"):
            assert browser.run("return game.view !== null")
            browser.run("document.getElementById('menu').click()")
            tap_button(browser, "Leave the table", "#menu-sheet")
            tap_button(browser, choice, "#leave-sheet")
        browser.until(lambda: browser.run("return game.view === null"))
        assert browser.complaints() == []


def test_a_watcher_who_is_no_longer_in_line_stops_watching(page: str, browser: Browser) -> None:
    """``leave`` would be refused for somebody who only watches."""
    show(browser, page, replace(tables.six_card(), you=None, actions=()))
    for number, line in ((1, "leave"), (0, "unwatch")):
        tell(browser, type="notice", code="IN_LINE", text="About the line.", place=number)
        assert ("About the line." in headline(browser)) is bool(number)
        assert str(browser.run("leaveTable(); return sent.at(-1)")).endswith(line)


def test_the_menu_entries_the_rules_and_the_chat_open(page: str, browser: Browser) -> None:
    browser.resize(320, 568)
    enter(browser, page, "Meg")
    opened: dict[str, Any] = {}
    shown_title = partial(browser.run, "return document.querySelector('dialog[open] h2')?.textContent")
    for title in ("Ladder", "This evening", "Settings"):
        browser.tap(browser.find("#menu")[0])
        tap_button(browser, title, "#menu-sheet")
        browser.until(lambda title=title: shown_title() == title)  # type: ignore[misc]
        opened[title] = told(browser, "sheet-body")
        tap_button(browser, "Close", "dialog[open]")
    assert opened["Ladder"] == "Nobody is on the ladder yet."
    browser.tap(browser.find("#rules")[0])
    browser.until(lambda: len(browser.find("#sheet .pair")) == 2)
    tap_button(browser, "All the rules", "#sheet")
    browser.until(lambda: "The lowest total over all" in told(browser, "sheet-body"))
    tap_button(browser, "Close", "#sheet")
    command(browser, "shout hello")
    browser.tap(browser.find("#talk-button")[0])
    browser.type("#line", "good evening\n")
    browser.until(lambda: "good evening" in told(browser, "chat"))
    check_the_page(browser)


def test_the_page_loads_few_resources_and_a_match_starts_with_one_tap(page: str, browser: Browser) -> None:
    enter(browser, page, "Fay")
    pieces = browser.run("return performance.getEntriesByType('resource').map((one) => one.name)")
    assert len({name for name in pieces if not name.endswith("/lines")}) <= 4
    browser.until(lambda: browser.find("#variant option"))
    browser.tap(browser.find("#with-bot")[0])
    browser.until(lambda: browser.find("#own .card"))  # there is no countdown
    assert browser.run("return game.view.variant") == "six-card"
    browser.until(lambda: "● Your turn" in browser.run("return document.title"))


@pytest.mark.parametrize(
    ("fault", "mark"),
    [("", "✓ deal checked"), ("seed", "! This deal was not the one"), ("cut", "! Your secret"), ("seal", "")],
)
def test_a_deal_is_sealed_revealed_and_checked(page: str, browser: Browser, fault: str, mark: str) -> None:
    seed = bytes(range(32))
    promise = fairdeal.commitment("m1", 1, seed, fairdeal.Scheme.V2)
    view = replace(tables.waiting(), commitment=promise, deal=fairdeal.Scheme.V2)
    browser.go(page)
    browser.run("window.sent = []; send = (line) => sent.push(line);")
    browser.run(TELL, [json.loads(data.encode(view))], "100%", "")
    (line,) = [line for line in browser.run("return sent") if line.startswith("seal ")]
    mine = replace(view.seats[0], seal=line[5:], told=False)
    browser.run("receive(arguments[0])", whole(view, seq=42, sealing_ms=3000, seats=(mine, *view.seats[1:])))
    (text,) = [line[4:] for line in browser.run("return sent") if line.startswith("cut ")]
    assert line == f"seal {fairdeal.seal('m1', 1, 'Ann', text)}"
    browser.run("receive(arguments[0])", whole(view, seq=43, state="playing", hole=1))
    told_seed = seed[::-1] if fault == "seed" else seed
    told_cut = text[::-1] if fault == "cut" else text
    told_seal = None if fault == "seal" else line[5:]
    layouts = [["7H"] * 6] * 2
    end = {"reason": "face_up", "closer": "A", "layouts": layouts, "scores": [1, 2], "totals": [1, 2]}
    shown = {"seed": told_seed.hex(), "cuts": [told_cut, ""], "seals": [told_seal, None]}
    tell(browser, type="event", seq=44, event="hole_ended", **end, **shown)
    assert told(browser, "deal")[: len(mark) or None] == mark
    assert ("without your secret" in told(browser, "log")) is (fault == "seal")


def test_a_session_taken_over_returns_at_a_tap(page: str, browser: Browser, shared_service: Service) -> None:
    enter(browser, page, "Ole")
    with Program(shared_service.port) as there:
        there.ask("hello 1")
        there.ask(f"resume {browser.run('return token')}")
        browser.until(lambda: "Tap here" in told(browser, "alarm"))
        browser.run("ticked = 0; check()")
        assert browser.run("return socket === null"), "it does not reconnect by itself"
        browser.tap(browser.find("#alarm")[0])
        browser.until(lambda: browser.run("return isOpen()") and told(browser, "alarm") == "")


def test_the_page_computes_the_same_digests_as_hashlib(page: str, browser: Browser) -> None:
    browser.go(page)
    told = [["a", "ü" * 200, "b"], *[["x" * length] for length in range(130)]]
    digests = [hashlib.sha256("\n".join(parts).encode()).hexdigest() for parts in told]
    assert browser.run("return arguments[0].map((parts) => sha256(...parts))", told) == digests
