"""A table, or the end of a hole, as pictures (style art) or as aligned text (style plain); and score cards."""

from collections.abc import Sequence

from msgspec import Struct

from golfnet.engine.cards import EMPTY, HIDDEN, Seat, parse_seat
from golfnet.engine.events import EndReason, HoleEnded
from golfnet.engine.rules import Cancel, RuleSet, SlamMode
from golfnet.engine.scoring import places, slot_points
from golfnet.protocol.commands.settings import Mark, Settings, Style
from golfnet.protocol.replies.replies import SeatView, TableView
from golfnet.protocol.text.art import (
    Shape,
    card_picture,
    layout_picture,
    slot_sign,
    small_layout,
    titled,
    under,
)
from golfnet.protocol.text.sentences import SHORT_HASH
from golfnet.protocol.text.status import marks, own_points, seat_of, status, title, totals, voice_for
from golfnet.protocol.text.typeset import (
    Block,
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
from golfnet.protocol.text.words import Voice, number, ordinal, points

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
    voice, width = voice_for(view, settings), settings.width - _INDENT
    where = f"{title(view)}." if is_turn_told else f"{title(view)}. {status(view, voice)}"
    heading = TextLine(Mark.HAPPENED, where)
    if view.state == "finished" and view.scores:
        return [heading, *_more(aligned_score_card(view.scores, view.totals, voice, width))]
    if not any(seat.slots for seat in view.seats):
        chairs = [
            ", ".join([voice.label(seat_of(seat), width - 18), *marks(seat, view)]) for seat in view.seats
        ]
        return [heading, *_more(chairs)]
    draw = _pictures if settings.style is Style.ART else _text
    return [heading, *_more([*draw(view, voice, width), totals(view, voice)])]


def hole_end_lines(event: HoleEnded, rules: RuleSet, voice: Voice) -> list[TextLine]:
    """Return all layouts face up with their scores, and the beginning of the seed."""
    width = voice.settings.width - _INDENT
    layouts = _turned_up(event, rules, voice.settings)
    if voice.settings.style is Style.ART:
        lines = beside(_with_scores(layouts, rules, voice), width, gap=_GAP)
    else:
        lines = _aligned(layouts, rules, voice, width)
    seed = f"Seed {event.seed.hex()[:SHORT_HASH]}...; after the match, record shows it in full."
    return _more([*lines, seed if event.seed else ""])


def counted_layouts(event: HoleEnded, rules: RuleSet, voice: Voice, width: int) -> list[str]:
    """Return all layouts face up as aligned text, each with its sum: ``7 + 0 + 9 = 16 points``."""
    return _aligned(_turned_up(event, rules, voice.settings, is_sum=True), rules, voice, width)


class HoleScore(Struct, frozen=True):
    """A seat's result in a hole: the points of its cards, its score with the price of closing, and its total.

    ``parts`` are the points of its columns if columns can cancel, otherwise those of its cards.
    """

    parts: tuple[int, ...]
    score: int
    total: int

    @property
    def cards(self) -> int:
        """The points of all cards."""
        return sum(self.parts)


def hole_score(rules: RuleSet, event: HoleEnded, seat: Seat) -> HoleScore | None:
    """Return a seat's score, or None if the hole does not count."""
    if event.scores is None:
        return None
    cards, parts = slot_points(rules, event.layouts[seat]), list[int]()
    if rules.cancelling is Cancel.COLUMN:
        dealt, cards = cards[: rules.slots], cards[rules.slots :]
        parts = [sum(filter(None, dealt[first :: rules.columns])) for first in range(rules.columns)]
    parts += [points for points in cards if points is not None]
    return HoleScore(tuple(parts), event.scores[seat], event.totals[seat])


def closing_price(score: HoleScore, settings: Settings) -> str:
    """Return the price of closing, empty if there was none: ``8 doubled for closing``, ``8 + 5 for closing``."""
    price = score.score - score.cards
    if not price:
        return ""
    cost = "doubled" if price == score.cards else f"+ {price}"
    return f"{number(score.cards, settings)} {cost} for closing"


class _SceneLayout(Struct, frozen=True):
    """One layout with its seat and remarks about it and, at the end of a hole, the lines of its score."""

    seat: Seat
    slots: tuple[str, ...]
    remarks: tuple[str, ...]
    score: tuple[str, ...] = ()


def _turned_up(
    event: HoleEnded, rules: RuleSet, settings: Settings, *, is_sum: bool = False
) -> list[_SceneLayout]:
    knocker = event.closer if event.reason is EndReason.KNOCK else None
    return [
        _SceneLayout(
            Seat(seat),
            tuple([EMPTY if card is None else card.text for card in layout]),
            ("knocked",) if seat == knocker else (),
            _score_lines(hole_score(rules, event, Seat(seat)), settings, is_sum=is_sum),
        )
        for seat, layout in enumerate(event.layouts)
    ]


def _more(lines: Sequence[str]) -> list[TextLine]:
    # Drop empty lines, such as those for missing remarks below a row of pictures.
    return [TextLine(Mark.MORE, line) for line in lines if line]


# --- score cards


def score_card(scores: Sequence[Sequence[int]], totals: Sequence[int], voice: Voice, width: int) -> list[str]:
    """Return a score card as aligned lines, or as sentences for screen readers; best seat first.

    ``scores`` are those of each hole, in seat order.
    """
    if voice.settings.style is not Style.SPEECH:
        return aligned_score_card(scores, totals, voice, width)
    lines = []
    for seat, rank in _ranked(totals):
        holes = [number(hole[seat], voice.settings) for hole in scores]
        by_hole = f" Holes: {', '.join(holes)}." if len(holes) > 1 else ""
        who = "You" if seat == voice.you else voice.name(seat)
        lines.append(f"{ordinal(rank)}: {who}, {points(totals[seat], voice.settings)}.{by_hole}")
    return lines


def aligned_score_card(
    scores: Sequence[Sequence[int]], totals: Sequence[int], voice: Voice, width: int
) -> list[str]:
    """Return a score card as aligned lines, best seat first; split it into parts if not all holes fit in one."""
    ranked = _ranked(totals)
    names = {seat: voice.label(seat, max(12, width // 3)) for seat, _ in ranked}
    head_width = max(map(display_width, names.values()), default=0) + 1
    cell = max([2, len(str(len(scores))), *[len(str(score)) for hole in scores for score in hole]]) + 1
    total_width = max(5, *(len(str(total)) for total in totals)) + 2 if totals else 0
    across = max(1, (width - 6 - head_width - total_width) // cell)
    parts = max(1, -(-len(scores) // across))
    across = -(-len(scores) // parts) if scores else 0
    lines: list[str] = []
    for part in range(parts):
        holes = range(part * across, min((part + 1) * across, len(scores)))
        is_last = part == parts - 1
        heading = "".join([padded(str(hole + 1), cell, right=True) for hole in holes])
        lines.append(
            f"      {padded('hole', head_width)}{heading}{padded('total', total_width, right=True) if is_last else ''}"
        )
        for seat, rank in ranked:
            row = "".join([padded(str(scores[hole][seat]), cell, right=True) for hole in holes])
            total = padded(str(totals[seat]), total_width, right=True) if is_last else ""
            name = bold(padded(names[seat], head_width), on=voice.settings.color and seat == voice.you)
            lines.append(f"{ordinal(rank):<5} {name}{row}{total}")
    return [line.rstrip() for line in lines]


def _ranked(totals: Sequence[int]) -> list[tuple[Seat, int]]:
    ranks = places(totals)
    return [(Seat(seat), ranks[seat]) for seat in sorted(range(len(totals)), key=totals.__getitem__)]


# --- art


def _pictures(view: TableView, voice: Voice, width: int) -> list[str]:
    piles = _piles(view, voice)
    centre = in_row(piles, gap=_GAP)
    if centre.width > width:
        centre = block(beside(piles, width, gap=_GAP))
    lines: list[str] = []
    main = [centre]
    if (own := view.own) is not None:
        remarks = _remarks(own, view, voice)
        label = voice.label(seat_of(own), max(_SHORTEST, width - display_width(remarks)))
        lines.append(bold(clipped(f"{label}{remarks}", width), on=voice.settings.color))
        shape = Shape(view.rules.rows, view.rules.columns)
        picture = layout_picture(own.slots, shape, voice.look, width)
        fits = picture.width + _WIDE_GAP + centre.width <= width
        above = max(0, (len(picture.lines) - len(centre.lines)) // 2) if fits else 0
        main = [picture, Block((*[" " * centre.width] * above, *centre.lines), centre.width)]
    others = beside(_small_seats(view, voice, width), width, gap=_GAP)
    return [*lines, *beside(main, width, gap=_WIDE_GAP), *others]


def _clockwise(view: TableView) -> list[SeatView]:
    you, seats = view.you or "", view.seats
    return [*[seat for seat in seats if seat.seat > you], *[seat for seat in seats if seat.seat < you]]


def _piles(view: TableView, voice: Voice) -> list[Block]:
    number = f" #{view.discard_no}" if view.rules.slam is not SlamMode.OFF and view.discard_no else ""
    look = voice.look
    stock = card_picture(HIDDEN if view.stock else EMPTY, look, text=str(view.stock))
    discard = card_picture(view.discard or EMPTY, look)
    held = card_picture(view.drawn or HIDDEN, look, held=True)
    return [
        titled("stock", stock),
        titled(f"discard{number}", discard),
        *([titled(_holds(view.holding, voice), held)] if view.holding is not None else []),
    ]


def _holds(holding: str, voice: Voice) -> str:
    return "you hold" if parse_seat(holding) == voice.you else f"{holding} holds"


def _small_seats(view: TableView, voice: Voice, width: int) -> list[Block]:
    """Return the others' layouts; if the rules have slams or powers, each card follows its position."""
    rules, seats = view.rules, _clockwise(view)
    lettered = rules.slam is not SlamMode.OFF or bool(rules.power)
    shape, sign = Shape(rules.rows, rules.columns), 2 if lettered else 3
    pictures = [
        small_layout(
            seat.slots, shape, voice.look, letter=seat.seat if lettered else None, width=width, sign=sign
        )
        for seat in seats
    ]
    size = min(max([_HEADING, *[picture.width for picture in pictures]]), width)
    named = [(voice.label(seat_of(seat)), _remarks(seat, view, voice)) for seat in seats]
    # All headings have the same number of lines, so that the cards are aligned.
    headings: list[tuple[str, ...]] = [(label + remarks,) for label, remarks in named]
    if max([display_width(heading) for heading, *_ in headings], default=0) > size:
        fair = (width + _GAP) // len(seats) - _GAP
        size = max(size, min(fair, max([len(remarks) for _, remarks in named]) - 2))
        headings = [(clipped(each, size), clipped(more.removeprefix(": "), size)) for each, more in named]
    return [under(heading, picture) for heading, picture in zip(headings, pictures, strict=True)]


def _remarks(seat: SeatView, view: TableView, voice: Voice) -> str:
    remarks = ", ".join([*own_points(seat, view, voice.settings), *marks(seat, view)])
    return f": {remarks}" if remarks else ""


def _with_scores(layouts: Sequence[_SceneLayout], rules: RuleSet, voice: Voice) -> list[Block]:
    shape = Shape(rules.rows, rules.columns)
    pictures = [small_layout(layout.slots, shape, voice.look, sign=3) for layout in layouts]
    height = max([len(picture.lines) for picture in pictures], default=0)
    blocks = []
    for layout, picture in zip(layouts, pictures, strict=True):
        size = max(picture.width, _HEADING)
        remarks = "".join([f", {remark}" for remark in layout.remarks])
        label = f"{voice.label(layout.seat, size - len(remarks))}{remarks}"
        heading = bold(label, on=voice.settings.color and layout.seat == voice.you)
        filled = [*picture.lines, *[""] * (height - len(picture.lines))]
        below = [clipped(text, size) for text in layout.score]
        blocks.append(block([heading, *filled, *below]))
    return blocks


def _score_lines(score: HoleScore | None, settings: Settings, *, is_sum: bool) -> tuple[str, ...]:
    """Return a score in lines: how it comes about, the score, and the total, empty if it equals the score.

    The first is the price of closing, if any: ``8 + 5 for closing``. If ``is_sum``, it is the sum of the layout's
    parts: ``2 + 6 + 5 for closing``.
    """
    if score is None:
        return ()
    price = closing_price(score, settings)
    if is_sum:
        first, *others = score.parts or (0,)
        terms = [f"{first}{''.join([f' - {-each}' if each < 0 else f' + {each}' for each in others])}"]
        if price.endswith("doubled for closing"):
            terms.append(price)
        elif price:
            terms[0] += f" + {score.score - score.cards} for closing"
    else:
        terms = [price] if price else []
    total = f"total {score.total}" if score.total != score.score else ""
    return (*terms, points(score.score, settings), total)


# --- plain


def _text(view: TableView, voice: Voice, width: int) -> list[str]:
    card = voice.card(view.drawn) if view.drawn is not None else "a stock card"
    held = f", {_holds(view.holding, voice)} {card}" if view.holding is not None else ""
    top = voice.card(view.discard) if view.discard is not None else "none"
    layouts = [
        _SceneLayout(seat_of(seat), seat.slots, (*own_points(seat, view, voice.settings), *marks(seat, view)))
        for seat in view.seats
    ]
    return [f"Stock {view.stock}, discard {top}{held}.", *_aligned(layouts, view.rules, voice, width)]


def _aligned(layouts: Sequence[_SceneLayout], rules: RuleSet, voice: Voice, width: int) -> list[str]:
    look, shape = voice.look, Shape(rules.rows, rules.columns)
    widest = max([display_width(voice.label(each.seat)) for each in layouts], default=0)
    size = min(widest, max(_SHORTEST, width // 3))
    room = width - size - 2
    sign = max([slot_sign(slot, look).width for each in layouts for slot in each.slots], default=0)
    pictures = [small_layout(each.slots, shape, look, letter="", width=room, sign=sign) for each in layouts]
    widest = max([picture.width for picture in pictures], default=0)
    lines: list[str] = []
    for layout, picture in zip(layouts, pictures, strict=True):
        label = padded(voice.label(layout.seat, size), size)
        name = bold(label, on=look.color and layout.seat == voice.you)
        first, *others = picture.lines or ("",)
        *terms, total = layout.score or ("",)
        remarks = ", ".join([text for text in (*layout.remarks, " = ".join(terms), total) if text])
        if remarks and widest + 3 + display_width(remarks) <= room:
            first = f"{first}{' ' * (widest - display_width(first))}   {remarks}"
        elif remarks:
            others += [line.lstrip() for line in wrapped(remarks, room)]
        lines += [f"{name}  {first}".rstrip(), *[f"{' ' * size}  {line}".rstrip() for line in others]]
    return lines
