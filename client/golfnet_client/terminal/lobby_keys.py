"""What keys mean where one does not play: in the lobby, its lists and its form, and in a replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.engine.variants import VARIANTS
from golfnet_client.model.model import Place
from golfnet_client.screens.form import new_form

if TYPE_CHECKING:
    from golfnet_client.terminal.desk import Desk


def press_pages(desk: Desk, key: str) -> None:
    """Act on a key in a text that is laid over the screen."""
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
        command = pages.rows[model.scroll]
        if command in ("guide", "lobby"):
            model.pages = None
            if command == "guide":
                desk.guided()
            return
        if command.startswith("connect ") and desk.connect is not None:
            model.pages = None
            desk.connect(command.removeprefix("connect "))
        else:
            desk.send(command)
    elif key in ("escape", "q", "enter", "?", "v"):
        model.pages = None


def press_lobby(desk: Desk, key: str) -> None:
    """Act on a key in the lobby."""
    lobby = desk.model.lobby
    chosen = lobby.tables[lobby.chosen]["table"] if lobby.tables else None
    match key:
        case "up" | "down":
            step = 1 if key == "down" else -1
            lobby.chosen = max(0, min(lobby.chosen + step, len(lobby.tables) - 1))
        case "enter" | "w" if chosen is not None:
            line = f"{'join' if key == 'enter' else 'watch'} {chosen}"
            if lobby.tables[lobby.chosen].get("private"):
                desk.asks = f"{line} password="
            else:
                desk.send(line)
        case "pageup" | "pagedown" | "end":
            desk.scroll_log(key)
        case "c":
            desk.form = new_form(lobby.variants, VARIANTS)
            desk.model.place = Place.CREATE
        case "s":
            desk.asks = "seek "
        case "g":
            desk.guided()
        case "h":
            desk.send("history")
        case "l":
            desk.send("top")
        case "q":
            desk.carry_out("quit")


def press_form(desk: Desk, key: str) -> None:
    """Act on a key in the form for a new table."""
    form = desk.form
    if form is None:
        return
    name = form.lines[form.at].name
    match key:
        case "up" | "down":
            form.at = max(0, min(form.at + (1 if key == "down" else -1), len(form.lines) - 1))
        case "left" | "right":
            form.step(1 if key == "right" else -1)
        case "pageup" | "pagedown":
            form.at = max(0, min(form.at + (8 if key == "pagedown" else -8), len(form.lines) - 1))
        case "e":
            desk.edits, desk.asks = name, form.value(name)
        case "delete":
            form.change(name, "")
        case "u":
            desk.send(f"rules {form.variant}")
        case "enter":
            form.problem = form.check()
            if not form.problem:
                desk.send(form.command())
        case "escape" | "q":
            desk.model.place = Place.LOBBY


def choose_row(desk: Desk, row: int) -> None:
    """Choose a row of the lobby or of the form; one that is chosen already is taken."""
    if desk.model.place is Place.CREATE and desk.form is not None:
        desk.form.at = row
    elif desk.model.lobby.chosen == row:
        press_lobby(desk, "enter")
    else:
        desk.model.lobby.chosen = row


def press_replay(desk: Desk, key: str) -> None:
    """Act on a key in a replay."""
    replay, model = desk.replay, desk.model
    if replay is None:
        return
    match key:
        case "right" | "space" | "enter":
            replay.go(1)
        case "left":
            replay.go(-1)
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
            model.place = Place.LOBBY
            if model.focus is not None:
                model.tables.pop(model.focus, None)
            model.focus = next(iter(model.tables), None)
            desk.replay = None
            return
    replay.show(model)
