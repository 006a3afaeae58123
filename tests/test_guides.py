"""What the guides for contributors name is there: every path, every link, every command, every room of the server."""

from __future__ import annotations

import importlib.util
import re
import shlex
from functools import reduce
from pathlib import Path

import pytest

from golfnet.cli.main import COMMANDS, command_line

ROOT = Path(__file__).parents[1]
ARCHITECTURE = ROOT / "golfnet" / "ARCHITECTURE.md"
CONTRIBUTING = ROOT / ".github" / "CONTRIBUTING.md"
GUIDES = (ARCHITECTURE, CONTRIBUTING)

SEEN_FROM = ("", "golfnet", "golfnet/server", "client")
"""Where the paths of a guide may begin; those of ARCHITECTURE.md leave out what is clear from the text."""
ENDINGS = (".py", ".md", ".toml", ".txt", ".sql")
PLACEHOLDER = re.compile(r"NAME|GROUP|SUBJECT")
COMMAND_LINE = re.compile(r"^ {4,}(\S.*)$", re.MULTILINE)


def paths(guide: Path) -> list[str]:
    """Return what stands in backticks and looks like a path, without the name of a class after it."""
    words = re.findall(r"`([\w.*/-]+)`", guide.read_text(encoding="utf-8"))
    words = [re.sub(r"\.[A-Z]\w*$", "", word) for word in words]
    return sorted({word for word in words if "/" in word or word.endswith(ENDINGS)})


def is_there(path: str) -> bool:
    """Tell whether a path of a guide is a file or a folder; a module may stand without its ending."""
    pattern = PLACEHOLDER.sub("*", path).rstrip("/")
    patterns = [f"{start}/{pattern}{end}".lstrip("/") for start in SEEN_FROM for end in ("", ".py")]
    if "/" not in pattern:
        patterns.append(f"golfnet/**/{pattern}")
    return any(next(ROOT.glob(each), None) is not None for each in patterns)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_every_path_of_a_guide_exists(guide: Path) -> None:
    named = paths(guide)
    assert len(named) > 20
    assert [path for path in named if not is_there(path)] == []


@pytest.mark.parametrize("path", ["golfnet/gone.py", "golfnet/rulesets/NAME.json", "gone.py", "server/gone/"])
def test_a_path_that_is_not_there_is_noticed(path: str) -> None:
    assert not is_there(path)


@pytest.mark.parametrize("guide", [*GUIDES, ROOT / "README.md"], ids=lambda guide: guide.name)
def test_every_link_of_a_guide_leads_to_a_file(guide: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", guide.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (guide.parent / link).exists()] == []


def rooms() -> dict[str, str]:
    """Return the first and last cell of each row about the server's rooms in ARCHITECTURE.md."""
    text = ARCHITECTURE.read_text(encoding="utf-8")
    table = text.partition("### The server's rooms")[2].partition("\n### ")[0]
    rows = [line.strip("|").split(" | ") for line in table.splitlines() if line.startswith("| `")]
    return {row[0].strip(): row[-1].strip(" |") for row in rows}


def test_the_rooms_of_the_server_are_the_folders_that_exist() -> None:
    named = {room for cell in rooms() for room in re.findall(r"`(\w+)/`", cell)}
    server = ROOT / "golfnet" / "server"
    assert named == {path.parent.name for path in server.glob("*/__init__.py")}


@pytest.mark.parametrize("cell", rooms())
def test_where_to_begin_to_read_a_room_is_there(cell: str) -> None:
    modules = [
        f"golfnet.server.{name.rstrip('/').removesuffix('.py')}" for name in re.findall(r"`([\w./]+)`", cell)
    ]
    assert modules
    for start in re.findall(r"`([\w.]+)`", rooms()[cell]):
        assert any(found(module, start) for module in modules), f"{start} in {modules}"


def found(module: str, start: str) -> bool:
    """Tell whether a dotted name is found in a module, or begins with a module below or beside it."""
    first, _, rest = start.partition(".")
    below, beside = f"{module}.{first}", f"{module.rpartition('.')[0]}.{first}"
    return any([has(module, start), has(below, rest), has(beside, rest)])


def has(module: str, names: str) -> bool:
    """Tell whether a module has a dotted name."""
    try:
        reduce(getattr, names.split("."), importlib.import_module(module))
    except (ImportError, AttributeError):
        return False
    return True


def command_lines() -> list[str]:
    return COMMAND_LINE.findall(CONTRIBUTING.read_text(encoding="utf-8"))


@pytest.mark.parametrize("line", command_lines())
def test_every_command_can_be_typed(line: str) -> None:
    program, *words = [word for word in shlex.split(line) if not re.fullmatch(r"[A-Z_]+=\w+", word)]
    if program == ".venv-test/bin/python":
        assert importlib.util.find_spec(words[1])
        return
    if program == ".venv-test/bin/golfnet":
        assert words[0] in COMMANDS
        command_line(words[:1]).parse_args(words)
        return
    assert program in ("tests/run", ".venv-test/bin/pytest")
    options = [word for word in words if word.startswith("-")]
    assert set(options) <= {"-k", "-m", "--renew", *(["--checks"] if program == "tests/run" else [])}
    named = [word for word in words if word not in options and word not in ("scoring", "slow")]
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_page_stays_short() -> None:
    assert len(CONTRIBUTING.read_text(encoding="utf-8").splitlines()) < 200
