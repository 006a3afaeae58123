"""Everything the server says, one typed value each; how it looks is decided at the edge.

``data`` writes these as JSON lines, ``text`` and ``speech`` as sentences, and the client reads them back as the same
types. Cards, seats and positions are already in their wire notation (``7H``, ``B``, ``B3``), so that a reply holds
nothing a peer may not see. Times are durations in milliseconds.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType, field

from golfnet.engine.events import Event
from golfnet.engine.hole import Phase
from golfnet.engine.layout import Seat
from golfnet.engine.rules import RuleSet
from golfnet.protocol.replies.offers import Offer, offer_of
from golfnet.protocol.replies.presence import TableEvent

PROTOCOL: Final = 1
MAX_OBJECT: Final = 16 * 1024
"""Bytes of one machine-mode line at the most."""


class Reply(Struct, frozen=True, kw_only=True, tag_field="type"):
    """One thing the server says."""


class Limits(Struct, frozen=True, kw_only=True):
    """The bounds a peer should know before they bite: bytes, commands, seconds; 0 if an older server does not say."""

    line: int
    object: int
    commands_per_second: int
    chat_per_10_seconds: int
    name_seconds: int
    idle_seconds: int
    grace_seconds: int
    outbox: int
    false_start_ms: int = 0
    """A claim in a race sooner than this is a false start."""
    excess_per_10_seconds: int = 0
    watched: int = 0


class Welcome(Reply, frozen=True, kw_only=True, tag="welcome"):
    """The answer to ``hello``."""

    protocol: int
    server: str
    caps: tuple[str, ...]
    limits: Limits


class Ok(Reply, frozen=True, kw_only=True, tag="ok"):
    """A command was carried out; ``seq`` is the last event sent of ``table``."""

    id: int | UnsetType = UNSET
    table: str | UnsetType = UNSET
    seq: int | UnsetType = UNSET
    key: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    token: str | UnsetType = UNSET
    setting: dict[str, Any] | UnsetType = UNSET
    note: str | UnsetType = UNSET
    """A sentence for people, where more than "done" is worth saying."""


class Error(Reply, frozen=True, kw_only=True, tag="error"):
    """A command was refused; ``retry`` says whether it can succeed later."""

    id: int | UnsetType = UNSET
    code: str
    message: str
    retry: bool
    wait_ms: int | UnsetType = UNSET


class Rows(Reply, frozen=True, kw_only=True, tag="rows"):
    """A part of a list: objects, or for ``rules`` and ``help`` lines of text; ``more``: another part follows."""

    id: int | UnsetType = UNSET
    kind: str
    rows: tuple[Any, ...]
    more: bool = False
    title: str | UnsetType = UNSET


class SeatView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One taken seat; ``kind`` is human, bot or house; ``slots`` is empty before a deal.

    For the next deal: the ``seal`` of its text, whether it has ``told`` that text, and its ``cut`` where it has no seal
    and sealing is closed. Each is left out where there is none.
    """

    seat: str
    name: str
    kind: str
    present: bool
    slots: tuple[str, ...]
    total: int
    turns: int
    ready: bool
    host: bool
    seal: str | None = None
    told: bool = False
    cut: str = ""


class Clock(Struct, frozen=True, kw_only=True):
    """Who is being waited for, and how long yet."""

    seat: str
    ms: int


class SlamView(Struct, frozen=True, kw_only=True):
    """An open slam window."""

    discard_no: int
    card: str
    ms: int
    mode: str
    won: bool = False
    """Whether a claim has succeeded already; what comes now is late (C17)."""
    passed: bool = False
    """Whether the viewer has had its say: it passed or, but in a race, was judged (C21)."""
    moved: tuple[str, ...] = ()
    """The positions whose card is another than at the discard, and cannot be slammed (C11)."""


class FillingView(Struct, frozen=True, kw_only=True):
    """Bots that take the seats which are still free after a wait, and how long that is yet."""

    level: str
    ms: int


class TableView(Reply, frozen=True, kw_only=True, tag="view", dict=True):
    """A table as one viewer sees it, complete: nothing older is needed to go on from here.

    Its ``__dict__`` is for what ``view_codec`` has read from it, and for ``rendered``.
    """

    table: str
    seq: int
    name: str
    variant: str
    options: dict[str, Any]
    state: str
    match: str
    hole: int
    holes: int | None
    target: int | None
    phase: str | None
    you: str | None
    turn: str | None
    dealer: str | None
    leader: str | None
    stock: int
    discard: str | None
    discard_no: int
    discard_count: int
    beneath: str | None = None
    """The card under the top of the discard pile, which a ``took`` lays open; null while a taken card is held."""
    reshuffles: int = 0
    """How many times the discard pile may yet become the stock (X6)."""
    holding: str | None
    drawn: str | None
    power: bool
    owes: str | None
    """The seat that owes a gift."""
    gift_to: str | None = None
    """The position that the gift is for (C14)."""
    closer: str | None
    seats: tuple[SeatView, ...]
    owed: tuple[int, ...]
    scores: tuple[tuple[int, ...], ...]
    """The scores of the finished holes, by hole, in seat order."""
    actions: tuple[str, ...]
    targets: tuple[str, ...]
    clock: Clock | None
    slam: SlamView | None
    pause_ms: int | None
    """How long until the next deal, between holes."""
    starts_ms: int | None = None
    """How long until the match begins, null while that is open."""
    filling: FillingView | None = None
    commitment: str
    deal: str = ""
    """The scheme of the deal that the commitment is for."""
    sealing_ms: int | None = None
    """How long sealed texts may still be told, null unless sealing is closed and the deal is waited for."""
    watchers: int

    @cached_property
    def rendered(self) -> dict[object, Any]:
        """What ``text`` makes of it, by the settings and what else that depends on."""
        return {}

    @property
    def offer(self) -> Offer:
        """What the viewer may send now."""
        return offer_of(self.actions, self.targets)


