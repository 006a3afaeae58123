"""Text mode: every reply as lines for a person, according to the peer's settings.

The first characters of lines are fixed (``typeset.Mark``). Some replies produce no line; event numbers are never
shown. A reply to several people is rendered only once for equal settings and equal wording: most events are worded
differently for only one seat (``own_words``).
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, get_args

from msgspec import UNSET, Struct, structs

from golfnet.engine import events as ev
from golfnet.engine.cards import MAX_SEATS, SEAT_LETTERS, Seat, position_text, seat_letter
from golfnet.protocol.commands.settings import Mark, Prefix, Settings, Style
from golfnet.protocol.lines import encode_lines
from golfnet.protocol.replies import presence
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
    TableView,
    Welcome,
    offer_of,
    worthwhile,
)
from golfnet.protocol.text.art import card_picture
from golfnet.protocol.text.lists import list_lines
from golfnet.protocol.text.scene import hole_end_lines, score_card, view_lines
from golfnet.protocol.text.sentences import clock_call, play_sentence, table_sentence
from golfnet.protocol.text.speech import brief_sentence, reminder, spoken_hole_end, spoken_view
from golfnet.protocol.text.status import hint
from golfnet.protocol.text.typeset import BELL, TextLine, beside, finished
from golfnet.protocol.text.words import Voice, seconds


class Rendering(Struct, frozen=True, gc=False):
    """A reply as text: its lines without line ends, and the bytes that are sent."""

    lines: list[str]
    out: bytes


Turn = tuple[str, str | None]
"""A table, and the letter of the seat whose turn it is."""


class BurstRendering(Struct, frozen=True):
    """The events of one step as text; ``last`` is the last event that has lines.

    ``rendering`` is the text of ``last``, and ``turn`` the turn that it begins, if any.
    """

    out: bytes
    last: Happened | None
    rendering: Rendering
    turn: Turn | None


NOTHING: Final = Rendering([], b"")


def render(
    reply: AnyReply,
    settings: Settings,
    *,
    you: Seat | None,
    is_named: bool = False,
    is_turn_told: bool = False,
) -> Rendering:
    """Return a reply as text for the viewer whose seat at the reply's table is ``you``.

    If ``is_named``, sentences about events begin with the table, because the viewer sees several tables. If
    ``is_turn_told``, a picture leaves out whose turn it is, because the line before says so.
    """
    match reply:
        case TableView():
            return _shared(reply.rendered, (settings, is_turn_told), settings, _view, reply, is_turn_told)
        case Happened():
            seat = you if you in own_words(reply.event) else None
            return _render_event(reply, settings, seat, is_named=is_named)
        case Chat():
            return _shared(reply.rendered, settings, settings, _chat, reply)
        case Prompt():
            lines = _prompt(reply, settings, you)
        case Ok():
            lines = _ok(reply)
        case Notice(code=presence.NoticeCode.GREETING):
            return _greeting(reply, settings)
        case Notice():
            lines = [_notice(reply, you)]
        case Error():
            lines = [TextLine(Mark.REFUSED, _refused(reply, settings))]
        case Rows():
            lines = list_lines(reply, settings)
        case Bye():
            lines = [TextLine(Mark.SERVER, reply.text)]
        case Welcome() | Ping():
            return NOTHING
    return _rendering(lines, settings)


def render_burst(burst: Burst, settings: Settings, *, you: Seat | None) -> BurstRendering:
    """Return the events of one step as text, in one piece."""
    events = burst.events
    apart: list[frozenset[Seat]] | None = burst.rendered.get(_OWN_WORDS)
    if apart is None:
        apart = burst.rendered[_OWN_WORDS] = [own_words(each.event) for each in events]
    seat = you if you in _NOBODY.union(*apart) else None
    known: BurstRendering | None = burst.rendered.get((settings, seat))
    if known is not None:
        return known
    named, last, latest, parts = burst.is_named, None, NOTHING, []
    for happened, own in zip(events, apart, strict=True):
        rendering = _render_event(happened, settings, seat if seat in own else None, is_named=named)
        if rendering.lines:
            last, latest = happened, rendering
            parts.append(rendering.out)
    turn = None if last is None else turn_in(last)
    whole = burst.rendered[settings, seat] = BurstRendering(b"".join(parts), last, latest, turn)
    return whole


def turn_in(happened: Happened) -> Turn | None:
    """Return the turn that an event begins, None for any other event."""
    event = happened.event
    return (happened.table, seat_letter(event.seat)) if isinstance(event, ev.TurnBegan) else None


def own_words(event: ev.Event | presence.TableEvent) -> frozenset[Seat]:
    """Return the seats for which an event is worded differently than for watchers."""
    return _ALONE[getattr(event, "seat", None)] if type(event) in _WORDS_FOR_ONE else _EVERYBODY


_OWN_WORDS: Final = "own words"
"""The key in a burst's cache for the ``own_words`` of its events."""
_NOBODY: Final[frozenset[Seat]] = frozenset()
_EVERYBODY: Final = frozenset(map(Seat, range(MAX_SEATS)))
_ALONE: Final = {None: _NOBODY} | {seat: frozenset((seat,)) for seat in _EVERYBODY}
_WORDS_FOR_ONE: Final = frozenset(
    (
        *(ev.TurnBegan, ev.Drew, ev.Took, ev.Swapped, ev.Discarded, ev.Flipped, ev.Passed, ev.Declined),
        *(presence.Seated, presence.Left, presence.Dropped, presence.Returned),
        *(presence.ReadySaid, presence.HostChanged, presence.Cut, presence.Sealed),
        *(presence.HousePlays, presence.TimedOut, presence.ClockWarning),
        *(ev.Dealt, ev.Reshuffled, ev.SlamOpened, ev.SlamClosed),
        *(presence.Opened, presence.Watching, presence.BotsWanted, presence.Closed),
        *(presence.Paused, presence.Resumed),
    )
)
"""Events that name no seat, or name one seat and are worded differently only for that seat."""


