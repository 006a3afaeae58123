"""A table, or the end of a hole, as pictures (style art) or as aligned text (style plain)."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from golfnet.engine.cards import Card
from golfnet.engine.events import EndReason, HoleEnded
from golfnet.engine.layout import EMPTY, HIDDEN, Seat
from golfnet.engine.notation import parse_seat
from golfnet.engine.rules import Cancel, RuleSet
from golfnet.engine.scoring import layout_score, slot_points
from golfnet.protocol.commands.settings import Settings, Style
from golfnet.protocol.replies.replies import Happened, SeatView, TableView
from golfnet.protocol.text.art import (
    Shape,
    card_picture,
    guessed_shape,
    layout_picture,
    pile_picture,
    sign_width,
    small_layout,
    titled,
    under,
)
from golfnet.protocol.text.lists import score_card
from golfnet.protocol.text.sentences import SHORT_HASH
from golfnet.protocol.text.status import (
    marks,
    own_points,
    seat_of,
    shape_of,
    status,
    title,
    totals,
    voice_for,
)
from golfnet.protocol.text.typeset import (
    Block,
    Mark,
    TextLine,
    beside,
    block,
    bold,
    clipped,
    display_width,
    in_row,
    padded,
    wrapped,
)
from golfnet.protocol.text.words import Voice, number, points

_INDENT = 2
_GAP = 3
_WIDE_GAP = 4
_SHORTEST = 12
"""The minimum width of a label in columns, to keep a name recognisable."""
_HEADING = 24
"""The minimum width of the heading of a small layout, in columns: enough for most names with a remark."""


def view_lines(view: TableView, settings: Settings, *, is_turn_told: bool = False) -> list[TextLine]:
    """Return a table as its viewer sees it: its status, all layouts and piles, and the totals.

    If ``is_turn_told``, the status is left out, because the line before says whose turn it is.
    """
    voice = voice_for(view, settings)
    where = f"{title(view)}." if is_turn_told else f"{title(view)}. {status(view, voice)}"
    heading = TextLine(Mark.HAPPENED, where)
    if view.state == "finished" and view.scores:
        final = [seat.total for seat in view.seats]
        return [heading, *_more(score_card(view.scores, final, voice, settings.width - _INDENT))]
    if not any(seat.slots for seat in view.seats):
        return [heading, *_more(_chairs(view, voice, settings))]
    draw = _pictures if settings.style is Style.ART else _text
    lines = [heading, *_more(draw(view, voice, settings, settings.width - _INDENT))]
    return [*lines, TextLine(Mark.MORE, text)] if (text := totals(view, voice)) else lines


def hole_end_lines(happened: Happened, event: HoleEnded, voice: Voice, settings: Settings) -> list[TextLine]:
    """Return all layouts face up with their scores, and the beginning of the seed."""
    width = settings.width - _INDENT
    entries = _entries_of(happened, event)
    scores = [hole_score(happened, event, entry.seat) for entry in entries]
    if settings.style is Style.ART:
        lines = beside(_turned_up(entries, scores, voice, settings), width, gap=_GAP)
    else:
        with_scores = [
            replace(entry, remarks=(*entry.remarks, *_score_remarks(score, settings)))
            for entry, score in zip(entries, scores, strict=True)
        ]
        lines = _entries_text(with_scores, voice, settings, width)
    proof = f"Seed {event.seed.hex()[:SHORT_HASH]}...; record shows it in full." if event.seed else ""
    return _more([*lines, *([proof] if proof else [])])


def counted_layouts(happened: Happened, event: HoleEnded, voice: Voice, width: int) -> list[str]:
    """Return all layouts face up as aligned text, each with its sum: ``7 + 0 + 9 = 16 points``."""
    entries = []
    for entry in _entries_of(happened, event):
        count, score = (
            counted(voice.rules, event.layouts[entry.seat]),
            hole_score(happened, event, entry.seat),
        )
        entries.append(replace(entry, remarks=(*entry.remarks, *_sum_remarks(count, score, voice.settings))))
    return _entries_text(entries, voice, voice.settings, width)


class Counted(Struct, frozen=True):
    """The points of the parts of a layout; ``what`` says whether these are columns or cards."""

    what: str
    points: tuple[int, ...]


def counted(rules: RuleSet | None, layout: Sequence[Card | None]) -> Counted:
    """Return the points of a layout: by column if columns can cancel, otherwise by card."""
    if rules is None:
        return Counted("", ())
    points = slot_points(rules, layout)
    dealt = rules.rows * rules.columns
    if rules.cancelling is not Cancel.COLUMN:
        return Counted("Cards", tuple([each for each in points if each is not None]))
    columns = [
        sum(map(int, filter(None, points[first : dealt : rules.columns]))) for first in range(rules.columns)
    ]
    return Counted("Columns", (*columns, *[each for each in points[dealt:] if each is not None]))


class HoleScore(Struct, frozen=True):
    """A seat's result in a hole: the points of its cards, its score with the price of closing, and its total."""

    cards: int
    score: int
    total: int


