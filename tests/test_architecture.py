"""The import contracts in pyproject.toml are kept, and each of them can fail.

A contract that nothing can break looks like one that is kept, so each is also broken on purpose, in a
tree of empty packages with golfnet's names.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]


FOR_TYPES_ONLY = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import {}"
"""An import that only a type checker sees counts like any other."""


def lint(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Check the contracts for the source under `root`, in a separate process since the linter reconfigures logging."""
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo", *options],
        cwd=root,
        env={"PYTHONPATH": "client", "COLUMNS": "200"},
        capture_output=True,
        text=True,
    )


def test_the_contracts_are_kept() -> None:
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("package", "third_party"), [("golfnet.engine", set()), ("golfnet.protocol", {"msgspec"})]
)
def test_the_pure_packages_need_only_the_standard_library(package: str, third_party: set[str]) -> None:
    graph = grimp.build_graph("golfnet", include_external_packages=True, cache_dir=None)
    needed = {
        name.partition(".")[0]
        for module in {package, *graph.find_descendants(package)}
        for name in graph.find_modules_directly_imported_by(module)
    }
    assert "golfnet" in needed
    assert needed - set(sys.stdlib_module_names) - {"golfnet"} <= third_party


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    first = {"protocol": "lines.py", "server": "lobby.py", "bots": "player.py"}
    for package in ("", "engine", "protocol", "storage", "bots", "server", "server/table", "cli"):
        (tmp_path / "golfnet" / package).mkdir(parents=True)
        (tmp_path / "golfnet" / package / "__init__.py").touch()
        (tmp_path / "golfnet" / package / first.get(package, "one.py")).touch()
    (tmp_path / "golfnet/one.py").unlink()
    (tmp_path / "golfnet/protocol/replies").mkdir()
    (tmp_path / "golfnet/protocol/replies/__init__.py").touch()
    (tmp_path / "golfnet/protocol/replies/one.py").touch()
    (tmp_path / "golfnet/engine/two.py").write_text("import golfnet.engine.one\n")
    for room in ("", "model", "screens", "terminal"):
        (tmp_path / "client/golfnet_client" / room).mkdir(parents=True)
        (tmp_path / "client/golfnet_client" / room / "__init__.py").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("contract", "path", "line"),
    [
        ("server-layers", "golfnet/engine/one.py", "import golfnet.protocol"),
        ("server-layers", "golfnet/protocol/lines.py", "import golfnet.server"),
        ("server-layers", "golfnet/protocol/lines.py", "import golfnet.storage"),
        ("server-layers", "golfnet/storage/one.py", "import golfnet.bots.player"),
        ("server-layers", "golfnet/bots/player.py", "import golfnet.protocol"),
        ("server-layers", "golfnet/server/lobby.py", "import golfnet.cli"),
        ("server-layers", "golfnet/unplaced.py", ""),
        ("client-layers", "client/golfnet_client/model/model.py", "import golfnet_client.terminal.screen"),
        ("client-layers", "client/golfnet_client/screens/one.py", "import golfnet_client.terminal.screen"),
        ("client-layers", "client/golfnet_client/unplaced.py", ""),
        ("protocol-layers", "golfnet/protocol/lines.py", "import golfnet.protocol.replies.one"),
        ("protocol-layers", "golfnet/protocol/unplaced.py", ""),
        ("client-arrows", "client/golfnet_client/app.py", "import golfnet.server.lobby"),
        ("client-arrows", "client/golfnet_client/app.py", "from golfnet import storage"),
        ("server-alone", "golfnet/cli/one.py", "import golfnet_client"),
        ("server-alone", "golfnet/server/lobby.py", "import prompt_toolkit"),
        ("server-rooms", "golfnet/server/table/one.py", "import golfnet.server.lobby"),
        ("server-rooms", "golfnet/server/unplaced.py", ""),
        ("no-cycles", "golfnet/engine/one.py", "import golfnet.engine.two"),
        ("no-cycles", "golfnet/engine/one.py", FOR_TYPES_ONLY.format("golfnet.engine.two")),
        ("server-rooms", "golfnet/server/table/one.py", FOR_TYPES_ONLY.format("golfnet.server.lobby")),
        ("pure", "golfnet/engine/one.py", "from random import shuffle"),
        ("pure", "golfnet/protocol/lines.py", "import logging.config"),
        ("trio", "golfnet/bots/player.py", "import trio"),
        ("trio", "golfnet/engine/one.py", "import trio"),
        ("trio", "client/golfnet_client/model/model.py", "import trio"),
        (
            "prompt-toolkit",
            "client/golfnet_client/discovery.py",
            "from prompt_toolkit.styles import Style",
        ),
        ("sql", "golfnet/server/lobby.py", "import sqlite3"),
        ("sql", "golfnet/storage/one.py", "import psycopg"),
    ],
)
def test_a_broken_contract_is_found(tree: Path, contract: str, path: str, line: str) -> None:
    (tree / "client/golfnet_client/terminal/screen.py").touch()
    assert "1 kept, 0 broken" in lint(tree, "--contract", contract).stdout

    (tree / path).write_text(line + "\n")
    assert "0 kept, 1 broken" in lint(tree, "--contract", contract).stdout


def test_class_names_are_unique() -> None:
    """A unique name is easy to search for; names private to a file count too."""
    meanings: dict[str, set[str]] = {}
    for package in ("golfnet", "client/golfnet_client"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef):
                    meanings.setdefault(node.name.lstrip("_"), set()).add(str(path.relative_to(ROOT)))
    twice = {name: sorted(paths) for name, paths in meanings.items() if len(paths) > 1}
    assert twice == {}, "rename the new one"
