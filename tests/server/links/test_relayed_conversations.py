"""Conversations with people whose sessions are at another node: they are, word for word, those of a single server."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest

from tests.server import test_conversations as conversations
from tests.server.cluster import open_cluster

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.golden import GoldenFiles
    from tests.server.house import Peer


@pytest.mark.usefixtures("quick_passwords")
@pytest.mark.parametrize("name", ["cactus", "looking-back", "lost-window", "speech", "whole-visit"])
async def test_a_conversation_over_links_matches_its_script(
    autojump_clock: object, golden: GoldenFiles, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    @contextlib.asynccontextmanager
    async def open_front(*, seed: int, **how: Any) -> AsyncIterator[Front]:
        async with open_cluster(2, seed=seed, **how) as cluster:
            yield Front(cluster)

    class Front:
        def __init__(self, cluster: Any) -> None:
            self.cluster = cluster

        async def connect(self) -> Peer:
            node = self.cluster.nodes[2]
            peer: Peer = await node.house.connect()
            (session,) = node.lobby.sessions
            await node.relay(session, 1)
            await peer.settle()
            assert not list(node.lobby.sessions)
            return peer

    monkeypatch.setattr(conversations, "open_house", open_front)
    told = await conversations.spoken(conversations.SCRIPTS[name])
    golden.check(conversations.PAGES / f"{name}.txt", told)
