"""The terminal itself: keys reach the client, typed text is never lost, and leaving is clean."""

import asyncio
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from itertools import product
from typing import Any

import pytest
from prompt_toolkit.buffer import CompletionState
from prompt_toolkit.completion import Completion
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.base import PipeInput
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from golfnet_client.model.model import Model
from golfnet_client.model.motion import timed
from golfnet_client.screens.canvas import Look
from golfnet_client.screens.palettes import FELTS
from golfnet_client.screens.style import THEMES
from golfnet_client.terminal import picture
from golfnet_client.terminal.client import Client
from golfnet_client.terminal.screen import Terminal
from tests.client import tables
from tests.client.terminal.emulator import emulated


class Paper:
    """An output file that claims to be a terminal and keeps what is written."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.written: list[str] = []

    def write(self, text: str) -> int:
        self.written.append(text)
        return len(text)

    def flush(self) -> None:
        """Do nothing."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return -1


def use(
    model: Model, play: Callable[[Terminal, PipeInput, list[str]], Awaitable[None]]
) -> tuple[list[str], str]:
    """Run a terminal that shows a model while ``play`` types; return what was sent and what was written."""
    sent: list[str] = []
    paper = Paper()

    async def main() -> None:
        client = Client(model, send=sent.append, now=asyncio.get_running_loop().time)
        with create_pipe_input() as pipe:
            output = Vt100_Output(paper, lambda: Size(rows=24, columns=80), enable_cpr=False)  # type: ignore[arg-type]
            terminal = Terminal(client, looks={}, bell=True, input=pipe, output=output)
            running = asyncio.ensure_future(terminal.app.run_async())
            await asyncio.sleep(0.05)
            await play(terminal, pipe, sent)
            if terminal.app.is_running:
                terminal.app.exit()
            await running

    asyncio.run(main())
    return sent, "".join(paper.written)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - a terminal has no event for "the screen shows it"
            await asyncio.sleep(0.005)


def test_a_turn_rings_the_bell_and_a_key_sends_its_command_and_leaving_restores_the_terminal() -> None:
    model = tables.a_model(tables.six_card())
    model.rings = True

    async def play(terminal: Terminal, pipe: PipeInput, sent: list[str]) -> None:
        pipe.send_text("d")
        await until(lambda: sent == ["draw"])

    _, written = use(model, play)
    assert "Your turn." in written
    assert re.sub("\x1b\\]2;[^\a]*\a", "", written).count("\a") == 1, "not counting the ends of titles"
    assert "\x1b[?1049h" in written
    assert written.rstrip().endswith(("\x1b[?25h", "\x1b[?2004l", "l", "h", "m")), "the terminal is restored"
    assert "\x1b[?1049l" in written


def test_typed_text_survives_leaving_the_command_line() -> None:
    async def play(terminal: Terminal, pipe: PipeInput, sent: list[str]) -> None:
        pipe.send_text(":say good l")
        await until(lambda: terminal.buffer.text == "say good l")
        pipe.send_text("\x1b")
        await until(lambda: not terminal.is_typing)
        pipe.send_text("d:")
        await until(lambda: terminal.is_typing)
        assert terminal.buffer.text == "say good l"
        pipe.send_text("uck\r")
        await until(lambda: "say good luck" in sent)
        assert sent == ["draw", "say good luck"]
        assert terminal.buffer.text == ""
        await until(lambda: not terminal.is_typing)

    use(tables.a_model(tables.six_card()), play)


def test_a_refused_line_stays_and_completion_offers_allowed_commands() -> None:
    async def play(terminal: Terminal, pipe: PipeInput, sent: list[str]) -> None:
        pipe.send_text(":drwa\r")
        await until(lambda: terminal.client.model.news is not None)
        assert (terminal.buffer.text, terminal.is_typing) == ("drwa", True)
        terminal.buffer.text = ""
        pipe.send_text("dra\t")
        await until(lambda: terminal.buffer.text.strip() == "draw")
        pipe.send_text("\r")
        await until(lambda: sent == ["draw"])

    use(tables.a_model(tables.six_card()), play)


def test_a_click_on_the_stock_draws_a_card() -> None:
    async def play(terminal: Terminal, pipe: PipeInput, sent: list[str]) -> None:
        canvas = terminal.client.canvas
        assert canvas is not None
        zone = next(zone for zone in canvas.zones if zone.target == "pile stock")
        x, y = zone.x + 3, zone.y + 3
        pipe.send_text(f"\x1b[<0;{x + 1};{y + 1}M\x1b[<0;{x + 1};{y + 1}m")
        await until(lambda: sent == ["draw"])

    use(tables.a_model(tables.six_card()), play)


