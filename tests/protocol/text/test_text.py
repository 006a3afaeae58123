"""Text mode: golden files of what players see, and the output rules, tested on random play."""

import re
from copy import copy
from itertools import product

import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st
from msgspec.structs import replace

from golfnet.engine.cards import CARDS, Position, Seat
from golfnet.engine.events import Discarded, Drew, Event, Passed, Peeked, TurnBegan
from golfnet.engine.rules import Recall, RuleSet, SlamMode, Span
from golfnet.engine.variants import CACTUS, VARIANTS
from golfnet.protocol.commands.settings import MAX_WIDTH, MIN_WIDTH, Cards, Prefix, Settings, Style, Talk
from golfnet.protocol.replies.presence import ClockWarning, SealsClosed, TableEvent
from golfnet.protocol.replies.replies import (
    AnyReply,
    Burst,
    Bye,
    Chat,
    Error,
    Happened,
    Notice,
    Ok,
    Ping,
    Prompt,
    Rows,
    SlamView,
)
from golfnet.protocol.text.speech import on_demand
from golfnet.protocol.text.text import own_words, render, render_burst
from golfnet.protocol.text.typeset import BELL, display_width
from tests.engine.drawing import rules
from tests.engine.strategies import VALUES
from tests.golden import GoldenFiles
from tests.protocol.tabletop import NAMES, Tabletop, dealt
from tests.protocol.transcripts import GOLDEN, TRANSCRIPTS

A = Seat(0)
PLAIN = Settings(cards=Cards.LETTERS)
WIDE_NAMES = ("Ann", "桜子さくらこ", "Maximilian-Alexander", "Бóб")


def said(reply: AnyReply, settings: Settings = PLAIN, you: Seat | None = A) -> list[str]:
    return render(reply, settings, you=you).lines


# --- golden files


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_transcripts_match_their_golden_files(name: str, golden: GoldenFiles) -> None:
    lines, settings = TRANSCRIPTS[name]
    golden.check(GOLDEN / name, "\n".join([*lines(settings), ""]))


AS_LETTERS = str.maketrans(
    dict.fromkeys("╭╮╰╯╔╗╚╝", "+")
    | {"─": "-", "│": "|", "═": "=", "║": "|", "░": "#", "·": ".", "♣": "C", "♦": "D", "♥": "H", "♠": "S"}
)


@pytest.mark.parametrize("name", [name for name in TRANSCRIPTS if "speech" not in name])
def test_letters_replace_symbols_in_the_same_places(name: str) -> None:
    lines, settings = TRANSCRIPTS[name]
    expected = [line.translate(AS_LETTERS) for line in lines(settings)]
    assert lines(replace(settings, cards=Cards.LETTERS)) == expected


def test_there_are_no_stray_golden_transcripts() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == set(TRANSCRIPTS)


# --- the output rules

SETTINGS = st.builds(
    Settings,
    style=st.sampled_from(Style),
    talk=st.sampled_from(Talk),
    cards=st.sampled_from(Cards),
    width=st.sampled_from([MIN_WIDTH, 57, 80, 132, MAX_WIDTH]) | st.integers(MIN_WIDTH, MAX_WIDTH),
    color=st.booleans(),
    bell=st.booleans(),
    prefix=st.sampled_from(Prefix),
)
RULES: list[RuleSet] = [
    *VARIANTS.values(),
    rules("cactus", slam=SlamMode.LOT, recall=Recall.ALWAYS, target=None, holes=2),
    rules("six-card", rows=3, columns=4, seats=Span(2, 4), jokers=2, holes=2),
    rules("six-card", rows=2, columns=6, seats=Span(2, 4), recall=Recall.ALWAYS, holes=1),
]
ESCAPES = re.compile("\x1b\\[(31|39|1|22)m")
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ue000-\ue005]")


def obeys_the_law(lines: list[str], settings: Settings, *, ascii_only: bool) -> None:
    for line in lines:
        text = ESCAPES.sub("", line) if settings.color else line
        text = text.removesuffix(BELL) if settings.bell else text
        assert not CONTROLS.search(text), f"control character in {line!r}"
        assert display_width(text) <= settings.width, f"too wide: {line!r}"
        assert text == text.rstrip(" "), f"trailing space: {line!r}"
        if ascii_only:
            assert text.isascii(), f"not ASCII: {line!r}"
        if settings.prefix is Prefix.ON:
            assert re.match(r"[=?*>!-]( |$)|  ", text), f"no prefix: {line!r}"
        line.encode()


