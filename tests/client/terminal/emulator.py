"""A terminal emulator that knows only what the client uses: it turns text written to it into cells."""

import re

from golfnet.protocol.text.typeset import display_width
from golfnet_client.screens.canvas import EMOJI, JOINER

_PART = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])|\x1b[^\[]|(.)", re.DOTALL)


def emulated(written: str, width: int, height: int) -> list[list[tuple[str, str]]]:
    """Return the cells that a terminal shows in the end. Emoji are as wide as their parts, as in old terminals."""
    cells = [[(" ", "")] * width for _ in range(height)]
    x = y = 0
    style = ""
    for is_private, arguments, command, char in _PART.findall(written):
        number = int(arguments.partition(";")[0] or 1) if not is_private else 0
        if char == "\r":
            x = 0
        elif char == "\n":
            y = min(y + 1, height - 1)
        elif char and char.isprintable():
            for cell in (char, "")[: display_width(char)]:
                cells[y][min(x, width - 1)] = cell, style
                x += 1
        elif char and (char in (JOINER, EMOJI) or not char.isascii()):
            was, its = cells[y][max(0, min(x, width) - 1)]
            cells[y][max(0, min(x, width) - 1)] = was + char, its
        elif command == "m":
            style = "" if arguments in ("", "0") else arguments
        elif command == "C":
            x += number
        elif command == "D":
            x -= number
        elif command == "A":
            y -= number
        elif command == "G":
            x = number - 1
        elif command == "H":
            x = y = 0
        elif command == "J":
            cells[y][x:] = [(" ", style)] * (width - x)
            cells[y + 1 :] = [[(" ", style)] * width for _ in cells[y + 1 :]]
        elif command == "K":
            cells[y][x:] = [(" ", style)] * (width - x)
    return cells
