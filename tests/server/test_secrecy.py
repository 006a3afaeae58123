"""What a peer is sent depends on nothing that it may not know.

Two runs of one script, with decks that agree on every card the viewer has seen so far and on no other: the viewer must
be sent identical bytes, in every rendering, whatever is said, asked and refused in between.
"""

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import pytest
import trio

from golfnet.engine import fairdeal, wire
from golfnet.engine.cards import Card
from golfnet.engine.events import Committed, Dealt, MatchStarted
from golfnet.engine.layout import Seat
from golfnet.engine.views import mask
from golfnet.protocol.replies.vocabulary import TableState
from golfnet.server.table import broadcast
from golfnet.server.table.table import Table
from tests.server.house import House, Peer, open_house

pytestmark = pytest.mark.usefixtures("each_transport")

RULE_SETS: Final = (
    "four-turn",
    "six-card",
    "six-card-final recall=always",
    "four-card-knock",
    "multiples",
    "cactus",
    "cactus recall=always slam=order",
    "cactus slam=lot",
)
STYLES: Final = ("machine", "art", "plain", "speech")
NAMES: Final = ("Ann", "Bob", "Cid")
STEPS: Final = 70

_CARD: Final = re.compile(r'"\??((?:10|[0-9AJQK])[SHDC]|\*)"')

Step = tuple[str, str]
"""Who says what: a name and a line; ``wait`` and seconds; ``back`` and nothing, for the viewer's return."""

NOISE: Final = (
    *(
        "look",
        "say how are you",
        "history",
        "help swap",
        "who",
        "tables",
        "draw",
        "swap 9",
        "discard",
        "take 1",
    ),
    *(
        "peek B1",
        "flip 7",
        "slam B2 #40",
        "give 1",
        "nonsense",
        "rules",
        "turn",
        "score",
        "hand",
        "top",
        "last",
    ),
    *(
        "again",
        "version",
        "set width 70",
        "stats",
        "log",
        "cut seven",
        "ready",
        "start",
        "tell Bob hi",
        "knock at=1",
    ),
)


@dataclass
class Run:
    """One run: what was done, what the viewer was sent after each step, and how much had happened by then."""

    script: list[Step] = field(default_factory=list)
    sent: list[bytes] = field(default_factory=list)
    happened: list[int] = field(default_factory=list)
    deck: tuple[Card, ...] = ()
    seen: list[frozenset[str]] = field(default_factory=list)


@dataclass
class Stage:
    """A table in play, and the peers whose bytes are looked at."""

    house: House
    table: Table
    peers: dict[str, Peer]
    viewers: list[Peer]
    style: str
    token: str = ""

    async def carry_out(self, step: Step) -> bytes:
        """Do one step, and return what all viewers were sent."""
        who, what = step
        if who == "wait":
            await trio.sleep(float(what))
        elif who == "back":
            await self.viewers[0].drop()
            self.viewers[0] = self.peers["Ann"] = await self.house.connect()
            await choose_style(self.viewers[0], self.style)
            await self.viewers[0].send(f"resume {self.token}")
        else:
            await self.peers[who].send(what)
        return b"\n".join([await viewer.take() for viewer in self.viewers])


async def choose_style(peer: Peer, style: str) -> None:
    await peer.say("hello 1" if style == "machine" else f"set style {style}")


async def staged(house: House, create: str, style: str | None) -> Stage:
    """Open a table and start it; the viewer is Ann in a style, or without one a watcher in each."""
    peers = {}
    token = ""
    for name in NAMES:
        peer = await house.connect()
        named = await peer.say(f"name {name}")
        if name == "Ann":
            token = named.split("resume ")[1].split()[0]
        peers[name] = peer
    await choose_style(peers["Ann"], style or "plain")
    await peers["Ann"].say(f"create {create} seats=3 clock=0")
    for name in NAMES[1:]:
        await peers[name].say("join t1")
    viewers = [peers["Ann"]] if style is not None else []
    for each in STYLES if style is None else ():
        watcher = await house.connect()
        await watcher.say(f"name W{each}")
        await choose_style(watcher, each)
        await watcher.say("watch t1")
        peers[f"W{each}"] = watcher
        viewers.append(watcher)
    for peer in peers.values():
        await peer.take()
    stage = Stage(house, house.lobby.tables["t1"], peers, viewers, style or "", token)
    await peers["Bob"].send("ready")
    await peers["Cid"].send("ready")
    return stage


async def improvise(create: str, style: str | None, chance: random.Random) -> Run:
    """Play a part of a hole by chance; the last step does not end it."""
    run = Run()
    viewer = None if style is None else Seat(0)
    async with open_house(seed=9) as house:
        stage = await staged(house, create, style)
        table = stage.table
        await record(run, stage, ("Ann", "start"), viewer)
        run.deck = next(event.deck for event in table.hole_log if isinstance(event, Dealt))
        for number in range(STEPS):
            if number == STEPS // 2 and style is not None:
                await record(run, stage, ("back", ""), viewer)
            for step in next_steps(stage, chance):
                await record(run, stage, step, viewer)
            if table.state is not TableState.PLAYING:
                break
        while table.state is not TableState.PLAYING and run.happened[-1] == table.hole_seq:
            for each in (run.script, run.sent, run.happened, run.seen):
                each.pop()
    return run


