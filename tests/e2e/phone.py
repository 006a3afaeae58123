"""Helpers that drive the phone page and check what it shows."""

import time

from tests.e2e.browser import Browser, Stale

FIRST = ("Start", "Ready", "Do nothing", "Turn up none", "Pass", "Draw")
"""Buttons to prefer, in this order."""


def give_name(browser: Browser, page: str, name: str) -> None:
    browser.go(page)
    browser.type("#name", name)
    browser.tap(browser.find("#name-form button")[0])


def enter(browser: Browser, page: str, name: str) -> None:
    give_name(browser, page, name)
    browser.until(lambda: place(browser) == "lobby")


def place(browser: Browser) -> object:
    """Return what the page shows: ``door`` (it asks for a name), ``way`` (it connects), ``lobby`` or ``table``."""
    return browser.run("return document.body.dataset.place")


def command(browser: Browser, line: str) -> None:
    """Send a command as the page does."""
    browser.run("send(arguments[0], (it) => { if (it.type === 'error') alarm(it.message); })", line)


def against_a_bot(browser: Browser, options: str) -> None:
    """Open a table with these rules and options, and begin a match with a bot that plays at random."""
    command(browser, f"create {options}")
    browser.until(lambda: browser.find("#bar button:not([hidden])"))
    command(browser, "bot random")
    command(browser, "ready")


def told(browser: Browser, element: str) -> str:
    """Return the text in an element, visible or not."""
    return str(browser.run("return document.getElementById(arguments[0]).textContent", element))


def is_over(browser: Browser) -> bool:
    return bool(browser.run("return game.view !== null && game.view.state === 'finished'"))


def headline(browser: Browser) -> str:
    return told(browser, "headline")


CHOOSE = """
const bar = new Map([...document.querySelectorAll("#bar button:not([hidden])")].map((one) => [one.textContent, one]));
const cards = (which) => [...document.querySelectorAll(which)];
const places = [cards("#own .card.lit.down"), cards("#own .card.lit"), cards(".card.lit")];
const lit = places.find((found) => found.length) || [], label = arguments[1].find((one) => bar.has(one));
if (!game.view || game.view.state === "finished") return null;
return bar.get(label) || lit[arguments[0] % lit.length] || [...bar.values()][0] || null;
"""
"""A script that returns what to tap next. It looks everything up at once, so that nothing changes in between."""


def make_a_move(browser: Browser, count: int) -> bool:
    """Tap something the page highlights; return whether there was anything."""
    wanted = browser.run(CHOOSE, count, ("Knock", *FIRST) if count > 8 else FIRST)
    if wanted is None:
        return False
    try:
        browser.tap(next(iter(wanted.values())))
    except Stale:  # the element was redrawn during the tap
        return False
    return True


def play(browser: Browser, *, seconds: float = 180, moves: int = 1000) -> int:
    """Play to the end of the match, or this many moves; return how many were made."""
    deadline, made = time.monotonic() + seconds, 0
    while not is_over(browser) and made < moves:
        assert time.monotonic() < deadline, headline(browser)
        made += make_a_move(browser, made)
        time.sleep(0.05)
    return made


def play_to_a_turn(browser: Browser, *, moves: int) -> None:
    """Make this many moves, then play on to the start of a turn, so that no tap is still being processed."""
    play(browser, moves=moves)

    def begins() -> bool:
        if browser.run("return lines().includes('draw')"):
            return True
        if browser.run("return lines().length > 0 && game.view.phase !== 'turn'"):
            make_a_move(browser, moves)
        return False

    browser.until(begins)


def own_cards(browser: Browser) -> object:
    return browser.run("return [...document.querySelectorAll('#own .card')].map((card) => card.textContent)")


def check_the_page(browser: Browser) -> None:
    """Check that nothing overflows the window, everything is large enough to tap, and the console has no errors."""
    # Waiting is not enough: a browser that is too busy to draw may keep an animation for half a minute.
    browser.run("document.getAnimations().forEach((animation) => animation.finish())")
    assert browser.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    small = browser.run(
        "return [...document.querySelectorAll('button.lit, #bar button, #own .card, input, select')]"
        ".filter((each) => each.offsetParent && each.type !== 'checkbox')"
        ".filter((each) => !each.closest('.small:not(:has(:checked))'))"
        ".filter((each) => Math.min(each.getBoundingClientRect().width, each.getBoundingClientRect().height) < 47.5)"
        ".map((each) => each.outerHTML)"
    )
    assert small == [], small
    assert browser.complaints() == []


def tap_button(browser: Browser, label: str, within: str = "#bar") -> None:
    """Tap the button whose text starts with a label, as soon as it is shown."""
    browser.until(lambda: tap_if_shown(browser, label, within))


def tap_if_shown(browser: Browser, label: str, within: str = "#bar") -> bool:
    """Tap the button whose text starts with a label, if there is one; return whether there was."""
    for button in browser.find(f"{within} button"):
        if browser.text(button).startswith(label):
            browser.tap(button)
            return True
    return False
