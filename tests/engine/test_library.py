"""What ``golfnet.engine`` exports is what its page shows, what type checkers see, and costs nothing until used."""

import ast
import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import golfnet.engine

HOME = Path(golfnet.engine.__file__).parent


def test_every_line_of_the_page_is_true() -> None:
    failed, tried = doctest.testfile(str(HOME / "LIBRARY.md"), module_relative=False)
    assert (failed, tried) == (0, 20)


def test_type_checkers_see_what_is_exported() -> None:
    imported = {
        (alias.name, (node.module or "").rpartition(".")[2])
        for node in ast.walk(ast.parse(Path(golfnet.engine.__file__).read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module != "typing"
        for alias in node.names
    }
    assert imported == set(golfnet.engine._HOMES.items())
    assert sorted(golfnet.engine.__all__) == sorted(golfnet.engine._HOMES)


@pytest.mark.parametrize("name", golfnet.engine.__all__)
def test_an_exported_name_is_that_of_its_module(name: str) -> None:
    module = importlib.import_module(f"golfnet.engine.{golfnet.engine._HOMES[name]}")
    assert getattr(golfnet.engine, name) is getattr(module, name)
    assert name in dir(golfnet.engine)


def test_another_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        golfnet.engine.nonsense  # noqa: B018


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    probe = "import golfnet.engine, sys; print(*[name for name in sys.modules if name.startswith('golfnet.engine.')])"
    assert subprocess.check_output([sys.executable, "-c", probe], text=True) == "\n"
