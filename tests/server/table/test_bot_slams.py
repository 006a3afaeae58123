"""Seats without a person: a bot slams once, never sooner than a person could, and absent players pass."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from golfnet.bots.player import BotPlayer
from golfnet.engine.layout import Seat
from golfnet.engine.rules import SlamMode
from golfnet.server.clock import Timers
from golfnet.server.table.arbiter import SHORTEST_REACTION, Arbiter, WindowAnswer, make_arbiter
from golfnet.server.table.bots import QUICKEST, BotSlams
from golfnet.server.table.seating import Chair, ChairKind, Seating
from tests.engine.drawing import NAMES, THREE, dealt, rules
from tests.server.slamming import WishfulBot

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from golfnet.server.session.player import Player
    from golfnet.server.table.table import Table

LONG = 10.0
"""Seconds after which nothing more happens."""

modes = st.sampled_from([SlamMode.RACE, SlamMode.ORDER, SlamMode.LOT])
reactions = st.none() | st.floats(-1, 5) | st.sampled_from([0.0, QUICKEST, SHORTEST_REACTION / 1e6])


class Scene:
    """An open window for three seats, and their chairs."""

    def __init__(self, mode: SlamMode, chairs: Sequence[Chair]) -> None:
        played = dealt(rules("cactus", slam=mode), THREE, stock="7C 5D").chosen()
        played.plays("A draw", "A discard")
        self.hole = played.hole
        self.timers = Timers()
        self.settled = 0
        self.bots = BotSlams(
            cast(
                "Table",
                SimpleNamespace(
                    hole=self.hole, seating=Seating(chairs), after=self.timers.after, settle=self._settle
                ),
            )
        )
        self.judge: Arbiter = make_arbiter(
            mode, discard_no=1, discarder=Seat(0), seats=3, key=self.hole.deal.key
        )

    def _settle(self) -> None:
        self.settled += 1

    def says(self) -> list[WindowAnswer]:
        """Return the answers in the order in which they are judged."""
        self.judge.end()
        says = []
        while (say := self.judge.next(10**18)) is not None:
            says.append(say)
        return says


def bot(seat: int, reaction: float | None, claim: str = "1") -> Chair:
    return Chair(name=NAMES[seat], kind=ChairKind.BOT, bot=BotPlayer(WishfulBot(reaction, claim)))


def person(seat: int, *, is_here: bool = True) -> Chair:
    player = SimpleNamespace(session=object() if is_here else None)
    return Chair(name=NAMES[seat], kind=ChairKind.HUMAN, player=cast("Player", player))


def house(seat: int, reaction: float | None) -> Chair:
    chair = person(seat, is_here=False)
    chair.kind, chair.bot = ChairKind.HOUSE, bot(seat, reaction).bot
    return chair


def play(scene: Scene, story: Callable[[Scene], Awaitable[None]], *, since: float = 0.0) -> None:
    """Run a story in virtual time, starting at ``since``."""

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(scene.timers.run)
            await trio.sleep(since)
            await story(scene)
            nursery.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0))


async def a_window(scene: Scene) -> None:
    """Open the window as the table does, and wait."""
    scene.bots.ask(scene.hole)
    scene.bots.let_pass(scene.judge)
    scene.bots.begin(scene.judge)
    await trio.sleep(LONG)


@given(modes, st.lists(reactions, min_size=2, max_size=2), st.floats(0, 1e6))
def test_a_bot_claims_once_after_its_reaction_time_and_never_before_the_minimum(
    mode: SlamMode, reactions: list[float | None], since: float
) -> None:
    wishes = dict(enumerate(reactions, 1))
    scene = Scene(mode, [person(0), *[bot(seat, reaction) for seat, reaction in wishes.items()]])
    play(scene, a_window, since=since)
    claims = [say.claim for say in scene.says() if say.claim is not None]
    assert {claim.seat: claim.waited for claim in claims} == {
        seat: pytest.approx(max(reaction, QUICKEST) * 1e6, abs=2)
        for seat, reaction in wishes.items()
        if reaction is not None
    }
    assert all(claim.waited > SHORTEST_REACTION and claim.at == (claim.seat, 1) for claim in claims)
    assert scene.settled == len(claims)


chairs = st.sampled_from(
    [
        (True, lambda seat: person(seat)),
        (False, lambda seat: person(seat, is_here=False)),
        (True, lambda seat: bot(seat, 1.0)),
        (False, lambda seat: bot(seat, None)),
        (True, lambda seat: house(seat, 1.0)),
        (False, lambda seat: house(seat, None)),
    ]
)
"""Whether the seat will answer by itself, and a function that makes its chair."""


@given(modes, st.lists(chairs, min_size=3, max_size=3))
def test_only_seats_from_which_no_answer_will_come_pass_automatically(
    mode: SlamMode, chosen: list[tuple[bool, Callable[[int], Chair]]]
) -> None:
    scene = Scene(mode, [make(seat) for seat, (_, make) in enumerate(chosen)])
    scene.bots.ask(scene.hole)
    for _ in range(2):  # the second time there is nobody left to pass
        scene.bots.let_pass(scene.judge)
    passed = [say.seat for say in scene.says()]
    assert sorted(passed) == [seat for seat, (comes, _) in enumerate(chosen) if not comes]


@pytest.mark.parametrize("end", ["give_up", "stop", "forget"])
def test_bots_do_not_claim_after_the_window_is_over(end: str) -> None:
    async def story(scene: Scene) -> None:
        scene.bots.ask(scene.hole)
        scene.bots.begin(scene.judge)
        await trio.sleep(0.5)
        getattr(scene.bots, end)()
        await trio.sleep(LONG)

    scene = Scene(SlamMode.RACE, [person(0), bot(1, 1.0), person(2)])
    play(scene, story)
    assert scene.says() == []
    assert scene.settled == 0


def test_after_a_success_bots_that_had_not_claimed_yet_pass() -> None:
    scene = Scene(SlamMode.RACE, [person(0), bot(1, 1.0), person(2)])
    scene.bots.ask(scene.hole)
    scene.bots.let_pass(scene.judge)
    scene.bots.give_up()
    scene.bots.let_pass(scene.judge)
    assert scene.says() == [WindowAnswer(Seat(1))]


def test_a_bots_claim_that_the_rules_no_longer_allow_is_not_a_fault() -> None:
    scene = Scene(SlamMode.RACE, [person(0), bot(1, 1.0, claim="9"), person(2)])
    play(scene, a_window)
    assert scene.says() == []
    assert scene.settled == 1
