"""A server setting: a field of the configuration, with a default and a group.

Values are typed, as in TOML, so a string is never mistaken for a number.
"""

from functools import partial
from types import MappingProxyType
from typing import Any, Final, TypeVar, dataclass_transform

from golfnet.engine.frozen import Frozen, FrozenClass

Value = int | float | bool | str | tuple[str, ...]

C = TypeVar("C")

_GROUPS: Final = {
    "web": "The page for phones",
    "listening": "Where it listens",
    "lan": "On the local network",
    "tls": "TLS",
    "proxy": "Behind a proxy",
    "clocks": "Clocks",
    "limits": "Limits",
    "kept": "What is kept",
    "cluster": "Several nodes of one server",
    "operators": "For operators",
}


class ConfigError(Exception):
    """An invalid setting; the text names it and says what is expected."""

    def __init__(self, name: str, expected: str) -> None:
        super().__init__(f"{name}: {expected}")
        self.name = name
        self.expected = expected


class Setting(Frozen, kw_only=True):
    """One setting, with values as in TOML; help shows ``stands_for`` in place of a value."""

    name: str
    meaning: str
    default: Value
    group: str
    stands_for: str
    bounds: tuple[float, float] | None
    choices: tuple[str, ...]

    @property
    def kind(self) -> type:
        """The type of the setting's values."""
        return type(self.default)

    @property
    def takes(self) -> str:
        """What values are allowed."""
        if self.bounds is not None:
            low, high = self.bounds
            return f"{'a whole number' if self.kind is int else 'a number'} from {low:_} to {high:_}".replace(
                "_", " "
            )
        return f"one of {', '.join(self.choices)}" if self.choices else _TAKES[self.kind]

    @property
    def flag(self) -> str:
        """The command line option."""
        return f"--{self.name.replace('_', '-')}"

    def checked(self, value: Any) -> Value:
        """Check a value, and return it with this setting's type, or raise ``ConfigError``."""
        if self.kind is float and type(value) is int:
            value = float(value)
        if self.kind is tuple and type(value) is list:
            value = tuple(value)
        is_valid = type(value) is self.kind and self._fits(value)
        if not is_valid:
            raise ConfigError(self.name, f"{self.takes}, not {_shown(value)}")
        return value  # type: ignore[no-any-return]

    def _fits(self, value: Any) -> bool:
        if self.bounds is not None:
            return bool(self.bounds[0] <= value <= self.bounds[1])
        if self.choices:
            return value in self.choices
        return self.kind is not tuple or all(type(each) is str for each in value)


_TAKES: Final = {bool: "true or false", str: "a string", tuple: "a list of strings"}


def setting(
    group: str,
    default: Any,
    meaning: str,
    bounds: tuple[float, float] | None = None,
    *,
    choices: tuple[str, ...] = (),
    stands_for: str = "",
) -> Any:
    """Describe a field of ``Config``; its values have the type of the default."""
    return partial(
        Setting,
        meaning=meaning,
        default=default,
        group=_GROUPS[group],
        stands_for=stands_for or ("N" if bounds else "TEXT"),
        bounds=bounds,
        choices=choices,
    )


@dataclass_transform(frozen_default=True, kw_only_default=True)
def configuration(kind: type[C]) -> type[C]:
    """Make a frozen record of a class whose fields are settings; its ``settings`` are these, by name and in order."""
    settings = {name: value(name=name) for name, value in vars(kind).items() if isinstance(value, partial)}
    members = {name: value for name, value in vars(kind).items() if name not in ("__dict__", "__weakref__")}
    members |= {name: each.default for name, each in settings.items()}
    made: Any = FrozenClass(kind.__name__, (Frozen,), members, kw_only=True)
    made.settings = MappingProxyType(settings)
    return made  # type: ignore[no-any-return]


def _shown(value: object) -> str:
    return repr(value).lower() if type(value) is bool else repr(value)
