"""Which golfnet this is: its version and, if known, the commit that it was built from.

The commit is looked up only when a function is called: importing golfnet starts no program and reads no file.
"""

import subprocess
from pathlib import Path
from typing import Final

from golfnet import __version__

WRITTEN: Final = "COMMIT"
"""The file in the package that contains the commit; ``deploy/hatch_build.py`` adds it to every build."""


def commit(package: Path = Path(__file__).parent) -> str:
    """Return the commit of the checkout around a package, or the one in the package's file, or ``""`` if unknown."""
    checkout = package.parent / ".git"
    if checkout.exists():
        command = ("git", "--git-dir", str(checkout), "rev-parse", "--verify", "--short=12", "HEAD")
        try:
            return subprocess.check_output(command, stderr=subprocess.PIPE, text=True, timeout=10).strip()
        except (OSError, subprocess.SubprocessError):
            return ""
    try:
        return (package / WRITTEN).read_text(encoding="ascii").strip()
    except OSError:
        return ""


def version_line(program: str) -> str:
    """Return what ``--version`` prints: ``golfnet 0.2.0 (1a2b3c4d5e6f)``."""
    known = commit()
    return f"{program} {__version__} ({known})" if known else f"{program} {__version__}"
