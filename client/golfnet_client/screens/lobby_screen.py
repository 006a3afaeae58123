"""The lobby: tables on the left, players and chat on the right; and the start screen. Also what rule sets are about."""

from collections.abc import Iterable
from typing import Any, Final

from golfnet.engine.errors import RuleError
from golfnet.engine.options import from_options, override
from golfnet.engine.rules import Cancel, FaceUp, Placed, RuleSet, SlamMode
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.text.lists import cell
from golfnet.protocol.text.typeset import wrapped
from golfnet_client.model.model import Model
from golfnet_client.screens.canvas import Canvas
from golfnet_client.screens.choices import Choice
from golfnet_client.screens.faces import GRAND, LARGE, MEDIUM, SMALL, Size, draw_card, draw_shadow
from golfnet_client.screens.panels import draw_actions, draw_header, draw_log, draw_rules

LEAST_WIDTH: Final = 40
LEAST_HEIGHT: Final = 14
"""The smallest picture, in columns and lines, in which a table fits; the command line takes one more line."""


def draw_small(canvas: Canvas) -> None:
    """Say that the window is too small."""
    text = "This window is too small. Make it at least 40x15, ideally 80x24."
    lines = [(line.strip(), "felt turn") for line in wrapped(text, max(8, canvas.width - 2))]
    _draw_lines(canvas, max(0, (canvas.height - len(lines)) // 2), lines)


def lobby_keys(model: Model) -> list[Choice]:
    """Return the choices in the lobby, those for the selected table first."""
    lobby = model.lobby
    found = [Choice("p" if lobby.tables else "enter", "play", "play"), *_ALWAYS]
    if lobby.tables:
        row = lobby.tables[lobby.chosen]
        join, watch = f"join {row['table']}", f"watch {row['table']}"
        if row.get("state") == "open" and row.get("taken", 0) < row.get("seats", 0):
            found = [Choice("enter", join, join), Choice("w", "watch", watch), *found]
        else:
            found = [Choice("enter", watch, watch), Choice("n", "next in line", join), *found]
    if model.pages is not None:
        return [choice._replace(line=None) for choice in found]
    if not model.is_connected:
        return [choice._replace(line=choice.line if choice.key in ("q", "esc") else None) for choice in found]
    return found


_ALWAYS: Final = (
    Choice("c", "create", ""),
    Choice("s", "find players", ""),
    Choice("g", "learn", ""),
    Choice("h", "history", ""),
    Choice("l", "ladder", ""),
    Choice("'", "chat", ""),
    Choice("q", "quit", ""),
    Choice("esc", "back", ""),
)


def draw_lobby(canvas: Canvas, model: Model, now: float) -> None:
    """Draw the lobby."""
    width, height = canvas.width, canvas.height
    draw_header(canvas, model, "lobby")
    bottom = height - draw_actions(canvas, 1, height - 1, width - 2, lobby_keys(model))
    talk = max(3, min(10, (bottom - 2) // 4))
    side = min(34, width // 3) if width >= 76 else 0
    tall = bottom - talk - 3
    _draw_tables(canvas, model, 1, 2, width - side - 2, tall, now)
    if side:
        _draw_players(canvas, model, width - side, 2, side - 1, tall)
    news = wrapped(model.refusal if model.is_connected else model.link_sentence, width - 4)
    if len(news) > talk:
        news = [*news[: talk - 1], " ".join(news[talk - 1 :])]
    line = bottom - talk - 2
    for part in news:
        line += 1
        canvas.put(2, line, part.strip(), "felt urgent", width=width - 4)
    canvas.put(1, line + 1, "─" * (width - 2), "felt dim")
    draw_log(canvas, model, 2, line + 2, width - 4, bottom - line - 2)


def draw_home(canvas: Canvas, model: Model, hint: str) -> None:
    """Draw the background of the start menu: a fan of cards, and below it a hint if there is one."""
    y, width = home_top(canvas.height) + 1, canvas.width
    if canvas.height >= 15:
        _draw_fan(canvas, y - 1)
    lines = _rows(hint, width, "turn") if hint else []
    _draw_lines(canvas, y, [*lines, ("", ""), *_rows(model.refusal, width, "urgent")])


def draw_welcome(canvas: Canvas, model: Model) -> None:
    """Draw the screen before login: what to type, or what the client is waiting for."""
    y, width = home_top(canvas.height), canvas.width
    _draw_fan(canvas, y)
    if model.is_connected:
        lines = _rows(f"Welcome to {model.server}. What is your name?", width, "turn")
        lines += _rows("Have an account? Type: login NAME", width, "dim")
    else:
        lines = _rows(f"{model.server}: {model.link_sentence}", width, "turn")
    lines += [*_rows("Esc goes back.", width, "dim"), *_rows(model.refusal, width, "urgent")]
    _draw_lines(canvas, y + 1, lines)


def _draw_lines(canvas: Canvas, y: int, lines: list[tuple[str, str]]) -> None:
    for number, (text, style) in enumerate(lines):
        canvas.put_middle(0, y + number, canvas.width, text, style)


RULES: Final = 16
"""Maximum number of lines for the rules below the list of tables."""

_MARK: Final = (
    "█▀▀ █▀█ █   █▀▀ █▄ █ █▀▀ ▀█▀",
    "█ █ █ █ █   █▀  █ ▀█ █▀   █ ",
    "▀▀▀ ▀▀▀ ▀▀▀ ▀   ▀  ▀ ▀▀▀  ▀ ",
)
_FAN: Final = ("?", "KC", "QH", "2D", "AS")
_MENU: Final = 9
"""The number of lines of the start menu, including an empty one below it."""


def _fan_size(height: int) -> Size:
    return next((size for size, least in ((GRAND, 34), (LARGE, 28), (MEDIUM, 22)) if height >= least), SMALL)


def home_top(height: int) -> int:
    """Return the line on which the start menu begins; it is centred together with the fan and wordmark above it."""
    above = _fan_size(height).height + 2 + (4 if height >= 20 else 0) if height >= 15 else 0
    return above + max(0, (height - above - _MENU) // 2)


def _draw_fan(canvas: Canvas, bottom: int) -> None:
    """Draw a fan of cards above line ``bottom``, with the wordmark below the fan if there is room."""
    if canvas.height >= 20:
        for number, line in enumerate(("golfnet",) if canvas.look.ascii else _MARK):
            canvas.put_middle(0, bottom - 4 + number, canvas.width, line, "felt brand")
        bottom -= 4
    size = _fan_size(canvas.height)
    step = size.width + 1
    x = (canvas.width - len(_FAN) * step + 1) // 2
    y = bottom - size.height - 2
    for number, card in enumerate(_FAN):
        left, top = x + number * step, y + (2, 1, 0, 1, 2)[number] // (1 if size.height > 3 else 2)
        draw_card(canvas, left, top, card, size)
        draw_shadow(canvas, left, top, size)


def _rows(text: str, width: int, style: str) -> list[tuple[str, str]]:
    return [(line.strip(), f"felt {style}") for line in wrapped(text, width - 4)]


def _draw_tables(canvas: Canvas, model: Model, x: int, y: int, width: int, height: int, now: float) -> None:
    tables = model.lobby.tables
    canvas.put(x + 1, y - 1, f"Tables ({len(tables)})", "felt title")
    if not tables:
        texts = (
            "There are no open tables.",
            "",
            "Press Enter to play with whoever is here or with a bot, c to create a table, or g to learn the game.",
        )
        lines = [part for text in texts for part in wrapped(text, width - 3)]
        for number, line in enumerate(lines):
            canvas.put(x + 2, y + 1 + number, line.strip(), "felt dim")
        return
    first = max(0, min(model.lobby.chosen - height // 2 + 1, len(tables) - height // 2))
    for number, row in enumerate(tables[first : first + height // 2], first):
        top = y + 2 * (number - first)
        is_chosen = number == model.lobby.chosen
        style = "row" if is_chosen else "felt"
        canvas.fill(x, top, width, 2, style)
        canvas.put(x + 1, top, "▶" if is_chosen else " ", style)
        words = [row["variant"], str(row.get("name") or ""), "(private)" if row.get("private") else ""]
        title = f"{row['table']:<5}{' '.join(filter(None, words))}"
        state = f"{row['taken']}/{row['seats']} {row['state']}"
        canvas.put(
            x + 3, top, title, f"{style} name" if not is_chosen else style, width=width - len(state) - 6
        )
        canvas.put_right(x + width - 1, top, state, style)
        watched = f", {row['watchers']} watching" if row.get("watchers") else ""
        options = f"  {row['options']}" if row.get("options") else ""
        detail, seconds = f"{_players(row)}{watched}{options}", model.lobby.bots_in(row, now)
        bots = "" if seconds is None else f"bots in {seconds} s"
        dim = style if is_chosen else f"{style} dim"
        canvas.put_right(x + width - 1, top + 1, bots, dim)
        canvas.put(x + 8, top + 1, detail, dim, width=width - 10 - (len(bots) + 1 if bots else 0))
        canvas.zone(x, top, width, 2, f"row {number}")
    end = y + 2 * (len(tables) - first) + 1
    rules = _rules(tables[model.lobby.chosen])
    if rules is not None:
        name = tables[model.lobby.chosen]["variant"]
        draw_rules(canvas, rules, name, x + 3, end, min(y + height, end + RULES), min(width - 5, 80), "felt")


def _rules(row: dict[str, Any]) -> RuleSet | None:
    """Return the rules of a table in the list, or None if they are not known here."""
    options = dict(pair.partition("=")[::2] for pair in str(row.get("options") or "").split())
    try:
        return override(VARIANTS[row["variant"]], options)
    except (KeyError, RuleError):
        return None


_players = cell("players")


def _draw_players(canvas: Canvas, model: Model, x: int, y: int, width: int, height: int) -> None:
    people = [row for row in model.lobby.players if row.get("present") and row.get("kind") != "bot"]
    canvas.box(x, y - 1, width, height + 1, "panel")
    canvas.put(x + 2, y - 1, f" Players ({len(people)}) ", "panel title")
    for number, row in enumerate(people[: max(0, height - 1)]):
        where = str(row.get("table") or ("watching" if row.get("watching") else ""))
        style = "panel turn" if row["name"] == model.name else "panel"
        canvas.put(x + 2, y + number, row["name"], style, width=width - 12)
        canvas.put_right(x + width - 2, y + number, where, "panel dim")


def about(rules: RuleSet) -> str:
    """Describe in a few words how a rule set differs from the others."""
    is_last = rules.final_turn and not rules.knock
    holes = "" if rules.holes is None else f"{rules.holes} hole{'' if rules.holes == 1 else 's'}"
    target = "" if rules.target is None else f"to {rules.target} points"
    parts = (
        f"{rules.rows}x{rules.columns} cards",
        "face down" if rules.placed is Placed.DOWN else "",
        "slams" if rules.slam is not SlamMode.OFF else "",
        f"{rules.turns} turns" if rules.turns is not None else "",
        "knocking" if rules.knock else "",
        "all turned up" if rules.face_up is FaceUp.EVERY else "a last turn" if is_last else "",
        (_CANCELS if rules.rows == 2 else _ROW_CANCELS)[rules.cancelling],
        " or ".join(filter(None, (holes, target))),
    )
    return ", ".join(filter(None, parts))


def rule_sets_of(rows: Iterable[dict[str, Any]]) -> dict[str, RuleSet]:
    """Return the listed rule sets by name, leaving out those that this version does not know."""
    found = {}
    for row in rows:
        try:
            found[str(row["name"])] = from_options(str(row["name"]), row["options"])
        except (RuleError, KeyError, TypeError, ValueError):
            continue  # a newer server may have options unknown to this client
    return found


_CANCELS: Final = {
    Cancel.NONE: "",
    Cancel.COLUMN: "column pairs are 0",
    Cancel.ANYWHERE: "pairs are 0",
    Cancel.ALL: "equal cards are 0",
}
_ROW_CANCELS: Final = _CANCELS | {Cancel.COLUMN: "equal columns are 0"}
