"""Everything the server sends, as typed values; they are rendered in a player's style only when they are sent.

``data`` writes them as JSON lines, ``text`` and ``speech`` as sentences, and the client decodes the same types. Cards,
seats and positions are text in wire notation (``7H``, ``B``, ``B3``), not objects of the engine, which could contain
what a peer may not see. Times are durations in milliseconds.
"""

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType, field, json

from golfnet.engine.cards import SEAT_LETTERS, Seat
from golfnet.engine.events import Event
from golfnet.engine.hole import Phase
from golfnet.engine.options import from_options
from golfnet.engine.rules import RuleSet
from golfnet.protocol.replies.presence import TableEvent

Arguments = tuple[tuple[str, ...], ...]
"""The possible arguments of a verb: a tuple of words for each line, an empty one if the verb can stand alone."""


class Offer(Struct, frozen=True):
    """What may be sent now: ``arguments`` maps each verb to its possible arguments, in the order of the lines."""

    lines: tuple[str, ...]
    targets: tuple[str, ...]
    arguments: dict[str, Arguments]

    def __contains__(self, verb: str) -> bool:
        """Return whether there is a line with the verb."""
        return verb in self.arguments

    def after(self, verb: str) -> Arguments:
        """Return the possible arguments of a verb, without the empty tuple."""
        return tuple([words for words in self.arguments.get(verb, ()) if words])

    @property
    def most(self) -> int:
        """The largest number of arguments in a line."""
        return max([len(words) for each in self.arguments.values() for words in each], default=0)


@lru_cache(maxsize=1024)
def offer_of(lines: tuple[str, ...], targets: tuple[str, ...] = ()) -> Offer:
    """Return the offer with these command lines and targets."""
    arguments: dict[str, Arguments] = {}
    for line in lines:
        verb, *words = line.split() or [""]
        arguments[verb] = (*arguments.get(verb, ()), tuple(words))
    return Offer(lines, targets, arguments)


def worthwhile(lines: tuple[str, ...], *, is_won: bool) -> tuple[str, ...]:
    """Return the lines worth showing to a person.

    Omit ``slam`` and ``pass`` once the window is won, because a slam could only be late. Omit them also once the seat
    has passed, although the rules of a race allow it to slam even then.
    """
    if not is_won and ("slam" not in lines or "pass" in lines):
        return lines
    return tuple([line for line in lines if line not in ("slam", "pass")])


PROTOCOL: Final = 1


class Reply(Struct, frozen=True, kw_only=True, tag_field="type"):
    """One message from the server."""


class Limits(Struct, frozen=True, kw_only=True):
    """The limits that a peer should know about; a limit that an older server does not send is 0."""

    line: int
    object: int
    commands_per_second: int
    chat_per_10_seconds: int
    name_seconds: int
    idle_seconds: int
    grace_seconds: int
    outbox: int
    false_start_ms: int = 0
    """A claim in a race earlier than this is a false start."""
    excess_per_10_seconds: int = 0
    watched: int = 0


class Welcome(Reply, frozen=True, kw_only=True, tag="welcome"):
    """The answer to ``hello``."""

    protocol: int
    server: str
    caps: tuple[str, ...]
    limits: Limits


class Ok(Reply, frozen=True, kw_only=True, tag="ok"):
    """A command was executed; ``seq`` is the number of the last event of ``table`` that was sent."""

    id: int | UnsetType = UNSET
    table: str | UnsetType = UNSET
    seq: int | UnsetType = UNSET
    key: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    token: str | UnsetType = UNSET
    setting: dict[str, Any] | UnsetType = UNSET
    line: str | UnsetType = UNSET
    """The command that a hint proposes."""
    place: int | UnsetType = UNSET
    """The player's place in line for a seat, counted from 1."""
    note: str | UnsetType = UNSET
    """A human-readable sentence, if there is more to say than "done"."""


