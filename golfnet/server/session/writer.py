"""Renders replies for one peer: as objects for a program, or as text for a person, with GMCP over telnet.

Invariants: a reply is written in one piece before ``write`` returns; the last thing sent to a person can be repeated;
without telnet or ``objects``, a person gets nothing but text.

``again`` repeats only the last thing sent: an event with the hint after it, a list, an answer, or chat. So a card that
may be seen only once (rule X10) can be repeated until something else is sent. Repeating something does not change what
is repeated next.
"""

from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Final

import trio
from msgspec import Struct, field, structs

from golfnet.engine.cards import Seat
from golfnet.engine.events import Peeked
from golfnet.engine.rules import Recall
from golfnet.protocol.commands.pages import PageLayout
from golfnet.protocol.commands.settings import MAX_WIDTH, Cards, Mark, Prefix, Settings, Style
from golfnet.protocol.errors import Code
from golfnet.protocol.lines import CRLF, encode_line, encode_lines
from golfnet.protocol.replies import data
from golfnet.protocol.replies.presence import ClockWarning, Closed, NoticeCode, Sealed, SealsClosed
from golfnet.protocol.replies.replies import (
    AnyReply,
    Burst,
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
from golfnet.protocol.telnet.telnet import TelnetRequest
from golfnet.protocol.text import text
from golfnet.protocol.text.speech import RECURRING
from golfnet.protocol.text.stage import MOVES_KEPT, NO_JOINING, Joining, stage_lines
from golfnet.protocol.text.status import status, voice_for
from golfnet.protocol.text.typeset import TextLine, finished, row_width
from golfnet.server.net.transport import Transport
from golfnet.server.session.decoder import InputDecoder
from golfnet.server.session.text_mode import KEPT, Pager, Preferences

_NO_HINTS: Final[frozenset[tuple[str, ...]]] = frozenset()
HINTS_KEPT: Final = 32
"""Maximum number of hints remembered per hole; few holes have more than ten."""
_HOME: Final = b"\x1b[H"
_ERASE_LINE: Final = b"\x1b[K"
"""Sent before each line, since after a line as wide as the screen it would erase the last character."""
_END_OF_SCREEN: Final = b"\x1b[J"


class StageScreen(Struct, eq=False):
    """A table shown on a big screen; with ``over``, each picture is drawn over the previous one."""

    table: str
    joining: Joining
    over: bool
    _moves: deque[str] = field(default_factory=partial(deque, maxlen=MOVES_KEPT))

    def render(self, reply: AnyReply, settings: Settings) -> text.Rendering | None:
        """Return the text of a reply that is shown in the picture, or None for any other reply.

        An event has no text of its own: its first line, if it has any for watchers, is kept for the next picture.
        """
        if isinstance(reply, TableView) and reply.table == self.table and reply.you is None:
            return self._draw(reply, settings)
        if isinstance(reply, Happened) and reply.table == self.table and not isinstance(reply.event, Closed):
            whole = structs.replace(settings, width=MAX_WIDTH, prefix=Prefix.OFF, bell=False, color=False)
            self._moves += text.render(reply, whole, you=None).lines[:1]
            return text.NOTHING
        return None

    def _draw(self, view: TableView, settings: Settings) -> text.Rendering:
        """Return the picture; pictures with the same view and settings share their bytes.

        There is a rule above the picture, unless pictures are drawn over each other.
        """
        key = (settings, self.over, tuple(self._moves), self.joining)
        known: text.Rendering | None = view.rendered.get(key)
        if known is None:
            rule = ("\u2500" if settings.cards is Cards.SYMBOLS else "-") * (settings.width - 2)
            above = [] if self.over else [TextLine(Mark.MORE, rule)]
            picture = stage_lines(view, self._moves, settings, self.joining)
            lines = finished([*above, *picture], settings)
            if self.over:
                drawn = b"".join([_ERASE_LINE + encode_line(line, CRLF) for line in lines])
                out = _HOME + drawn + _END_OF_SCREEN
            else:
                out = encode_lines(lines)
            known = view.rendered[key] = text.Rendering(lines, out)
        return known


_ANSWERS: Final[tuple[type, ...]] = (Ok, Error, Bye)
_ANSWERS_AND_TABLE: Final[tuple[type, ...]] = (*_ANSWERS, TableView, Happened, Notice)
"""The replies that a person's program can get as objects in addition to the text."""

_SPOKEN: Final = Settings(style=Style.SPEECH, prefix=Prefix.OFF, width=MAX_WIDTH)
"""The settings for sentences that a program shows to a person."""


class Repeats(Struct, eq=False):
    """The last thing sent on a connection, and the last event. Their lines are shared with other receivers."""

    last_event: Sequence[str] = ()
    """The lines of the last event at a table."""
    _parts: tuple[Sequence[str], ...] = ()
    _continued_by: tuple[type[AnyReply], ...] = ()
    """The kinds of replies that belong to the last thing if they come next."""
    _count: int = 0
    _size: int = 0
    _later: Sequence[str] | None = None
    """The text that replaces the last event's text once something else has been sent; None if it stays.

    A peek then loses its cards, unless the rules allow them to be seen again.
    """

    def note(self, reply: AnyReply, rendering: text.Rendering, settings: Settings, you: Seat | None) -> None:
        """Record the text of the reply just sent."""
        lines = rendering.lines
        if not lines:
            if type(reply) is Ok and self._continued_by is not _HINT:
                self._continued_by = ()
            return
        if type(reply) not in self._continued_by:
            self._parts, self._count, self._size = (), 0, 0
            if self._later is not None:
                self.last_event, self._later = self._later, None
        if type(reply) is Happened and type(event := reply.event) is not ClockWarning:
            self.last_event, rules = lines, reply.rules
            if type(event) is Peeked and (rules is None or rules.recall is not Recall.ALWAYS):
                masked = Peeked(seat=event.seat, at=event.at, cards=None)
                public = Happened(
                    table=reply.table, seq=reply.seq, event=masked, names=reply.names, rules=rules
                )
                self._later = text.render(public, settings, you=you).lines
        if self._size <= KEPT:
            self._size += len(rendering.out)
            kept = lines if self._size <= KEPT else _within(lines, self._size - KEPT)
            self._parts = (*self._parts, kept)
        self._count += len(lines)
        self._continued_by = _continuations(reply)

    @property
    def last_thing(self) -> list[str]:
        """The lines of the last thing sent; if some were not kept, a note says so."""
        lines = [line for part in self._parts for line in part]
        if self._count > len(lines):
            lines.append(
                f"= That list is longer: it has {self._count} lines. Type its command again to see them all."
            )
        return lines


def _within(lines: Sequence[str], excess: int) -> Sequence[str]:
    """Return the lines without the last few, which together have at least ``excess`` bytes."""
    kept = list(lines)
    while kept and excess > 0:
        excess -= len(encode_lines([kept.pop()]))
    return kept


_HINT: Final = (Prompt,)


def _continuations(reply: AnyReply) -> tuple[type[AnyReply], ...]:
    """Return the kinds of replies that continue this one: another part, a list's ``ok``, or a hint."""
    match reply:
        case Rows(more=more):
            return (Rows, Ok) if more else (Ok,)
        case Notice(code=NoticeCode.TEXT):
            return (Notice,)
        case Happened() | TableView():
            return _HINT
    return ()


class ReplyWriter(Struct, eq=False):
    """Renders and writes replies to one connection."""

    _transport: Transport
    _decoder: InputDecoder
    machine: bool = False
    """Whether the peer is a program, for which the width is the only setting that counts."""
    tells: bool = False
    """Whether a program gets a sentence with each event."""
    sees: bool = False
    """Whether a program gets a view after the events."""
    preferences: Preferences = field(default_factory=Preferences)
    objects_word: bytes = b""
    """The word before each object that a person's program gets in addition to the text; empty without objects."""
    objects_table: bool = False
    """Whether the program gets what happens at its table as objects, too."""
    pager: Pager | None = None
    """The answer that is being shown in pages, if any."""
    repeats: Repeats = field(default_factory=Repeats)
    stage: StageScreen | None = None
    """The table shown on a big screen, if any."""
    _hints_sent: frozenset[tuple[str, ...]] = _NO_HINTS
    """In brief style, the kinds of hints (phase and verbs) already sent in this hole, or since the last view."""
    _turn_announced: text.Turn | None = None
    """The table and seat whose turn the last lines announced; None if they announced no turn."""

    @property
    def settings(self) -> Settings:
        """The settings of the connection."""
        return self.preferences.settings

    @property
    def speaks_json(self) -> bool:
        """Whether replies are sent as plain JSON lines, the same for every viewer."""
        return self.machine and not self.tells and not self._decoder.telnet.started

    @property
    def wants_pictures(self) -> bool:
        """Whether this peer gets pictures of the table without asking for them."""
        return not self.machine and self.settings.style is not Style.SPEECH

    def follows(self, table: str, *, is_turn: bool, is_open: bool) -> bool:
        """Return whether to send a picture of a watched table now.

        Some peers want one at each event, some at each turn, some never. A big screen also gets one while the table
        ``is_open``, so that it shows new players at once.
        """
        if self.machine:
            return self.sees
        if self.stage is not None and self.stage.table == table:
            return is_turn or is_open or self.stage.over
        return is_turn and self.preferences.settings.follows

    def show_on_stage(self, table: str | None, joining: Joining = NO_JOINING) -> None:
        """From now on, show this table (or none) as on a big screen; ``joining`` explains how to get a seat."""
        self.stage = None if table is None else StageScreen(table, joining, over=self._decoder.telnet.started)

    @property
    def layout(self) -> PageLayout:
        """The layout of help and rules for this peer."""
        settings = self.page_settings
        return PageLayout(row_width(settings), is_spoken=settings.style is Style.SPEECH)

    @property
    def page_settings(self) -> Settings:
        """The settings for pages of text, without colours, since programs may get these pages, too."""
        if self.machine:
            return Settings(style=Style.PLAIN, cards=Cards.LETTERS, width=self.settings.width)
        return structs.replace(self.settings, color=False)

    def write(self, reply: AnyReply) -> None:
        """Send a reply at once."""
        self.write_bytes(self.render(reply))

    def render(self, reply: AnyReply | Burst, you: Seat | None = None) -> bytes:
        """Return the bytes of a reply, perhaps none; the caller has to write them in the order of rendering."""
        if self.machine:
            line = data.encode(reply)
            if self.tells and isinstance(reply, Burst | Happened):
                events = reply.events if isinstance(reply, Burst) else (reply,)
                told = [text.render(happened, _SPOKEN, you=you).lines for happened in events]
                line = data.with_sentences(line, map(" ".join, told))
            elif self.tells and isinstance(reply, TableView):
                # Without a seat, since a player who has to reveal a text would be told to type a command.
                shown = reply if reply.sealing_ms is None else structs.replace(reply, you=None)
                line = data.with_sentences(line, [status(shown, voice_for(shown, _SPOKEN))])
            telnet = self._decoder.telnet
            return telnet.encode(line) if telnet.started else line
        if not isinstance(reply, Burst):
            return self._render_text(reply, you)
        if self._is_bare:
            return self._note_burst(text.render_burst(reply, self.preferences.settings, you=you), you)
        return b"".join([self._render_text(each, you, is_named=reply.is_named) for each in reply.events])

    def rendered_before(self, reply: Burst | Chat | TableView) -> bytes | None:
        """Return a reply's bytes if it was already rendered for a receiver without a seat, with the same settings."""
        if self.machine or not self._is_bare:
            return None
        kept, settings = reply.rendered, self.preferences.settings
        if isinstance(reply, Burst):
            burst: text.BurstRendering | None = kept.get((settings, None))
            return None if burst is None else self._note_burst(burst, None)
        key: object = settings
        if isinstance(reply, TableView):
            key = settings, self._turn_announced == (reply.table, reply.turn)
        rendering: text.Rendering | None = kept.get(key)
        if rendering is None:
            return None
        self._turn_announced = None
        self.repeats.note(reply, rendering, settings, None)
        return rendering.out

    def write_bytes(self, out: bytes) -> None:
        """Write bytes as they are."""
        if out:
            self._transport.write(out)

    def start_answer(self) -> bool:
        """Drop the remaining pages of the last answer, since another begins; return whether there were any."""
        self._turn_announced = None
        pager, self.pager = self.pager, None
        return pager is not None and pager.is_waiting

    def write_page(self, page: int | None) -> None:
        """Write the next page of a long answer, or the rest of the answer if ``page`` is None."""
        if self.pager is not None:
            self.write_bytes(self._decoder.telnet.encode(encode_lines(self.pager.next(page))))
            if not self.pager.is_waiting:
                self.pager = None

    # --- telnet only

    def request(self, what: TelnetRequest) -> None:
        """Ask the peer for something over telnet, if it uses telnet or is asked to start."""
        decoder = self._decoder
        telnet = decoder.use_telnet() if what is TelnetRequest.START else decoder.telnet
        self.write_bytes(telnet.request(what, now=trio.current_time()))

    # --- inside

    def _is_paged(self, reply: AnyReply) -> bool:
        """Return whether a reply is part of an answer that is shown in pages."""
        match reply:
            case Rows():
                return reply.kind != "record"
            case Notice():
                return reply.code == NoticeCode.TEXT
            case _:
                return isinstance(reply, Ok) and self.pager is not None and self.pager.is_waiting

    @property
    def _is_bare(self) -> bool:
        return not self.objects_word and self.stage is None and not self._decoder.telnet.started

    def _note_burst(self, burst: text.BurstRendering, you: Seat | None) -> bytes:
        """Return the bytes of a burst of events, and remember its last event for repeats."""
        if burst.last is not None:
            self._turn_announced = burst.turn
            self.repeats.note(burst.last, burst.rendering, self.preferences.settings, you)
        return burst.out

    def _render_text(self, reply: AnyReply, you: Seat | None, *, is_named: bool = False) -> bytes:
        """Render a reply for a person, and remember it for repeats."""
        settings = self.preferences.settings
        on_stage = None if self.stage is None or you is not None else self.stage.render(reply, settings)
        rendering = on_stage or text.NOTHING
        # A program that gets the events of its table deals with seals itself.
        is_for_program = (
            self.objects_table and type(reply) is Happened and isinstance(reply.event, Sealed | SealsClosed)
        )
        if on_stage is None and not is_for_program:
            is_turn_told = False
            if type(reply) is TableView:
                is_turn_told, self._hints_sent = self._turn_announced == (reply.table, reply.turn), _NO_HINTS
            rendering = text.render(reply, settings, you=you, is_named=is_named, is_turn_told=is_turn_told)
            if type(reply) is Prompt and rendering.lines and settings.is_brief:
                rendering = self._once(reply, rendering, you)
            if rendering.lines:
                self._turn_announced = text.turn_in(reply) if type(reply) is Happened else None
        self.repeats.note(reply, rendering, settings, you)
        lines: Sequence[str]
        lines, out = rendering.lines, rendering.out
        if settings.page is not None and self._is_paged(reply):
            if self.pager is None:
                self.pager = Pager()
            lines = self.pager.first(lines, settings.page)
            out = encode_lines(lines)
        if type(reply) is Error and reply.code == Code.BAD_PROTOCOL:
            out = data.encode(reply) + out  # a program with another protocol version is waiting for an object
        return out if self._is_bare else self._beside_text(reply, lines, out)

    def _once(self, prompt: Prompt, rendering: text.Rendering, you: Seat | None) -> text.Rendering:
        """Return the hint if it is the first of its kind in this hole or since the last view, else a short reminder."""
        if prompt.phase not in RECURRING:
            self._hints_sent = _NO_HINTS
            return rendering
        kind = (prompt.phase, *prompt.offer.arguments)
        if kind in self._hints_sent:
            return text.render_reminder(prompt, self.preferences.settings, you=you)
        self._hints_sent = frozenset(
            (kind, *(self._hints_sent if len(self._hints_sent) < HINTS_KEPT else ()))
        )
        return rendering

    def _beside_text(self, reply: AnyReply, lines: Sequence[str], out: bytes) -> bytes:
        """Return the text with the objects for a program, and with what telnet adds."""
        if self.objects_word and isinstance(reply, _ANSWERS_AND_TABLE if self.objects_table else _ANSWERS):
            out = b"%b %b\r\n%b" % (self.objects_word, data.encode(reply).rstrip(), out)
        telnet = self._decoder.telnet
        if telnet.started:
            out = _marked(telnet.encode(out), telnet.mark_end_of_record() if lines else b"")
            if telnet.takes_objects:
                name = "Event" if isinstance(reply, Happened) else str(reply.__struct_config__.tag).title()
                out = telnet.gmcp(f"Golf.{name}", data.encode(reply).rstrip()) + out
        return out


def _marked(out: bytes, mark: bytes) -> bytes:
    """Return lines with an end mark before the last line end.

    Some clients, such as TinTin++, show a line when the mark arrives. If the mark came after the line end, they would
    show an empty line.
    """
    return out.removesuffix(CRLF) + mark + CRLF if mark and out.endswith(CRLF) else out + mark
