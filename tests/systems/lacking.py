"""Run a golfnet command as if on a system that lacks much of what Linux has.

This affects only golfnet's modules: the libraries that they use support each system themselves. Arguments: ``windows``
or ``macos``, ``golfnet`` or ``golfnet-client``, and the command's own. ``HOME`` is left as the caller has set it.
"""

import builtins
import fcntl
import importlib
import selectors
import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType, ModuleType, SimpleNamespace
from typing import Any, Final, NamedTuple, cast

OURS: Final = ("golfnet", "golfnet_client")


class Lacks(NamedTuple):
    """The modules that a system lacks, the names that its modules lack, and the names that have other values there.

    ``added`` are modules that Linux lacks.
    """

    modules: frozenset[str]
    names: Mapping[str, frozenset[str]]
    instead: Mapping[str, Mapping[str, Any]]
    added: Mapping[str, Any] = MappingProxyType({})


def _locking(descriptor: int, mode: int, size: int) -> None:
    """Lock a file as ``msvcrt.locking`` locks bytes of it."""
    fcntl.flock(descriptor, mode | fcntl.LOCK_EX)


SYSTEMS: Final = {
    "windows": Lacks(
        modules=frozenset(("fcntl", "grp", "pwd", "resource", "termios")),
        names={
            "os": frozenset(
                (
                    *("O_NOFOLLOW", "O_NONBLOCK", "geteuid", "getpgrp", "getuid", "pread", "pwrite"),
                    *("sched_getaffinity", "setpriority", "tcgetpgrp"),
                )
            ),
            "signal": frozenset(("SIGHUP", "SIGKILL", "SIGUSR1", "SIGUSR2")),
            "socket": frozenset(("AF_UNIX", "SO_PEERCRED", "TCP_INFO")),
        },
        instead={
            "sys": {"platform": "win32"},
            "selectors": {"DefaultSelector": selectors.SelectSelector},  # has no descriptor of its own
        },
        added={"msvcrt": SimpleNamespace(LK_NBLCK=fcntl.LOCK_NB, locking=_locking)},
    ),
    "macos": Lacks(
        modules=frozenset(),
        names={"os": frozenset(("sched_getaffinity",)), "socket": frozenset(("SO_PEERCRED", "TCP_INFO"))},
        instead={"sys": {"platform": "darwin"}},
    ),
}


class Partial(ModuleType):
    """A module without some of its names, or with replacements for them."""

    def __init__(self, whole: ModuleType, lacks: frozenset[str], instead: Mapping[str, Any]) -> None:
        super().__init__(whole.__name__)
        vars(self).update(_whole=whole, _lacks=lacks, _instead=instead)

    def __getattr__(self, name: str) -> Any:
        if name in self._lacks:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return self._instead[name] if name in self._instead else getattr(self._whole, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._whole, name, value)


def hide(lacks: Lacks) -> None:
    """Hide what a system lacks from golfnet in this process."""
    partial = {
        name: Partial(
            importlib.import_module(name), lacks.names.get(name, frozenset()), lacks.instead.get(name, {})
        )
        for name in {*lacks.names, *lacks.instead}
    }
    whole_import = builtins.__import__

    def import_partly(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        importer = str((globals or {}).get("__name__", "")).partition(".")[0]
        if importer not in OURS or level:
            return whole_import(name, globals, locals, fromlist or (), level)
        if name in lacks.modules:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if name in lacks.added:
            return cast("ModuleType", lacks.added[name])
        module = whole_import(name, globals, locals, fromlist or (), level)
        return partial.get(module.__name__, module)

    builtins.__import__ = import_partly


def main(system: str, command: str, *arguments: str) -> int:
    """Run a command as if on the given system; return its exit status."""
    assert not [name for name in sys.modules if name.partition(".")[0] in OURS], "too late to hide anything"
    hide(SYSTEMS[system])
    module = {"golfnet": "golfnet.cli.main", "golfnet-client": "golfnet_client.app"}[command]
    return int(importlib.import_module(module).main(list(arguments)))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
