"""The page for phones in a browser: how to drive it, and what it shows."""

import time

from tests.e2e.browser import Browser, Stale

FIRST = ("Start", "Ready", "Do nothing", "Turn up none", "Pass", "Draw")
"""Buttons to prefer, in this order."""


CHOOSE = """
const bar = new Map([...document.querySelectorAll("#bar button:not([hidden])")].map((one) => [one.textContent, one]));
const cards = (which) => [...document.querySelectorAll(which)];
const places = [cards("#own .card.lit.down"), cards("#own .card.lit"), cards(".card.lit")];
const lit = places.find((found) => found.length) || [], label = arguments[1].find((one) => bar.has(one));
if (!game.view || game.view.state === "finished") return null;
return bar.get(label) || lit[arguments[0] % lit.length] || [...bar.values()][0] || null;
"""
"""A script that returns what to tap next. It looks everything up at once, so that nothing changes in between."""


class Phone(Browser):
    """A browser that shows the page."""

    def give_name(self, page: str, name: str) -> None:
        self.go(page)
        self.type("#name", name)
        self.tap(self.find("#name-form button")[0])

    def enter(self, page: str, name: str) -> None:
        self.give_name(page, name)
        self.until(lambda: self.place() == "lobby")

    def place(self) -> object:
        """Return what the page shows: ``door`` (it asks for a name), ``way`` (it connects), ``lobby`` or ``table``."""
        return self.run("return document.body.dataset.place")

    def command(self, line: str) -> None:
        """Send a command as the page does."""
        self.run("send(arguments[0], (it) => { if (it.type === 'error') alarm(it.message); })", line)

    def against_a_bot(self, options: str) -> None:
        """Open a table with these rules and options, and begin a match with a bot that plays at random."""
        self.command(f"create {options}")
        self.until(lambda: self.find("#bar button:not([hidden])"))
        self.command("bot random")
        self.command("ready")

    def told(self, element: str) -> str:
        """Return the text in an element, visible or not."""
        return str(self.run("return document.getElementById(arguments[0]).textContent", element))

    def is_over(self) -> bool:
        return bool(self.run("return game.view !== null && game.view.state === 'finished'"))

    def headline(self) -> str:
        return self.told("headline")

    def make_a_move(self, count: int) -> bool:
        """Tap something the page highlights; return whether there was anything."""
        wanted = self.run(CHOOSE, count, ("Knock", *FIRST) if count > 8 else FIRST)
        if wanted is None:
            return False
        try:
            self.tap(next(iter(wanted.values())))
        except Stale:  # the element was redrawn during the tap
            return False
        return True

    def play(self, *, moves: int = 1000) -> int:
        """Play to the end of the match, or this many moves; return how many were made."""
        deadline, made = time.monotonic() + 180, 0
        while not self.is_over() and made < moves:
            assert time.monotonic() < deadline, self.headline()
            made += self.make_a_move(made)
            time.sleep(0.05)
        return made

    def play_to_a_turn(self, *, moves: int) -> None:
        """Make this many moves, then play on to the start of a turn, so that no tap is still being processed."""
        self.play(moves=moves)

        def begins() -> bool:
            if self.run("return lines().includes('draw')"):
                return True
            if self.run("return lines().length > 0 && game.view.phase !== 'turn'"):
                self.make_a_move(moves)
            return False

        self.until(begins)

    def own_cards(self) -> object:
        return self.run("return [...document.querySelectorAll('#own .card')].map((card) => card.textContent)")

    def check_the_page(self) -> None:
        """Check that nothing overflows the window, everything is large enough to tap, and the console has no errors."""
        # Waiting is not enough: a browser that is too busy to draw may keep an animation for half a minute.
        self.run("document.getAnimations().forEach((animation) => animation.finish())")
        assert self.run("return document.documentElement.scrollWidth - innerWidth") <= 0
        small = self.run(
            "return [...document.querySelectorAll('button.lit, #bar button, #own .card, input, select')]"
            ".filter((each) => each.offsetParent && each.type !== 'checkbox')"
            ".filter((each) => !each.closest('.small:not(:has(:checked))'))"
            ".filter((one) => Math.min(one.getBoundingClientRect().width, one.getBoundingClientRect().height) < 47.5)"
            ".map((each) => each.outerHTML)"
        )
        assert small == [], small
        assert self.complaints() == []

    def tap_button(self, label: str, within: str = "#bar") -> None:
        """Tap the button whose text starts with a label, as soon as it is shown."""
        self.until(lambda: self.tap_if_shown(label, within))

    def tap_if_shown(self, label: str, within: str = "#bar") -> bool:
        """Tap the button whose text starts with a label, if there is one; return whether there was."""
        for button in self.find(f"{within} button"):
            if self.text(button).startswith(label):
                self.tap(button)
                return True
        return False