class Prompt(Reply, frozen=True, kw_only=True, tag="prompt"):
    """What this seat may do now, as exact command lines.

    ``ms`` is what its clock has left, before a match the time until it begins, between two holes the time until the
    next deal; null without a clock.
    """

    table: str
    seq: int
    phase: str
    actions: tuple[str, ...]
    targets: tuple[str, ...]
    ms: int | None
    won: bool | UnsetType = UNSET
    """True in a slam window in which a claim has succeeded already: what comes now is late (C17)."""

    @property
    def offer(self) -> Offer:
        """What the seat may send now."""
        return offer_of(self.actions, self.targets)


class Chat(Reply, frozen=True, kw_only=True, tag="chat", dict=True):
    """Somebody speaks; ``to`` is table, watchers, lobby or a name. What is made of it once for all is kept on it."""

    speaker: str = field(name="from")
    to: str
    text: str
    table: str | UnsetType = UNSET

    @cached_property
    def rendered(self) -> dict[object, Any]:
        """What ``text`` makes of it, by the settings."""
        return {}


class Ping(Reply, frozen=True, kw_only=True, tag="ping"):
    """Asks a program for ``pong KEY``, to measure the round trip."""

    key: str


class Notice(Reply, frozen=True, kw_only=True, tag="notice"):
    """The server speaks to everybody, to one peer or about a ``table``; ``code`` tells programs what about."""

    code: str
    text: str
    ms: int | UnsetType = UNSET
    table: str | UnsetType = UNSET
    player: str | UnsetType = field(name="from", default=UNSET)
    """Who invites."""


class Bye(Reply, frozen=True, kw_only=True, tag="bye"):
    """The last thing before the server closes."""

    code: str
    text: str = field(name="message")


class Happened:
    """One numbered event of a table, already masked for those it is sent to.

    ``ms`` is the whole clock where a turn begins or its clock is called. For sentences and pictures only: ``names``
    are the players in seat order, ``rules`` those of the match, ``scores`` the finished holes by hole in seat order,
    ``closer`` the seat that has closed the hole so far, ``clock_for`` the phase whose clock is called, ``peeked``
    the slots of a start choice, none before it is complete, ``house`` the seats that the house plays,
    ``taken_into_slot`` whether a card was taken and put into a slot in one step. ``body`` is the event's JSON object
    where that is already known. One value is shared by all viewers who may see the same; ``rendered`` keeps what
    ``text`` makes of it, by the settings and for whom.
    """

    __slots__ = (
        *(
            "body",
            "clock_for",
            "closer",
            "event",
            "house",
            "ms",
            "names",
            "peeked",
            "rendered",
            "rules",
            "scores",
            "seq",
            "taken_into_slot",
        ),
        "table",
    )

    def __init__(
        self,
        *,
        table: str,
        seq: int,
        event: Event | TableEvent,
        names: tuple[str, ...],
        ms: int | None = None,
        rules: RuleSet | None = None,
        scores: tuple[tuple[int, ...], ...] = (),
        closer: Seat | None = None,
        clock_for: Phase | None = None,
        peeked: tuple[int, ...] | None = None,
        house: tuple[Seat, ...] = (),
        taken_into_slot: bool = False,
        body: bytes | None = None,
    ) -> None:
        self.table = table
        self.seq = seq
        self.event = event
        self.names = names
        self.ms = ms
        self.rules = rules
        self.scores = scores
        self.closer = closer
        self.clock_for = clock_for
        self.peeked = peeked
        self.house = house
        self.taken_into_slot = taken_into_slot
        self.body = body
        self.rendered: dict[object, Any] = {}


class Burst:
    """The events of one step at a table, sent in one piece: one value for all viewers who may see the same.

    ``lines`` are its JSON lines, ``make_events`` gives the events once somebody wants sentences. ``discard_no`` is the
    discard whose slam window one of them opens. ``is_named`` says that the table is named in each sentence, for
    somebody who sees several. ``rendered`` keeps what ``text`` makes of it, by the settings and for whom.
    """

    __slots__ = ("_events", "_make_events", "discard_no", "is_named", "lines", "rendered")

    def __init__(
        self,
        lines: bytes,
        make_events: Callable[[], tuple[Happened, ...]],
        *,
        discard_no: int | None = None,
        is_named: bool = False,
    ) -> None:
        self.lines = lines
        self._make_events = make_events
        self._events: tuple[Happened, ...] | None = None
        self.discard_no = discard_no
        self.is_named = is_named
        self.rendered: dict[object, Any] = {}

    @property
    def events(self) -> tuple[Happened, ...]:
        """The events, for sentences and pictures."""
        if self._events is None:
            self._events = self._make_events()
        return self._events

    def named(self) -> "Burst":
        """Return the same for those who see several tables."""
        return Burst(self.lines, lambda: self.events, is_named=True)


AnyReply = Welcome | Ok | Error | Rows | TableView | Prompt | Chat | Ping | Notice | Bye | Happened
