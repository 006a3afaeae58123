"""Paths, links, commands and rooms named in the contributors' guides exist, and two of the recipes work."""

import ast
import contextlib
import importlib.util
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from golfnet.cli.main import COMMANDS, command_line
from golfnet.engine.cards import parse_card
from golfnet.engine.scoring import layout_score
from golfnet.engine.variants import VARIANTS
from tests.e2e.program import Program
from tests.e2e.service import Service

ROOT = Path(__file__).parents[1]
ARCHITECTURE = ROOT / "golfnet" / "ARCHITECTURE.md"
CONTRIBUTING = ROOT / ".github" / "CONTRIBUTING.md"
GUIDES = (ARCHITECTURE, CONTRIBUTING)

SEEN_FROM = ("", "golfnet", "golfnet/server", "client")
"""The folders in which a guide's paths may begin: ARCHITECTURE.md leaves out folders that are clear from the text."""
ENDINGS = (".py", ".md", ".toml", ".txt", ".sql")
PLACEHOLDER = re.compile(r"NAME|GROUP|SUBJECT")
COMMAND_LINE = re.compile(r"^ {4,}(\S.*)$", re.MULTILINE)


def paths(guide: Path) -> list[str]:
    """Return everything in backticks that looks like a path, without a class name after it."""
    words = re.findall(r"`([\w.*/-]+)`", guide.read_text(encoding="utf-8"))
    words = [re.sub(r"\.[A-Z]\w*$", "", word) for word in words]
    return sorted({word for word in words if "/" in word or word.endswith(ENDINGS)})


def is_there(path: str) -> bool:
    """Return whether a guide's path is a file or folder; a module may lack its ending."""
    pattern = PLACEHOLDER.sub("*", path).rstrip("/")
    patterns = [f"{start}/{pattern}{end}".lstrip("/") for start in SEEN_FROM for end in ("", ".py")]
    if "/" not in pattern:
        patterns.append(f"golfnet/**/{pattern}")
    return any(next(ROOT.glob(each), None) is not None for each in patterns)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_every_path_in_a_guide_exists(guide: Path) -> None:
    named = paths(guide)
    assert len(named) > 20
    assert [path for path in named if not is_there(path)] == []


