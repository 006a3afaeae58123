"""A program's end of a connection, which sends one line at a time and waits for its reply."""

import json
import time
from typing import Any

from tests.e2e.service import PATIENCE, connect


class Program:
    def __init__(self, port: int, address: str = "") -> None:
        self.sock = connect(port, address)
        self._lines = self.sock.makefile("rb")
        self.objects: list[dict[str, Any]] = []
        self.token = ""

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        self._lines.close()
        self.sock.close()

    def wait_for(self, **wanted: object) -> dict[str, Any]:
        """Return the next object with the given fields."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            line = self._lines.readline()
            assert line, self.objects[-5:]
            if not line.startswith(b"{"):  # the greeting
                continue
            self.objects.append(json.loads(line))
            if wanted.items() <= self.objects[-1].items():
                return self.objects[-1]
        raise AssertionError(f"no {wanted} in {self.objects[-5:]}")

    def answer(self, line: str) -> dict[str, Any]:
        """Send a line and return its ok or error."""
        number = len(self.objects) + 1
        self.sock.sendall(f"{number} {line}\n".encode())
        return self.wait_for(id=number)

    def ask(self, line: str) -> dict[str, Any]:
        """Send a line and return its ok."""
        answer = self.answer(line)
        assert answer["type"] == "ok", (line, answer)
        return answer
