"""Peers that fold events into a view, which is compared with the server's."""

import msgspec

from golfnet.protocol.replies import data
from golfnet.protocol.replies.fold import fold, prompted
from golfnet.protocol.replies.replies import Happened, Prompt, TableView
from tests.protocol.following import differences, timeless
from tests.server.house import Program


class Follower:
    """Folds the events sent to one peer into a view, and compares it with the server's answer to ``look``."""

    def __init__(self, peer: Program) -> None:
        self.peer = peer
        self.view: TableView | None = None
        self.read = 0
        self.compared = 0

    async def compare(self) -> None:
        await self.peer.poll()
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
        await self.peer.done("look")
        truth = data.decode(msgspec.json.encode(self.peer.last("view")))
        self.read = len(self.peer.objects)
        assert isinstance(truth, TableView)
        assert self.view is not None
        assert differences(timeless(self.view), timeless(truth)) == {}
        self.compared += 1
