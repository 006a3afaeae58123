"""How replies are said to one peer: to a program as objects, to a person as text, over telnet with GMCP beside it.

What stays true: a reply is written before ``write`` returns, in one piece; what a person was told last can be
repeated (``repeats``); nothing but text goes to a person without telnet.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final

import trio
from msgspec.structs import replace

from golfnet.engine.layout import Seat
from golfnet.protocol.commands.layout import PageLayout
from golfnet.protocol.commands.settings import MAX_WIDTH, Cards, Prefix, Settings, Style
from golfnet.protocol.errors import Code
from golfnet.protocol.lines import CRLF, encode_line, encode_lines
from golfnet.protocol.replies import data
from golfnet.protocol.replies.presence import Closed, Sealed, SealsClosed
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
from golfnet.protocol.telnet.telnet import Charset, TerminalType, WindowSize
from golfnet.protocol.text import text
from golfnet.protocol.text.brief import RECURRING, is_brief
from golfnet.protocol.text.stage import MOVES_KEPT, NO_JOINING, Joining, stage_lines
from golfnet.protocol.text.text import BurstRendering, Rendering
from golfnet.protocol.text.typeset import Mark, TextLine, finished, row_width
from golfnet.server.net.transport import Transport
from golfnet.server.session.decoder import InputDecoder
from golfnet.server.session.preferences import Preferences
from golfnet.server.session.repeats import Pager, Repeats

_NO_HINTS: Final[frozenset[tuple[str, ...]]] = frozenset()
HINTS_KEPT: Final = 32
"""Hints of a hole that are noted as told; few holes have more than ten kinds."""
_HOME: Final = b"\x1b[H"
_ERASE_LINE: Final = b"\x1b[K"
"""Before a line is drawn: behind a full one it would take its last character."""
_END_OF_SCREEN: Final = b"\x1b[J"


class StageScreen:
    """What is shown of one table; ``over`` says whether a picture is drawn over the last."""

    __slots__ = ("_joining", "_moves", "over", "table")

    def __init__(self, table: str, joining: Joining, *, over: bool) -> None:
        self.table = table
        self.over = over
        self._joining = joining
        self._moves: deque[str] = deque(maxlen=MOVES_KEPT)

    def is_for(self, reply: AnyReply) -> bool:
        """Tell whether a reply is part of the picture, and is not told beside it."""
        if isinstance(reply, TableView):
            return reply.table == self.table and reply.you is None
        return (
            isinstance(reply, Happened) and reply.table == self.table and not isinstance(reply.event, Closed)
        )

    def note(self, happened: Happened, settings: Settings) -> None:
        """Keep what happened in words: the sentence of an event, which is its first line, if watchers are told it."""
        whole = replace(settings, width=MAX_WIDTH, prefix=Prefix.OFF, bell=False, color=False)
        self._moves += text.render(happened, whole, you=None).lines[:1]

    def render(self, view: TableView, settings: Settings) -> Rendering:
        """Return the picture, under a rule where it is not drawn over the last; once for all who see the same."""
        key = (settings, self.over, tuple(self._moves), self._joining)
        known: Rendering | None = view.rendered.get(key)
        if known is None:
            lines = self._drawn(view, settings)
            out = _over_the_last(lines) if self.over else encode_lines(lines)
            known = view.rendered[key] = Rendering(lines, out)
        return known

    def _drawn(self, view: TableView, settings: Settings) -> list[str]:
        rule = ("\u2500" if settings.cards is Cards.SYMBOLS else "-") * (settings.width - 2)
        above = [] if self.over else [TextLine(Mark.MORE, rule)]
        return finished([*above, *stage_lines(view, self._moves, settings, self._joining)], settings)


def _over_the_last(lines: Sequence[str]) -> bytes:
    drawn = b"".join([_ERASE_LINE + encode_line(line, CRLF) for line in lines])
    return _HOME + drawn + _END_OF_SCREEN


ANSWERS: Final[tuple[type, ...]] = (Ok, Error, Bye)
ANSWERS_AND_TABLE: Final[tuple[type, ...]] = (*ANSWERS, TableView, Happened, Notice)
"""What a person's program may get as objects beside the text."""


