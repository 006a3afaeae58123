"""Python runs this at startup. It plants a fault in one module, in this process and in every process that it starts."""

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from typing import Any

MODULE = os.environ.get("GOLFNET_FAULT_MODULE")


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> Any:
        changed = Path(os.environ["GOLFNET_FAULT_SOURCE"]).read_text(encoding="utf-8")
        return compile(changed, self.path, "exec", dont_inherit=True)


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name == MODULE else None
        if spec is not None:
            spec.loader = _Loader(name, str(spec.origin))
        return spec


if MODULE is not None:
    sys.meta_path.insert(0, _Finder)
