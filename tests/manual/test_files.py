"""The manual's files are plain text in the documented form, and its folder contains nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import golfnet.manual
from golfnet.manual import read_files
from golfnet.protocol.commands.catalog import verbs_of
from golfnet.protocol.commands.pages import TOPICS
from golfnet.protocol.commands.specs import Group

FILES = read_files()


def test_every_command_group_and_topic_has_a_file() -> None:
    groups = [f"commands/{group.name.lower()}" for group in Group]
    topics = [f"topics/{name.replace(' ', '-')}" for name in TOPICS]
    assert sorted(FILES) == sorted([*groups, *topics])


@pytest.mark.parametrize("group", Group)
def test_a_group_file_lists_its_commands_in_order(group: Group) -> None:
    assert tuple(re.findall(r"^# (.*)", FILES[f"commands/{group.name.lower()}"], re.MULTILINE)) == verbs_of(
        group
    )


@pytest.mark.parametrize("text", FILES.values(), ids=list(FILES))
def test_manual_files_are_plain_text_for_any_editor(text: str) -> None:
    assert text.isascii()
    assert text.startswith("# ")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    for line in text.splitlines():
        assert line == line.rstrip()
        assert len(line) <= 100


def test_the_manual_folder_contains_no_other_files() -> None:
    root = Path(golfnet.manual.__file__).parent
    found = {str(path.relative_to(root).with_suffix("")) for path in root.glob("*/*") if path.is_file()}
    assert {each for each in found if not each.startswith("__pycache__")} == set(FILES)
