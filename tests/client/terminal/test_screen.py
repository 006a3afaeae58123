"""The terminal itself: keys reach the client, typed text is never lost, and leaving is clean."""

import os
import subprocess
import sys
from itertools import product

import pytest
from msgspec.structs import replace
from prompt_toolkit.buffer import CompletionState
from prompt_toolkit.completion import Completion
from prompt_toolkit.output import ColorDepth

from golfnet_client.model.story import timed
from golfnet_client.screens.canvas import Look
from golfnet_client.screens.style import FELTS, THEMES
from golfnet_client.terminal import picture
from golfnet_client.terminal.keys import press
from tests.client import tables
from tests.client.terminal.emulator import emulated, emulator
from tests.client.terminal.person import Person


def test_a_turn_rings_the_bell_and_a_key_sends_its_command_and_leaving_restores_the_terminal() -> None:
    with emulator(tables.six_card()) as terminal:
        terminal.client.model.rings = True
        terminal.type("d")
        terminal.until(lambda: terminal.sent == ["draw"])
        assert terminal.written.count("\a") == 2, "one ends the title"
        terminal.type("\x1b[O")
        terminal.until(lambda: not terminal.screen.window.has_focus)
        terminal.client.model.rings = True
        terminal.screen.settle()
        terminal.type("\x1b[I")
        terminal.until(lambda: terminal.screen.window.has_focus)
        terminal.client.receive(replace(tables.six_card(), turn="B", actions=()))
        terminal.screen.settle()
    assert terminal.sent == ["draw"], "reports of the focus are not game keys"
    assert "Your turn." in terminal.written
    for sent in ("9;▶ your turn, golf, six-card", "2;▶ your turn, golf, six-card", "2;golf, six-card"):
        assert f"\x1b]{sent}\a" in terminal.written
    assert "\x1b[?1049h" in terminal.written
    assert terminal.written.rstrip().endswith(("\x1b[?25h", "\x1b[?2004l", "l", "h", "m")), (
        "the terminal is restored"
    )
    assert "\x1b[?1049l" in terminal.written


def test_text_that_was_not_sent_is_cleared_and_can_be_brought_back() -> None:
    with emulator(tables.six_card()) as terminal:
        terminal.type(":say good l")
        terminal.until(lambda: terminal.buffer.text == "say good l")
        terminal.type("\x1b")
        terminal.until(lambda: not terminal.screen.is_typing)
        terminal.type("d?:")
        terminal.until(lambda: terminal.screen.is_typing)
        assert (terminal.buffer.text, terminal.client.model.pages) == ("", None)
        terminal.redraw()  # it loads the history
        terminal.type("\x1b[A")
        terminal.until(lambda: terminal.buffer.text == "say good l")
        terminal.type("uck\r")
        terminal.until(lambda: terminal.sent == ["draw", "say good luck"])
        assert terminal.buffer.text == ""
        terminal.until(lambda: not terminal.screen.is_typing)


def test_a_refused_line_stays_and_completion_offers_allowed_commands() -> None:
    with emulator(tables.six_card()) as terminal:
        terminal.type(":drwa\r")
        terminal.until(lambda: terminal.client.model.news is not None)
        assert (terminal.buffer.text, terminal.screen.is_typing) == ("drwa", True)
        terminal.buffer.text = ""
        terminal.type("dra\t")
        terminal.until(lambda: terminal.buffer.text.strip() == "draw")
        terminal.type("\r")
        terminal.until(lambda: terminal.sent == ["draw"])


def test_a_click_on_the_stock_draws_a_card() -> None:
    with emulator(tables.six_card()) as terminal:
        canvas = terminal.client.canvas
        assert canvas is not None
        zone = next(zone for zone in canvas.zones if zone.target == "pile stock")
        x, y = zone.x + 4, zone.y + 4
        terminal.type(f"\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m")
        terminal.until(lambda: terminal.sent == ["draw"])


