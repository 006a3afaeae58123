"""What a peer is sent does not depend on anything it may not know.

A script is run twice. In the second run, all cards that the viewer has not seen in the first are shuffled. The viewer
must be sent identical bytes in every rendering, whatever is said, asked and refused in between; a bot must observe
identical events.
"""

import contextlib
import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple

import pytest
import trio
import trio.testing

from golfnet.bots.bot import Bot, BotPlayer
from golfnet.bots.levels import make_bot
from golfnet.engine import fairdeal, wire
from golfnet.engine.cards import Card, Seat
from golfnet.engine.events import Committed, Dealt, Event, MatchStarted
from golfnet.engine.views import mask
from golfnet.protocol.replies.presence import TableState
from golfnet.server.table import broadcast
from golfnet.server.table.table import Table
from tests.server.house import House, Peer, choose_line, open_house

pytestmark = pytest.mark.usefixtures("virtual_time")

STYLES: Final = ("machine", "art", "plain", "speech")
BOT: Final = "bot"
"""Stands in for a style: the viewer is a bot in the last seat."""

VIEWERS: Final = {
    "four-turn": ("machine", "art"),
    "six-card": ("plain",),
    "six-card-final recall=always": ("machine", "speech", BOT),
    "four-card-knock": ("art",),
    "multiples": ("plain",),
    "cactus": ("machine", "art", BOT),
    "cactus recall=always slam=order": ("machine", "speech", BOT),
    "cactus slam=lot": ("machine", "plain"),
    "eight-card": ("art",),
    "nine-card": ("speech",),
}
"""The styles of the viewers for each rule set; not every combination is needed to find a leak."""

STEPS: Final = 70

_CARD: Final = re.compile(r'"\??((?:10|[0-9AJQK])[SHDC]|\*)"')

Step = tuple[str, str]
"""A player's name and the line that the player types; or ``wait`` and seconds; or ``back`` if the viewer reconnects."""

_NOISE: Final = """
look, say how are you, history, help swap, who, tables, draw, swap 9, discard, take 1, peek B1, flip 7, slam B2 #40,
give 1, nonsense, rules, moves, replay, turn, score, hand, top, last, again, version, set width 70, stats, log,
cut seven, ready, start, tell Bob hi, knock at=1
"""
NOISE: Final = [line.strip() for line in _NOISE.split(",")]


class Moment(NamedTuple):
    """A step, what the viewer was sent after it, and how much had happened and been seen by then."""

    step: Step
    sent: bytes
    happened: int
    seen: frozenset[str]


class Diary:
    """What bots observe, in place of the bytes sent to a peer."""

    def __init__(self) -> None:
        self.observed: list[Event] = []

    async def take(self) -> bytes:
        """Return what has been observed since the last call."""
        await trio.testing.wait_all_tasks_blocked()
        observed, self.observed = self.observed, []
        return repr(observed).encode()


class Diarist(BotPlayer):
    def __init__(self, bot: Bot, diary: Diary) -> None:
        super().__init__(bot)
        self._diary = diary

    def observe(self, event: Event) -> None:
        self._diary.observed.append(event)
        super().observe(event)


@dataclass
class Stage:
    """A table in play and its viewers: peers whose bytes are compared, or a bot."""

    house: House
    table: Table
    peers: dict[str, Peer]
    viewers: list[Peer | Diary]
    style: str | None
    token: str

    async def carry_out(self, step: Step) -> bytes:
        """Carry out one step, and return what all viewers were sent."""
        who, what = step
        if who == "wait":
            await trio.sleep(float(what))
        elif who == "back":
            await self.peers["Ann"].drop()
            self.viewers[0] = self.peers["Ann"] = ann = await self.house.connect()
            await ann.say(in_style(self.style))
            await ann.send(f"resume {self.token}")
        else:
            await self.peers[who].send(what)
        return b"\n".join([await viewer.take() for viewer in self.viewers])


def in_style(style: str | None) -> str:
    """Return the line that chooses a style, which is plain for those who are not viewers."""
    return "hello 1" if style == "machine" else f"set style {style if style in STYLES else 'plain'}"


@contextlib.asynccontextmanager
async def staged(create: str, style: str | None) -> AsyncIterator[Stage]:
    """Open a table ready to start; the viewer is Ann in a style, a bot or, without a style, a watcher in each style."""
    diary = Diary()
    seats = 4 if style == BOT else 3
    async with open_house(seed=9) as house:
        house.lobby.tables.make_bot = lambda level, rules: Diarist(make_bot(level, rules, Random(3)), diary)
        ann = await house.connect()
        token = (await ann.say("name Ann")).split("resume ")[1].split()[0]
        await ann.say(in_style(style))
        await ann.say(f"create {create} seats={seats} clock=0")
        peers = {"Ann": ann} | {name: await house.person(name, "join t1") for name in ("Bob", "Cid")}
        viewers: list[Peer | Diary] = [ann]
        if style == BOT:
            await ann.say("bot random")
            viewers = [diary]
        elif style is None:
            watchers = {each: await house.person(f"W{each}", in_style(each), "watch t1") for each in STYLES}
            peers |= {f"W{each}": watcher for each, watcher in watchers.items()}
            viewers = [*watchers.values()]
        for peer in peers.values():
            await peer.take()
        await peers["Bob"].send("ready")
        await peers["Cid"].send("ready")
        yield Stage(house, house.lobby.tables["t1"], peers, viewers, style, token)