def test_partial_redraws_show_the_same_as_full_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play(terminal: Terminal, pipe: PipeInput, sent: list[str]) -> None:
        await until(lambda: terminal.app.renderer.last_rendered_screen is not None)
        model = terminal.client.model
        for key in ("right", "4", "?", "?", "z", "v", "escape", "q", "escape", ":", "left", "5", "6"):
            terminal.client.press(key)
            terminal.app._redraw()
            model.add_line("chat", f"Jose\u0301 {key} 漢字 \u2764\ufe0f \U0001f469\u200d\U0001f680 and more")
        terminal.buffer.text = "take "
        terminal.buffer.complete_state = CompletionState(terminal.buffer.document, [Completion("1")] * 9)
        terminal.app._redraw()
        terminal.buffer.complete_state = None
        terminal.app._redraw()
        terminal.client.press("left")
        terminal.app._redraw()

    def shown() -> list[list[tuple[str, str]]]:
        written = use(tables.a_model(tables.twelve()), play)[1]
        return emulated(written.partition("\x1b[?1049l")[0], 80, 24)

    parts = shown()
    monkeypatch.setattr(picture, "_shown", lambda: None)
    assert parts == shown()


def test_an_overlay_rewrites_its_own_area_not_the_whole_screen() -> None:
    sizes: list[int] = []

    async def play(terminal: Terminal, pipe: PipeInput, sent: list[str]) -> None:
        paper: Any = terminal.app.output.stdout
        written = paper.written
        terminal.app._redraw()
        for key in ("right", "v", "escape"):
            before = sum(map(len, written))
            terminal.client.press(key)
            terminal.app._redraw()
            sizes.append(sum(map(len, written)) - before)

    _, written = use(tables.a_model(tables.twelve()), play)
    assert sizes[0] < 600, "another card is chosen"
    assert max(sizes) < len(written) / 3


@pytest.mark.parametrize("key", ["\x03", "\x04"])
def test_ctrl_c_and_ctrl_d_leave_cleanly(key: str) -> None:
    async def play(terminal: Terminal, pipe: PipeInput, sent: list[str]) -> None:
        pipe.send_text(":half a li")
        pipe.send_text(key)
        await until(lambda: not terminal.app.is_running)

    use(tables.a_model(), play)


def test_keys_cycle_through_themes_felts_and_suit_styles() -> None:
    async def play(terminal: Terminal, pipe: PipeInput, sent: list[str]) -> None:
        seen = [terminal.app.style]
        for _ in THEMES:
            pipe.send_text("z")
            await until(lambda: terminal.app.style is not seen[-1])
            seen.append(terminal.app.style)
        assert len(seen) == len(THEMES) + 1
        for key in (*["Z"] * len(FELTS), "S", "S"):
            pipe.send_text(key)
            await until(lambda: terminal.app.style is not seen[-1])
            seen.append(terminal.app.style)

    use(tables.a_model(tables.six_card()), play)


@pytest.mark.parametrize(
    ("term", "depth"),
    [
        ("vt100", ColorDepth.DEPTH_1_BIT),
        ("xterm-256color", ColorDepth.DEPTH_8_BIT),
    ],
)
def test_a_terminal_gets_only_the_colours_it_is_known_to_support(term: str, depth: ColorDepth | None) -> None:
    code = f"from golfnet_client.terminal.screen import depth_of; print(depth_of({term!r}))"
    # A process can look up only one type of terminal. The result is None if this system does not know the type.
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.strip() in (str(depth), "None")


def test_a_console_gets_only_characters_of_code_page_437() -> None:
    for view, size in product(
        (tables.holding(), tables.cactus(), tables.twelve()), ((40, 15), (80, 23), (132, 42))
    ):
        client = Client(
            tables.a_model(view), send=lambda line: None, now=lambda: 100.0, look=Look(console=True)
        )
        signs = {char for row in client.picture(*size).chars for char in row}
        lacking = {char for char in signs if not char.isascii() and char not in "♠♥♦♣►"}
        assert {char.encode("cp437", "replace") for char in lacking}.isdisjoint({b"?"}), lacking


def test_no_timer_runs_while_nothing_changes_and_a_clock_is_drawn_each_second() -> None:
    model = tables.a_model(tables.six_card())

    async def play(terminal: Terminal, pipe: PipeInput, sent: list[str]) -> None:
        idle = terminal._timer is None
        assert idle
        now = asyncio.get_running_loop().time()
        model.clock = timed("A", 60_050, now)
        terminal.app.invalidate()
        await until(lambda: terminal._timer is not None)
        before = terminal.app.render_counter
        await until(lambda: terminal.app.render_counter > before)
        assert terminal._timer is not None
        left = model.clock.ends - terminal._timer.when()
        assert left < 59.2
        assert abs(left - round(left)) < 0.2, (
            "the next drawing is at a full second, however slow the machine is"
        )

    use(model, play)
