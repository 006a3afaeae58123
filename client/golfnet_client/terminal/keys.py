"""The effect of keys and clicks on each screen; ``table_keys`` has those at a table."""

from typing import Final

from golfnet_client.model.model import Place
from golfnet_client.model.pages import Field, Menu, Pages, alarm_pages, manual
from golfnet_client.model.replay import Replay
from golfnet_client.screens.form import Form
from golfnet_client.screens.lobby_screen import lobby_keys
from golfnet_client.terminal.client import Client
from golfnet_client.terminal.menus import create_menu, history_menu, learn_menu, seek_menu
from golfnet_client.terminal.table_keys import UNFINISHED, click_card, confirm, press_table


def press(client: Client, key: str) -> None:
    """Act on a key; a key without a meaning here does nothing."""
    client.model.drop_answer()
    if key not in ("pageup", "pagedown"):
        client.model.older = 0
    if client.menu is not None:
        _press_menu(client, client.menu, key)
    elif key == ":":
        client.prefill, client.model.pages = "", None
    elif client.model.pages is not None:
        press_pages(client, client.model.pages, key)
    elif key == "!" and client.model.alarms:
        client.model.pages = alarm_pages(client.model.alarms, client.evidence())
    elif key == "?":
        client.model.pages = manual(client.model.place.value)
    elif key in _LOOKS:
        client.next_look = _LOOKS[key]
    elif key == "'" and client.model.name and client.model.place is not Place.REPLAY:
        client.prefill = "say " if client.model.table is not None else "shout "
    else:
        match client.model.place:
            case Place.TABLE if client.model.table is not None:
                press_table(client, client.model.table, key)
            case Place.REPLAY if client.replay is not None:
                press_replay(client, client.replay, key)
            case Place.CREATE if client.form is not None:
                press_form(client, client.form, key)
            case Place.LOBBY:
                press_lobby(client, key)


def interrupt(client: Client) -> None:
    """Act on ctrl-c: quit, but ask first if a match would be lost."""
    view = client.model.table
    is_lost = client.model.is_solo and view is not None and view.state in ("playing", "between")
    if not is_lost or (client.menu is not None and client.menu.again == "ctrl-c"):
        client.is_over = True
        return
    client.field = None
    confirm(client, "Quit?", UNFINISHED, "Quit golf", client.quit, key="ctrl-c")


def click(client: Client, x: int, y: int) -> None:
    """Act on a click."""
    kind, _, what = (client.canvas.target_at(x, y) or "").partition(" ")
    if client.menu is not None:
        if kind == "item":
            client.choose(int(what))
        elif kind != "menu":
            press(client, "escape")
        return
    match kind:  # the picture may be out of date, so no row or line in it has to exist
        case "" if client.model.pages is not None:
            press(client, "escape")
        case "key":
            # A label with a digit stands for many keys, so a click on it selects the next card.
            press(client, _KEYS.get(what, "tab" if any(map(str.isdigit, what)) else what))
        case "card" if client.model.table is not None:
            click_card(client, client.model.table, what)
        case "pile":
            press(client, {"stock": "d", "discard": "t", "held": "x"}[what])
        case "row" if client.model.place is Place.CREATE and client.form is not None:
            client.form.go(int(what) - client.form.at)
        case "row" if client.model.lobby.chosen == int(what):
            press_lobby(client, "enter")
        case "row":
            client.model.lobby.choose(int(what))
        case "moment" if client.replay is not None:
            client.replay.go(int(what) - client.replay.at)
            client.replay.show(client.model)
        case "step" if client.form is not None:
            number, by = map(int, what.split())
            client.form.go(number - client.form.at)
            client.form.step(by)
        case "page" if client.model.pages is not None:
            before = client.model.pages.at
            client.model.pages.go(int(what) - before)
            if before == int(what):
                press(client, "enter")


def wheel(client: Client, key: str) -> None:
    """Act on the mouse wheel, ``up`` or ``down``: scroll the log at a table; elsewhere, act like an arrow key."""
    if client.menu is None and client.model.place is Place.TABLE and client.model.pages is None:
        client.scroll_log({"up": "older", "down": "newer"}[key])
    else:
        press(client, key)


