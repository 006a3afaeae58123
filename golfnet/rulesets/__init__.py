"""Rule sets from files: those shipped with this module, and those in a server's own folder.

One bad file never keeps the others from loading; its problem is reported with the file's name and the key or line.
"""

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from golfnet.engine.errors import RuleError
from golfnet.engine.rules import RuleSet
from golfnet.engine.variants import VARIANTS, parse_house_rules

MAX_FILE: Final = 16 * 1024
"""Maximum file size in bytes: a rule set with long notes needs about 2,000, and parsing may take quadratic time."""

_MAX_PROBLEM: Final = 300


class Loaded(NamedTuple):
    """The rule sets in a folder by name, and a message for each file that could not be loaded."""

    rule_sets: dict[str, RuleSet]
    problems: tuple[str, ...]


def catalogue() -> dict[str, RuleSet]:
    """Return every rule set that comes with golfnet, by name, the built-in ones first.

    Raise ``RuleError`` if a file is invalid.
    """
    rule_sets, problems = _load(Path(__file__).parent.iterdir(), VARIANTS)
    if problems:
        raise RuleError("rulesets", "; ".join(problems))
    return {**VARIANTS, **rule_sets}


def load_folder(path: Path) -> Loaded:
    """Return the rule sets in a folder's ``*.toml`` files, in the order of file names; a rule set comes after its base.

    Raise ``OSError`` if the folder cannot be read.
    """
    return _load(path.iterdir(), catalogue())


def _load(files: Iterable[Path], known: Mapping[str, RuleSet]) -> Loaded:
    rule_sets: dict[str, RuleSet] = {}
    problems: list[str] = []
    for file in sorted(files, key=lambda file: file.name):
        if not file.name.endswith(".toml"):
            continue
        try:
            rules = parse_house_rules(_text_of(file), {**known, **rule_sets})
        except RuleError as error:
            problems.append(f"{file.name}: {error}"[:_MAX_PROBLEM])
        except UnicodeDecodeError as error:
            problems.append(
                f"{file.name}: UTF-8 text, not byte {error.object[error.start]:#04x} at {error.start}"
            )
        except OSError as error:
            problems.append(f"{file.name}: {error.strerror}")
        else:
            rule_sets[rules.name] = rules
    return Loaded(rule_sets, tuple(problems))


def _text_of(path: Path) -> str:
    """Return a file's text, or raise ``OSError`` or ``UnicodeDecodeError``.

    Raise ``RuleError`` if it is too long or not a regular file. Opening a named pipe does not wait for a writer.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise RuleError("file", "a regular file, not a folder, a pipe or a device")
        with open(descriptor, "rb", closefd=False) as file:
            content = file.read(MAX_FILE + 1)
    finally:
        os.close(descriptor)
    if len(content) > MAX_FILE:
        raise RuleError("file", f"at most {MAX_FILE} bytes")
    return content.decode("utf-8")
