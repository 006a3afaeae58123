"""The tables of the protocol page in Markdown, generated from the registries they describe.

A table stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``; everything else on the page is written by
hand.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.commands.specs import CommandSpec, Group, usage
from golfnet.protocol.errors import BYE_ONLY, Code
from golfnet.protocol.replies.presence import CAUSES, ENUMS, NoticeCode


def protocol_page(page: str) -> str:
    """Return the page with its tables regenerated.

    Raise ``ValueError`` if the page lacks one of them.
    """
    for name, table in TABLES.items():
        begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        if not pattern.search(page):
            raise ValueError(f"a page with the lines {begin.strip()} and {end}")
        whole = f"{begin}\n{table()}\n\n{end}"
        page = pattern.sub(lambda _, whole=whole: whole, page, count=1)  # type: ignore[misc]
    return page


def _commands() -> str:
    groups = []
    for group in Group:
        specs = [spec for spec in COMMANDS.values() if spec.group is group]
        rows = [(f"`{usage(spec, machine=True)}`", _does(spec), spec.where.rstrip(".")) for spec in specs]
        groups.append(f"{group}\n\n{_table(('command', 'does', 'may be used'), rows)}")
    return "\n\n".join(groups)


def _does(spec: CommandSpec) -> str:
    return f"{spec.summary} *(text mode only)*" if spec.text_only else spec.summary


def _errors() -> str:
    rows = [
        (f"`{code}`", code.meaning, "yes" if code.retry else "no") for code in Code if code not in BYE_ONLY
    ]
    return _table(("code", "means", "`retry`"), rows)


def _byes() -> str:
    rows = [(f"`{code}`", code.meaning, "yes" if code.retry else "no") for code in Code if code in BYE_ONLY]
    return _table(("code", "means", "connect again"), rows)


def _values() -> str:
    rows = [
        (f"`{place}`", ", ".join([f"`{word}`" for word in words]))
        for place, words in ENUMS.items()
        if not place.endswith(".code")
    ]
    return _table(("place", "one of"), rows)


def _causes() -> str:
    return _table(("`cause`", "means"), [(f"`{cause}`", meaning) for cause, meaning in CAUSES.items()])


def _notices() -> str:
    return _table(("`notice.code`", "means"), [(f"`{code}`", code.meaning) for code in NoticeCode])


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(
        [f"| {' | '.join([cell.replace('|', chr(92) + '|') for cell in line])} |" for line in lines]
    )


TABLES: Final[Mapping[str, Callable[[], str]]] = {
    "commands": _commands,
    "errors": _errors,
    "byes": _byes,
    "values": _values,
    "causes": _causes,
    "notices": _notices,
}
"""The function that makes each table of the page, by the name in its markers."""