def hole_score(happened: Happened, event: HoleEnded, seat: Seat) -> HoleScore | None:
    """Return a seat's score, or None if the hole does not count."""
    if event.scores is None:
        return None
    score, rules = event.scores[seat], happened.rules
    cards = score if rules is None else layout_score(rules, event.layouts[seat])
    return HoleScore(cards, score, event.totals[seat])


def closing_price(score: HoleScore, settings: Settings) -> str:
    """Return the price of closing, empty if there was none: ``8 doubled for closing``, ``8 + 5 for closing``."""
    price = score.score - score.cards
    if not price:
        return ""
    cost = "doubled" if price == score.cards else f"+ {price}"
    return f"{number(score.cards, settings)} {cost} for closing"


class _SceneLayout(Struct, frozen=True):
    """One layout with its seat and remarks about it."""

    seat: Seat
    slots: tuple[str, ...]
    shape: Shape
    remarks: tuple[str, ...]


def _entries_of(happened: Happened, event: HoleEnded) -> list[_SceneLayout]:
    entries = []
    for seat, layout in enumerate(event.layouts):
        slots = tuple([EMPTY if card is None else card.text for card in layout])
        rules = happened.rules
        shape = guessed_shape(len(slots)) if rules is None else Shape(rules.rows, rules.columns)
        remarks = ("knocked",) if seat == event.closer and event.reason is EndReason.KNOCK else ()
        entries.append(_SceneLayout(Seat(seat), slots, shape, remarks))
    return entries


def _more(lines: Sequence[str]) -> list[TextLine]:
    # Drop empty lines, such as those for missing remarks below a row of pictures.
    return [TextLine(Mark.MORE, line) for line in lines if line]


def _chairs(view: TableView, voice: Voice, settings: Settings) -> list[str]:
    return [
        ", ".join([voice.label(seat_of(seat), settings.width - 20), *marks(seat, view)])
        for seat in view.seats
    ]


# --- art