def test_every_link_in_a_page_leads_to_an_existing_file_and_heading() -> None:
    missing = []
    for page in (page for page in ROOT.rglob("*.md") if ".venv" not in f"{page}"):
        for name, _, heading in re.findall(r"\]\(([\w./-]*)(#([^)]+))?\)", page.read_text("utf-8")):
            there = page.parent / name if name else page
            text = there.read_text("utf-8").lower() if heading and there.exists() else ""
            headings = [re.sub(r"[^\w -]", "", each) for each in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
            if not there.exists() or heading not in ["", *[each.replace(" ", "-") for each in headings]]:
                missing.append(f"{page}: {name}#{heading}")
    assert missing == []


def rooms() -> dict[str, str]:
    """Return the first and last cell of each row in the table of the server's rooms in ARCHITECTURE.md."""
    text = ARCHITECTURE.read_text(encoding="utf-8")
    table = text.partition("### The server's rooms")[2].partition("\n### ")[0]
    rows = [line.strip("|").split(" | ") for line in table.splitlines() if line.startswith("| `")]
    return {row[0].strip(): row[-1].strip(" |") for row in rows}


def test_the_rooms_of_the_server_and_their_starting_points_exist() -> None:
    named = {room for cell in rooms() for room in re.findall(r"`(\w+)/`", cell)}
    server = ROOT / "golfnet" / "server"
    assert named == {path.parent.name for path in server.glob("*/__init__.py")}
    for cell, starts in rooms().items():
        names = [server / name for name in re.findall(r"`([\w./]+)`", cell)]
        files = [file for name in names for file in (name.rglob("*.py") if name.is_dir() else [name])]
        words = {word for file in files for word in re.findall(r"\w+", f"{file} {file.read_text('utf-8')}")}
        assert words
        assert set(re.findall(r"\w+", " ".join(re.findall(r"`([\w.]+)`", starts)))) <= words, cell


def test_every_room_states_its_subject_in_one_sentence() -> None:
    for top in ("golfnet", "client/golfnet_client", "tests"):
        for path in (ROOT / top).rglob("__init__.py"):
            said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
            first = said.partition("\n")[0]
            assert 20 < len(first) <= 120, f"{path} must state its subject in one line"
            assert first.endswith((".", ":")), path


def test_every_command_in_the_guide_is_valid() -> None:
    for line in COMMAND_LINE.findall(CONTRIBUTING.read_text(encoding="utf-8")):
        program, *words = [word for word in shlex.split(line) if not re.fullmatch(r"[A-Z_]+=\w+", word)]
        if program == ".venv-test/bin/python":
            assert importlib.util.find_spec(words[1])
        elif program == ".venv-test/bin/golfnet":
            assert words[0] in COMMANDS
            command_line(words[:1]).parse_args(words)
        else:
            assert program in ("tests/run", ".venv-test/bin/pytest")
            options = [word for word in words if word.startswith("-")]
            assert set(options) <= {"-k", "-m", "--renew", *(["--checks"] if program == "tests/run" else [])}
            pairs = pairwise(["", *words])
            paths = [word for option, word in pairs if word not in options and option not in ("-k", "-m")]
            assert [path for path in paths if not (ROOT / path).exists()] == [], line


def test_the_contributing_guide_stays_short() -> None:
    assert len(CONTRIBUTING.read_text(encoding="utf-8").splitlines()) < 200


COMMAND = {
    "golfnet/protocol/commands/catalog.py": {
        '    _chat("tell ': '    _chat("wave", "wave to your table", where=Where.TABLE),\n'
    },
    "golfnet/manual/commands/talk.md": {
        "# tell\n": "# wave\n\nWaves to everybody at your table.\n\nwave\n: waves\n\nSee also: say\n\n\n"
    },
    "golfnet/server/commands/chat.py": {
        '@HANDLERS.on("tell")': (
            '@HANDLERS.on("wave")\ndef wave(context: Viewer, request: Request) -> None:\n'
            '    """Wave to a table."""\n    context.table.broadcast.send_chat(context.player, "waves")\n'
            "    context.session.send_ok(request, table=context.table)\n\n\n"
        )
    },
}
"""For each file in the recipe, the text that a new command adds, by the existing text before which it is added."""

OPTION = {
    "golfnet/engine/rules.py": {
        "    notes: tuple[str, ...] = ()": "    burden: int = 0\n",
        '        "slam_window": Span(': '        "burden": Span(0, 50),\n',
    },
    "golfnet/engine/options.py": {
        '}\n"""Every field of a rule set except': (
            '    "burden": "How many points each seat begins a hole with.",\n'
        )
    },
    "golfnet/engine/scoring.py": {
        "    if closer is not None and (": "    scores = [score + rules.burden for score in scores]\n"
    },
    "golfnet/engine/rulebook.py": {
        "        *_cancelling(rules),\n": (
            '        bool(rules.burden) and f"Everybody begins a hole with {rules.burden} points.",\n'
        )
    },
}


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Yield a server that runs a copy of golfnet with the changes of both recipes."""
    folder = tmp_path_factory.mktemp("changed")
    shutil.copytree(ROOT / "golfnet", folder / "golfnet", ignore=shutil.ignore_patterns("__pycache__"))
    for name, places in (COMMAND | OPTION).items():
        text = (folder / name).read_text(encoding="utf-8")
        for before, new in places.items():
            assert text.count(before) == 1, f"{name} must contain {before!r} once"
            text = text.replace(before, new + before)
        (folder / name).write_text(text, encoding="utf-8")
    flags = ("--memory", "--start-delay", "1", "--commands-per-second", "100")
    server = Service(*flags, env=os.environ | {"PYTHONPATH": str(folder)})
    yield server
    server.stop(kill=True)


@contextlib.contextmanager
def somebody_at(server: Service, name: str) -> Iterator[Program]:
    """Yield somebody who has logged in."""
    with Program(server.port) as program:
        program.sock.sendall(b"hello 1\n")
        program.ask(f"name {name}")
        yield program


def rows(program: Program, line: str) -> list[object]:
    """Return all rows in the answer to a line."""
    before = len(program.objects)
    program.sock.sendall(f"77 {line}\n".encode())
    program.wait_for(type="ok", id=77)
    return [row for each in program.objects[before:] if each["type"] == "rows" for row in each["rows"]]


@pytest.mark.parametrize(
    ("name", "changes"),
    [("Add a command", COMMAND), ("Add a rule option", OPTION)],
    ids=["command", "option"],
)
def test_each_recipe_changes_at_most_four_files_and_names_them_all(
    name: str, changes: dict[str, object]
) -> None:
    text = CONTRIBUTING.read_text("utf-8").partition(f"### {name}\n")[2].partition("\n### ")[0]
    text = text.replace("GROUP.md", "talk.md").replace("SUBJECT.py", "chat.py")
    assert len(changes) <= 4
    assert [place for place in changes if f"`{place}`" not in text] == []


def test_a_command_added_by_its_recipe_is_parsed_explained_checked_and_executed(changed: Service) -> None:
    with somebody_at(changed, "ann") as ann:
        ann.sock.sendall(b"9 wave\n")
        assert ann.wait_for(id=9)["code"] == "NOT_SEATED"
        ann.ask("create six-card")
        ann.ask("wave")
        assert [each["text"] for each in ann.objects if each["type"] == "chat"] == ["waves"]
        assert "Waves to everybody at your table." in rows(ann, "help wave")


@pytest.mark.slow
def test_an_option_added_by_its_recipe_is_offered_explained_played_and_recorded(changed: Service) -> None:
    with somebody_at(changed, "bob") as bob:
        bob.sock.sendall(b"9 create four-turn burden=51\n")
        assert "from 0 to 50" in bob.wait_for(id=9)["message"]
        bob.ask("create four-turn seats=2 burden=7")
        assert "  Everybody begins a hole with 7 points." in rows(bob, "rules full")
        bob.sock.sendall(b"bot random\nready\n")
        while (prompt := bob.wait_for(type="prompt"))["phase"] != "finished":
            if prompt["phase"] != "open" and prompt["actions"]:
                bob.sock.sendall(prompt["actions"][0].encode() + b"\n")
        (end,) = [each for each in bob.objects if each.get("event") == "hole_ended"]
        (match,) = {each["match"] for each in bob.objects if each.get("event") == "match_started"}
        header, *_ = rows(bob, f"record {match}")
    layouts = [[None if text == "-" else parse_card(text) for text in layout] for layout in end["layouts"]]
    assert end["scores"] == [layout_score(VARIANTS["four-turn"], layout) + 7 for layout in layouts]
    assert "burden" in f"{header}"