async def improvise(create: str, style: str | None, chance: Random) -> tuple[list[Moment], tuple[Card, ...]]:
    """Play part of a hole at random (for a bot, after whole holes); return what happened and the deck of that hole."""
    run = list[Moment]()
    viewer = None if style is None else Seat(3 if style == BOT else 0)
    async with staged(create, style) as stage:
        table = stage.table
        for number in range(chance.randrange(STEPS, 5 * STEPS) if style == BOT else STEPS):
            steps = next_steps(stage, chance) if number else [("Ann", "start")]
            if number == STEPS // 2 and style in STYLES:
                steps = [("back", ""), *steps]
            for step in steps:
                sent = await stage.carry_out(step)
                run.append(Moment(step, sent, table.hole_seq, seen_by(table, viewer)))
            if table.match.places is not None or (style != BOT and table.state is not TableState.PLAYING):
                break
        while table.state is not TableState.PLAYING and run[-1].happened == table.hole_seq:
            run.pop()
        return run, next(event.deck for event in table.hole_log if isinstance(event, Dealt))


def next_steps(stage: Stage, chance: Random) -> Sequence[Step]:
    """Return steps that a player may take, or that anybody may try."""
    table = stage.table
    if chance.random() < 0.3:
        return [(chance.choice(list(stage.peers)), chance.choice(NOISE))]
    able = []
    for chair in table.seating:
        view = table.broadcast.view(chair.seat)
        if view.actions and chair.name in stage.peers:
            able.append((chair.name, view.actions, view.targets))
    if not able:
        return [("wait", "1")]
    name, actions, targets = chance.choice(able)
    step = name, choose_line({"actions": actions, "targets": targets}, chance)
    return [("wait", "0.23"), step, ("wait", "0.23")] if step[1].startswith("slam") else [step]


def seen_by(table: Table, viewer: Seat | None) -> frozenset[str]:
    events = [event for event in table.hole_log if not isinstance(event, MatchStarted | Committed)]
    told = [wire.event_fields(mask(event, viewer)) for event in events]
    return frozenset(_CARD.findall(json.dumps(told)))


async def repeat(create: str, style: str | None, script: Sequence[Step]) -> list[bytes]:
    async with staged(create, style) as stage:
        return [await stage.carry_out(step) for step in script]


def redealt(deck: tuple[Card, ...], seen: frozenset[str], chance: Random) -> tuple[Card, ...]:
    """Return the deck after shuffling the cards that the viewer has not seen."""
    hidden = [place for place, card in enumerate(deck) if card.text not in seen]
    assert len(hidden) > 10
    order = list(deck)
    for place, other in zip(hidden, chance.sample(hidden, len(hidden)), strict=True):
        order[place] = deck[other]
    return tuple(order)


def deal_instead(monkeypatch: pytest.MonkeyPatch, deck: tuple[Card, ...], order: tuple[Card, ...]) -> None:
    """Let this deck be dealt in another order; other deals, lots and reshuffles are unchanged."""
    genuine = fairdeal.shuffled

    def shuffled(key: bytes, cards: Sequence[object]) -> tuple[object, ...]:
        dealt = genuine(key, cards)
        return order if dealt == deck else dealt

    monkeypatch.setattr(fairdeal, "shuffled", shuffled)


async def differing_steps(
    monkeypatch: pytest.MonkeyPatch, create: str, style: str | None, seed: int
) -> tuple[int, list[Step]]:
    """Return how many bytes a viewer was sent, and the steps after which these depend on hidden cards."""
    chance = Random(f"{create} {style} {seed}")
    run, deck = await improvise(create, style, chance)
    deal_instead(monkeypatch, deck, redealt(deck, run[-1].seen, chance))
    again = await repeat(create, style, [moment.step for moment in run])
    assert len(run) > 10
    differing = [moment.step for moment, other in zip(run, again, strict=True) if moment.sent != other]
    return sum(len(moment.sent) for moment in run), differing


@pytest.mark.parametrize(("create", "style"), [(each, style) for each in VIEWERS for style in VIEWERS[each]])
async def test_players_learn_nothing_secret(monkeypatch: pytest.MonkeyPatch, create: str, style: str) -> None:
    size, differing = await differing_steps(monkeypatch, create, style, 1)
    assert not differing
    assert size > 1000


@pytest.mark.parametrize(
    "create", ["four-card-knock", "cactus", "cactus recall=always slam=order", "cactus slam=lot"]
)
async def test_watchers_learn_nothing_secret(monkeypatch: pytest.MonkeyPatch, create: str) -> None:
    size, differing = await differing_steps(monkeypatch, create, None, 2)
    assert not differing
    assert size > 4000


@pytest.mark.parametrize("style", ["machine", "speech", BOT])
async def test_a_leak_would_be_noticed(monkeypatch: pytest.MonkeyPatch, style: str) -> None:
    monkeypatch.setattr(broadcast, "mask", lambda event, viewer: event)
    monkeypatch.setattr(broadcast, "_mask", lambda event, viewer: event)
    monkeypatch.setattr(broadcast, "_owner", lambda event: None)
    _, differing = await differing_steps(monkeypatch, "four-card-knock", style, 1)
    assert differing
