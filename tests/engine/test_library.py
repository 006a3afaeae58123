"""The exports of ``golfnet.engine`` work as documented, are visible to type checkers, and load nothing until used."""

import ast
import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import golfnet.engine

HOME = Path(golfnet.engine.__file__).parent


def test_every_example_in_library_md_works() -> None:
    failed, tried = doctest.testfile(str(HOME / "LIBRARY.md"), module_relative=False)
    assert (failed, tried) == (0, 20)


def test_exports_come_from_their_modules_and_are_visible_to_type_checkers() -> None:
    visible = {
        (alias.name, (node.module or "").rpartition(".")[2])
        for node in ast.walk(ast.parse(Path(golfnet.engine.__file__).read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module != "typing"
        for alias in node.names
    }
    for module, names in golfnet.engine._MODULES.items():
        home = importlib.import_module(f"golfnet.engine.{module}")
        for name in names.split():
            assert {(name, module), ("*", module)} & visible
            assert getattr(golfnet.engine, name) is getattr(home, name)
            assert name in dir(golfnet.engine)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        golfnet.engine.nonsense  # noqa: B018


def test_importing_the_package_imports_no_module_until_a_name_is_used() -> None:
    probe = "import golfnet.engine, sys; print(*[name for name in sys.modules if name.startswith('golfnet.engine.')])"
    assert subprocess.check_output([sys.executable, "-c", probe], text=True) == "\n"
