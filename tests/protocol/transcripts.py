"""Whole holes and lists as players see them, for tests/protocol/golden.

``pytest --renew`` rewrites the files. Then read the git diff: players see exactly this.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from msgspec import UNSET

from golfnet.engine import events as ev
from golfnet.engine.cards import CARDS, Position, Seat, seat_letter
from golfnet.engine.events import Event
from golfnet.engine.frozen import replaced
from golfnet.engine.rules import RuleSet, SlamMode, Span
from golfnet.engine.scoring import places
from golfnet.engine.variants import CACTUS, SIX_CARD, SIX_CARD_FINAL
from golfnet.engine.views import mask
from golfnet.protocol.commands.settings import Prefix, Settings, Style, Talk
from golfnet.protocol.replies import presence
from golfnet.protocol.replies.presence import Cause, TableEvent
from golfnet.protocol.replies.replies import (
    AnyReply,
    Bye,
    Chat,
    Error,
    Happened,
    Notice,
    Ok,
    Prompt,
    Rows,
    TableView,
)
from golfnet.protocol.text.speech import on_demand
from golfnet.protocol.text.text import render
from tests.protocol.tabletop import NAMES, Tabletop

GOLDEN: Final = Path(__file__).parent / "golden"

A, B, C = Seat(0), Seat(1), Seat(2)
PLAIN: Final = Settings(style=Style.PLAIN)
SPEECH: Final = Settings(style=Style.SPEECH, talk=Talk.FULL, prefix=Prefix.WORDS, width=120)


def _hole(settings: Settings, rules: RuleSet, seats: int, **table: Any) -> list[str]:
    """The first hole as seat A sees it, and what follows it; the whole table is shown only once in each phase."""
    lines, shown = [], set()
    for reply in Tabletop(rules, NAMES[:seats], A, **table).replies(holes=1):
        if isinstance(reply, TableView):
            if (stage := (reply.state, reply.phase, reply.closer)) in shown:
                continue
            shown.add(stage)
        lines += render(reply, settings, you=A).lines
    return lines


def _tables(settings: Settings) -> list[str]:
    """Tables of other sizes: twelve seats, a big layout for a watcher, answers on demand, a long score card."""
    lines: list[str] = []
    for rules, seats, you, turns in (
        (SIX_CARD_FINAL, 12, Seat(4), 40),
        (replaced(SIX_CARD_FINAL, rows=3, columns=4, seats=Span(2, 7)), 5, None, 35),
        (CACTUS, 2, B, 9),
    ):
        table = Tabletop(rules, NAMES[:seats], you, seed=3)
        replies = table.replies()
        for _ in range(turns):
            next(replies)
        lines += ["", *render(table.view(), settings, you=you).lines]
        for word in ("hand", "top", "turn", "score") if you is not None and settings.width > 40 else ():
            lines += [f"({word})", *on_demand(word, table.view(), settings)]
    return [*lines, "", *render(_long_match(), settings, you=B).lines]


def _long_match() -> Happened:
    scores = tuple((hole * 7 % 23 - 3, hole * 5 % 19, hole * 11 % 29 - 2) for hole in range(12))
    totals = tuple(map(sum, zip(*scores, strict=True)))
    event = ev.MatchEnded(match="m1", totals=totals, places=places(totals))
    return Happened(table="t1", seq=1, event=event, names=("Ann", "桜子", "Maximiliane"), scores=scores)


def _events(settings: Settings) -> list[str]:
    """Every event as told to a watcher, and to the seats that are told something different."""
    lines: list[str] = []
    for event in SAMPLES:
        watched = _told(event, None, settings)
        lines += [f"-    {line}".rstrip() for line in watched or [""]]
        told: dict[str, list[str]] = {}
        for seat in (A, B, C):
            told.setdefault("\n".join(_told(event, seat, settings)), []).append(seat_letter(seat))
        for text, seats in told.items():
            if text != "\n".join(watched):
                lines += [f"{''.join(seats):3}  {line}".rstrip() for line in text.split("\n")]
    return lines


def _told(event: Event | TableEvent, you: Seat | None, settings: Settings) -> list[str]:
    masked = event if isinstance(event, TableEvent) else mask(event, you)
    happened = Happened(table="t1", seq=1, event=masked, names=NAMES[:3], rules=SIX_CARD)
    return render(happened, settings, you=you).lines


def _rendered(settings: Settings, replies: Iterable[AnyReply]) -> list[str]:
    return [line for reply in replies for line in render(reply, settings, you=B).lines]


_TABLES: Final[tuple[dict[str, Any], ...]] = (
    {
        **{"table": "t1", "name": "", "variant": "six-card", "options": "", "state": "open", "seats": 4},
        **{"taken": 2, "players": [{"seat": "A", "name": "Ann"}, {"seat": "B", "name": "Bob"}]},
        **{"watchers": 0, "private": False, "host": "Ann"},
    },
    {
        **{"table": "t2", "name": "Friday", "variant": "cactus", "options": "slam=lot", "state": "playing"},
        **{"seats": 10, "taken": 3, "players": [{"name": "Cid"}, {"name": "Dora"}, {"name": "Eve"}]},
        **{"watchers": 12, "private": True, "host": "Cid"},
    },
)
_WHO: Final[tuple[dict[str, Any], ...]] = (
    {"name": "Ann", "kind": "guest", "present": True, "table": "t1", "seat": "A", "idle_ms": 200},
    {"name": "Eve", "kind": "account", "present": False, "table": "t2", "seat": "C", "idle_ms": None},
    {"name": "Zoe", "kind": "guest", "present": True, "table": None, "watching": ["t1"], "idle_ms": 190_000},
)
_VARIANTS: Final = (
    {"name": "six-card", "title": "Six-Card Golf", "seats": "2-8", "layout": "2x3", "holes": 9},
    {"name": "cactus", "title": "Cactus", "seats": "2-10", "layout": "2x2", "target": 25},
)
_ENDINGS: Final = (("Ann", "house", "left"), ("Bob", "guest", "played"), ("Cid", "guest", "absent"))
_MATCH: Final[dict[str, Any]] = {"variant": "six-card", "ended": 1_795_207_000}
_HISTORY: Final = (
    _MATCH | {"match": "m7", "players": ["Ann", "Bob", "Cid"], "totals": [31, 28, 28], "places": [3, 1, 1]},
    _MATCH
    | {"match": "m8", "totals": [9, 31, 40], "places": [1, 2, 3], "ranks": [3, 1, 2]}
    | {"players": [{"name": name, "kind": kind, "ending": ending} for name, kind, ending in _ENDINGS]},
)
_TOP: Final = (
    {"place": 1, "name": "Ann", "variant": "six-card", "rating": 1520.4, "matches": 12, "wins": 7},
    {"place": 2, "name": "Bob", "variant": "six-card", "rating": 98.0, "matches": 3, "wins": 1},
)
_STATS: Final = (
    {"name": "Ann", "variant": "six-card", "matches": 12, "wins": 7, "best": -4, "average": 31.2},
    {"name": "Ann", "variant": "cactus", "matches": 2, "wins": 0, "forfeits": 2, "best": None},
)
_LOG: Final[tuple[dict[str, Any], ...]] = (
    {
        **{"discard_no": 12, "card": "KD", "seat": "B", "name": "Bob", "at": "A3", "result": "hit"},
        **{"tied": True, "waited_ms": 520.0, "allowed_ms": 60.0, "reaction_ms": 460.0},
    },
    {"discard_no": 12, "card": "KD", "seat": "A", "name": "Ann", "at": "A1", "result": "false start"},
)
_EVENING: Final[tuple[dict[str, Any], ...]] = (
    {"place": 1, "name": "Ann", "kind": "guest", "matches": 3, "wins": 2, "average_place": 1.3},
    {"place": 2, "name": "Bob", "kind": "account", "matches": 1, "wins": 0, "average_place": 2.0},
    {"honour": "best_hole", "name": "Ann", "match": "m3", "variant": "six-card", "hole": 4, "score": -1},
    {"honour": "luckiest_slam", "name": "Bob", "match": "m5", "variant": "cactus", "hole": 2, "card": "QS"},
    {"honour": "comebacks", "name": "Ann", "matches": 1},
)
_HELP: Final = ("take [SLOT]", "", "Takes the top card.", "  t 3   takes it and puts it into slot 3")
_LISTS: Final = (
    Rows(kind="tables", rows=_TABLES),
    Rows(kind="tables", rows=()),
    Rows(kind="who", rows=_WHO),
    Rows(kind="variants", rows=_VARIANTS),
    Rows(kind="history", rows=_HISTORY),
    Rows(kind="top", rows=_TOP),
    Rows(kind="stats", rows=_STATS),
    Rows(kind="log", rows=_LOG),
    Rows(kind="evening", rows=_EVENING),
    Rows(kind="help", rows=_HELP),
)

_ANSWERS: Final = (
    Ok(name="Ann", token="8f2c61d09b"),
    Ok(id=UNSET, table="t1", seq=4),
    Ok(setting={"width": "100"}, note="width is 100 now."),
    Error(code="NOT_YOUR_TURN", message="It is B's turn.", retry=True),
    Error(code="RATE_LIMITED", message="That is too fast.", retry=True, wait_ms=400),
    Chat(speaker="Bob", to="table", text="good luck", table="t1"),
    Chat(speaker="Zoe", to="lobby", text="who plays cactus?"),
    Chat(speaker="Zoe", to="Ann", text="one more match?"),
    Notice(code="SHUTTING_DOWN", text="The server will stop soon. Your seat and your cards will be kept."),
    Prompt(table="t1", seq=9, phase="open", actions=("ready", "start"), targets=(), ms=None),
    Happened(
        table="t1",
        seq=9,
        event=ev.SlamOpened(discard_no=12, card=CARDS["QH"], ms=5000, mode=SlamMode.ORDER),
        names=("Ann", "Bob"),
    ),
    Bye(code="QUIT", text="Goodbye."),
)

_SEVEN, _KING = CARDS["7H"], CARDS["KD"]
_SEAL = "0f" * 32
_HOLE: Final[dict[str, Any]] = {"commitment": "", "cuts": (), "context": ""}

SAMPLES: Final[tuple[Event | TableEvent, ...]] = (
    ev.Committed(match="m1", hole=2, commitment="a54d7997c5f44b39" * 4, seed=b""),
    ev.MatchStarted(match="m1", variant="six-card", options=SIX_CARD, seats=NAMES[:3]),
    ev.HoleStarted(hole=3, dealer=A, leader=B, **_HOLE),
    ev.HoleStarted(hole=1, dealer=B, leader=B, **_HOLE),
    ev.HoleStarted(hole=1, dealer=B, leader=B, **_HOLE, unrevealed=(A, B)),
    ev.Dealt(stock=33, discard=_SEVEN, discard_no=1, deck=()),
    ev.Dealt(stock=33, discard=None, discard_no=0, deck=()),
    ev.TurnBegan(seat=A, turn=2),
    ev.Drew(seat=A, stock=31, card=_SEVEN),
    ev.Took(seat=A, card=_SEVEN),
    ev.Swapped(seat=A, slot=3, card=_SEVEN, discard=_KING, discard_no=5, hidden=False),
    ev.Swapped(seat=A, slot=3, card=_SEVEN, discard=_KING, discard_no=5, hidden=True),
    ev.Discarded(seat=A, card=_SEVEN, discard_no=4),
    ev.Flipped(seat=A, slot=2, card=_SEVEN),
    ev.Passed(seat=A),
    ev.Declined(seat=A),
    ev.Knocked(seat=A),
    ev.Peeked(seat=A, at=(Position(A, 3), Position(A, 4)), cards=(_SEVEN, _KING)),
    ev.Peeked(seat=A, at=(Position(B, 2),), cards=(_SEVEN,)),
    ev.Switched(seat=A, at=(Position(A, 1), Position(B, 2))),
    ev.Switched(seat=A, at=(Position(B, 1), Position(C, 2))),
    ev.SlamOpened(discard_no=12, card=_SEVEN, ms=3000, mode=SlamMode.RACE),
    ev.SlamOpened(discard_no=12, card=CARDS["8S"], ms=5000, mode=SlamMode.LOT),
    ev.Slammed(by=A, at=Position(A, 3), card=_SEVEN, result=ev.SlamResult.HIT, discard_no=9),
    ev.Slammed(by=A, at=Position(B, 3), card=_SEVEN, result=ev.SlamResult.HIT, discard_no=9),
    ev.Slammed(by=A, at=Position(B, 3), card=_SEVEN, result=ev.SlamResult.WRONG, discard_no=None),
    ev.Slammed(by=A, at=Position(A, 3), card=_SEVEN, result=ev.SlamResult.LATE, discard_no=None),
    ev.SlamClosed(discard_no=12),
    ev.Penalized(seat=A, slot=5, source=None, card=_SEVEN),
    ev.Penalized(seat=A, slot=5, source=Position(B, 2), card=_SEVEN),
    ev.Gave(seat=A, slot=1, to=Position(B, 3), card=_SEVEN, known=True),
    ev.Gave(seat=A, slot=1, to=Position(B, 3), card=_SEVEN, known=False),
    ev.Reshuffled(stock=40, discard=_KING, order=None),
    presence.Opened(player="Bob"),
    presence.Seated(seat=B, player="Bob"),
    presence.Left(seat=B, player="Bob", cause=Cause.KICKED),
    presence.Left(seat=None, player="Eve", cause=Cause.LEFT),
    presence.Dropped(seat=B, player="Bob", cause=Cause.LOST, grace_ms=120_000),
    presence.Dropped(seat=B, player="Bob", cause=Cause.IDLE, grace_ms=0),
    presence.Returned(seat=B, player="Bob"),
    presence.Returned(seat=B, player="Eve"),
    presence.HousePlays(seat=B, player="Bob", cause=Cause.GRACE),
    presence.Watching(player="Eve"),
    presence.Cut(seat=B, player="Bob"),
    presence.Sealed(seat=B, player="Bob", seal=_SEAL),
    presence.SealsClosed(seals=(None, _SEAL, None), cuts=("", "", "some words"), ms=3000),
    presence.HostChanged(seat=B, player="Bob"),
    presence.ReadySaid(seat=B, player="Bob"),
    presence.BotsWanted(level="hard", ms=30_000),
    presence.BotsWanted(level="hard", ms=0),
    presence.BotsWanted(level="hard", ms=None),
    presence.ClockWarning(seat=B, ms=10_000),
    presence.TimedOut(seat=B),
    presence.Paused(reason="The disk is full."),
    presence.Resumed(),
    presence.Closed(reason="everybody has left"),
)
"""Events of each kind for the golden file, except ends of holes and matches, which the other files show."""

TRANSCRIPTS: Final[Mapping[str, tuple[Callable[[Settings], list[str]], Settings]]] = {
    "six-card-speech.txt": (partial(_hole, rules=replaced(SIX_CARD, holes=2), seats=2, seed=502), SPEECH),
    "cactus-narrow.txt": (partial(_hole, rules=CACTUS, seats=3, seed=290, name="Friday"), Settings(width=40)),
    "events-plain.txt": (_events, Settings(style=Style.PLAIN, width=160)),
    "lists-plain.txt": (partial(_rendered, replies=_LISTS), PLAIN),
    "lists-speech.txt": (partial(_rendered, replies=_LISTS), SPEECH),
    "answers-plain.txt": (partial(_rendered, replies=_ANSWERS), PLAIN),
    "tables-art.txt": (_tables, Settings()),
}
"""What each golden file shows, and with which settings."""