class ReplyWriter:
    """The saying side of one connection; ``machine`` is whether the peer is a program, which has no settings."""

    __slots__ = (
        "_decoder",
        "_hints_told",
        "_transport",
        "_turn_told",
        "machine",
        "objects_kinds",
        "objects_word",
        "pager",
        "preferences",
        "repeats",
        "stage",
    )

    def __init__(self, transport: Transport, decoder: InputDecoder) -> None:
        self.machine = False
        self.preferences = Preferences()
        self.objects_word = b""
        """What marks the objects that a person's program gets beside the text, empty for none."""
        self.objects_kinds = ANSWERS
        """Which replies it gets as objects."""
        self.pager = Pager()
        self.repeats = Repeats()
        self.stage: StageScreen | None = None
        """The table that is shown on a big screen, if one is."""
        self._transport = transport
        self._decoder = decoder
        self._hints_told = _NO_HINTS
        """Which hints were told in this hole to somebody who is told things in few words: the phase and the verbs."""
        self._turn_told: text.Turn | None = None
        """The table and the seat whose turn was told in the last line, and not in an answer."""

    @property
    def settings(self) -> Settings:
        """How things are shown."""
        return self.preferences.settings

    @property
    def speaks_json(self) -> bool:
        """Whether the bytes of a reply are its JSON lines, and nothing else."""
        return self.machine and self._decoder.telnet is None

    @property
    def wants_pictures(self) -> bool:
        """Whether the table is drawn without being asked for."""
        return not self.machine and self.settings.style != "speech"

    def follows(self, table: str, *, is_turn: bool, is_open: bool) -> bool:
        """Tell whether a watched table is drawn now: after whatever happened, or at the beginning of a turn only.

        While it ``is_open`` for players, a big screen shows at once who has come.
        """
        if self.machine:
            return False
        if self.stage is not None and self.stage.table == table:
            return is_turn or is_open or self.stage.over
        return is_turn and self.preferences.settings.follows

    def show_on_stage(self, table: str | None, joining: Joining = NO_JOINING) -> None:
        """Show a table on a big screen from now on, or none; ``joining`` is how one gets a seat there."""
        telnet = self._decoder.telnet
        over = telnet is not None and telnet.started
        self.stage = None if table is None else StageScreen(table, joining, over=over)

    @property
    def layout(self) -> PageLayout:
        """How pages of help and rules are laid out for this peer."""
        if self.machine:
            return PageLayout()
        return PageLayout(row_width(self.settings), is_spoken=self.settings.style is Style.SPEECH)

    @property
    def page_settings(self) -> Settings:
        """How the lines of such a page are written: never in colours, since a program may get them as well."""
        if self.machine:
            return Settings(style=Style.PLAIN, cards=Cards.LETTERS)
        return replace(self.settings, color=False)

    def write(self, reply: AnyReply | Burst, you: Seat | None = None) -> None:
        """Say something at once; ``you`` is the seat of who hears it."""
        out = self.render(reply, you)
        if out:
            self._transport.write(out)

    def render(self, reply: AnyReply | Burst, you: Seat | None = None) -> bytes:
        """Return the bytes that tell a reply, none where there is nothing to say; the caller writes them in order."""
        if self.machine:
            line = data.encode(reply)
            telnet = self._decoder.telnet
            return line if telnet is None else telnet.encode(line)
        if not isinstance(reply, Burst):
            return self._render_text(reply, you)
        if self._is_bare:
            return self._render_burst(reply, you)
        named = reply.is_named
        return b"".join([self._render_text(happened, you, is_named=named) for happened in reply.events])

    def told_alike(self, reply: Burst | Chat | TableView) -> bytes | None:
        """Return what was rendered for somebody else without a seat who is shown things alike, None without any."""
        if self.machine or not self._is_bare:
            return None
        kept, settings = reply.rendered, self.preferences.settings
        if isinstance(reply, Burst):
            burst: BurstRendering | None = kept.get((settings, None))
            return None if burst is None else self._note_burst(burst, None)
        told: Rendering | None
        if isinstance(reply, TableView):
            told = kept.get((settings, self._turn_told == (reply.table, reply.turn)))
        else:
            told = kept.get(settings)
        if told is not None:
            self._turn_told = None
            self.repeats.note(reply, told, settings, None)
        return None if told is None else told.out

    def write_bytes(self, out: bytes) -> None:
        """Write bytes as they are, if there are any."""
        if out:
            self._transport.write(out)

    def adapt_to(self, told: WindowSize | TerminalType | Charset) -> None:
        """Speak as it suits the terminal of which telnet has told."""
        self.preferences.adapt_to(told)

    def start_answer(self) -> bool:
        """Begin with the answer to another line; return whether more of the last answer was waiting."""
        self._turn_told = None
        return self.pager.start()

    def write_page(self) -> None:
        """Write the next page of a long answer, if there is one."""
        self._write_lines(self.pager.next(self.settings.page))

    def write_rest(self) -> None:
        """Write all that is left of a long answer."""
        self._write_lines(self.pager.next(None))

    def _write_lines(self, lines: Sequence[str]) -> None:
        telnet, out = self._decoder.telnet, encode_lines(lines)
        self.write_bytes(out if telnet is None else telnet.encode(out))

    # --- what only telnet can say

    def start_telnet(self) -> None:
        """Begin telnet negotiation."""
        self.write_bytes(self._decoder.start_telnet())

    def hide_input(self) -> None:
        """Ask the peer not to show what is typed."""
        if (telnet := self._decoder.telnet) is not None:
            self.write_bytes(telnet.hide_input())

    def show_input(self) -> None:
        """Ask the peer to show again what is typed."""
        if (telnet := self._decoder.telnet) is not None:
            self.write_bytes(telnet.show_input())

    def request_timing_mark(self) -> None:
        """Ask for a sign of life, which telnet gives without the person behind it."""
        if (telnet := self._decoder.telnet) is not None:
            self.write_bytes(telnet.timing_mark(now=trio.current_time()))

    def write_mssp(self, variables: Mapping[str, str | Sequence[str]]) -> None:
        """Tell a listing of MUDs about the server."""
        if (telnet := self._decoder.telnet) is not None:
            self.write_bytes(telnet.mssp(variables))

    # --- inside

    def _is_paged(self, reply: AnyReply) -> bool:
        """Tell whether a reply is part of an answer that may be long: a list, ready-made lines, what follows them."""
        match reply:
            case Rows():
                return reply.kind != "record"
            case Notice():
                return reply.code == text.AS_IT_IS
            case _:
                return isinstance(reply, Ok) and self.pager.is_waiting

    def _is_for_program(self, reply: AnyReply) -> bool:
        """Tell whether a person need not read a reply, because a program of theirs sees to it."""
        return isinstance(reply, Happened) and isinstance(reply.event, Sealed | SealsClosed)

    @property
    def _is_bare(self) -> bool:
        """Whether text is all that the peer gets: no objects, no telnet, no big screen."""
        telnet = self._decoder.telnet
        return not self.objects_word and self.stage is None and (telnet is None or not telnet.started)

    def _render_burst(self, burst: Burst, you: Seat | None) -> bytes:
        """Return what a person is told of one step."""
        return self._note_burst(text.render_burst(burst, self.preferences.settings, you=you), you)

    def _note_burst(self, told: BurstRendering, you: Seat | None) -> bytes:
        """Return the bytes of a step, and remember the last of it, which is all that counts."""
        if told.last is not None:
            self._turn_told = told.turn
            self.repeats.note_event(told.last, told.rendering, self.preferences.settings, you)
        return told.out

    def _render_text(self, reply: AnyReply, you: Seat | None, *, is_named: bool = False) -> bytes:
        """Return what a person is told, and remember it."""
        settings = self.preferences.settings
        stage = self.stage if self.stage is not None and you is None and self.stage.is_for(reply) else None
        told = text.NOTHING
        if stage is not None and isinstance(reply, Happened):
            stage.note(reply, settings)
        elif stage is not None and isinstance(reply, TableView):
            told = stage.render(reply, settings)
        elif self.objects_kinds is ANSWERS or not self._is_for_program(reply):
            is_turn_told = type(reply) is TableView and self._turn_told == (reply.table, reply.turn)
            told = text.render(reply, settings, you=you, is_named=is_named, is_turn_told=is_turn_told)
            if type(reply) is Prompt and told.lines and is_brief(settings):
                told = self._once(reply, told, you)
            if told.lines:
                self._turn_told = text.turn_in(reply) if type(reply) is Happened else None
        self.repeats.note(reply, told, settings, you)
        lines: Sequence[str]
        lines, out = told.lines, told.out
        if settings.page is not None and self._is_paged(reply):
            lines = self.pager.first(lines, settings.page)
            out = encode_lines(lines)
        if type(reply) is Error and reply.code == Code.BAD_PROTOCOL:
            out = data.encode(reply) + out  # what speaks another protocol waits for an object
        return out if self._is_bare else self._beside_text(reply, lines, out)

    def _once(self, prompt: Prompt, told: Rendering, you: Seat | None) -> Rendering:
        """Return a hint where it was not told in this hole yet, and else what is said in its place."""
        if prompt.phase not in RECURRING:
            self._hints_told = _NO_HINTS
            return told
        kind = (prompt.phase, *prompt.offer.arguments)
        if kind in self._hints_told:
            return text.render_reminder(prompt, self.preferences.settings, you=you)
        self._hints_told = frozenset(
            (kind, *(self._hints_told if len(self._hints_told) < HINTS_KEPT else ()))
        )
        return told

    def _beside_text(self, reply: AnyReply, lines: Sequence[str], out: bytes) -> bytes:
        """Return text with what a program or telnet gets beside it."""
        if self.objects_word and isinstance(reply, self.objects_kinds):
            out = b"%b %b\r\n%b" % (self.objects_word, data.encode(reply).rstrip(), out)
        telnet = self._decoder.telnet
        if telnet is not None and telnet.started:
            out = _marked(telnet.encode(out), telnet.mark_end_of_record() if lines else b"")
            if telnet.takes_objects:
                out = telnet.gmcp(f"Golf.{_package(reply)}", data.encode(reply).rstrip()) + out
        return out


def _marked(out: bytes, mark: bytes) -> bytes:
    """Return a block of lines with the mark that it ends, before its last line end: some clients, such as TinTin++,
    show a line that ends at the mark, and would show an empty one after it.
    """
    return out.removesuffix(CRLF) + mark + CRLF if mark and out.endswith(CRLF) else out + mark


def _package(reply: AnyReply) -> str:
    """Return the last part of a reply's GMCP package: Event, View, Ok …"""
    return "Event" if isinstance(reply, Happened) else str(reply.__struct_config__.tag).title()
