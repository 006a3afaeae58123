"""Slams by a player relayed by another node: they win as they would over a direct connection with the same delay."""

import pytest
from trio.testing import MockClock

from tests.engine.drawing import FOUR
from tests.server.cluster import Cluster, open_cluster
from tests.server.house import Far, House, open_house
from tests.server.slamming import open_window

LINK = 0.030
"""The link's delay in seconds, each way."""

LINE = 0.015
"""The delay in seconds from Ben to his front, each way."""


async def race(house: House, mine: float, theirs: float) -> list[str]:
    """Let Ann and Ben react after the given milliseconds; return the results."""
    slam = await open_window(house, FOUR, delays=(0.0, LINK + LINE))
    slam.sends("B", "slam A3", at=theirs + 2000 * (LINK + LINE))
    slam.sends("A", "slam A1", at=mine)
    await slam.until(1500)
    return slam.story("A")


@pytest.mark.parametrize(("mine", "theirs"), [(300, 295), (400, 405)])
async def test_a_relayed_player_wins_exactly_when_a_directly_connected_player_would(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, mine: float, theirs: float
) -> None:
    async with open_house() as house:
        expected = await race(house, mine, theirs)
    assert any("slam" in told for told in expected)
    async with open_cluster() as cluster:
        cluster.delay = LINK
        home, front, direct = cluster[1], cluster[2], cluster[1].far

        async def far(name: str, *, delay: float) -> Far:
            """Connect a program: a delayed one through the front."""
            far = await (front.far(name, delay=LINE) if delay else direct(name, delay=0.0))
            far.delay = delay
            return far

        monkeypatch.setattr(home, "far", far)
        assert await race(home, mine, theirs) == expected
        assert len(cluster.nodes[2].relays) == 1


async def test_a_relayed_session_has_the_address_of_its_player(cluster: Cluster) -> None:
    ben = await cluster[2].connect(address="203.0.113.7")
    await ben.say("name Ben")
    await cluster.nodes[2].relay(1)
    await ben.settle()
    assert cluster[1].session("Ben").transport.address == "203.0.113.7"
