"""The pages of the manual: how a file is written and parsed, and what is true of every command and topic."""

from collections import Counter
from pathlib import Path

import pytest

import golfnet.manual
from golfnet.manual import read_files
from golfnet.protocol.commands.catalog import COMMANDS, verbs_of
from golfnet.protocol.commands.help import LISTS, help_page
from golfnet.protocol.commands.pages import (
    PLACEHOLDER,
    TOPICS,
    HelpPage,
    ManualError,
    fill_in,
    plain_word,
    read_manual,
)
from golfnet.protocol.commands.parse import parse
from golfnet.protocol.commands.specs import Group

FILES = read_files()
NAMED = {found[1] for text in FILES.values() for found in PLACEHOLDER.finditer(text)}
MANUAL = read_manual(FILES, dict.fromkeys(NAMED, 7))
"""The manual as tests use it: every value that depends on the server is 7."""

PAGES = [*MANUAL.commands.values(), *MANUAL.topics.values()]


def titles(text: str) -> list[str]:
    return [line.removeprefix("# ") for line in text.split("\n") if line.startswith("# ")]


BARE = {file: "".join(f"# {line}\n\n" for line in titles(text)) for file, text in FILES.items()}
"""The files, reduced to the titles of their pages."""


# --- how a file is parsed


def test_a_page_has_paragraphs_tables_literal_lines_and_related_words() -> None:
    text = """# Fair deals\n
Other names: seed,
the shuffle\n
A paragraph in
two lines, {n:time}.\n
first
: what it
  means
- second
: {n:words}\n
    1 2
      3 4\n
See also: cut, coming back
"""
    manual = read_manual(BARE | {"topics/fair": text}, {"n": 3})
    assert manual.topics["fair"] == HelpPage(
        title="Fair deals",
        names=("seed", "the-shuffle"),
        blocks=(
            "A paragraph in two lines, 3 seconds.",
            (("first", "what it means"), ("- second", "three")),
            "  1 2\n    3 4",
        ),
        see=("cut", "coming back"),
    )
    assert manual.topic_names["the-shuffle"] == "fair"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"topics/fair": "# Fair\n\nfirst\n: one\nsecond\n"}, "fair: there is no description of second"),
        ({"topics/nonsense": "# A\n"}, "golfnet/manual has a page for each"),
        ({"commands/play": "# draw\n"}, "golfnet/manual has a page for each"),
    ],
)
def test_a_row_without_text_and_an_extra_or_missing_page_are_errors(
    change: dict[str, str], error: str
) -> None:
    with pytest.raises(ManualError, match=error):
        read_manual(BARE | change, {})


# --- how the files are written


def test_each_group_has_a_file_with_its_commands_in_order_and_each_topic_has_a_file() -> None:
    groups = {f"commands/{group.name.lower()}": verbs_of(group) for group in Group}
    assert {file: tuple(titles(FILES[file])) for file in groups} == groups
    assert {*FILES} - {*groups} == {f"topics/{name.replace(' ', '-')}" for name in TOPICS}


def test_the_files_are_plain_ascii_text_and_the_folder_contains_no_others() -> None:
    for file, text in FILES.items():
        assert text.isascii()
        assert text.startswith("# ")
        assert text == text.rstrip("\n") + "\n"
        lines = text.splitlines()
        assert [line for line in lines if line != line.rstrip() or len(line) > 100] == [], file
    root = Path(golfnet.manual.__file__).parent
    found = {str(path.relative_to(root).with_suffix("")) for path in root.glob("*/*") if path.is_file()}
    assert {each for each in found if not each.startswith("__pycache__")} == {*FILES}


# --- what is true of every page


def test_a_page_has_text_and_links_to_other_pages() -> None:
    for page in PAGES:
        assert page.paragraphs
        assert all(block and block != "See also:" for block in page.blocks)
        assert page.see
        assert page.title not in page.see
        assert all(help_page(word, MANUAL) for word in page.see)


def test_pages_include_every_list_exactly_once_and_no_unknown_list() -> None:
    asked = Counter(text for page in PAGES for text in page.paragraphs if text.startswith("["))
    assert asked == Counter(list(LISTS))


