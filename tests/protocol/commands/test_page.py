"""The protocol page says what the program does; ``pytest --renew`` rewrites its tables.

A table stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``; everything else on the page is written by
hand.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final, get_origin, get_type_hints

import golfnet.protocol
from golfnet.engine.events import EVENTS, INTERNAL, PRIVATE
from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.commands.specs import Group, usage
from golfnet.protocol.errors import BYE_ONLY, Code
from golfnet.protocol.replies.presence import ENUMS, TABLE_EVENTS, Cause, NoticeCode
from tests.golden import GoldenFiles

PAGE = Path(golfnet.protocol.__file__).with_name("PROTOCOL.md")
WIRE_NAMES = {"source": "from", "player": "name"}


def protocol_page(page: str) -> str:
    """Return the page with its tables regenerated."""
    for name, table in TABLES.items():
        begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        assert pattern.search(page), f"the page needs the lines {begin.strip()} and {end}"
        whole = f"{begin}\n{table()}\n\n{end}"
        page = pattern.sub(lambda _, whole=whole: whole, page, count=1)  # type: ignore[misc]
    return page


def _commands() -> str:
    groups = []
    for group in Group:
        rows = [
            (
                f"`{usage(spec, machine=True)}`",
                spec.summary + _TEXT_ONLY * spec.text_only,
                spec.where.rstrip("."),
            )
            for spec in COMMANDS.values()
            if spec.group is group
        ]
        groups.append(f"{group}\n\n{_table(('command', 'does', 'may be used'), rows)}")
    return "\n\n".join(groups)


_TEXT_ONLY: Final = " *(text mode only)*"


def _codes(*, bye: bool) -> str:
    codes = [code for code in Code if (code in BYE_ONLY) is bye]
    rows = [(f"`{code}`", code.meaning, "yes" if code.retry else "no") for code in codes]
    return _table(("code", "means", "connect again" if bye else "`retry`"), rows)


def _values() -> str:
    rows = [
        (f"`{place}`", ", ".join([f"`{word}`" for word in words]))
        for place, words in ENUMS.items()
        if not place.endswith(".code")
    ]
    return _table(("place", "one of"), rows)


def _meanings(key: str, words: Iterable[Cause | NoticeCode]) -> str:
    return _table((f"`{key}`", "means"), [(f"`{word}`", word.meaning) for word in words])


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(
        [f"| {' | '.join([cell.replace('|', chr(92) + '|') for cell in line])} |" for line in lines]
    )


TABLES: Final[Mapping[str, Callable[[], str]]] = {
    "commands": _commands,
    "errors": lambda: _codes(bye=False),
    "byes": lambda: _codes(bye=True),
    "values": _values,
    "causes": lambda: _meanings("cause", Cause),
    "notices": lambda: _meanings("notice.code", NoticeCode),
}
"""The function that makes each table of the page, by the name in its markers."""


def test_the_generated_tables_on_the_page_are_current(golden: GoldenFiles) -> None:
    golden.check(PAGE, protocol_page(PAGE.read_text()))


def test_the_row_for_an_event_has_its_fields() -> None:
    kinds: dict[str, Any] = {**EVENTS, **TABLE_EVENTS}
    table = PAGE.read_text().partition("<!-- begin events -->")[2].partition("<!-- end events -->")[0]
    for name, kind in kinds.items():
        rows = [line for line in table.split("\n") if f"`{name}`" in line.split(" | ")[0]]
        assert len(rows) == 1, f"write one row for `{name}` in the table of events in PROTOCOL.md by hand"
        hidden = INTERNAL.get(kind, {})
        fields = [
            WIRE_NAMES.get(field, field)
            for field, hint in get_type_hints(kind).items()
            if field not in hidden and get_origin(hint) is not ClassVar
        ]
        cell = rows[0].split(" | ")[1]
        missing = [field for field in fields if f"`{field}`" not in cell]
        assert missing == [], f"name these in the row of `{name}`"
        assert ("private" in cell) == (kind in PRIVATE)
