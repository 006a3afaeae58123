"""A person's preferences, what ``again`` and ``last`` repeat, and how long answers are divided into pages."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from golfnet.engine.cards import CARDS, Position, Seat
from golfnet.engine.events import Discarded, Peeked
from golfnet.engine.frozen import replaced
from golfnet.engine.rules import Recall
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.commands.settings import MIN_WIDTH, Cards, Settings, Style
from golfnet.protocol.errors import Refused
from golfnet.protocol.lines import encode_lines
from golfnet.protocol.replies.presence import NoticeCode, Seated
from golfnet.protocol.replies.replies import AnyReply, Chat, Error, Happened, Notice, Ok, Prompt, Rows
from golfnet.protocol.telnet.options import Charset, WindowSize
from golfnet.protocol.text.text import render
from golfnet.protocol.text.typeset import display_width
from golfnet.server.session.text_mode import KEPT, MORE, Pager, Preferences
from golfnet.server.session.writer import Repeats
from tests.server.house import House

YOU = Seat(0)
SETTINGS = Settings(style=Style.SPEECH)


def happened(event: object) -> Happened:
    return Happened(table="t1", seq=1, event=event, names=("Ann", "Bob"), rules=VARIANTS["cactus"])  # type: ignore[arg-type]


SEATED = happened(Seated(seat=Seat(1), player="Bob"))
DISCARDED = happened(Discarded(seat=Seat(1), card=CARDS["4C"], discard_no=1))
PEEK = happened(Peeked(seat=YOU, at=(Position(YOU, 3),), cards=(CARDS["8S"],)))
HINT = Prompt(table="t1", seq=1, phase="turn", actions=("draw",), targets=(), ms=None)
CHAT = Chat(speaker="Bob", to="table", text="hello")
REFUSED = Error(code="STALE", message="Too late.", retry=False)
DONE = Ok(note="Done so.")
SILENT = Ok()
PAGE = Rows(kind="help", rows=("one", "two"))
LINE, LINE_2 = (Notice(code=NoticeCode.TEXT, text=f"= line {number} of an answer") for number in (1, 2))
PART_1, PART_2 = Rows(kind="help", rows=("a",), more=True), Rows(kind="help", rows=("b",))


def told(*replies: AnyReply) -> Repeats:
    repeats = Repeats()
    for reply in replies:
        repeats.note(reply, render(reply, SETTINGS, you=YOU), SETTINGS, YOU)
    return repeats


def lines(*replies: AnyReply) -> list[str]:
    return [line for reply in replies for line in render(reply, SETTINGS, you=YOU).lines]


@pytest.mark.parametrize(
    ("sent", "repeated"),
    [
        ((SILENT,), ()),
        *[((PEEK, SILENT, thing, SILENT), (thing,)) for thing in (SEATED, CHAT, REFUSED, DONE, PAGE)],
        # the note after a list
        ((PAGE, DONE), (PAGE, DONE)),
        ((PAGE, CHAT, DONE), (DONE,)),
        ((PAGE, DONE, DONE), (DONE,)),
        # the hint after an event
        ((SEATED, DISCARDED, HINT), (DISCARDED, HINT)),
        ((DISCARDED, HINT, HINT), (HINT,)),
        ((CHAT, HINT), (HINT,)),
        # the parts of a list, and the lines of an answer
        ((PAGE, SILENT, PART_1, PART_2, SILENT), (PART_1, PART_2)),
        ((PAGE, SILENT, PART_2, SILENT), (PART_2,)),
        ((PART_1, CHAT, PART_2, SILENT), (PART_2,)),
        ((PAGE, SILENT, LINE, LINE_2, SILENT), (LINE, LINE_2)),
        ((LINE, SILENT, LINE_2, SILENT), (LINE_2,)),
        ((LINE, LINE_2, SILENT, DISCARDED), (DISCARDED,)),
    ],
)
def test_again_repeats_the_whole_output(sent: tuple[AnyReply, ...], repeated: tuple[AnyReply, ...]) -> None:
    assert told(*sent).last_thing == lines(*repeated)


def test_the_part_of_a_list_that_is_kept_for_again_is_limited() -> None:
    parts = [Rows(kind="help", rows=tuple(f"line {n}" for n in range(100)), more=True) for _ in range(50)]
    *repeated, note = told(*parts, PAGE).last_thing
    assert repeated == lines(*parts)[: len(repeated)]
    assert KEPT - 20 < len(encode_lines(repeated)) <= KEPT
    assert note == "= That list is longer: it has 5002 lines. Type its command again to see them all."


def test_a_peek_is_repeated_only_until_other_output_comes_unless_the_rules_allow_recall() -> None:
    assert not told().last_event
    assert told(PEEK, HINT, SILENT).last_thing == lines(PEEK, HINT)
    assert list(told(PEEK, HINT, SILENT).last_event) == lines(PEEK)
    for other in (CHAT, DONE, REFUSED, PAGE, SEATED):
        assert told(PEEK, other).last_thing == lines(other)
    (line,) = told(PEEK, CHAT).last_event
    assert "look at slot 3" in line
    assert "eight" not in line
    rules = replaced(VARIANTS["cactus"], recall=Recall.ALWAYS)
    shown = Happened(table="t1", seq=1, event=PEEK.event, names=PEEK.names, rules=rules)
    assert list(told(shown, CHAT).last_event) == lines(shown)


PARTS = st.lists(st.lists(st.text("abc ", max_size=9), max_size=30), max_size=4)


@given(parts=PARTS, page=st.integers(5, 40))
def test_pages_add_up_to_the_answer_and_none_is_too_long(parts: list[list[str]], page: int) -> None:
    pager = Pager()
    pages = [[line for part in parts for line in pager.first(part, page)]]
    while pager.is_waiting:
        pages.append(pager.next(page))
    assert all(each[-1] == MORE for each in pages[:-1])
    told = [line for each in pages[:-1] for line in each[:-1]] + pages[-1]
    assert told == [line for part in parts for line in part]
    assert all(len(each) <= page for each in pages)
    assert display_width(MORE) <= 32


def test_waiting_pages_are_limited_and_the_loss_is_announced() -> None:
    pager = Pager()
    for _ in range(1000):
        pager.first(["x" * 100] * 10, 5)
    kept = pager.next(None)
    assert KEPT - 200 < sum(map(len, kept[:-1])) <= KEPT
    left_out = f"{10_000 - 4 - len(kept[:-1])} lines"
    assert (
        kept[-1]
        == f"= Not shown, because there were too many lines: {left_out}. To see all, type: set page none"
    )
    assert not pager.is_waiting
    pager = Pager()
    pager.first(["first"] * 5 + ["x" * (KEPT - 50), "y" * 100], 5)
    assert pager.next(None)[-1].startswith("= Not shown, because there were too many lines: 1 line.")


async def test_at_the_end_of_input_the_waiting_pages_are_sent(house: House) -> None:
    ann = await house.person("Ann", "set page 5")
    await ann.take()
    await ann.send("help")
    await ann.stream.send_eof()  # type: ignore[attr-defined]
    assert "Topics" in (await ann.take()).decode()


# --- preferences: choices on this connection, the player's earlier choices, and what the terminal suggests


BY_TERMINAL = (WindowSize(columns=132, rows=50), Charset(utf_8=False))
PLAIN_WORDS = Settings(style=Style.PLAIN, cards=Cards.WORDS)
ADAPTED = Settings(width=132, height=50, cards=Cards.LETTERS)


@pytest.mark.parametrize(
    ("steps", "settings", "kept"),
    [
        ((Charset(utf_8=True), {}), Settings(), {}),
        ((("style", "plain"), {"style": "speech", "cards": "words"}), PLAIN_WORDS, {"style": "plain"}),
        (({"width": "60", "cards": "symbols"}, *BY_TERMINAL), ADAPTED, {}),
        ((*BY_TERMINAL, {"width": "60", "cards": "symbols"}), ADAPTED, {}),
        # the latest width counts
        ((WindowSize(columns=132, rows=24), ("width", "70")), Settings(width=70), {"width": "70"}),
        ((("width", "70"), WindowSize(columns=10, rows=24)), Settings(width=MIN_WIDTH), {"width": "70"}),
        # unknown and invalid settings
        (({"style": "gothic", "hats": "on", "width": "9999", "color": "on"},), Settings(color=True), {}),
    ],
)
def test_choices_on_this_connection_override_the_terminal_and_both_override_earlier_choices(
    steps: tuple[Any, ...], settings: Settings, kept: dict[str, str]
) -> None:
    preferences = Preferences()
    for step in steps:
        match step:
            case dict():
                preferences.adopt(step)
            case (name, value):
                preferences.choose(name, value, keeps=True)
            case _:
                preferences.adapt_to(step)
    assert (preferences.settings, preferences.state.chosen) == (settings, kept)


def test_temporary_and_invalid_choices_are_not_stored() -> None:
    preferences = Preferences()
    assert preferences.choose("colour", "on", keeps=False) == "color"
    preferences.adopt({"color": "off"})
    with pytest.raises(Refused):
        preferences.choose("width", "wide", keeps=True)
    assert preferences.settings == Settings(color=True)
    assert not preferences.state.chosen
