"""The bridge: both loops end together, whoever ends first, and no fault is lost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.lowlevel
from prompt_toolkit.application import Application
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.output import DummyOutput

from golfnet_client.terminal.guest import host

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from prompt_toolkit.key_binding import KeyPressEvent


def run(guest: Callable[[Application[Any]], Callable[[], Awaitable[None]]], typed: str = "") -> None:
    """Run a guest under an application that ends at q and fails at f."""
    keys = KeyBindings()

    @keys.add("q")
    def leave(event: KeyPressEvent) -> None:
        event.app.exit()

    @keys.add("f")
    def fail(event: KeyPressEvent) -> None:
        raise ZeroDivisionError

    with create_pipe_input() as pipe:
        app: Application[Any] = Application(key_bindings=keys, input=pipe, output=DummyOutput())
        pipe.send_text(typed)
        asyncio.run(host(app, lambda: guest(app)))


def test_the_guest_is_cancelled_when_the_application_ends() -> None:
    seen: list[str] = []

    def guest(app: Application[Any]) -> Callable[[], Awaitable[None]]:
        async def forever() -> None:
            try:
                await trio.sleep_forever()
            finally:
                seen.append("ended")

        return forever

    run(guest, "q")
    assert seen == ["ended"]


def test_the_application_ends_with_its_guest() -> None:
    def guest(app: Application[Any]) -> Callable[[], Awaitable[None]]:
        async def short() -> None:
            await trio.sleep(0.01)

        return short

    run(guest)


def test_a_fault_of_the_guest_reaches_the_caller() -> None:
    def guest(app: Application[Any]) -> Callable[[], Awaitable[None]]:
        async def faulty() -> None:
            await trio.sleep(0.01)
            raise LookupError("a fault")

        return faulty

    with pytest.raises(LookupError, match="a fault"):
        run(guest)


def test_a_fault_in_a_key_reaches_the_caller_and_ends_the_guest() -> None:
    seen: list[str] = []

    def guest(app: Application[Any]) -> Callable[[], Awaitable[None]]:
        async def forever() -> None:
            try:
                await trio.sleep_forever()
            finally:
                seen.append("ended")

        return forever

    with pytest.raises(ZeroDivisionError):
        run(guest, "f")
    assert seen == ["ended"]


def test_trio_and_the_application_take_turns() -> None:
    """What the guest does is seen by the application in the same thread, without any locks."""
    ticks: list[int] = []

    def guest(app: Application[Any]) -> Callable[[], Awaitable[None]]:
        async def count() -> None:
            for number in range(50):
                ticks.append(number)
                app.invalidate()
                await trio.lowlevel.checkpoint()

        return count

    run(guest)
    assert ticks == list(range(50))


def test_the_guest_is_loaded_once_the_first_picture_is_drawn() -> None:
    pictures: list[bool] = []

    def guest(app: Application[Any]) -> Callable[[], Awaitable[None]]:
        pictures.append(app.renderer.last_rendered_screen is not None)

        async def none() -> None:
            pass

        return none

    run(guest)
    assert pictures == [True]