def _press_menu(client: Client, menu: Menu, key: str) -> None:
    steps = _steps(8) | {"tab": 1}
    keys = list(map(menu.key_of, range(len(menu.items))))
    if key in steps:
        menu.go(steps[key])
    elif key in ("enter", "space"):
        client.choose(menu.at)
    elif key == "escape" and not menu.stays:
        client.menu = None
        if menu.back is not None:
            menu.back()
    elif key == menu.again:
        client.choose(len(menu.items) - 1)
    elif key in keys:
        client.choose(keys.index(key))


def _steps(page: int) -> dict[str, int]:
    """Return how far each key goes in a list, if a page has this many lines."""
    return {"up": -1, "down": 1, "pageup": -page, "pagedown": page, "home": -9999, "end": 9999}


_LOOKS: Final = {"z": "theme", "Z": "felt", "S": "suits"}
"""Keys that change the appearance on every screen, and what each changes."""

_KEYS: Final = {"esc": "escape", "del": "delete"}
"""The key that a click on each of these labels presses; any other label is the name of its key."""


def press_pages(client: Client, pages: Pages, key: str) -> None:
    """Act on a key while a text covers the screen."""
    page = max(1, client.canvas.height - 8)
    steps = _steps(page) | {"space": page}
    if key in steps:
        pages.go(steps[key])
    elif key == "enter" and pages.rows:
        client.send(pages.rows[pages.at])
    elif key in ("escape", "q", "enter", "?", "v"):
        client.model.pages = None


def press_lobby(client: Client, key: str) -> None:
    """Act on a key in the lobby."""
    lobby = client.model.lobby
    match key:
        case "up" | "down":
            lobby.choose(lobby.chosen + (1 if key == "down" else -1))
        case "enter" | "w" | "n":
            offered = next((choice for choice in lobby_keys(client.model) if choice.key == key), None)
            if offered is not None and offered.line:
                _go_to(client, offered.line)
        case "p" if client.model.is_connected:
            client.send("play")
        case "pageup" | "pagedown" | "end":
            client.scroll_log(key)
        case "c" | "s" | "g" | "h" if client.model.is_connected:
            client.menu = {"c": create_menu, "s": seek_menu, "g": learn_menu, "h": history_menu}[key](client)
        case "l" if client.model.is_connected:
            client.send("top")
        case "escape":
            client.ways.home()
        case "q":
            client.quit()


def _go_to(client: Client, line: str) -> None:
    """Carry out a line about the chosen table; ask for the password first if the table is private."""
    lobby = client.model.lobby
    if not lobby.tables or not lobby.tables[lobby.chosen].get("private"):
        client.carry_out(line)
        return

    def enter(word: str) -> None:
        if word:
            client.carry_out(f'{line} password="{word}"' if " " in word else f"{line} password={word}")

    client.field = Field(label=f"password of {line.partition(' ')[2]}: ", do=enter, secret=True)


def press_form(client: Client, form: Form, key: str) -> None:
    """Act on a key in the form for a new table."""
    match key:
        case "up" | "down" | "pageup" | "pagedown":
            form.go(_steps(8)[key])
        case "left" | "right":
            form.step(1 if key == "right" else -1)
        case "e" if form.line.can_be_typed:
            line = form.line
            client.field = Field(
                label=f"{line.label}: ",
                text="" if line.is_secret else form.changes.get(line.name, ""),
                do=lambda text: form.change(line.name, text),
                secret=line.is_secret,
            )
        case "delete":
            form.change(form.line.name, "")
        case "u":
            client.carry_out(f"rules {form.variant}")
        case "enter" if not form.problem:
            client.send(form.command())
        case "escape" | "q":
            client.model.place = Place.LOBBY
            client.menu = create_menu(client)


def press_replay(client: Client, replay: Replay, key: str) -> None:
    """Act on a key in a replay."""
    match key:
        case "space":
            replay.play(client.now())
        case "left" | "right" | "enter" | "home" | "end":
            replay.go({"left": -1, "home": -len(replay.views), "end": len(replay.views)}.get(key, 1))
        case "up" | "down":
            replay.faster(1 if key == "up" else -1)
        case "n" | "pagedown" | "p" | "pageup":
            replay.to_hole(1 if key in ("n", "pagedown") else -1)
        case "v":
            client.show_scores()
            return
        case "q" | "escape":
            _close_replay(client)
            return
    replay.show(client.model)


def _close_replay(client: Client) -> None:
    model, client.replay = client.model, None
    model.tables.pop(model.focus or "", None)
    model.focus_on(next(iter(model.tables), None))
    if not model.name:
        client.ways.home()
    else:
        model.place = Place.TABLE if model.is_seated else Place.LOBBY
