"""A cactus table whose cards the test chooses, and peers with connections of any delay."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

import trio

from golfnet.bots.bot import LEVELS, Bot, BotPlayer
from golfnet.engine.cards import SEAT_LETTERS, parse_position
from golfnet.engine.hole import Hole
from golfnet.server.table.seating import ChairKind
from golfnet.server.table.table import Table
from tests.engine.drawing import FOUR, NAMES, dealt
from tests.server.house import Far, House, poll_all

HAIR = 1e-6
"""A microsecond added to a delay, because seconds in floats do not add up exactly."""

SEVEN = "7C 5D QH QD"
"""The stock: A's first discard is the 7 of clubs, and A1, A3 and B4 match it."""


@dataclass
class SlamTable:
    """A table whose cards the test has chosen; ``seats`` has each seat's program by letter."""

    house: House
    table: Table
    seats: dict[str, Far]
    opened: float = 0.0
    """When the last discard made by ``discards`` was shown."""

    seen: dict[str, int] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: count(100))

    @property
    def hole(self) -> Hole:
        hole = self.table.hole
        assert hole is not None
        return hole

    async def opens(self, seat: str = "A") -> None:
        """Let a seat draw and discard, which opens a window; players with a delay see the card later."""
        far = self.seats[seat]
        assert (await self.asks(seat, "draw"))["type"] == "ok"
        await far.send("discard")
        await trio.sleep(far.delay)
        await far.settle()
        self.opened = trio.current_time()

    async def discards(self, seat: str = "A") -> None:
        """Let a seat open a window; when everybody has seen the card, forget everything received so far."""
        await self.opens(seat)
        await trio.sleep(max([far.delay for far in self.seats.values()]) + HAIR)
        await self.listen()
        self.forget()

    async def until(self, milliseconds: float) -> None:
        """Wait until the given number of milliseconds after the discard was written."""
        await trio.sleep_until(self.opened + milliseconds / 1000)
        await self.listen()

    async def says(self, seat: str, line: str, *, at: float | None = None) -> None:
        """Send a line so that it arrives ``at`` milliseconds after the discard was written."""
        far = self.seats[seat]
        if at is not None:
            await trio.sleep_until(self.opened + at / 1000 - far.delay)
        await far.send(line)
        await far.settle()

    def sends(self, seat: str, line: str, *, at: float) -> None:
        """Do what ``says`` does, but do not wait until the line arrives. For connections with a long delay."""
        self.house.nursery.start_soon(partial(self.says, seat, line, at=at))

    async def asks(self, seat: str, line: str, *, at: float | None = None) -> dict[str, Any]:
        """Send a line as ``says`` does, wait for its answer and return it."""
        far, number = self.seats[seat], next(self.numbers)
        await self.says(seat, f"{number} {line}", at=at)
        await trio.sleep(2 * far.delay + HAIR)
        await self.listen()
        return next(answer for answer in reversed(far.answers) if answer.get("id") == number)

    async def listen(self) -> None:
        await poll_all(self.seats.values())

    def forget(self) -> None:
        """Forget everything received so far, so that ``story`` begins here."""
        self.seen = {seat: len(far.objects) for seat, far in self.seats.items()}

    def story(self, seat: str = "A") -> list[str]:
        """Return what a seat has been told since ``forget``: oks, codes, and event names with relevant details."""
        return [_said(thing) for thing in self.seats[seat].objects[self.seen.get(seat, 0) :] if _said(thing)]

    async def timed(self, seat: str = "A", *, until: float) -> list[str]:
        """Wait, and return the story of a seat, with the milliseconds from the last discard to each part of it."""
        await self.until(until)
        far, first = self.seats[seat], self.seen.get(seat, 0)
        told = zip(far.times[first:], map(_said, far.objects[first:]), strict=True)
        return [f"{round((at - self.opened) * 1000, 2):g} {said}" for at, said in told if said]


async def slam_table(
    house: House,
    layouts: str = FOUR,
    *,
    stock: str = SEVEN,
    delays: Sequence[float] = (),
    options: str = "",
    absent: str = "",
    leader: str = "A",
) -> SlamTable:
    """Seat programs at a table, deal them the given layouts with all start choices made, and let the leader begin."""
    seats = len(layouts.strip().splitlines()[0].split("|"))
    delays = [*delays, *[0.0] * seats]
    fars = [await house.far(name, delay=delay) for name, delay in zip(NAMES[:seats], delays, strict=False)]
    await fars[0].send(f"create cactus clock=60 {options}")
    await trio.sleep(1)
    for far in fars[1:]:
        await far.send("join t1")
        await trio.sleep(1)
        await far.send("ready")
    await fars[0].send("start")
    await trio.sleep(3)  # pings are answered in the meantime
    table = house.lobby.tables["t1"]
    assert table.match.rules is not None
    played = dealt(table.match.rules, layouts, stock=stock, leader=leader).chosen()
    table.set_match(played.match)
    slam = SlamTable(house=house, table=table, seats=dict(zip(SEAT_LETTERS, fars, strict=False)))
    for seat in absent:
        await slam.seats[seat].drop()
    table.settle()
    await slam.listen()
    slam.forget()
    return slam


async def open_window(house: House, layouts: str = FOUR, **how: Any) -> SlamTable:
    """Seat programs as ``slam_table`` does, and let A discard; nobody has claimed or passed yet."""
    slam = await slam_table(house, layouts, **how)
    await slam.discards()
    return slam


def _said(thing: dict[str, Any]) -> str:
    """Return the part of an object that matters to the tests, in a few words."""
    kind = thing["type"]
    if kind == "event":
        return " ".join([str(thing[key]) for key in ("event", "by", "seat", "at", "result") if key in thing])
    if kind == "notice":
        return f"notice {thing['code']}"
    return {"ok": "ok", "error": str(thing.get("code"))}.get(kind, "")


class WishfulBot(Bot):
    """A bot that makes one slam or none; it takes so long over its moves that the test acts first."""

    traits = LEVELS["medium"]

    def __init__(self, reaction: float | None, claim: str | None) -> None:
        self._reaction = reaction
        self._claim = claim
        self.asked: list[int] = []
        """The seats for which the bot was asked to react, in order."""
        self.observed: list[object] = []

    def observe(self, event: object) -> None:
        self.observed.append(event)

    def reaction(self, view: Any) -> float | None:
        self.asked.append(view.seat)
        return self._reaction

    def target(self, view: Any, rank: str) -> Any:
        return self._claim and parse_position(self._claim, own=view.seat)

    def choose(self, view: Any) -> Any:
        return view.choices.actions[0]

    def think(self, view: object) -> float:
        return 30.0


def put_bot(slam: SlamTable, letter: str, *, reaction: float | None, claim: str | None) -> WishfulBot:
    bot = WishfulBot(reaction, claim)
    chair = slam.table.seating.chairs["ABC".index(letter)]
    assert chair is not None
    chair.bot, chair.kind = BotPlayer(bot), ChairKind.BOT
    return bot
