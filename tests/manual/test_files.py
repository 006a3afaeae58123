"""The files of the manual can be edited as they are told to be written, and nothing else lies among them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import golfnet.manual
from golfnet.manual import read_files
from golfnet.protocol.commands.catalog import verbs_of
from golfnet.protocol.commands.manual import TOPICS
from golfnet.protocol.commands.specs import Group

FILES = read_files()


def test_there_is_a_file_for_each_group_of_commands_and_for_each_topic() -> None:
    groups = [f"commands/{group.name.lower()}" for group in Group]
    topics = [f"topics/{name.replace(' ', '-')}" for name in TOPICS]
    assert sorted(FILES) == sorted([*groups, *topics])


@pytest.mark.parametrize("group", Group)
def test_the_file_of_a_group_has_its_commands_in_the_order_of_lists(group: Group) -> None:
    assert tuple(re.findall(r"^# (.*)", FILES[f"commands/{group.name.lower()}"], re.MULTILINE)) == verbs_of(
        group
    )


@pytest.mark.parametrize("text", FILES.values(), ids=list(FILES))
def test_a_file_is_plain_text_for_any_editor(text: str) -> None:
    assert text.isascii()
    assert text.startswith("# ")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    for line in text.splitlines():
        assert line == line.rstrip()
        assert len(line) <= 100


def test_nothing_else_lies_among_the_files() -> None:
    root = Path(golfnet.manual.__file__).parent
    found = {str(path.relative_to(root).with_suffix("")) for path in root.glob("*/*") if path.is_file()}
    assert {each for each in found if not each.startswith("__pycache__")} == set(FILES)
