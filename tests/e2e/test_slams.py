"""A cactus match on a real server with one player far away: a slam goes to whoever reacted first, near or far.

The far player connects through a small proxy that delays every byte and reports the round-trip time with the PROXY
protocol. When the view of either program shows a card that can be slammed, both slam it.
"""

from __future__ import annotations

import struct
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec
import trio

from golfnet.server.net.entrance import SIGNATURE
from tests.e2e.service import free_port, service
from tests.server.house import carry

if TYPE_CHECKING:
    from collections.abc import Callable

ONE_WAY: Final = 0.046
"""Seconds by which the proxy delays each byte; the round trip is close to the maximum that is allowed for."""

NEAR_REACTS: Final = 0.50
FAR_REACTS: Final = 0.43
"""The far player reacts 70 ms sooner, and its command arrives 22 ms later."""

TRIES: Final = 5
"""How many slams to try, since a busy machine may delay one program and not the other."""


class Racer:
    """A program that answers pings and keeps the latest replies."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.prompt: dict[str, Any] = {"actions": []}
        self.view: dict[str, Any] = {}
        self.rows: list[dict[str, Any]] = []
        self.window: tuple[str, float] | None = None
        """The card of the open slam window, and when the program learned of it."""
        self.is_over = False
        self._stream = stream
        self._sending = trio.Lock()
        self._told, self._answers = trio.open_memory_channel[dict[str, Any]](10)
        self._heard = trio.Event()

    async def read(self) -> None:
        """Read what the server sends until it closes the connection."""
        rest = b""
        async with self._stream:
            async for data in self._stream:
                *lines, rest = (rest + bytes(data)).split(b"\n")
                for line in lines:
                    if line.startswith(b"{"):
                        await self._hear(msgspec.json.decode(line))
                heard, self._heard = self._heard, trio.Event()
                heard.set()

    async def say(self, line: str) -> dict[str, Any]:
        """Send a command that must succeed, and return its reply."""
        await self._send(line)
        answer = await self._answers.receive()
        assert answer["type"] == "ok", (line, answer)
        return answer

    async def until(self, is_so: Callable[[Racer], bool]) -> None:
        """Wait until a condition holds for this program."""
        while not is_so(self):
            with trio.move_on_after(0.02):
                await self._heard.wait()

    async def slam(self, position: str, reaction: float) -> None:
        """Slam this many seconds after the program learned of the card."""
        assert self.window is not None
        await trio.sleep_until(self.window[1] + reaction)
        await self.say(f"slam {position}")

    def may(self, verb: str) -> str | None:
        """Return the first allowed line with a verb."""
        return next((line for line in self.prompt["actions"] if line.split()[0] == verb), None)

    async def _send(self, line: str) -> None:
        async with self._sending:
            await self._stream.send_all(line.encode() + b"\n")

    async def _hear(self, thing: dict[str, Any]) -> None:
        match thing:
            case {"type": "ping", "key": key}:
                await self._send(f"pong {key}")
            case {"type": "ok" | "error"}:
                self._told.send_nowait(thing)
            case {"type": "prompt"}:
                self.prompt = thing
            case {"type": "view"}:
                self.view = thing
            case {"type": "rows", "rows": rows}:
                self.rows = rows
            case {"event": "slam_opened", "card": card}:
                self.window = card, trio.current_time()
            case {"event": "slam_closed"}:
                self.window = None
            case {"event": "hole_ended"}:
                self.window, self.is_over = None, True


async def test_a_far_player_who_reacts_first_wins_the_slam() -> None:
    door = free_port()
    options = "--proxy-port", str(door), "--proxy-from", "127.0.0.1", "--commands-per-second", "1000"
    with service(*options) as server, trio.fail_after(55):
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        async with listener, trio.open_nursery() as nursery:
            nursery.start_soon(trio.serve_listeners, partial(delay, door), [listener])
            near = await arrive("Nia", server.port, nursery)
            far = await arrive("Far", listener.socket.getsockname()[1], nursery)
            table = (await near.say("create cactus recall=always holes=9 seats=2"))["table"]
            await far.say(f"join {table}")
            tries: list[tuple[dict[str, Any], ...]] = []
            while len(tries) < TRIES and not any(map(deserved, tries)):
                tries.append(await play_a_hole(near, far))
            nursery.cancel_scope.cancel()
    assert any(map(deserved, tries)), tries


def deserved(rows: tuple[dict[str, Any], ...]) -> bool:
    """Return whether, by the server's measurements, the far player won although its command arrived later."""
    if len(rows) < 2:
        return False
    won, lost = rows
    return (won["seat"], won["result"]) == ("B", "hit") and bool(won["waited_ms"] > lost["waited_ms"])


