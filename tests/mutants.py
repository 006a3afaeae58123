"""Make one random change to golfnet at a time, and print the changes that no related test finds.

``python -m tests.mutants --seed 7 --count 60`` changes the packages that decide what is played and stored. It changes
one comparison, condition, number or call in a function. It first runs the tests named after the module, then those of
its package, those that import it and the conversations, and finally some simulated worlds. A survivor reveals a
missing test, or code without effect.
"""

import argparse
import ast
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.faults.planting import ROOT, WORLDS, pytest_command, run, worlds_command

ROOMS: Final = ("engine", "protocol", "server/table", "server/journal", "server/accounts", "storage")
_ELSEWHERE: Final = ("links", "postgres")
"""Packages whose mutants only tests with several nodes, or with a database server, can find."""

_SECONDS: Final = 900.0
"""Time limit in seconds for the tests of one mutant; more means an endless loop."""

_FAR: Final = 20
"""Maximum number of test files from other packages, since nearly all of them import the engine."""

_PAIRS: Final[tuple[tuple[Any, Any], ...]] = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn)),
    *((ast.And, ast.Or), (ast.Add, ast.Sub)),
)
_STORIES: Final = ("test_conversations", "test_following")
"""Tests of everything that people and programs are sent."""

_OTHER: Final[dict[type[ast.AST], Any]] = {one: two for pair in _PAIRS for one, two in (pair, pair[::-1])}


class Mutant(NamedTuple):
    """A module with one change; ``line`` and ``what`` say where and what it is."""

    path: Path
    line: int
    what: str
    source: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}  {self.what}"


def mutant(path: Path, chance: random.Random) -> Mutant | None:
    """Return a random mutant of a module, or None if there is nothing to change."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    places = [place for node in ast.walk(tree) if isinstance(node, _FUNCTIONS) for place in _places(node)]
    if not places:
        return None
    node: Any = chance.choice(places)
    before = ast.unparse(node)
    match node:
        case ast.Compare():
            node.ops[0] = _OTHER[type(node.ops[0])]()
        case ast.BoolOp() | ast.BinOp():
            node.op = _OTHER[type(node.op)]()
        case ast.If() | ast.IfExp():
            before = f"if {ast.unparse(node.test)}"
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.Constant(value=bool()):
            node.value = not node.value
        case ast.Constant(value=int(value)):
            node.value = value + chance.choice((-1, 1))
        case ast.Expr():
            node.value = ast.Constant(None)
    after = f"if {ast.unparse(node.test)}" if isinstance(node, ast.If | ast.IfExp) else ast.unparse(node)
    return Mutant(path, node.lineno, f"{before}  ->  {after}", ast.unparse(tree))


_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def _places(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr | ast.stmt]:
    """Yield what can be changed within a function."""
    for statement in function.body:
        for node in ast.walk(statement):
            match node:
                case ast.Compare(ops=[op]) if type(op) in _OTHER:
                    yield node
                case ast.BoolOp() | ast.BinOp(op=ast.Add() | ast.Sub()) | ast.If() | ast.IfExp():
                    yield node
                case ast.Expr(value=ast.Call()) if not ast.unparse(node).startswith("log."):
                    yield node
                case ast.Constant(value=bool() | int()):
                    yield node


def survives(one: Mutant) -> bool:
    """Return whether neither tests nor worlds find a mutant."""
    module = one.path.relative_to(ROOT / "golfnet").with_suffix("")
    name = str(module).replace("/", ".").removesuffix(".__init__")
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    named = [test for test in tests if test.stem == f"test_{module.name}"]
    near = [test for test in tests if test.parent == ROOT / "tests" / module.parent and test not in named]
    imports = [test for test in tests if f"golfnet.{name} import" in test.read_text(encoding="utf-8")]
    first = list(dict.fromkeys([*named, *(test for test in imports if test in near)]))
    stories = [test for test in tests if test.stem in _STORIES]
    rest = [test for test in (*near, *imports[:_FAR], *stories) if test not in first]
    for some in (first, list(dict.fromkeys(rest))):
        if some and run(name, one.source, pytest_command(*map(str, some)), _SECONDS).returncode:
            return False
    return not run(name, one.source, worlds_command(WORLDS, 30), _SECONDS).returncode


def main() -> int:
    """Return 1 if any mutant has survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("rooms", nargs="*", default=ROOMS, help="folders of golfnet")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed for the random changes")
    parser.add_argument("--count", type=int, default=60, metavar="N", help="how many")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="how many processes test them")
    args = parser.parse_args()
    chance = random.Random(args.seed)
    paths = sorted({path for room in args.rooms for path in (ROOT / "golfnet" / room).rglob("*.py")})
    paths = [path for path in paths if not {path.stem, *path.parts}.intersection(_ELSEWHERE)]
    weights = [path.stat().st_size for path in paths]
    drawn = iter(partial(chance.choices, paths, weights), None)
    made = (mutant(path, chance) for (path,) in drawn)
    mutants = [one for one, _ in zip(filter(None, made), range(args.count), strict=False)]
    alive = 0
    with ThreadPoolExecutor(args.jobs) as pool:
        tried = {pool.submit(survives, one): one for one in mutants}
        for done in as_completed(tried):
            alive += done.result()
            print("survives" if done.result() else "killed  ", tried[done], flush=True)
    print(f"{len(mutants) - alive} of {len(mutants)} are killed")
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main())