async def record(run: Run, stage: Stage, step: Step, viewer: Seat | None) -> None:
    run.script.append(step)
    run.sent.append(await stage.carry_out(step))
    run.happened.append(stage.table.hole_seq)
    run.seen.append(seen_by(stage.table, viewer))


def next_steps(stage: Stage, chance: random.Random) -> Sequence[Step]:
    """Return something that a player may do, or that anybody may try."""
    table = stage.table
    if chance.random() < 0.3:
        return [(chance.choice(list(stage.peers)), chance.choice(NOISE))]
    able = []
    for seat, chair in table.seating:
        view = table.view(seat)
        if view.actions:
            able.append((chair.name, view.actions, view.targets))
    if not able:
        return [("wait", "1")]
    name, actions, targets = chance.choice(able)
    line = chance.choice(actions)
    if line == "slam":
        return [("wait", "0.23"), (name, f"slam {chance.choice(targets)}"), ("wait", "0.23")]
    if line == "switch":
        return [(name, f"switch {' '.join(chance.sample(targets, 2))}")]
    return [(name, line)]


def seen_by(table: Table, viewer: Seat | None) -> frozenset[str]:
    """Return every card that a viewer was shown."""
    told = [
        wire.public_fields(mask(event, viewer))
        for event in table.hole_log
        if not isinstance(event, MatchStarted | Committed)
    ]
    return frozenset(_CARD.findall(json.dumps(told)))


async def repeat(create: str, style: str | None, script: Sequence[Step]) -> list[bytes]:
    """Carry out a script, and return what the viewer was sent after each step."""
    async with open_house(seed=9) as house:
        stage = await staged(house, create, style)
        return [await stage.carry_out(step) for step in script]


def redealt(run: Run, chance: random.Random) -> tuple[Card, ...]:
    """Return the deck with all cards changed round that the viewer has not seen by the end of the run."""
    hidden = [place for place, card in enumerate(run.deck) if card.text not in run.seen[-1]]
    assert len(hidden) > 10
    order = list(run.deck)
    for place, other in zip(hidden, chance.sample(hidden, len(hidden)), strict=True):
        order[place] = run.deck[other]
    return tuple(order)


def deal_instead(monkeypatch: pytest.MonkeyPatch, order: tuple[Card, ...]) -> None:
    """Let every deal of so many cards give this order; lots and reshuffles stay as they are."""
    genuine = fairdeal.shuffled

    def shuffled(key: bytes, cards: Sequence[object]) -> tuple[object, ...]:
        return order if len(cards) == len(order) else genuine(key, cards)

    monkeypatch.setattr(fairdeal, "shuffled", shuffled)


async def differing_steps(
    monkeypatch: pytest.MonkeyPatch, create: str, style: str | None, seed: int
) -> tuple[Run, list[Step]]:
    """Return a run, and the steps after which its viewer was sent something else with other hidden cards."""
    chance = random.Random(f"{create} {style} {seed}")
    run = await improvise(create, style, chance)
    deal_instead(monkeypatch, redealt(run, chance))
    again = await repeat(create, style, run.script)
    assert len(run.script) > 10
    return run, [step for step, one, other in zip(run.script, run.sent, again, strict=True) if one != other]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("create", RULE_SETS)
async def test_a_player_is_sent_nothing_that_depends_on_cards_it_may_not_know(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch, create: str, style: str
) -> None:
    run, differing = await differing_steps(monkeypatch, create, style, 1)
    assert not differing
    assert sum(map(len, run.sent)) > 1000


@pytest.mark.parametrize("create", RULE_SETS)
async def test_watchers_are_sent_nothing_that_depends_on_cards_they_may_not_know(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch, create: str
) -> None:
    run, differing = await differing_steps(monkeypatch, create, None, 2)
    assert not differing
    assert sum(map(len, run.sent)) > 4000


@pytest.mark.parametrize("style", STYLES)
async def test_a_leak_would_be_noticed(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch, style: str
) -> None:
    monkeypatch.setattr(broadcast, "_mask", lambda event, viewer: event)
    monkeypatch.setattr(broadcast, "_owner", lambda event: None)
    _, differing = await differing_steps(monkeypatch, "four-card-knock", style, 1)
    assert differing


async def test_what_may_be_done_depends_on_nothing_hidden(autojump_clock: object) -> None:
    """A watcher is offered nothing at all, a seat only its own choices."""
    async with open_house(seed=9) as house:
        stage = await staged(house, "cactus", None)
        await stage.carry_out(("Ann", "start"))
        assert stage.table.parts.views.offer(None, None) == ((), ())
        assert stage.table.view(None).actions == ()
