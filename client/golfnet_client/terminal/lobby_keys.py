"""The effect of keys when no table is being played: in the lobby, its lists and its form, and in a replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet_client.model.model import Place
from golfnet_client.model.pages import Field
from golfnet_client.screens.lobby_screen import lobby_keys
from golfnet_client.terminal.menus import create_menu, history_menu, learn_menu, seek_menu

if TYPE_CHECKING:
    from golfnet_client.screens.form import Form
    from golfnet_client.terminal.desk import Desk


def press_pages(desk: Desk, key: str) -> None:
    """Act on a key while a text covers the screen."""
    model, pages = desk.model, desk.model.pages
    page = max(1, (desk.canvas.height if desk.canvas is not None else 24) - 8)
    steps = {
        "up": -1,
        "down": 1,
        "pageup": -page,
        "pagedown": page,
        "space": page,
        "home": -9999,
        "end": 9999,
    }
    if key in steps:
        model.scroll_to(model.scroll + steps[key])
    elif key == "enter" and pages is not None and pages.rows:
        desk.send(pages.rows[model.scroll])
    elif key in ("escape", "q", "enter", "?", "v"):
        model.pages = None


def press_lobby(desk: Desk, key: str) -> None:
    """Act on a key in the lobby."""
    lobby = desk.model.lobby
    match key:
        case "up" | "down":
            lobby.choose(lobby.chosen + (1 if key == "down" else -1))
        case "enter" | "w" | "n":
            offered = next((choice for choice in lobby_keys(desk.model) if choice.key == key), None)
            if offered is not None and offered.line:
                _go_to(desk, offered.line)
        case "p" if desk.model.is_connected:
            desk.send("play")
        case "pageup" | "pagedown" | "end":
            desk.scroll_log(key)
        case "c" | "s" | "g" | "h" if desk.model.is_connected:
            menus = {"c": create_menu, "s": seek_menu, "g": learn_menu, "h": history_menu}
            desk.menu = menus[key](desk)
        case "l" if desk.model.is_connected:
            desk.send("top")
        case "escape":
            desk.ways.home()
        case "q":
            desk.quit()


def _go_to(desk: Desk, line: str) -> None:
    """Carry out a line about the chosen table; ask for the password first if the table is private."""
    lobby = desk.model.lobby
    if not lobby.tables or not lobby.tables[lobby.chosen].get("private"):
        desk.carry_out(line)
        return

    def enter(word: str) -> None:
        if word:
            desk.carry_out(f'{line} password="{word}"' if " " in word else f"{line} password={word}")

    desk.field = Field(label=f"password of {line.partition(' ')[2]}: ", do=enter, secret=True)


def press_form(desk: Desk, key: str) -> None:
    """Act on a key in the form for a new table."""
    form = desk.form
    if form is None:
        return
    match key:
        case "up" | "down":
            form.go(1 if key == "down" else -1)
        case "left" | "right":
            form.step(1 if key == "right" else -1)
        case "pageup" | "pagedown":
            form.go(8 if key == "pagedown" else -8)
        case "e" if form.line.can_be_typed:
            _edit(desk, form)
        case "delete":
            form.change(form.line.name, "")
        case "u":
            desk.send(f"rules {form.variant}")
        case "enter" if not form.problem:
            desk.send(form.command())
        case "escape" | "q":
            desk.model.place = Place.LOBBY
            desk.menu = create_menu(desk)


def _edit(desk: Desk, form: Form) -> None:
    """Let the player type the value of the selected line."""
    line = form.line
    desk.field = Field(
        label=f"{line.label}: ",
        text="" if line.is_secret else form.changes.get(line.name, ""),
        do=lambda text: form.change(line.name, text),
        secret=line.is_secret,
    )


def press_replay(desk: Desk, key: str) -> None:
    """Act on a key in a replay."""
    replay, model = desk.replay, desk.model
    if replay is None:
        return
    match key:
        case "space":
            replay.play(desk.now())
        case "right" | "enter":
            replay.go(1)
        case "left":
            replay.go(-1)
        case "up" | "down":
            replay.faster(1 if key == "up" else -1)
        case "n" | "pagedown":
            replay.to_hole(1)
        case "p" | "pageup":
            replay.to_hole(-1)
        case "home":
            replay.go(-len(replay.views))
        case "end":
            replay.go(len(replay.views))
        case "v":
            desk.show_scores()
            return
        case "q" | "escape":
            _close_replay(desk)
            return
    replay.show(model)


def _close_replay(desk: Desk) -> None:
    """Return to the screen from which the replay was opened."""
    model, desk.replay = desk.model, None
    if model.focus is not None:
        model.tables.pop(model.focus, None)
    model.focus_on(next(iter(model.tables), None))
    if not model.name:
        desk.ways.home()
    else:
        model.place = Place.TABLE if model.is_seated else Place.LOBBY
