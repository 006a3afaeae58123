"""Golden files: the program's output as somebody last read and approved it.

Tests compare with them. ``pytest --renew`` rewrites those that have changed, and says which; a person then reads the
``git diff``, since a test that has just rewritten its file cannot fail.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]


class GoldenFiles:
    """The golden files of one test; ``on_renewed`` is called with each file that is rewritten."""

    def __init__(self, *, renew: bool, on_renewed: Callable[[Path], None] = lambda path: None) -> None:
        self.renew = renew
        self._on_renewed = on_renewed

    def check(self, path: Path, text: str) -> None:
        """Assert that a file has this text, or write it if files are being renewed."""
        known = path.read_text(encoding="utf-8") if path.exists() else ""
        if self.renew and known != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            self._on_renewed(path)
        elif not self.renew:
            assert text.split("\n") == known.split("\n"), (
                f"{shown(path)} has a different text; see pytest --renew"
            )


def shown(path: Path) -> str:
    """Return a path relative to the root of the repository."""
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


def summary(paths: Iterable[str]) -> str:
    """Return the message at the end of a run that has written files."""
    return "\n".join([*sorted(set(paths)), "were rewritten. Read the git diff."])
