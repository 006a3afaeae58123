"""Which golfnet this is: its version, and the commit that it was made from where that is known.

Nothing is looked up before somebody asks: importing golfnet starts no program and reads no file.
"""

import subprocess
from pathlib import Path
from typing import Final

from golfnet import __version__

PACKAGE: Final = Path(__file__).parent

WRITTEN: Final = "COMMIT"
"""The file of the package with the commit; ``deploy/hatch_build.py`` writes it into what is built."""


def commit(package: Path = PACKAGE) -> str:
    """Return the commit of the checkout around a package, else the one written into it, else an empty string."""
    checkout = package.parent / ".git"
    if checkout.exists():
        asked = ("git", "--git-dir", str(checkout), "rev-parse", "--verify", "--short=12", "HEAD")
        try:
            return subprocess.run(
                asked, capture_output=True, check=True, text=True, timeout=10
            ).stdout.strip()
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
