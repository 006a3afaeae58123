"""Planted faults, and how to run a program or test with one: an import hook replaces the source of one module.

The faults are in ``faults.txt``.
"""

import ast
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
_HOOK: Final = Path(__file__).parent / "hook"

WORLDS, NODES = "worlds", "nodes"
"""Values of ``found_by``: simulated worlds of one server, or of three nodes. Any other value names a test file."""

SEEDS: Final = 100
"""Maximum number of worlds that search for a fault."""

_PROGRAM: Final = """
import sys
from tests.simulation.seeds import run_seed
for seed in range(1, int(sys.argv[2]) + 1):
    violation = run_seed(seed, cluster=sys.argv[1] == "nodes").violation
    if violation is not None:
        sys.exit(f"seed {seed}: {violation}")
"""


class Fault(NamedTuple):
    """A change to the source: in a function, ``place`` becomes ``change``. Both are Python code in any spacing.

    ``place`` must be an expression or a statement that occurs exactly once. ``function`` may also name a class.
    """

    name: str
    why: str
    module: str
    function: str
    found_by: str
    place: str
    change: str

    def source(self) -> str:
        """Return the source of the module with the fault; raise ``LookupError`` if it has no such place."""
        path = ROOT / "golfnet" / f"{self.module.replace('.', '/')}.py"
        tree = ast.parse(path.read_text(encoding="utf-8"))
        scope: ast.AST = tree
        for name in self.function.split("."):
            found = [node for node in ast.iter_child_nodes(scope) if getattr(node, "name", None) == name]
            if len(found) != 1:
                raise LookupError(f"{self.name}: {self.module} has no {self.function}")
            (scope,) = found
        (place,), change = ast.parse(self.place).body, ast.parse(self.change).body
        swap = _Swap(place, change)
        swap.visit(scope)
        if swap.times != 1:
            raise LookupError(f"{self.name}: {self.function} has {self.place!r} {swap.times} times")
        return ast.unparse(tree)


_FAULT: Final = re.compile(
    r"^([\w-]+): (.+)\n {4}([\w.]+) ([\w.]+), found by (.+)\n((?: {4}- .*\n)+)((?: {4}\+ .*\n)+)",
    re.MULTILINE,
)


FAULTS: Final = tuple(
    [
        Fault(*facts, *[re.sub("^ {4}[-+] ", "", code, flags=re.MULTILINE) for code in (place, change)])
        for *facts, place, change in _FAULT.findall(Path(__file__).with_name("faults.txt").read_text("utf-8"))
    ]
)


class _Swap(ast.NodeTransformer):
    """Replaces a statement or an expression wherever it occurs."""

    def __init__(self, place: ast.stmt, change: list[ast.stmt]) -> None:
        self.times = 0
        is_value = isinstance(place, ast.Expr) and isinstance(change[0], ast.Expr)
        self._change: ast.AST | list[ast.stmt] = change[0].value if is_value else change  # type: ignore[attr-defined]
        self._place: ast.AST = place.value if is_value else place  # type: ignore[attr-defined]
        self._dumped = ast.dump(self._place)

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        """Replace a node, or search inside it."""
        if type(node) is not type(self._place) or ast.dump(node) != self._dumped:
            return self.generic_visit(node)
        self.times += 1
        return self._change


def run(module: str, source: str, command: list[str], timeout: float) -> subprocess.CompletedProcess[str]:
    """Run Python and its children with a different source for one module; return code 124 means a timeout."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", encoding="utf-8") as changed:
        changed.write(source)
        changed.flush()
        paths = os.pathsep.join((str(_HOOK), str(ROOT)))
        planted = {
            "GOLFNET_FAULT_MODULE": f"golfnet.{module}",
            "GOLFNET_FAULT_SOURCE": changed.name,
            "HYPOTHESIS_PROFILE": "unshrunk",
            "PYTHONPATH": paths,
        }
        with subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env={**os.environ, **planted},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            try:
                out, err = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)  # including servers that tests have started
                process.communicate()
                return subprocess.CompletedProcess(command, 124, "", "took too long")
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def pytest_command(*tests: str) -> list[str]:
    """Return a command that stops at the first failing test."""
    return ["-m", "pytest", "-x", "-q", "--tb=line", "-p", "no:cacheprovider", *tests]


def worlds_command(kind: str, seeds: int) -> list[str]:
    """Return a command that stops at the first failing world."""
    return ["-c", _PROGRAM, kind, str(seeds)]


def seek(fault: Fault, timeout: float = 300.0) -> str:
    """Return the seed or test that finds a fault, with its output, or an empty text if nothing does."""
    if fault.found_by in (WORLDS, NODES):
        ran = run(fault.module, fault.source(), worlds_command(fault.found_by, SEEDS), timeout)
        return " ".join(ran.stderr.split()) if ran.returncode == 1 else ""
    ran = run(fault.module, fault.source(), pytest_command(fault.found_by), timeout)
    lines = ran.stdout.splitlines()
    return next((line for line in lines if line.startswith(("FAILED tests", "ERROR tests"))), "")