def _pictures(view: TableView, voice: Voice, settings: Settings, width: int) -> list[str]:
    piles = _piles(view, voice, settings)
    centre = in_row(piles, gap=_GAP)
    if centre.width > width:
        centre = block(beside(piles, width, gap=_GAP))
    lines: list[str] = []
    main = [centre]
    shape = shape_of(view)
    for seat in view.seats:
        if seat.seat == view.you:
            remarks = _remarks(seat, view, settings)
            label = voice.label(seat_of(seat), max(_SHORTEST, width - display_width(remarks)))
            lines.append(bold(clipped(f"{label}{remarks}", width), on=settings.color))
            picture = layout_picture(seat.slots, shape, settings, width)
            fits = picture.width + _WIDE_GAP + centre.width <= width
            above = max(0, (len(picture.lines) - len(centre.lines)) // 2) if fits else 0
            main = [picture, Block((*[" " * centre.width] * above, *centre.lines), centre.width)]
    others = _small_seats(view, voice, settings, shape, width)
    return [*lines, *beside(main, width, gap=_WIDE_GAP), *beside(others, width, gap=_GAP)]


def _clockwise(view: TableView) -> list[SeatView]:
    you, seats = view.you or "", view.seats
    return [*[seat for seat in seats if seat.seat > you], *[seat for seat in seats if seat.seat < you]]


def _piles(view: TableView, voice: Voice, settings: Settings) -> list[Block]:
    number = f" #{view.discard_no}" if view.options.get("slam", "off") != "off" and view.discard_no else ""
    piles = [
        titled("stock", pile_picture(view.stock, settings)),
        titled(f"discard{number}", card_picture(view.discard or EMPTY, settings)),
    ]
    if view.holding is not None:
        seat = parse_seat(view.holding)
        held = card_picture(view.drawn or HIDDEN, settings, held=True)
        piles.append(titled("you hold" if voice.is_you(seat) else f"{view.holding} holds", held))
    return piles


def _small_seats(view: TableView, voice: Voice, settings: Settings, shape: Shape, width: int) -> list[Block]:
    """Return the others' layouts; if the rules have slams or powers, each card follows its position."""
    named = view.options.get("slam", "off") != "off" or view.options.get("power", "off") != "off"
    seats = _clockwise(view)
    sign = 2 if named else 3
    pictures = [
        small_layout(seat.slots, shape, settings, letter=seat.seat if named else None, width=width, sign=sign)
        for seat in seats
    ]
    size = min(max([_HEADING, *[picture.width for picture in pictures]]), width)
    labels = [voice.label(seat_of(seat)) for seat in seats]
    remarks = [_remarks(seat, view, settings) for seat in seats]
    # All headings have the same number of lines, so that the cards are aligned.
    headings: list[tuple[str, ...]] = [
        (label + remark,) for label, remark in zip(labels, remarks, strict=True)
    ]
    if max([display_width(heading) for heading, *_ in headings], default=0) > size:
        headings = [
            (clipped(label, size), clipped(remark.removeprefix(": "), size))
            for label, remark in zip(labels, remarks, strict=True)
        ]
    return [under(heading, picture) for heading, picture in zip(headings, pictures, strict=True)]


def _remarks(seat: SeatView, view: TableView, settings: Settings) -> str:
    remarks = ", ".join([*own_points(seat, view, settings), *marks(seat, view)])
    return f": {remarks}" if remarks else ""


def _turned_up(
    entries: Sequence[_SceneLayout], scores: Sequence[HoleScore | None], voice: Voice, settings: Settings
) -> list[Block]:
    pictures = [small_layout(entry.slots, entry.shape, settings, sign=3) for entry in entries]
    height = max([len(picture.lines) for picture in pictures], default=0)
    blocks = []
    for entry, score, picture in zip(entries, scores, pictures, strict=True):
        size = max(picture.width, _HEADING)
        remarks = "".join([f", {remark}" for remark in entry.remarks])
        label = f"{voice.label(entry.seat, size - len(remarks))}{remarks}"
        heading = bold(label, on=settings.color and voice.is_you(entry.seat))
        filled = [*picture.lines, *[""] * (height - len(picture.lines))]
        below = [clipped(text, size) for text in _score_lines(score, settings)]
        blocks.append(block([heading, *filled, *below]))
    return blocks


def _score_remarks(score: HoleScore | None, settings: Settings) -> tuple[str, ...]:
    """Return a remark such as ``8 + 5 for closing = 13 points`` and, if the total differs from the score, the total."""
    *price, scored, total = _score_lines(score, settings) or ("", "")
    return tuple([text for text in (" = ".join([*price, scored]), total) if text])


def _score_lines(score: HoleScore | None, settings: Settings) -> tuple[str, ...]:
    """Return a score in lines: the price of closing, if any, the score, and the total, empty if it equals the score."""
    if score is None:
        return ()
    total = f"total {score.total}" if score.total != score.score else ""
    price = closing_price(score, settings)
    return (*([price] if price else []), points(score.score, settings), total)


def _sum_remarks(count: Counted, score: HoleScore | None, settings: Settings) -> tuple[str, ...]:
    """Return remarks with the sum of a layout, the price of closing and, if it differs from the score, the total."""
    if score is None:
        return ()
    first, *others = count.points or (score.cards,)
    sums = [f"{first}{''.join([f' - {-each}' if each < 0 else f' + {each}' for each in others])}"]
    price = score.score - score.cards
    if price and price == score.cards:
        sums.append(f"{price} doubled for closing")
    elif price:
        sums[0] += f" + {price} for closing"
    *_, scored, total = _score_lines(score, settings)
    return tuple([text for text in (" = ".join([*sums, scored]), total) if text])


# --- plain


def _text(view: TableView, voice: Voice, settings: Settings, width: int) -> list[str]:
    held = ""
    if view.holding is not None:
        seat = parse_seat(view.holding)
        card = voice.card(view.drawn) if view.drawn is not None else "a stock card"
        held = f", {'you hold' if voice.is_you(seat) else f'{view.holding} holds'} {card}"
    top = voice.card(view.discard) if view.discard is not None else "none"
    shape = shape_of(view)
    entries = [
        _SceneLayout(
            seat_of(seat),
            seat.slots,
            shape,
            (*own_points(seat, view, settings), *marks(seat, view)),
        )
        for seat in view.seats
    ]
    piles = f"Stock {view.stock}, discard {top}{held}."
    return [piles, *_entries_text(entries, voice, settings, width)]


def _entries_text(entries: Sequence[_SceneLayout], voice: Voice, settings: Settings, width: int) -> list[str]:
    widths = [display_width(voice.label(each.seat)) for each in entries]
    size = min(max(widths, default=0), max(12, width // 3))
    room = width - size - 2
    sign = max([sign_width(each.slots, settings) for each in entries], default=0)
    pictures = [
        small_layout(each.slots, each.shape, settings, letter="", width=room, sign=sign) for each in entries
    ]
    widest = max([picture.width for picture in pictures], default=0)
    blank = " " * size
    lines: list[str] = []
    for entry, picture in zip(entries, pictures, strict=True):
        name = bold(
            padded(voice.label(entry.seat, size), size), on=settings.color and voice.is_you(entry.seat)
        )
        first, *others = picture.lines or ("",)
        remarks = ", ".join(entry.remarks)
        below: list[str] = []
        if remarks and widest + 3 + display_width(remarks) <= room:
            first = f"{first}{' ' * (widest - display_width(first))}   {remarks}"
        elif remarks:
            below = [line.lstrip() for line in wrapped(remarks, room)]
        lines += [f"{name}  {first}".rstrip(), *[f"{blank}  {line}".rstrip() for line in (*others, *below)]]
    return lines