def _rendering(text_lines: list[TextLine], settings: Settings) -> Rendering:
    if not text_lines:
        return NOTHING
    lines = finished(text_lines, settings)
    return Rendering(lines, encode_lines(lines))


# Replies to several viewers are rendered once, and cached in the reply itself.


def _shared(
    kept: dict[object, Any],
    key: object,
    settings: Settings,
    lines: Callable[..., list[TextLine]],
    *args: object,
) -> Rendering:
    known: Rendering | None = kept.get(key)
    if known is None:
        known = kept[key] = _rendering(lines(settings, *args), settings)
    return known


def _render_event(happened: Happened, settings: Settings, you: Seat | None, *, is_named: bool) -> Rendering:
    return _shared(happened.rendered, (settings, you, is_named), settings, _happened, happened, you, is_named)


@lru_cache(maxsize=16)
def _greeting(notice: Notice, settings: Settings) -> Rendering:
    """Return the greeting; it is cached, because each connection keeps its lines."""
    return _rendering([_notice(notice, None)], settings)


def _view(settings: Settings, view: TableView, is_turn_told: bool) -> list[TextLine]:
    if settings.style is Style.SPEECH:
        return spoken_view(view, settings)
    return view_lines(view, settings, is_turn_told=is_turn_told)


def _happened(settings: Settings, happened: Happened, you: Seat | None, is_named: bool) -> list[TextLine]:
    event: Any = happened.event
    brief = settings.is_brief
    voice = Voice(settings=settings, you=you, names=happened.names, rules=happened.rules, brief=brief)
    if type(event) in _BESIDE_PLAY:
        sentence = _beside_play(happened, event, voice)
    elif type(event) is ev.Peeked and event.cards is None and happened.peeked == ():
        return []  # Another player has not completed a start choice.
    else:
        if (
            type(event) in _ACTS
            and you in happened.house
            and you == (event.by if type(event) is ev.Slammed else event.seat)
        ):
            voice = structs.replace(
                voice, you=None, names=(*voice.names[:you], "Your bot", *voice.names[you + 1 :])
            )
        sentence = (
            brief_sentence(happened, event, voice)
            if brief
            else play_sentence(event, voice, closer=happened.closer, peeked=happened.peeked)
        )
    if not sentence:
        return []
    line = TextLine(Mark.HAPPENED, f"{happened.table}: {sentence}" if is_named else sentence)
    return [line, *_below(happened, voice, you)] if type(event) in _HAS_MORE else [line]


def _beside_play(happened: Happened, event: presence.TableEvent, voice: Voice) -> str:
    """Return the sentence for a table event, empty if other replies tell the viewer of it."""
    match event:
        case presence.ClockWarning(seat=seat):
            in_prompt = event.ms == happened.ms and voice.settings.style is not Style.SPEECH
            is_told = in_prompt or seat != voice.you
            return "" if is_told else clock_call(event, voice, happened.clock_for)
        case presence.Opened() | presence.BotsWanted(ms=0 | None):
            return ""
        case presence.Seated(seat=seat) if seat == voice.you:
            return ""
        case _:
            return table_sentence(event, voice)


_ACTS: Final = frozenset(
    (
        *(ev.Drew, ev.Took, ev.Swapped, ev.Discarded, ev.Flipped, ev.Passed, ev.Declined, ev.Knocked),
        *(ev.Peeked, ev.Switched, ev.Slammed, ev.Gave),
    )
)
_HAS_MORE: Final = frozenset((ev.HoleEnded, ev.MatchEnded, ev.Drew, ev.Peeked, presence.SealsClosed))
_BESIDE_PLAY: Final = frozenset(get_args(presence.TableEvent))
"""The kinds of table events."""


