"""The patches, and how one is applied."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
"""The tree that the patches are for."""

PATCHES: Final = tuple(sorted(Path(__file__).parent.glob("*.patch")))


def apply(patch: Path, tree: Path, *, check_only: bool = False) -> None:
    """Apply a patch to a tree, or see that it can be. Raise ``CalledProcessError``."""
    options = ["--check"] if check_only else []
    subprocess.run(
        ["git", "apply", "--unidiff-zero", *options, str(patch)],
        cwd=tree,
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_CEILING_DIRECTORIES": str(tree.parent)},
        check=True,
        capture_output=True,
        text=True,
    )