def test_partial_redraws_show_the_same_as_full_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown() -> list[list[tuple[str, str]]]:
        with emulator(tables.twelve()) as terminal:
            for key in ("right", "4", "?", "?", "z", "v", "escape", "q", "escape", ":", "left", "5", "6"):
                press(terminal.client, key)
                terminal.redraw()
                said = f"Jose\u0301 {key} 漢字 \u2764\ufe0f \U0001f469\u200d\U0001f680 and more"
                terminal.client.model.add_line("chat", said)
            terminal.buffer.text = "take "
            terminal.buffer.complete_state = CompletionState(terminal.buffer.document, [Completion("1")] * 9)
            terminal.redraw()
            terminal.buffer.complete_state = None
            terminal.redraw()
            press(terminal.client, "left")
            terminal.redraw()
        return emulated(terminal.written.partition("\x1b[?1049l")[0], 80, 24)

    parts = shown()
    monkeypatch.setattr(picture, "_shown", lambda: None)
    assert parts == shown()


def test_an_overlay_rewrites_its_own_area_not_the_whole_screen() -> None:
    sizes: list[int] = []
    with emulator(tables.twelve()) as terminal:
        terminal.redraw()
        for key in ("right", "v", "escape"):
            before = len(terminal.written)
            press(terminal.client, key)
            terminal.redraw()
            sizes.append(len(terminal.written) - before)
    assert sizes[0] < 600, "another card is chosen"
    assert max(sizes) < len(terminal.written) / 3


@pytest.mark.parametrize("key", ["\x03", "\x04"])
def test_ctrl_c_and_ctrl_d_leave_cleanly(key: str) -> None:
    with emulator() as terminal:
        terminal.type(f":half a li{key}")
        terminal.until(lambda: not terminal.app.is_running)


def test_keys_cycle_through_themes_felts_and_suit_styles() -> None:
    with emulator(tables.six_card()) as terminal:
        seen = [terminal.app.style]
        for key in (*["z"] * len(THEMES), *["Z"] * len(FELTS), "S", "S"):
            terminal.type(key)
            terminal.until(lambda: terminal.app.style is not seen[-1])
            seen.append(terminal.app.style)


@pytest.mark.parametrize(
    ("term", "depth"), [("vt100", ColorDepth.DEPTH_1_BIT), ("xterm-256color", ColorDepth.DEPTH_8_BIT)]
)
def test_a_terminal_gets_only_the_colours_it_is_known_to_support(term: str, depth: ColorDepth | None) -> None:
    code = "from golfnet_client.terminal.screen import color_depth; print(color_depth())"
    environment = {name: os.environ[name] for name in os.environ.keys() - {"COLORTERM", "NO_COLOR"}}
    # A process can look up only one type of terminal. The result is None if this system does not know the type.
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=environment | {"TERM": term},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ran.stdout.strip() in (str(depth), "None")


def test_a_console_gets_only_characters_of_code_page_437() -> None:
    views, sizes = (tables.holding(), tables.cactus(), tables.twelve()), ((40, 15), (80, 23), (132, 42))
    for view, size in product(views, sizes):
        client = Person(view).client
        client.look = Look(console=True)
        signs = {char for row in client.picture(*size).chars for char in row}
        lacking = {char for char in signs if not char.isascii() and char not in "♠♥♦♣►→"}
        assert {char.encode("cp437", "replace") for char in lacking}.isdisjoint({b"?"}), lacking


def test_no_timer_runs_while_nothing_changes_and_a_clock_is_drawn_each_second() -> None:
    with emulator(tables.six_card()) as terminal:
        screen, app, model = terminal.screen, terminal.app, terminal.client.model
        is_idle = screen._timer is None
        assert is_idle
        model.clock = timed("A", 60_050, terminal.client.now())
        app.invalidate()
        terminal.until(lambda: screen._timer is not None)
        before = app.render_counter
        terminal.until(lambda: app.render_counter > before)
        assert screen._timer is not None
        left = model.clock.ends - screen._timer.when()
        assert left < 59.2
        assert abs(left - round(left)) < 0.2, (
            "the next drawing is at a full second, however slow the machine is"
        )
