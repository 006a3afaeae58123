"""The protocol page says what the program does; ``pytest --renew`` rewrites its tables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, get_origin, get_type_hints

import pytest

import golfnet.protocol
from golfnet.engine.events import EVENTS, INTERNAL
from golfnet.engine.wire import PRIVATE
from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.errors import Code
from golfnet.protocol.replies.presence import TABLE_EVENTS
from tests.protocol.page import TABLES, protocol_page

if TYPE_CHECKING:
    from tests.golden import GoldenFiles

PAGE = Path(golfnet.protocol.__file__).with_name("PROTOCOL.md")
WIRE_NAMES = {"source": "from", "player": "name"}


def part(name: str) -> str:
    text = PAGE.read_text()
    return text.partition(f"<!-- begin {name} -->")[2].partition(f"<!-- end {name} -->")[0]


def test_the_generated_tables_on_the_page_are_current(golden: GoldenFiles) -> None:
    golden.check(PAGE, protocol_page(PAGE.read_text()))


def test_every_command_and_every_code_has_a_row() -> None:
    commands, codes = part("commands"), part("errors") + part("byes")
    missing = [verb for verb in COMMANDS if not re.search(rf"^\| `{verb}[ `]", commands, re.MULTILINE)]
    missing += [code for code in Code if f"| `{code}` | {code.meaning} |" not in codes]
    assert missing == [], "pytest --renew adds their rows"


def test_a_page_without_its_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="begin commands"):
        protocol_page("# A page\n")


def test_all_rows_of_a_table_have_the_same_number_of_cells() -> None:
    for make in TABLES.values():
        for table in make().split("\n\n"):
            rows = [line for line in table.split("\n") if line.startswith("|")]
            assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1


@pytest.mark.parametrize("kind", [*EVENTS.values(), *TABLE_EVENTS.values()], ids=[*EVENTS, *TABLE_EVENTS])
def test_the_row_for_an_event_has_its_fields(kind: type) -> None:
    name = kind.name  # type: ignore[attr-defined]
    rows = [line for line in part("events").split("\n") if f"`{name}`" in line.split(" | ")[0]]
    assert len(rows) == 1, f"write one row for `{name}` in the table of events in PROTOCOL.md by hand"
    [row] = rows
    hidden = INTERNAL.get(kind, frozenset())
    fields = [
        WIRE_NAMES.get(name, name)
        for name, hint in get_type_hints(kind).items()
        if name not in hidden and get_origin(hint) is not ClassVar
    ]
    cell = row.split(" | ")[1]
    assert [field for field in fields if f"`{field}`" not in cell] == [], f"name these in the row of `{name}`"
    assert ("private" in cell) == (kind in PRIVATE)
