"""There is help on everything, generated from the tables, and it fits on a screen."""

import re
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from golfnet.engine.options import FIELDS
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.commands.catalog import COMMANDS, SHORT_FORMS
from golfnet.protocol.commands.help import help_page, words
from golfnet.protocol.commands.pages import PAGE_WIDTH, TOPICS, PageLayout
from golfnet.protocol.commands.settings import SETTINGS
from golfnet.protocol.commands.specs import Group, usage
from golfnet.protocol.errors import BYE_ONLY, Code, Refused
from tests.protocol.commands.test_manual import MANUAL

TABLE_OPTIONS = ["name", "password", "clock", "pause", "fill", "level", "hints", "wait"]


@pytest.mark.parametrize("width", [24, 47, 78])
@pytest.mark.parametrize("spoken", [False, True], ids=["columns", "spoken"])
def test_no_line_of_any_help_page_exceeds_the_width(*, width: int, spoken: bool) -> None:
    layout = PageLayout(width, is_spoken=spoken)
    for word in ("", *words(), *SHORT_FORMS):
        for line in help_page(word, MANUAL, layout=layout):
            assert line.isascii()
            assert len(line) <= width, (word, line)
            assert line == line.rstrip()
            assert line or not spoken


def test_explanations_are_beside_their_command_or_below_it_if_space_is_short() -> None:
    wide, narrow = help_page("", MANUAL), help_page("", MANUAL, layout=PageLayout(38))
    assert "  tables           see who is playing; join t1 sits you down at table t1" in wide
    at = narrow.index("  tables")
    assert narrow[at + 1 : at + 3] == ["    see who is playing; join t1 sits", "    you down at table t1"]


def test_every_word_that_has_help_is_listed() -> None:
    listed = {*COMMANDS, *TOPICS, *FIELDS, *TABLE_OPTIONS, *SETTINGS, *Code, *VARIANTS, "commands"}
    assert set(words()) == listed


def test_the_first_page_is_one_screen_and_names_every_command_and_topic() -> None:
    page = help_page("", MANUAL)
    assert page == help_page("  ", MANUAL)
    assert len(page) <= 32
    assert page.index("What to type first") < 4
    text = " ".join(page).replace(",", " ").split()
    assert all(verb in text for verb in COMMANDS)
    assert all(word in text for topic in TOPICS for word in topic.split())


def joined(word: str) -> str:
    """Return a page as one line."""
    return " ".join(" ".join(help_page(word, MANUAL)).split())


def test_help_pages_contain_everything_in_the_tables() -> None:
    everything = joined("commands")
    assert all(group in everything for group in Group)
    for spec in COMMANDS.values():
        page, manual = joined(spec.verb), MANUAL.commands[spec.verb]
        assert f"{usage(spec).partition(' [')[0]} " in everything
        assert spec.summary in everything
        assert page.startswith(usage(spec))
        assert all(paragraph in page for paragraph in manual.paragraphs)
        assert all(f"{line} " in page and does in page for line, does in manual.rows)
        assert all(f"{option.name}=" in page for option in spec.options)
    for code in Code:
        assert code.meaning in joined(code.value)
        assert help_page(code.value.lower(), MANUAL)
    for name, field in FIELDS.items():
        page = joined(name)
        assert all(text in page for text in (field.meaning, field.takes, *field.words.values()))


def test_codes_that_end_a_connection_are_listed_after_those_that_refuse_a_command() -> None:
    refusing, closing = "\n".join(help_page("codes", MANUAL)).split("Why the server closes a connection:")
    for code in Code:
        assert re.search(rf"^  {code}\b", closing if code in BYE_ONLY else refusing, re.MULTILINE), code


def test_a_page_is_found_by_any_name_or_short_form_in_any_spelling() -> None:
    names = ("coming back", "Coming-Back", "COMING_BACK", "grace", "  coming   back ")
    assert {help_page(name, MANUAL)[0] for name in names} == {"Losing the connection, and coming back"}
    assert {help_page(word, MANUAL)[0] for word in ("d", "dr", "DRAW", "draw")} == {"draw"}


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("cloks", "There is no help on 'cloks'. Did you mean help clock?"),
        *(
            ("swich", "mean help switch?"),
            ("eigth-card", "mean help eight-card?"),
            ("STALLE", "mean help STALE?"),
        ),
        *((word, "what there is, type: help") for word in ("stalle", "qqqqq\x1b[31m" * 50)),
    ],
)
def test_an_unknown_word_is_answered_with_the_closest_one_or_help(typed: str, said: str) -> None:
    with pytest.raises(Refused, match=re.escape(said)) as caught:
        help_page(typed, MANUAL, ["eight-card"])
    assert caught.value.code is Code.BAD_ARGUMENT


# A word that people type, and the page it should lead to.
PAIRS = """
    speech:styles points:score stage:watch exit:quit spectate:watch powers:powers power:powers undo:short
    friend:create lan:telnet replay:record rating:stats guest:name columns:columns golf:commands seat:positions
    watcher:kick score:score cards:cards bot:bots quit:quit password:passwd four:four-turn
"""


def test_common_words_find_the_intended_help_page() -> None:
    for word, _, meant in [pair.partition(":") for pair in PAIRS.split()]:
        page = help_page(word, MANUAL)
        named = re.findall(r"help ([a-z-]+)", " ".join(page))
        heads = {title for title, about in MANUAL.topics.items() if about.title in page}
        assert meant in {page[0].split(" ")[0].split("=")[0], *heads, *named}, word


def test_several_pages_are_listed_with_descriptions_and_each_can_be_opened() -> None:
    page = help_page("friend", MANUAL)
    assert page == [
        "Pages about 'friend':",
        "",
        "  help create  open a table and sit down at it",
        "  help join    sit down at a table",
    ]
    assert help_page("styles", MANUAL)[-1] == "See also: help set, help hand, help slam"
    for line in page[2:]:
        assert help_page(line.split()[1], MANUAL)


@given(st.text(max_size=40))
def test_any_word_finds_a_page_within_the_width_or_is_refused(word: str) -> None:
    with suppress(Refused):
        assert 0 < max(map(len, help_page(word, MANUAL))) <= PAGE_WIDTH


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("fair", ["What is not proved: that nobody looked.", "whoever runs it can look at"]),
        ("slam", ["With a screen reader, or for a quiet evening, order is the mode", "Short: sl or !."]),
        (
            "slam",
            ["slam POSITION [#N]", "Slams: who is first", "slam=VALUE, an option of create, play and seek"],
        ),
        ("clock", ["start of a hole", "start of a turn", "holding a card", "power", "gift", "slam window"]),
        ("options", ["if it has spaces (create)", "for no clock (create, play, seek)"]),
        ("NOT_YOUR_TURN", ["may be accepted later"]),
        ("STALE", ["change it"]),
        ("SLOW_CONSUMER", ["connect again"]),
        *((rules, [f"rules {rules}"]) for rules in ("six-card", "eight-card")),
    ],
)
def test_pages_contain_the_required_sentences(word: str, said: list[str]) -> None:
    page = " ".join(help_page(word, MANUAL, ["six-card", "eight-card"]))
    assert [each for each in said if each not in page] == []
