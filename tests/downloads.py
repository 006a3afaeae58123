"""Check where golfnet installs without a compiler: ask the package index for wheels for each system and Python.

``python -m tests.downloads`` takes minutes and prints a table (``all`` includes every extra); nothing is installed. The
exit status is 1 if a system lacks a wheel. It needs an index, so it is not a test.
"""

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Final

PROJECT: Final = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]

PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")

PLATFORMS: Final = {
    "Linux x86-64": ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    "Linux ARM": ("manylinux_2_28_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64"),
    "Alpine x86-64": ("musllinux_1_2_x86_64",),
    "macOS ARM": ("macosx_14_0_arm64", "macosx_11_0_arm64", "macosx_12_0_arm64"),
    "macOS Intel": ("macosx_14_0_x86_64", "macosx_10_13_x86_64", "macosx_10_9_x86_64"),
    "Windows x86-64": ("win_amd64",),
    "Windows ARM": ("win_arm64",),
}


def needs(*extras: str) -> list[str]:
    """Return the requirements of golfnet and of the given extras."""
    optional = PROJECT["optional-dependencies"]
    names = [name for name in optional if name != "all"] if "all" in extras else list(extras)
    return [*PROJECT["dependencies"], *(need for name in names for need in optional[name])]


def problem(python: str, tags: tuple[str, ...], wanted: list[str]) -> str:
    """Return what is missing for a Python version on a system, or an empty text if nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--target", folder),
                *("--only-binary=:all:", "--implementation=cp", f"--python-version={python}"),
                *(f"--platform={tag}" for tag in tags),
                *wanted,
            ],
            capture_output=True,
            text=True,
        )
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
    return "" if done.returncode == 0 else (errors or [f"pip exited with {done.returncode}"])[-1]


def main(*extras: str) -> int:
    """Print the table; return the exit status."""
    wanted = needs(*extras)
    status = 0
    for name, tags in PLATFORMS.items():
        for python in PYTHONS:
            missing = problem(python, tags, wanted)
            print(f"{name:<15} {python:<5} {missing or 'ok'}", flush=True)
            status |= bool(missing)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
