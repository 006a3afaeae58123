"""Write the commit into what is built, so that ``golfnet --version`` can print it without git."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommitHook(BuildHookInterface):
    """Adds ``golfnet/COMMIT`` to wheels and source archives; a wheel made from an archive takes the archive's."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file if the commit is known, but not to an editable installation, which is a checkout."""
        sys.path.insert(0, self.root)
        from golfnet.release import WRITTEN, commit

        package = Path(self.root, "golfnet")
        known = commit(package)
        if version == "editable" or not known:
            return
        if (package / WRITTEN).exists():
            build_data["artifacts"].append(f"golfnet/{WRITTEN}")
            return
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name, WRITTEN)
        path.write_text(f"{known}\n", encoding="ascii")
        build_data["force_include"][str(path)] = f"golfnet/{WRITTEN}"
