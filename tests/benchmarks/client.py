"""How soon the client stands on the screen, and how long a key takes to show with twelve seats at the table.

Start-up is the time of a process that imports what the screen needs, beside one that only imports prompt_toolkit;
key to redraw is measured from the byte in the terminal's input to the last byte of the picture, in virtual terminals
of 80×24 and 160×50. A frame is 16 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import subprocess
import sys
import time
from typing import Final

from msgspec.structs import replace
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from golfnet_client.terminal.client import Client
from golfnet_client.terminal.screen import Terminal
from tests.client import tables

FRAME_MS: Final = 16.0

IMPORTS: Final = {
    "python": "pass",
    "prompt_toolkit": "import prompt_toolkit",
    "prompt_toolkit, full screen": "import prompt_toolkit.application, prompt_toolkit.layout",
    "client, screen": "import golfnet_client.play",
    "client, solo": "import golfnet_client.play, golfnet_client.connection.solo",
}


class _Paper:
    encoding = "utf-8"
    size = 0

    def write(self, text: str) -> int:
        self.size += len(text)
        return len(text)

    def flush(self) -> None:
        """Do nothing."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return -1


def main() -> int:
    """Measure and print; the exit status tells whether a key shows within a frame."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="processes per import (default 7)")
    parser.add_argument("--keys", type=int, default=200, help="keys per size (default 200)")
    args = parser.parse_args()
    print("start-up of a process, best and median of", args.runs)
    for name, code in IMPORTS.items():
        times = sorted(_process_ms(code) for _ in range(args.runs))
        print(f"  {name:<30} {times[0]:6.0f} ms {statistics.median(times):6.0f} ms")
    worst = 0.0
    print("key to redraw with 12 seats, median and 99th of", args.keys)
    for columns, rows in ((80, 24), (160, 50)):
        times = sorted(asyncio.run(_key_ms(columns, rows, args.keys)))
        late = times[int(len(times) * 0.99) - 1]
        worst = max(worst, late)
        print(f"  {columns}x{rows:<27} {statistics.median(times):6.1f} ms {late:6.1f} ms")
    return int(worst > FRAME_MS)


def _process_ms(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return (time.perf_counter() - start) * 1000


async def _key_ms(columns: int, rows: int, keys: int) -> list[float]:
    """Return how long each of so many keys took: those that choose the next card redraw the table."""
    view = replace(tables.twelve(), turn="A", actions=("draw", "take"))
    model = tables.a_model(view, *["Bob (B) puts 9♠ in slot 2 and discards 7♥."] * 200)
    client = Client(model, send=lambda line: None, now=time.monotonic)
    size = Size(rows=rows, columns=columns)
    times: list[float] = []
    with create_pipe_input() as pipe:
        output = Vt100_Output(_Paper(), lambda: size, enable_cpr=False)  # type: ignore[arg-type]
        terminal = Terminal(client, theme="dark", bell=False, input=pipe, output=output)
        running = asyncio.ensure_future(terminal.app.run_async())
        drawn = asyncio.Event()
        terminal.app.after_render += lambda _: drawn.set()
        await drawn.wait()
        for number in range(keys):
            await asyncio.sleep(0.005)
            drawn.clear()
            start = time.perf_counter()
            pipe.send_text("123456"[number % 6])
            await drawn.wait()
            times.append((time.perf_counter() - start) * 1000)
        terminal.app.exit()
        await running
    return times


if __name__ == "__main__":
    sys.exit(main())
