"""Peers that fold what they are told, beside the server that tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import asdict, replace

from golfnet.protocol.replies import data
from golfnet.protocol.replies.fold import fold, prompted
from golfnet.protocol.replies.replies import Happened, Prompt, TableView

if TYPE_CHECKING:
    from tests.server.house import Program


def timeless(view: TableView) -> TableView:
    """Return a view without the times in it, which run."""
    slam = None if view.slam is None else replace(view.slam, ms=0)
    sealing_ms = None if view.sealing_ms is None else 0
    return replace(
        view,
        clock=None,
        pause_ms=None,
        sealing_ms=sealing_ms,
        slam=slam,
        options=dict(sorted(view.options.items())),
    )


def differences(folded: TableView, truth: TableView) -> dict[str, tuple[Any, Any]]:
    """Return the fields in which two views differ, so that a failure names them."""
    one, other = asdict(folded), asdict(truth)
    return {name: (one[name], other[name]) for name in one if one[name] != other[name]}


class Follower:
    """Folds what one peer is sent, and compares it with what the server says on ``look``."""

    def __init__(self, peer: Program) -> None:
        self.peer = peer
        self.view: TableView | None = None
        self.read = 0
        self.compared = 0

    def catch_up(self) -> None:
        for thing in self.peer.objects[self.read :]:
            reply = data.decode(msgspec.json.encode(thing))
            match reply:
                case TableView() if self.view is None:
                    self.view = reply
                case Happened() if self.view is not None:
                    self.view = fold(self.view, reply)
                case Prompt() if self.view is not None:
                    self.view = prompted(self.view, reply)
                case _:
                    pass
        self.read = len(self.peer.objects)

    async def compare(self) -> None:
        await self.peer.poll()
        self.catch_up()
        await self.peer.done("look")
        truth = data.decode(msgspec.json.encode(self.peer.last("view")))
        self.read = len(self.peer.objects)
        assert isinstance(truth, TableView)
        assert self.view is not None
        assert differences(timeless(self.view), timeless(truth)) == {}
        self.compared += 1