def _below(happened: Happened, voice: Voice, you: Seat | None) -> list[TextLine]:
    settings, rules, event = voice.settings, happened.rules, happened.event
    match event:
        case ev.HoleEnded() if rules is not None:
            lines_of = spoken_hole_end if settings.style is Style.SPEECH else hole_end_lines
            return lines_of(event, rules, voice)
        case ev.MatchEnded():
            mark = Mark.HAPPENED if settings.style is Style.SPEECH else Mark.MORE
            card = score_card(happened.scores, event.totals, voice, settings.width - 2)
            return [TextLine(mark, line) for line in card]
        case presence.SealsClosed(seals=seals) if you is not None and seals[you]:
            # Two spaces, so that no part of a text can be at the beginning of a line, and look like another's.
            texts = [
                f"seal:  {seal}" if seal else f"text:  {cut}" if cut else "no text"
                for seal, cut in zip(seals, event.cuts, strict=True)
            ]
            shown = [] if settings.style is Style.SPEECH else zip(SEAT_LETTERS, texts, strict=False)
            return [TextLine(Mark.MORE, f"{letter} {text}") for letter, text in shown]
        case ev.Drew(card=card) if card is not None and settings.style is Style.ART:
            picture = card_picture(card.text, voice.look, held=True)
            return [TextLine(Mark.MORE, f"    {line}") for line in picture.lines]
        case ev.Peeked(at=at, cards=cards) if cards is not None and settings.style is Style.ART:
            labels = [str(each.slot) if each.seat == you else position_text(each) for each in at]
            seen = [
                card_picture(card.text, voice.look, label=label)
                for label, card in zip(labels, cards, strict=True)
            ]
            return [TextLine(Mark.MORE, f"    {line}") for line in beside(seen, settings.width - 6, gap=1)]
        case _:
            return []


def _notice(notice: Notice, you: Seat | None) -> TextLine:
    if notice.table is not UNSET:
        return TextLine(Mark.HAPPENED, f"{notice.table}: {notice.text}" if you is None else notice.text)
    return TextLine(Mark.READY if notice.code == presence.NoticeCode.TEXT else Mark.SERVER, notice.text)


def _prompt(prompt: Prompt, settings: Settings, you: Seat | None) -> list[TextLine]:
    if not prompt.actions:
        return []
    letter = None if you is None else seat_letter(you)
    # Round up to whole seconds, as they are shown; the countdown to a match has its own line.
    ms = None if prompt.ms is None or prompt.phase == "open" else -(-prompt.ms // 1000) * 1000
    actions = worthwhile(prompt.actions, is_won=prompt.won is True)
    line = _hint(prompt.phase, actions, prompt.targets, letter, ms, settings.style)
    return [line] if line.text else []


def render_reminder(prompt: Prompt, settings: Settings, *, you: Seat | None) -> Rendering:
    """Return a shorter form of a hint that has been given before: little or no text, but the bell still rings."""
    (line,) = _prompt(prompt, settings, you)
    if text := reminder(prompt.phase, prompt.offer):
        return _rendering([structs.replace(line, text=text)], settings)
    return Rendering([], BELL.encode()) if line.rings and settings.bell else NOTHING


@lru_cache(maxsize=1024)
def _hint(
    phase: str,
    actions: tuple[str, ...],
    targets: tuple[str, ...],
    you: str | None,
    ms: int | None,
    style: Style,
) -> TextLine:
    """Return a hint about the possible actions; cached, because many tables have the same hints."""
    offer = offer_of(actions, targets)
    text = hint(phase, offer, you=you, ms=ms, is_spoken=style is Style.SPEECH)
    is_open_window = "slam" in offer and "pass" in offer
    return TextLine(Mark.HAPPENED, text, rings=is_open_window or (phase == "turn" and bool(actions)))


def _ok(ok: Ok) -> list[TextLine]:
    """Return the lines of an ``ok``, none if it says only "done"; a token is always shown, as it is sent only once."""
    texts = []
    if ok.name is not UNSET:
        texts.append(f"You are {ok.name}.")
    if ok.token is not UNSET:
        texts.append(f"To come back later, from anywhere: resume {ok.token}")
    if ok.note is not UNSET:
        texts.append(ok.note)
    elif ok.setting is not UNSET:
        texts += [f"{name} is {value}." for name, value in ok.setting.items()]
    elif ok.key is not UNSET:
        texts.append(f"pong {ok.key}".rstrip())
    return [TextLine(Mark.DONE, text) for text in texts]


def _refused(error: Error, settings: Settings) -> str:
    # A screen reader would spell the code out; the sentence says the same.
    silent = settings.style is Style.SPEECH and settings.prefix is not Prefix.ON
    wait = (
        f" Wait {seconds(error.wait_ms)}."
        if error.wait_ms is not UNSET and "wait" not in error.message.lower()
        else ""
    )
    return f"{'' if silent else f'{error.code} '}{error.message}{wait}"


def _chat(settings: Settings, chat: Chat) -> list[TextLine]:
    everybody = chat.to in _TO_ALL
    if settings.style is Style.SPEECH:
        how = f" says{_TO_ALL[chat.to] if everybody else f' to {chat.to}'}"
    else:
        how = f" ({chat.to if everybody else f'to {chat.to}'})"
    return [TextLine(Mark.CHAT, f"{chat.speaker}{how}: {chat.text}")]


_TO_ALL: Final = {"table": "", "watchers": " to the watchers", "lobby": " in the lobby"}