async def play_a_hole(near: Racer, far: Racer) -> tuple[dict[str, Any], ...]:
    """Play until both have slammed a card, then finish the hole; return the two rows from the server's slam log."""
    both = near, far
    for racer in both:
        racer.is_over = False
        await racer.until(lambda it: bool(it.may("ready") or it.may("peek")))
        if racer.may("ready"):
            await racer.say("ready")
    for racer in both:
        await racer.until(lambda it: bool(it.may("peek")))
        await racer.say(racer.prompt["actions"][-1])
    have_slammed = False
    while not near.is_over:
        await near.until(lambda _: bool(near.may("draw") or far.may("draw")) or near.is_over)
        mover = near if near.may("draw") else far
        if have_slammed and mover.may("knock"):
            await mover.say("knock")
            continue
        await mover.say("draw")
        await mover.say("discard")
        await near.until(lambda _: near.window is not None or near.is_over)
        await far.until(lambda _: far.window is not None or far.is_over)
        if near.window is None:
            continue
        position = None if have_slammed else await known(both, near.window[0])
        if mover.may("decline"):
            await mover.say("decline")
        if position is None:
            await near.say("pass")
            await far.say("pass")
        else:
            have_slammed = True
            async with trio.open_nursery() as nursery:
                nursery.start_soon(near.slam, position, NEAR_REACTS)
                nursery.start_soon(far.slam, position, FAR_REACTS)
            await near.until(lambda _: near.window is None or any(racer.may("give") for racer in both))
            for racer in both:
                if (give := racer.may("give")) is not None:
                    await racer.say(give)
        for racer in both:
            await racer.until(lambda it: it.window is None)
    await far.until(lambda _: far.is_over)
    await near.say("slam log")
    return tuple(row for row in near.rows if row["result"] != "wrong")[:2]


async def known(racers: tuple[Racer, ...], card: str) -> str | None:
    """Return the position of a card of the same rank that one of the programs may remember."""
    for racer in racers:
        await racer.say("look")
        for seat in racer.view["seats"]:
            for slot, text in enumerate(seat["slots"], 1):
                if text[:1] == "?" and text[1:-1] == card[:-1]:
                    return f"{seat['seat']}{slot}"
    return None


async def arrive(name: str, port: int, nursery: trio.Nursery) -> Racer:
    """Connect a program for the lifetime of the nursery."""
    racer = Racer(await trio.open_tcp_stream("127.0.0.1", port))
    nursery.start_soon(racer.read)
    await racer.say("hello 1")
    await racer.say(f"name {name}")
    return racer


def announcement() -> bytes:
    """Return the header that reports a far player: PROXY protocol v2, with a TLV of type 0xE4."""
    took = str(round(2_000_000 * ONE_WAY)).encode()
    rest = bytes([192, 0, 2, 7, 192, 0, 2, 1]) + struct.pack("!HH", 51324, 7780)
    rest += struct.pack("!BH", 0xE4, len(took)) + took
    return SIGNATURE + b"\x21\x11" + struct.pack("!H", len(rest)) + rest


async def delay(port: int, near: trio.SocketStream) -> None:
    """Forward a connection to a port, delaying every byte."""
    beyond = await trio.open_tcp_stream("127.0.0.1", port)
    await beyond.send_all(announcement())
    async with near, beyond, trio.open_nursery() as nursery:
        nursery.start_soon(carry, near, beyond, ONE_WAY)
        nursery.start_soon(carry, beyond, near, ONE_WAY)
