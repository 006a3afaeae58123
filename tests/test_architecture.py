"""The import contracts in pyproject.toml are kept, and each of them can fail.

A contract that nothing can break would also pass, so each is broken on purpose, in a
tree of empty packages with golfnet's names.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]


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


BREAKS = {
    "golfnet.engine.one": ["golfnet.protocol.lines", "random", "trio"],
    "golfnet.protocol.lines": [
        *("golfnet.server.lobby", "golfnet.storage.one", "golfnet.protocol.replies.one", "logging"),
    ],
    "golfnet.storage.one": ["golfnet.bots.bot", "psycopg"],
    "golfnet.bots.bot": ["golfnet.protocol.lines", "trio"],
    "golfnet.server.lobby": ["golfnet.cli.one", "prompt_toolkit", "sqlite3", "websockets"],
    "golfnet.cli.one": ["golfnet_client"],
    "golfnet_client.app": ["golfnet.server.lobby", "golfnet.storage"],
    "golfnet_client.solo": ["prompt_toolkit"],
    "golfnet_client.model.model": ["golfnet_client.terminal.screen", "trio"],
    "golfnet_client.screens.one": ["golfnet_client.terminal.screen"],
}
"""For each module, imports that a contract forbids."""

UNPLACED = ("golfnet", "golfnet.protocol", "golfnet.server", "golfnet_client")
"""The packages in which every module must be named by a contract."""

EMPTY = ("golfnet.protocol.replies.one", "golfnet_client.terminal.screen")


def plant(root: Path, module: str, text: str = "") -> None:
    """Add text to a module, after making the packages that contain it."""
    path = root / ("client" if module.startswith("golfnet_client") else "") / module.replace(".", "/")
    path.parent.mkdir(parents=True, exist_ok=True)
    for package in (path.parent, *path.parent.parents):
        if package.is_relative_to(root / "golfnet") or package.is_relative_to(root / "client/golfnet_client"):
            (package / "__init__.py").touch()
    with path.with_suffix(".py").open("a") as file:
        file.write(text)


def test_a_broken_contract_is_found(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for module in (*BREAKS, *EMPTY):
        plant(tmp_path, module)
    plant(tmp_path, "golfnet.engine.two", "import golfnet.engine.one\n")
    kept = re.search(r"(\d+) kept, 0 broken", lint(tmp_path).stdout)
    assert kept is not None
    wanted = []
    for module, names in BREAKS.items():
        plant(tmp_path, module, "".join(f"import {name}\n" for name in names))
        wanted += [f"{module} -> {name} " for name in names]
    plant(tmp_path, "golfnet.engine.one", "import golfnet.engine.two\n")
    for package in UNPLACED:
        plant(tmp_path, f"{package}.unplaced")
    wanted += ["- .two -> .one (1 import)", *[f"- {package}.unplaced" for package in UNPLACED]]
    report = lint(tmp_path).stdout
    assert f"0 kept, {kept[1]} broken" in report
    assert [each for each in wanted if each not in report] == []


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