class Error(Reply, frozen=True, kw_only=True, tag="error"):
    """A command was refused; ``retry`` says whether it can succeed later."""

    id: int | UnsetType = UNSET
    code: str
    message: str
    retry: bool
    wait_ms: int | UnsetType = UNSET


class Rows(Reply, frozen=True, kw_only=True, tag="rows"):
    """A part of a list: objects, or lines of text for ``rules`` and ``help``. If ``more``, another part follows."""

    id: int | UnsetType = UNSET
    kind: str
    rows: tuple[Any, ...]
    more: bool = False


class SeatView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One occupied seat; ``kind`` is human, bot or house; ``slots`` is empty before a deal.

    For the next deal, ``seal`` is the seal on the seat's text, and ``told`` is whether that text has been revealed.
    ``cut`` is the text of a seat without a seal, once sealing is closed. Fields that do not apply are left out.
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
    """The seat that the table is waiting for, and its time left."""

    seat: str
    ms: int


class SlamView(Struct, frozen=True, kw_only=True):
    """An open slam window."""

    discard_no: int
    card: str
    ms: int
    mode: str
    won: bool = False
    """Whether a claim has already succeeded; later ones are late (C17)."""
    passed: bool = False
    """Whether the viewer has passed or, except in a race, the viewer's claim has been judged (C21)."""
    moved: tuple[str, ...] = ()
    """The positions whose cards have changed since the discard, so that they cannot be slammed (C11)."""


class FillingView(Struct, frozen=True, kw_only=True):
    """Bots that will take free seats, and the time until then."""

    level: str
    ms: int


class TableView(Reply, frozen=True, kw_only=True, tag="view", dict=True):
    """A complete table as one viewer sees it: no earlier reply is needed to show it."""

    # Its ``__dict__`` serves as a cache, for ``rendered``, ``rules`` and the hole that ``view_codec`` has decoded.

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
    """The second card of the discard pile, which is on top after a ``took``; null while a taken card is held."""
    reshuffles: int = 0
    """How many reshuffles are left (X6)."""
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
    """Time until the next deal, between holes."""
    starts_ms: int | None = None
    """Time until the match begins, null if not yet known."""
    filling: FillingView | None = None
    commitment: str
    deal: str = ""
    """The name of the dealing scheme that the commitment is for."""
    sealing_ms: int | None = None
    """Time left to reveal sealed texts, null unless sealing is closed and the deal is due."""
    watchers: int

    @cached_property
    def rendered(self) -> dict[object, Any]:
        """Cached renderings of this view; a key has the settings and everything else that the text depends on."""
        return {}

    @cached_property
    def rules(self) -> RuleSet:
        """The rule set as played; reading it raises ``RuleError`` for rules that this version does not know."""
        return _rules(self.variant, json.encode(self.options, order="sorted"))

    @property
    def names(self) -> tuple[str, ...]:
        """The names at the table in seat order, with ``""`` for a free seat."""
        by_letter = {seat.seat: seat.name for seat in self.seats}
        last = max(map(SEAT_LETTERS.index, by_letter), default=-1)
        return tuple([by_letter.get(letter, "") for letter in SEAT_LETTERS[: last + 1]])

    @property
    def totals(self) -> tuple[int, ...]:
        """The totals so far, of the seats that are taken."""
        return tuple([seat.total for seat in self.seats])

    @property
    def own(self) -> SeatView | None:
        """The viewer's own seat."""
        return next((seat for seat in self.seats if seat.seat == self.you), None)

    @property
    def offer(self) -> Offer:
        """What the viewer may send now."""
        return offer_of(self.actions, self.targets)


@lru_cache(maxsize=32)
def _rules(variant: str, options: bytes) -> RuleSet:
    return from_options(variant, json.decode(options))


