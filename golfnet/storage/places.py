"""Where golfnet stores its files, according to ``platformdirs``: one folder for state, one for settings.

On Linux these follow the XDG variables; on macOS and Windows there may be one folder for both.
"""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import platformdirs

_NAME: Final = "golfnet"

_BEFORE: Final = Path(".local", "state", _NAME)
"""Under the home folder: where the state is on Linux, and stays on macOS if it is already there."""


def state_folder() -> Path:
    """Return the folder for persistent data: databases, tokens, matches."""
    if not os.environ.get("XDG_STATE_HOME"):
        with contextlib.suppress(RuntimeError):
            before = Path.home() / _BEFORE
            if before.is_dir():
                return before
    return _folder(platformdirs.user_state_path)


def default_database() -> Path:
    """Return the database for a server for which none is configured."""
    return state_folder() / "golfnet.db"


def default_settings() -> Path:
    """Return the configuration file for a server for which none is named."""
    return _folder(platformdirs.user_config_path) / "golfnet.toml"


def _folder(of_user: Callable[..., Path]) -> Path:
    try:
        return of_user(_NAME, appauthor=False)
    except RuntimeError:  # a user without a home, as in some containers: nothing can be stored
        return Path(os.devnull) / _NAME
