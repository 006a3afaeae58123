"""Golden files: the program's output as somebody last read and approved it.

Tests compare with them. ``pytest --renew`` rewrites those that have changed; a person then reads the ``git diff``,
since a test that has just rewritten its file cannot fail.
"""

from pathlib import Path


class GoldenFiles:
    """The golden files, which are rewritten if ``renew`` is set."""

    def __init__(self, *, renew: bool) -> None:
        self.renew = renew

    def check(self, path: Path, text: str) -> None:
        """Assert that a file has this text, or write it if files are being renewed."""
        known = path.read_text(encoding="utf-8") if path.exists() else ""
        if self.renew and known != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not self.renew:
            assert text.split("\n") == known.split("\n"), f"{path} has a different text; see pytest --renew"