@hypothesis_settings(max_examples=40)
@given(
    played=st.sampled_from(RULES),
    seats=st.integers(2, 12),
    you=st.none() | st.integers(0, 1).map(Seat),
    seed=st.integers(0, 10_000),
    settings=SETTINGS,
    wide=st.booleans(),
)
def test_every_line_of_every_match_obeys_the_output_rules(
    *, played: RuleSet, seats: int, you: Seat | None, seed: int, settings: Settings, wide: bool
) -> None:
    names = (WIDE_NAMES * 3 if wide else NAMES)[: min(seats, played.seats.high)]
    table = Tabletop(played, names, you, seed=seed)
    for number, reply in enumerate(table.replies(holes=1)):
        if number > 250:
            break
        lines = said(reply, settings, you)
        is_silent = isinstance(reply, Prompt) or (
            isinstance(reply, Happened) and isinstance(reply.event, Passed)
        )
        assert lines or is_silent or settings.is_brief
        obeys_the_law(lines, settings, ascii_only=settings.cards is not Cards.SYMBOLS and not wide)


TEXT = st.text(max_size=200) | st.text(
    "a \x1b[31m\x07\n\x9b\u061c\u200f\u2028\u202e\u2066\ue000\ud800", max_size=20
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
FIELDS = (
    "name table variant state seats taken players watchers options title layout honour score card hole match wins "
    "matches average_place place rating ended totals places idle_ms present watching value takes"
)
KEYS = st.sampled_from(FIELDS.split())
LISTS = "who tables variants rules history top stats help set log evening other"
REPLIES = st.one_of(
    st.builds(Chat, speaker=TEXT, to=TEXT, text=TEXT),
    st.builds(Notice, code=st.sampled_from(["HERE", "PASSWORD"]), text=TEXT),
    st.builds(Bye, code=st.just("QUIT"), text=TEXT),
    st.builds(Ok, note=TEXT, name=TEXT, token=TEXT),
    st.builds(
        Error, code=st.just("BAD_ARGUMENT"), message=TEXT, retry=st.booleans(), wait_ms=st.integers(0, 9999)
    ),
    st.builds(
        Rows,
        kind=st.sampled_from(LISTS.split()),
        rows=st.lists(st.dictionaries(KEYS | TEXT, VALUES | TEXT | FLOATS, max_size=6), max_size=4).map(tuple)
        | st.lists(TEXT, max_size=4).map(tuple),
    ),
)


@given(reply=REPLIES, settings=SETTINGS)
def test_text_written_by_others_obeys_the_output_rules(reply: AnyReply, settings: Settings) -> None:
    if isinstance(reply, Rows) and reply.kind in ("rules", "help"):
        # A row that is an object is shown as JSON, which is never wrapped.
        reply = replace(reply, rows=tuple([row for row in reply.rows if isinstance(row, str)]))
    obeys_the_law(said(reply, settings), settings, ascii_only=False)


# --- single replies


SPEECH = Settings(style=Style.SPEECH)
TURN = Error(code="NOT_YOUR_TURN", message="It is B's turn.", retry=True)
LIMITED = Error(code="RATE_LIMITED", message="Too fast; wait 1500 ms.", retry=True, wait_ms=1500)


@pytest.mark.parametrize(
    ("reply", "settings", "lines"),
    [
        (Ping(key="9f2c"), PLAIN, []),
        (Ok(id=3, table="t1", seq=9), PLAIN, []),
        (Ok(name="Ann", table="t1", seq=3), PLAIN, ["= You are Ann."]),
        (Ok(key="9f2c", note="pong 9f2c"), PLAIN, ["= pong 9f2c"]),
        (Ok(key="9f2c"), PLAIN, ["= pong 9f2c"]),
        (Ok(setting={"width": 100}), PLAIN, ["= width is 100."]),
        (TURN, Settings(prefix=Prefix.OFF), ["NOT_YOUR_TURN It is B's turn."]),
        (TURN, SPEECH, ["? NOT_YOUR_TURN It is B's turn."]),
        (TURN, replace(SPEECH, prefix=Prefix.WORDS), ["refused: It is B's turn."]),
        (LIMITED, PLAIN, ["? RATE_LIMITED Too fast; wait 1500 ms."]),
        (Notice(code="TEXT", text="* Bob (B) passes."), PLAIN, ["* Bob (B) passes."]),
    ],
)
def test_replies_are_shown_as_the_settings_say(reply: AnyReply, settings: Settings, lines: list[str]) -> None:
    assert said(reply, settings) == lines


def test_peeked_cards_are_drawn_with_their_positions() -> None:
    at = (Position(A, 3), Position(Seat(1), 2))
    peeked = Peeked(seat=A, at=at, cards=(CARDS["7S"], CARDS["*"]))
    lines = said(Happened(table="t1", seq=4, event=peeked, names=NAMES[:2]))
    assert lines[0] == "* You look at slot 3 and Bob's slot 2 (B2): 7S and the joker."
    assert lines[1:] == ["      +-3--+ +-B2-+", "      | 7S | | *  |", "      +----+ +----+"]


def test_no_part_of_a_text_looks_like_the_seal_of_somebody_else() -> None:
    forged = f"{'x' * 68} C seal: {'c' * 64}"
    closed = SealsClosed(seals=("a" * 64, None, None, "d" * 64), cuts=("", forged, "", ""), ms=3000)
    lines = said(Happened(table="t1", seq=4, event=closed, names=NAMES))
    assert [line[:12] for line in lines[1:]] == [
        *("  A seal:  a", "  B text:  x", " " * 11 + "C", " " * 11 + "c", "  C no text", "  D seal:  d"),
    ]


def prompt(phase: str, *actions: str) -> Prompt:
    return Prompt(table="t1", seq=1, phase=phase, actions=actions, targets=("A1", "B1"), ms=2001)


def test_the_bell_rings_at_the_start_of_a_turn_and_of_a_slam_window() -> None:
    loud = Settings(bell=True)
    for rings in (prompt("turn", "draw"), prompt("slam", "pass", "slam")):
        assert said(rings, loud)[-1].endswith(BELL)
        assert BELL not in "".join(said(rings))
    for silent in (("holding", "discard"), ("slam", "slam"), ("give", "give 1"), ("turn",)):
        assert BELL not in "".join(said(prompt(*silent), loud))


def test_once_a_slam_has_succeeded_only_the_other_actions_are_hinted_at() -> None:
    both = replace(prompt("power", "peek B1", "decline", "pass", "switch", "slam"), won=True)
    assert said(both) == [
        "* You have a power: you can peek POSITION (peek B1), switch POSITION POSITION",
        "  (switch 1 B1) or decline within 3 seconds.",
    ]
    assert said(replace(prompt("slam", "pass", "slam"), won=True)) == []
    window = SlamView(discard_no=3, card="QS", ms=2500, mode="race", won=True)
    view = replace(dealt(CACTUS), phase="slam", slam=window, actions=("pass", "slam"), clock=None)
    assert on_demand("turn", view, PLAIN) == ["= QS has been slammed."]
    assert said(prompt("slam", "slam")) == [], "players who have passed in a race know that"


@pytest.mark.parametrize("style", Style)
def test_actions_of_a_bot_in_your_seat_are_not_described_as_yours(style: Style) -> None:
    def told(event: Event, house: tuple[Seat, ...]) -> str:
        happened = Happened(table="t1", seq=4, event=event, names=NAMES[:2], house=house)
        return said(happened, Settings(style=style, talk=Talk.FULL))[0]

    drew = Drew(seat=A, stock=31, card=CARDS["7S"])
    assert told(drew, ()).startswith("* You draw ")
    assert told(drew, (A,)).startswith("* Your bot (A) draws ")
    assert told(Drew(seat=Seat(1), stock=31, card=None), (A, Seat(1))).startswith("* Bob (B) draws ")


# --- text that several people get is rendered once for them all, and nobody gets somebody else's text


@pytest.mark.parametrize("rules", [*VARIANTS.values()], ids=lambda rules: rules.name)
def test_viewers_who_are_told_the_same_as_watchers_share_their_rendering(rules: RuleSet) -> None:
    shared = 0
    for settings in (Settings(), Settings(style=Style.PLAIN), Settings(style=Style.SPEECH, talk=Talk.FULL)):
        replies = Tabletop(rules, NAMES[:3], None).replies(holes=1)
        events = [reply for reply in replies if isinstance(reply, Happened)]
        for happened, you in product(events, (Seat(0), Seat(1), Seat(2))):
            is_shared = render(happened, settings, you=you) is render(happened, settings, you=None)
            alone = copy(happened)
            alone.rendered = {}
            rendered = render(alone, settings, you=you)
            assert render(happened, settings, you=you) == rendered
            assert is_shared is (you not in own_words(happened.event)) or not rendered.lines
            shared += is_shared
    assert shared


def test_the_events_of_a_step_are_rendered_once_for_all_who_are_told_the_same() -> None:
    step: list[Event | TableEvent] = [
        Discarded(seat=Seat(1), card=CARDS["4C"], discard_no=1),
        TurnBegan(seat=Seat(2), turn=4),
        ClockWarning(seat=Seat(0), ms=5000),
    ]
    events = tuple([Happened(table="t1", seq=3, event=event, names=NAMES[:3]) for event in step])
    burst = Burst(b"", lambda: events)
    told = render_burst(burst, Settings(), you=None)
    assert told.out == b"".join([render(each, Settings(), you=None).out for each in events])
    assert told.last is events[1]
    assert told.rendering.lines == ["* It is the turn of Cid (C)."]
    assert render_burst(burst, Settings(), you=Seat(3)) is told
    assert [render_burst(burst, Settings(), you=Seat(seat)) is told for seat in range(3)] == [False] * 3
    assert render_burst(burst, Settings(), you=Seat(0)).last is events[2]
    named = Burst(b"", lambda: events, is_named=True)
    assert render_burst(named, Settings(), you=None).out == told.out.replace(b"* ", b"* t1: ")
