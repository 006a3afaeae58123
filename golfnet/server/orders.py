"""Orders: what one node lets others do at the operator's word, and what came of it there.

What stays true: they go over the bus, which may lose them, so a node that says nothing within ``ANSWER_SECONDS`` counts
as one that did nothing, and whoever gave the order is told which nodes those are.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final, NamedTuple

import trio
from msgspec.structs import replace

from golfnet.server.words import OrderDone, encode

if TYPE_CHECKING:
    from collections.abc import Collection

    from golfnet.server.words import Order
    from golfnet.storage.bus import Bus

ANSWER_SECONDS: Final = 2.0
"""How long a node may take: the bus needs milliseconds, and an operator waits for it."""


class OrderOutcome(NamedTuple):
    """What came of an order: how many it concerned at each node that did it, and the nodes that said nothing."""

    done: dict[int, int]
    silent: tuple[int, ...]

    @property
    def total(self) -> int:
        """How many it concerned at all of them."""
        return sum(self.done.values())


class _OpenOrder:
    """An order that not all nodes have answered."""

    def __init__(self, nodes: Collection[int]) -> None:
        self.left = set(nodes)
        self.done: dict[int, int] = {}
        self.is_over = trio.Event()


class Orders:
    """The orders that the node with a number gives over its bus."""

    def __init__(self, bus: Bus, node: int) -> None:
        self._bus = bus
        self._node = node
        self._numbers = count(1)
        self._open: dict[int, _OpenOrder] = {}

    async def give(self, order: Order, node: int) -> OrderOutcome:
        """Let another node do something, and return what it says came of it."""
        return await self._give(order, [node], node)

    async def give_all(self, order: Order, others: Collection[int]) -> OrderOutcome:
        """Let all other nodes do something, and return what they say came of it."""
        return await self._give(order, others, None)

    async def _give(self, order: Order, nodes: Collection[int], to: int | None) -> OrderOutcome:
        number = next(self._numbers)
        given = self._open[number] = _OpenOrder(nodes)
        self._bus.send(encode(replace(order, number=number, by=self._node)), to)
        try:
            with trio.move_on_after(ANSWER_SECONDS):
                if given.left:
                    await given.is_over.wait()
        finally:
            del self._open[number]
        return OrderOutcome(given.done, tuple(sorted(given.left)))

    def answer(self, order: Order, concerned: int) -> None:
        """Tell the node that gave an order what came of it here."""
        if order.number:
            done = OrderDone(number=order.number, node=self._node, concerned=int(concerned))
            self._bus.send(encode(done), order.by)

    def note(self, done: OrderDone) -> None:
        """Hear what came of an order at another node."""
        given = self._open.get(done.number)
        if given is None or done.node not in given.left:
            return
        given.left.remove(done.node)
        given.done[done.node] = done.concerned
        if not given.left:
            given.is_over.set()