def test_the_examples_of_a_command_are_valid_where_it_may_be_used() -> None:
    for verb, page in MANUAL.commands.items():
        assert page.rows
        assert sum(not isinstance(block, str) for block in page.blocks) == 1
        for line, does in page.rows:
            assert does
            assert parse(line, machine=False).verb == verb
            if COMMANDS[verb].for_programs and not COMMANDS[verb].text_only:
                assert parse(line, machine=True).verb == verb


@pytest.mark.parametrize(("topic", "machine"), [("chat", False), ("coming back", False), ("machine", True)])
def test_the_lines_shown_in_a_topic_are_valid(topic: str, machine: bool) -> None:
    for line, _ in MANUAL.topics[topic].rows:
        assert parse(line, machine=machine).verb in COMMANDS


def test_every_topic_is_reached_from_the_first_page_by_name_and_from_another_page() -> None:
    listed = " ".join(help_page("", MANUAL)).split("Topics (type help and a topic): ")[1].split(", ")
    assert listed == list(TOPICS)
    for name in TOPICS:
        title = MANUAL.topics[name].title
        for word in (name, *MANUAL.topics[name].names):
            assert title in help_page(word, MANUAL), word
    linked = {MANUAL.topic_names.get(plain_word(word)) for page in PAGES for word in page.see}
    assert linked >= set(TOPICS) - FOUND_BY_LIST


FOUND_BY_LIST = {"limits", "telnet"}
"""Topics that can only be reached from the list of topics."""


def test_no_word_names_two_topics_or_a_topic_and_a_command() -> None:
    counted = Counter(
        plain_word(name) for topic, page in MANUAL.topics.items() for name in {topic, *page.names}
    )
    assert not [name for name, count in counted.items() if count > 1]
    assert not [name for page in MANUAL.topics.values() for name in page.names if name in COMMANDS]


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("{n} bytes", 262_144, "262144 bytes"),
        ("{n}", 1_000_000, "1000000"),
        ("{n:words} tables", 10, "ten tables"),
        ("{n:words}", 13, "13"),
        ("the {n:ordinal} time", 3, "the third time"),
        ("the {n:ordinal} time", 11, "the 11th time"),
        ("{n:share} of it", 0.5, "half of it"),
        ("{n:share} of it", 0.4, "40% of it"),
        ("{n:line|lines} of chat", 1, "1 line of chat"),
        ("{n:line|lines} of chat", 8, "8 lines of chat"),
        ("{n:time}", 0, "0 seconds"),
        ("{n:time}", 1, "1 second"),
        ("{n:time}", 0.12, "120 ms"),
        ("{n:time}", 60, "60 seconds"),
        ("{n:time}", 90, "90 seconds"),
        ("{n:time}", 120, "2 minutes"),
        ("{n:time}", 3600, "60 minutes"),
        ("{n:time}", 7200, "2 hours"),
        ("{n:time}", 100 * 86_400, "100 days"),
        ("{n:time in words}", 600, "ten minutes"),
        ("{n:time in words}", 90 * 86_400, "three months"),
        ("{n:time in words}", 0.25, "a quarter of a second"),
        ("{n:time in words}", 0.3, "300 ms"),
        ("{n:limit}", 60, "60 seconds"),
        ("{n:limit}", 0, "as long as you like"),
        ("{n:size}", 262_144, "256 KiB"),
        ("{n:size}", 2 * 1024**2, "2 MiB"),
        ("begins with {, or {N}, {} and { n }", 5, "begins with {, or {N}, {} and { n }"),
    ],
)
def test_values_are_formatted_as_the_placeholder_says(text: str, value: float, expected: str) -> None:
    assert fill_in(text, {"n": value}, file="topics/a") == expected


@pytest.mark.parametrize(
    ("text", "error"),
    [("{clokc}", "no value has the name clokc"), ("{clock:tiem}", "tiem is none of the forms")],
)
def test_an_unknown_value_or_format_in_a_file_is_an_error(text: str, error: str) -> None:
    with pytest.raises(ManualError, match=f"topics/clock: {error}"):
        fill_in(text, {"clock": 3}, file="topics/clock")