class Prompt(Reply, frozen=True, kw_only=True, tag="prompt"):
    """What this seat may do now, as exact command lines.

    ``ms`` is the time left: on the seat's clock, until the match begins, or between two holes until the next deal.
    It is null if there is no time limit.
    """

    table: str
    seq: int
    phase: str
    actions: tuple[str, ...]
    targets: tuple[str, ...]
    ms: int | None
    won: bool | UnsetType = UNSET
    """True in a slam window in which a claim has already succeeded; later ones are late (C17)."""

    @property
    def offer(self) -> Offer:
        """What the seat may send now."""
        return offer_of(self.actions, self.targets)


class Chat(Reply, frozen=True, kw_only=True, tag="chat", dict=True):
    """A chat message; ``to`` is table, watchers, lobby or a name."""

    speaker: str = field(name="from")
    to: str
    text: str
    table: str | UnsetType = UNSET

    @cached_property
    def rendered(self) -> dict[object, Any]:
        """The renderings cached by ``text``, by settings."""
        return {}


class Ping(Reply, frozen=True, kw_only=True, tag="ping"):
    """A request to a program for ``pong KEY``, to measure the round trip."""

    key: str


class Notice(Reply, frozen=True, kw_only=True, tag="notice"):
    """A message from the server to everybody, to one peer or about a ``table``; programs should rely on ``code``."""

    code: str
    text: str
    ms: int | UnsetType = UNSET
    table: str | UnsetType = UNSET
    player: str | UnsetType = field(name="from", default=UNSET)
    """The player who sent the invitation, or who has joined the line for a seat."""
    place: int | UnsetType = UNSET
    """The player's place in line for a seat, counted from 1; 0 if they are no longer waiting."""


class Bye(Reply, frozen=True, kw_only=True, tag="bye"):
    """The last message before the server closes the connection."""

    code: str
    text: str = field(name="message")


class Happened(Struct, kw_only=True, eq=False):
    """One numbered event of a table, masked for its viewers, and shared by all who may see the same things.

    ``ms`` is the full time per turn, for the start of a turn or a clock warning. ``rendered`` caches the text of the
    event, by settings and viewer.

    The other fields are only for sentences and pictures. ``names`` are the players in seat order. ``scores`` are those
    of the finished holes, by hole and in seat order. ``closer`` is None before closing. ``clock_for`` is the phase that
    a clock warning is about. ``peeked`` are the slots of a start choice, empty until the choice is complete. ``house``
    are the seats that bots play for absent players. ``taken_into_slot`` is whether a card was taken and placed in one
    step.
    """

    table: str
    seq: int
    event: Event | TableEvent
    names: tuple[str, ...]
    ms: int | None = None
    rules: RuleSet | None = None
    scores: tuple[tuple[int, ...], ...] = ()
    closer: Seat | None = None
    clock_for: Phase | None = None
    peeked: tuple[int, ...] | None = None
    house: tuple[Seat, ...] = ()
    taken_into_slot: bool = False
    rendered: dict[object, Any] = {}  # msgspec copies it for each instance


class Burst(Struct, eq=False, dict=True):
    """The events of one step at a table, sent together, and shared by all viewers who may see the same things.

    ``lines`` are their JSON lines. ``make_events`` returns the events, and is called only if sentences are needed.
    ``discard_no`` is the discard whose slam window one of the events opens. If ``is_named``, each sentence names the
    table, for viewers of several tables. ``rendered`` caches the text of the events, by settings and viewer.
    """

    lines: bytes
    make_events: Callable[[], tuple[Happened, ...]]
    discard_no: int | None = None
    is_named: bool = False
    rendered: dict[object, Any] = {}  # msgspec copies it for each instance

    @cached_property
    def events(self) -> tuple[Happened, ...]:
        """The events, for sentences and pictures."""
        return self.make_events()


JsonReply = Welcome | Ok | Error | Rows | TableView | Prompt | Chat | Ping | Notice | Bye
"""The replies that are encoded from their fields; an event is encoded by its kind."""

AnyReply = JsonReply | Happened
