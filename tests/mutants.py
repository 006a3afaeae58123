"""Make one random change to golfnet at a time, and print the changes that no test finds.

``python -m tests.mutants --seed 7 --count 60`` changes the packages that decide what is played and stored. It changes
one comparison, condition, number or call in a function. It first runs the tests that execute the changed line, the
nearest ones first, and then some simulated worlds. A survivor reveals a missing test, or code without effect.

Which tests execute a line is recorded by running them all once, which takes some minutes; ``--renew`` does it again.
"""

import argparse
import ast
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from coverage import CoverageData

from tests.faults.planting import NODES, ROOT, WORLDS, pytest_command, run, worlds_command

ROOMS: Final = ("engine", "protocol", "server/table", "server/journal", "server/accounts", "storage")

_RECORD: Final = ROOT / ".venv-test" / "tests-by-line"
"""Coverage data with the tests that execute each line."""

_SECONDS: Final = 900.0
"""Time limit in seconds for the tests of one mutant; more means an endless loop."""

_MOST: Final = 200
"""Maximum number of tests that are run for one mutant: nearly all tests execute some lines of the engine."""

_PAIRS: Final[tuple[tuple[Any, Any], ...]] = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn)),
    *((ast.And, ast.Or), (ast.Add, ast.Sub)),
)
_OTHER: Final[dict[type[ast.AST], Any]] = {one: two for pair in _PAIRS for one, two in (pair, pair[::-1])}


class Mutant(NamedTuple):
    """A module with one change; ``line`` and ``what`` say where and what it is, ``lines`` is the whole statement."""

    path: Path
    line: int
    lines: range
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
    statements = [each for each in ast.walk(tree) if isinstance(each, ast.stmt)]
    around = [range(each.lineno, (each.end_lineno or 0) + 1) for each in statements]
    lines = min([lines for lines in around if node.lineno in lines], key=len)
    return Mutant(path, node.lineno, lines, f"{before}  ->  {after}", ast.unparse(tree))


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
    name = (
        str(one.path.relative_to(ROOT / "golfnet").with_suffix(""))
        .replace("/", ".")
        .removesuffix(".__init__")
    )
    near = tests_of(one)[:_MOST]
    if near and run(name, one.source, pytest_command(*near), _SECONDS).returncode:
        return False
    return not any(
        run(name, one.source, worlds_command(kind, 20), _SECONDS).returncode for kind in (WORLDS, NODES)
    )


def tests_of(one: Mutant) -> list[str]:
    """Return the tests that execute a mutant's statement: first those of its module, then of its package."""
    data = CoverageData(str(_RECORD))
    data.read()
    by_line = data.contexts_by_lineno(str(one.path))
    contexts = {context for line in one.lines for context in by_line.get(line, ())}
    if "" in contexts:  # it is executed when the module is imported
        contexts = {context for some in by_line.values() for context in some}
    tests = {context.partition("|")[0] for context in contexts} - {""}
    package = f"tests/{one.path.parent.relative_to(ROOT / 'golfnet')}/"
    module = f"{package}test_{one.path.stem}.py"
    chance = random.Random(one.line)
    if not tests:
        return [str(ROOT / package)]
    order = {
        test: (not test.startswith(module), not test.startswith(package), chance.random())
        for test in sorted(tests)
    }
    return sorted(order, key=order.__getitem__)


def record() -> None:
    """Run all tests once, and record which of them execute each line."""
    options = ["--cov", "--cov-context=test", "--cov-report=", "-n", "2", "--maxprocesses=2", "-q"]
    options += ["-k", "not read_only_directory"]  # where coverage cannot write either
    subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=ROOT,
        env={**os.environ, "COVERAGE_FILE": str(_RECORD)},
    )


def main() -> int:
    """Return 1 if any mutant has survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("rooms", nargs="*", default=ROOMS, help="folders of golfnet")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed for the random changes")
    parser.add_argument("--count", type=int, default=60, metavar="N", help="how many")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="how many processes test them")
    parser.add_argument("--renew", action="store_true", help="record again which tests execute each line")
    args = parser.parse_args()
    chance = random.Random(args.seed)
    paths = sorted({path for room in args.rooms for path in (ROOT / "golfnet" / room).rglob("*.py")})
    if args.renew or not _RECORD.exists():
        record()
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
