"""Run one benchmark by its name: ``python -m tests.benchmarks engine``; ``--help`` after the name says more.

Without a name it prints the one table of aims (``server``).
"""

from __future__ import annotations

import sys
from importlib import import_module
from pkgutil import iter_modules

import tests.benchmarks


def main() -> None:
    """Hand the rest of the command line to the benchmark that its first word names."""
    names = sorted(each.name for each in iter_modules(tests.benchmarks.__path__) if each.name[:1] != "_")
    if len(sys.argv) > 1 and sys.argv[1] not in names:
        sys.exit(f"usage: python -m tests.benchmarks [{{{','.join(names)}}} [options]]")
    name = sys.argv.pop(1) if len(sys.argv) > 1 else "server"
    sys.argv[0] = f"python -m tests.benchmarks {name}"
    sys.exit(import_module(f"tests.benchmarks.{name}").main())


if __name__ == "__main__":
    main()
