"""The bridge between asyncio and trio: both loops stop together, and no exception is lost."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any

import pytest
import trio
import trio.lowlevel
from prompt_toolkit.application import Application
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import DummyOutput

from golfnet_client.play import host


def run(guest: Callable[[Application[Any]], Callable[[], Awaitable[None]]], typed: str = "") -> None:
    """Run a guest under an application that exits on q and fails on f."""
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


@pytest.mark.parametrize(("typed", "fault"), [("q", None), ("f", ZeroDivisionError)])
def test_the_guest_is_cancelled_when_the_application_exits_or_fails(
    typed: str, fault: type[Exception] | None
) -> None:
    seen: list[str] = []

    async def forever() -> None:
        try:
            await trio.sleep_forever()
        finally:
            seen.append("ended")

    with pytest.raises(fault) if fault else nullcontext():
        run(lambda app: forever, typed)
    assert seen == ["ended"]


@pytest.mark.parametrize("fault", [None, LookupError("a fault")])
def test_the_guests_end_or_exception_ends_the_application(fault: Exception | None) -> None:
    async def short() -> None:
        await trio.sleep(0.01)
        if fault is not None:
            raise fault

    with pytest.raises(LookupError, match="a fault") if fault else nullcontext():
        run(lambda app: short)


def test_the_guest_is_loaded_after_the_first_picture_is_drawn() -> None:
    pictures: list[bool] = []

    def guest(app: Application[Any]) -> Callable[[], Awaitable[None]]:
        pictures.append(app.renderer.last_rendered_screen is not None)
        return trio.lowlevel.checkpoint

    run(guest)
    assert pictures == [True]
