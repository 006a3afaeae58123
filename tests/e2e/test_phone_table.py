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
from tests.e2e.phone import Phone
from tests.e2e.program import Program
from tests.e2e.service import Service, web_service
from tests.page_pictures import SIZES, TELL, eight, moments, power


def show(phone: Phone, page: str, view: TableView) -> None:
    """Load the page and show it a table view; ``sent`` collects what it sends except pings, and nothing is answered."""
    phone.go(page)
    phone.run(TELL, [json.loads(data.encode(view))], "100%", "")
    phone.run("window.sent = []; socket.send = (line) => line.endsWith('ping') || sent.push(line)")


def whole(view: TableView, **changes: Any) -> Any:
    """Change some fields of a view, and return it in the form that the page receives."""
    return json.loads(data.encode(replace(view, **changes)))


def tell(phone: Phone, **fields: object) -> None:
    phone.run("receive(arguments[0])", {"table": "t1", **fields})


def classes(phone: Phone, key: str) -> list[str]:
    found = phone.run("return document.querySelector(`.card[data-key='${arguments[0]}']`).className", key)
    return str(found).split()


def buttons(phone: Phone) -> list[list[str]]:
    """Return the labels on the bar: one list per group, its title first."""
    return phone.run(  # type: ignore[no-any-return]
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
def test_own_cards_are_on_screen_at_every_size(page: str, phone: Phone, size: tuple[int, int]) -> None:
    phone.resize(*size, motion="reduce")
    for moment in moments(phone, page, f"Ann-{size[0]}"):
        assert phone.run(OWN) == [0, 0], moment
        phone.check_the_page()


def test_a_tap_shows_at_once_and_is_undone_with_a_message_if_refused(page: str, phone: Phone) -> None:
    show(phone, page, tables.holding())
    # In one script, to see the state before the browser draws again.
    seen, sent = phone.run(
        "const card = document.querySelector('.card[data-key=A2]'); card.click();"
        "return [document.querySelector('.card[data-key=A2]').className, sent]"
    )
    assert "tapped" in seen
    ((number, line),) = [each.split(" ", 1) for each in sent]
    assert line == "swap 2 at=40"
    phone.run("document.querySelector('.card[data-key=A3]').click()")
    assert "on its way" in phone.told("alarm")
    tell(phone, type="error", id=int(number), code="STALE", message="", retry=False)
    assert "tap again" in phone.told("alarm")
    assert "tapped" not in classes(phone, "A2")
    phone.run("document.querySelector('.card[data-key=A3]').click()")
    assert [each.split(" ", 1)[1] for each in phone.run("return sent")] == ["swap 2 at=40", "swap 3 at=40"]


def test_a_change_is_marked_and_also_animated_unless_motion_is_reduced(page: str, phone: Phone) -> None:
    swapped = {"type": "event", "event": "swapped", "seat": "A", "slot": 2, "card": "5S", "discard": "9C"}
    after = whole(tables.holding(), seq=41, holding=None, drawn=None, discard="9C")
    for motion, count in (("no-preference", 2), ("reduce", 0)):
        phone.resize(390, 844, motion=motion)
        show(phone, page, tables.holding())
        durations = phone.run(
            "arguments[0].forEach(receive); return document.getAnimations()"
            ".filter((one) => !one.transitionProperty).map((one) => one.effect.getTiming().duration)",
            [{"table": "t1", "seq": 41, "discard_no": 4, **swapped}, after],
        )
        assert len(durations) == count
        assert all(duration <= 150 for duration in durations)
        assert "last" in classes(phone, "A2")
        assert "last" in classes(phone, "discard")
        assert "last" not in classes(phone, "A1")


def test_slam_and_power_have_own_buttons_and_a_prompt_keeps_the_choice(page: str, phone: Phone) -> None:
    view = power()
    show(phone, page, view)
    slam, own = (
        ["Slam?", "Slam a card", "Pass"],
        ["Your power", "Look at a card", "Switch two", "Do nothing"],
    )
    assert buttons(phone) == [slam, own]
    assert not phone.find(".card.lit")
    phone.tap_button("Switch two")
    assert phone.headline() == "Tap two cards to switch: 1 of 2."
    phone.run("tap('A1')")
    assert phone.headline() == "Tap two cards to switch: 2 of 2."
    prompt = {"type": "prompt", "seq": 40, "phase": "power", "targets": list(view.targets), "ms": 9000}
    tell(phone, **prompt, actions=[line for line in view.actions if line not in ("slam", "pass")])
    assert phone.headline() == "Tap two cards to switch: 2 of 2."
    assert "chosen" in classes(phone, "A1")
    tell(phone, **prompt | {"targets": ["A2", "B1"]}, actions=["decline", "switch"])
    assert phone.headline() == "Tap two cards to switch: 1 of 2."
    tell(phone, **prompt | {"phase": "slam"}, actions=["slam", "pass"])
    assert phone.headline() == "Slam? Tap a card like J♦, or pass."
    assert not phone.find(".card.chosen")


def test_a_tap_too_fast_for_the_server_is_sent_again(page: str, phone: Phone) -> None:
    phone.enter(page, "Hasty")
    phone.against_a_bot("six-card seats=2 clock=0")
    phone.until(lambda: phone.find("#own .card.lit"))
    phone.run(
        "for (let n = 0; n < 14; n += 1) socket.send('ping');"
        "document.querySelector('#own .card.lit').click();"
    )
    phone.until(lambda: phone.find("#own .card:not(.down)"))


def test_many_columns_are_shown_in_rows_and_a_tap_enlarges_a_seat(page: str, phone: Phone) -> None:
    phone.resize(320, 568, motion="reduce")
    show(phone, page, eight())
    tops = "return new Set([...document.querySelectorAll('[data-key=B] .card')].map((card) => card.offsetTop)).size"
    pairs = "return document.querySelectorAll('#others [data-key=B] .pair').length"
    width = "return document.querySelector('.card[data-key=B1]').offsetWidth"
    assert (phone.run(tops), phone.run(pairs)) == (2, 2)
    assert phone.run(width) < 30
    phone.tap(phone.find("#others [data-key=B] h3 input")[0])
    assert phone.run(width) >= 48
    assert phone.run(tops) == 2
    phone.tap(phone.find("#others [data-key=B] h3 input")[0])
    assert phone.run(width) < 30
    # The tab key first reaches what can be tapped, and it reaches nothing else on the table.
    show(phone, page, replace(eight(), actions=("draw", "take", "flip 2")))
    order = phone.run(
        "return [...document.querySelectorAll('button')].filter((one) => one.tabIndex >= 0 && one.offsetParent)"
        ".slice(0, 3).map((one) => one.dataset.key || one.value)"
    )
    assert order == ["A2", "draw", "take"]


@pytest.mark.slow
def test_a_dead_connection_is_noticed_and_the_last_tap_is_reported(phone: Phone) -> None:
    with web_service("--start-delay", "0", "--house-delay", "0") as (server, page):
        phone.enter(page, "Dee")
        phone.against_a_bot("six-card seats=2 clock=0")
        phone.play_to_a_turn(moves=2)
        server.process.send_signal(signal.SIGSTOP)
        phone.tap_button("Draw")
        said = "Connection lost – trying again. Your last tap (draw) was not answered."
        phone.until(lambda: phone.told("alarm") == said)
        # Computed, not measured, since the page itself stops for a while on a busy machine.
        assert phone.run("return DEAD_MS + QUIET_MS + 2 * TICK_MS") <= 5000
        assert phone.run("return document.body.dataset.lost") == "true"
        server.process.send_signal(signal.SIGCONT)
        phone.until(lambda: phone.run("return document.body.dataset.lost") == "false", 60)
        phone.until(lambda: phone.told("alarm") == "")
        phone.run("dispatchEvent(new Event('offline'))")
        assert phone.run("return document.body.dataset.lost") == "true"


def test_the_page_keeps_its_connection_if_the_server_only_hung_a_while(page: str, phone: Phone) -> None:
    phone.enter(page, "Pia")
    said = phone.run("window.first = socket; isDead = true; hooks.lost(); return $('alarm').textContent")
    assert "Connection lost" in said
    phone.run("first.send('9999 ping')")  # any reply from the server
    phone.until(lambda: phone.told("alarm") == "")
    assert phone.run("return socket === first && isOpen() && document.body.dataset.lost") == "false"


def test_one_friend_joins_by_link_and_one_waits(page: str, phone: Phone, shared_service: Service) -> None:
    with contextlib.ExitStack() as running:

        def hand_over() -> Program:
            """Let a program take over from the person at the phone, who leaves."""
            program = running.enter_context(Program(shared_service.port))
            program.ask("hello 1")
            program.ask(f"resume {phone.run('return token')}")
            phone.forget()
            return program

        phone.enter(page, "Anna")
        phone.tap(phone.find("#open")[0])
        phone.type("input[name=seats]", "2")
        phone.type("input[name=password]", "pear")
        phone.tap_button("Open", "#open-sheet")
        phone.until(lambda: phone.place() == "table")
        phone.tap(phone.find("#invite")[0])
        link = str(phone.run("return $('link').value"))
        phone.until(lambda: phone.run("return document.querySelector('img.qr').naturalWidth"))
        hand_over()
        phone.give_name(link, "Bobby")
        phone.until(lambda: phone.run("return Boolean(game.view && game.view.you)"))
        table = phone.run("return game.view.table")
        bob = hand_over()
        phone.enter(page, "Cid")
        phone.tap_button("Wait in line", f"#tables [data-key={table}]")
        phone.type("#word-sheet input", "pear")
        phone.tap_button("Join", "#word-sheet")
        phone.until(lambda: "in line" in phone.headline())
        bob.ask("leave")
        phone.until(lambda: phone.run("return Boolean(game.view.you)"))
        assert "in line" not in phone.headline()
        for choice in ("Stay", "Leave"):
            assert phone.run("return game.view !== null")
            phone.run("document.getElementById('menu').click()")
            phone.tap_button("Leave the table", "#menu-sheet")
            phone.tap_button(choice, "#leave-sheet")
        phone.until(lambda: phone.run("return game.view === null"))
        assert phone.complaints() == []


def test_a_watcher_who_is_no_longer_in_line_stops_watching(page: str, phone: Phone) -> None:
    """``leave`` would be refused for somebody who only watches."""
    show(phone, page, replace(tables.six_card(), you=None, actions=()))
    for number, line in ((1, "leave"), (0, "unwatch")):
        tell(phone, type="notice", code="IN_LINE", text="About the line.", place=number)
        assert ("About the line." in phone.headline()) is bool(number)
        assert str(phone.run("leaveTable(); return sent.at(-1)")).endswith(line)


def test_the_menu_entries_the_rules_and_the_chat_open(page: str, phone: Phone) -> None:
    phone.resize(320, 568)
    phone.enter(page, "Meg")
    opened: dict[str, Any] = {}
    shown_title = partial(phone.run, "return document.querySelector('dialog[open] h2')?.textContent")
    for title in ("Ladder", "This evening", "Settings"):
        phone.tap(phone.find("#menu")[0])
        phone.tap_button(title, "#menu-sheet")
        phone.until(lambda title=title: shown_title() == title)  # type: ignore[misc]
        opened[title] = phone.told("sheet-body")
        phone.tap_button("Close", "dialog[open]")
    assert opened["Ladder"] == "Nobody is on the ladder yet."
    phone.tap(phone.find("#rules")[0])
    phone.until(lambda: len(phone.find("#sheet .pair")) == 2)
    phone.tap_button("All the rules", "#sheet")
    phone.until(lambda: "The lowest total over all" in phone.told("sheet-body"))
    phone.tap_button("Close", "#sheet")
    phone.command("shout hello")
    phone.tap(phone.find("#talk-button")[0])
    phone.type("#line", "good evening\n")
    phone.until(lambda: "good evening" in phone.told("chat"))
    phone.check_the_page()


def test_the_page_loads_few_resources_and_a_match_starts_with_one_tap(page: str, phone: Phone) -> None:
    phone.enter(page, "Fay")
    pieces = phone.run("return performance.getEntriesByType('resource').map((one) => one.name)")
    assert len({name for name in pieces if not name.endswith("/lines")}) <= 4
    phone.until(lambda: phone.find("#variant option"))
    phone.tap(phone.find("#with-bot")[0])
    phone.until(lambda: phone.find("#own .card"))  # there is no countdown
    assert phone.run("return game.view.variant") == "six-card"
    phone.until(lambda: "● Your turn" in phone.run("return document.title"))


@pytest.mark.parametrize(
    ("fault", "mark"),
    [("", "✓ deal checked"), ("seed", "! This deal was not the one"), ("cut", "! Your secret"), ("seal", "")],
)
def test_a_deal_is_sealed_revealed_and_checked(page: str, phone: Phone, fault: str, mark: str) -> None:
    seed = bytes(range(32))
    promise = fairdeal.commitment("m1", 1, seed, fairdeal.Scheme.V2)
    view = replace(tables.waiting(), commitment=promise, deal=fairdeal.Scheme.V2)
    phone.go(page)
    phone.run("window.sent = []; send = (line) => sent.push(line);")
    phone.run(TELL, [json.loads(data.encode(view))], "100%", "")
    (line,) = [line for line in phone.run("return sent") if line.startswith("seal ")]
    mine = replace(view.seats[0], seal=line[5:], told=False)
    phone.run("receive(arguments[0])", whole(view, seq=42, sealing_ms=3000, seats=(mine, *view.seats[1:])))
    (text,) = [line[4:] for line in phone.run("return sent") if line.startswith("cut ")]
    assert line == f"seal {fairdeal.seal('m1', 1, 'Ann', text)}"
    phone.run("receive(arguments[0])", whole(view, seq=43, state="playing", hole=1))
    told_seed = seed[::-1] if fault == "seed" else seed
    told_cut = text[::-1] if fault == "cut" else text
    told_seal = None if fault == "seal" else line[5:]
    layouts = [["7H"] * 6] * 2
    end = {"reason": "face_up", "closer": "A", "layouts": layouts, "scores": [1, 2], "totals": [1, 2]}
    shown = {"seed": told_seed.hex(), "cuts": [told_cut, ""], "seals": [told_seal, None]}
    tell(phone, type="event", seq=44, event="hole_ended", **end, **shown)
    assert phone.told("deal")[: len(mark) or None] == mark
    assert ("without your secret" in phone.told("log")) is (fault == "seal")


def test_a_session_taken_over_returns_at_a_tap(page: str, phone: Phone, shared_service: Service) -> None:
    phone.enter(page, "Ole")
    with Program(shared_service.port) as there:
        there.ask("hello 1")
        there.ask(f"resume {phone.run('return token')}")
        phone.until(lambda: "Tap here" in phone.told("alarm"))
        phone.run("ticked = 0; check()")
        assert phone.run("return socket === null"), "it does not reconnect by itself"
        phone.tap(phone.find("#alarm")[0])
        phone.until(lambda: phone.run("return isOpen()") and phone.told("alarm") == "")


def test_the_page_computes_the_same_digests_as_hashlib(page: str, phone: Phone) -> None:
    phone.go(page)
    told = [["a", "ü" * 200, "b"], *[["x" * length] for length in range(130)]]
    digests = [hashlib.sha256("\n".join(parts).encode()).hexdigest() for parts in told]
    assert phone.run("return arguments[0].map((parts) => sha256(...parts))", told) == digests
