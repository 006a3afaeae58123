"""Python runs this at startup. It plants a fault in one module, in this process and in every process that it starts."""

import os
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

MODULE = os.environ.get("GOLFNET_FAULT_MODULE")

_unchanged = SourceFileLoader.get_code


def _get_code(loader: SourceFileLoader, fullname: str) -> Any:
    if fullname != MODULE:
        return _unchanged(loader, fullname)
    changed = Path(os.environ["GOLFNET_FAULT_SOURCE"]).read_text(encoding="utf-8")
    return compile(changed, loader.path, "exec", dont_inherit=True)


if MODULE is not None:
    SourceFileLoader.get_code = _get_code  # type: ignore[method-assign,assignment]
