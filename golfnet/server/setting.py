"""A server setting: a field of the configuration, with a default and a group.

Values are typed, as in TOML, so a string is never mistaken for a number.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, Final

from golfnet.engine.forms import FormField, ValueForm, parts_of
from golfnet.engine.variants import dump

Value = int | float | bool | str | tuple[str, ...]

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


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Setting(FormField[Any]):
    """One setting, with values as in TOML; help shows ``stands_for`` in place of a value."""

    default: Value
    group: str
    stands_for: str

    @property
    def kind(self) -> type:
        """The type of the setting's values."""
        return type(self.default)

    @property
    def flag(self) -> str:
        """The command line option."""
        return f"--{self.name.replace('_', '-')}"

    def checked(self, value: object) -> Value:
        """Check a value, and return it with this setting's type, or raise ``ConfigError``."""
        if self.kind is float and type(value) is int:
            value = float(value)
        try:
            return self.read(value)  # type: ignore[no-any-return]
        except ValueError:
            raise ConfigError(self.name, f"{self.takes}, not {_shown(value)}") from None


def _form(
    kind: type, takes: str, fits: Callable[[Any], bool] = lambda value: True, **known: Any
) -> ValueForm[Any]:

    def read(value: object) -> object:
        if type(value) is not kind or not fits(value):
            raise ValueError(value)
        return value

    return ValueForm(takes=takes, read=read, write=dump, **known)


def _number(kind: type, low: float, high: float) -> ValueForm[Any]:
    what = "a whole number" if kind is int else "a number"
    takes = f"{what} from {low:_} to {high:_}".replace("_", " ")
    return _form(kind, takes, lambda value: low <= value <= high, bounds=(low, high))


def _choice(words: tuple[str, ...]) -> ValueForm[Any]:
    return _form(str, f"one of {', '.join(words)}", words.__contains__, words=dict.fromkeys(words, ""))


def _read_texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(type(each) is str for each in value):
        raise ValueError(value)
    return tuple(value)


_OTHERS: Final[dict[type, ValueForm[Any]]] = {
    bool: _form(bool, "true or false"),
    str: _form(str, "a string"),
    tuple: ValueForm(takes="a list of strings", read=_read_texts, write=dump),
}


def setting(
    group: str,
    default: Any,
    meaning: str,
    low: float | None = None,
    high: float | None = None,
    *,
    choices: tuple[str, ...] = (),
    stands_for: str = "",
) -> Any:
    """Return a field of ``Config``; its values have the type of the default."""
    if low is not None and high is not None:
        form = _number(type(default), low, high)
    else:
        form = _choice(choices) if choices else _OTHERS[type(default)]
    known = {"meaning": meaning, "group": group, "form": form, "stands_for": stands_for}
    return dataclasses.field(default=default, metadata=known)


def described(it: dataclasses.Field[Any]) -> Setting:
    """Return the setting that a field of ``Config`` describes."""
    assert it.default is not dataclasses.MISSING
    about = it.metadata
    return Setting(
        name=it.name,
        meaning=about["meaning"],
        default=it.default,
        group=_GROUPS[about["group"]],
        stands_for=about["stands_for"] or ("N" if type(it.default) in (int, float) else "TEXT"),
        **parts_of(about["form"]),
    )


def _shown(value: object) -> str:
    if isinstance(value, str):
        return repr(value)
    return str(value).lower() if type(value) is bool else str(value)
