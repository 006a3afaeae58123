"""Tables as sentences for screen readers: no pictures, no columns, one thing per line, cards as words.

Events are sentences in every style, made by ``sentences``. ``on_demand`` answers questions in all styles.

In brief speech there is one short sentence per move, and no repetition. A draw is reported only to the player who drew:
for others, the sentence about the next step includes it. Events that change nothing are left out, such as passes by
others and the end of a slam window. Events without a brief form get the sentence from ``sentences``.
"""

from typing import Final

from golfnet.engine import events as ev
from golfnet.engine.cards import HIDDEN, Seat
from golfnet.engine.forms import count, listed
from golfnet.engine.rules import RuleSet
from golfnet.protocol.commands.settings import Mark, Settings, Style
from golfnet.protocol.replies.replies import Happened, Offer, SeatView, TableView, offer_of, worthwhile
from golfnet.protocol.text.scene import HoleScore, closing_price, hole_score, score_card
from golfnet.protocol.text.sentences import play_sentence
from golfnet.protocol.text.status import hint, notes, own_points, seat_of, status, title, totals, voice_for
from golfnet.protocol.text.typeset import TextLine, finished
from golfnet.protocol.text.words import Voice, number, place_words, points, seconds, slot_words, slots_words

RECURRING: Final = frozenset(("turn", "holding", "flip", "power", "slam"))
"""The phases that recur within a hole; the full hint for each of them is given once per hole, and after a view."""

_FEW: Final = 5
"""If the stock has at most this many cards, each draw says how many are left."""


def brief_sentence(happened: Happened, event: ev.Event, voice: Voice) -> str:
    """Return the brief sentence for an event of a match, empty if there is nothing to say."""
    match event:
        case ev.Drew(seat=seat, card=card):
            left = f", {event.stock} left" if event.stock <= _FEW else ""
            return f"You draw {voice.card(card)}{left}." if card is not None and seat == voice.you else ""
        case ev.Took() if happened.taken_into_slot:
            return ""
        case ev.Swapped():
            discards = f"{voice.verb(event.seat, 'discard')} {voice.card(event.discard)}"
            return f"{_placed(event, voice, is_taken=happened.taken_into_slot)}, {discards}."
        case ev.Discarded(seat=seat, card=card):
            told = f"{voice.does(seat, 'draw')} and discards {voice.card(card)}."
            return "You discard it." if seat == voice.you else told
        case ev.Passed(seat=seat) | ev.Declined(seat=seat) if seat != voice.you:
            return ""
        case ev.Declined():
            return "You decline."
        case ev.SlamOpened():
            return f"Slam? {voice.rank(event.card.rank).capitalize()}."
        case ev.SlamClosed():
            return ""
        case ev.Committed() if event.hole > 1:
            return ""
        case _:
            return play_sentence(event, voice, closer=happened.closer, peeked=happened.peeked)


def reminder(phase: str, offer: Offer) -> str:
    """Return a shorter form of a hint that has been given before; empty if an event has said enough."""
    if phase not in _ASKED:
        return ""
    verbs = [verb for verb in offer.arguments if verb not in ("pass", "slam") or phase == "flip"]
    verbs.sort(key="decline".__eq__)  # Put the choice that does nothing last.
    return f"{listed(verbs, 'or').capitalize()}?" if verbs else ""


_ASKED: Final = ("flip", "power")
"""The recurring phases that no event announces."""


def _placed(event: ev.Swapped, voice: Voice, *, is_taken: bool) -> str:
    seat, slot = event.seat, event.slot
    if is_taken and event.card is not None:
        return f"{voice.does(seat, 'take')} {voice.card(event.card)} into slot {slot}"
    if seat == voice.you:
        return f"You put it in slot {slot}"
    if event.card is None:
        return f"{voice.does(seat, 'draw')} into slot {slot}"
    return f"{voice.does(seat, 'put')} {voice.card(event.card)} in slot {slot}"


SPEECH: Final = Settings(style=Style.SPEECH)


def on_demand(word: str, view: TableView, settings: Settings = SPEECH, *, also: str = "") -> list[str]:
    """Return the answer to a short question about a table, as finished lines; ``also`` is a sentence to add.

    ``word`` is hand, top, turn or score.
    """
    texts = [*_ANSWERS[word](view, voice_for(view, settings)), *([also] if also else [])]
    return finished([TextLine(Mark.DONE, text) for text in texts], settings)


def spoken_view(view: TableView, settings: Settings) -> list[TextLine]:
    """Return a whole table as sentences."""
    voice = voice_for(view, settings)
    texts = [f"Table {title(view)}.", status(view, voice)]
    if view.state == "open" or not any(seat.slots for seat in view.seats):
        for seat in view.seats:
            who = f"You ({seat.seat})" if seat.seat == view.you else voice.name(seat_of(seat))
            texts.append(f"{', '.join([who, *notes(seat, view)])}.")
    elif view.state == "finished":
        texts += _score(view, voice)
    else:
        texts += _slots(view, voice) if view.you is not None else []  # The status says who holds a card.
        texts += [_others(seat, view, voice) for seat in view.seats if seat.seat != view.you]
        texts += [*_top(view, voice), f"The stock has {count(view.stock, 'card')}.", totals(view, voice)]
    return [TextLine(Mark.HAPPENED, text) for text in texts if text]


def spoken_hole_end(event: ev.HoleEnded, rules: RuleSet, voice: Voice) -> list[TextLine]:
    """Return the cards and score of each seat, one per line."""
    lines = []
    for at, layout in enumerate(event.layouts):
        seat = Seat(at)
        cards = listed([slot_words(card.text) for card in layout if card is not None] or ["no cards"])
        score = _said_score(hole_score(rules, event, seat), voice)
        who = "You" if seat == voice.you else voice.name(seat)
        lines.append(TextLine(Mark.HAPPENED, f"{who}{score}: {cards}."))
    return lines


def _said_score(score: HoleScore | None, voice: Voice) -> str:
    if score is None:
        return ""
    price = closing_price(score, voice.settings).replace("+", "and")
    closing = f", {price}" if price else ""
    total = f", total {number(score.total, voice.settings)}" if score.total != score.score else ""
    return f", {points(score.score, voice.settings)}{closing}{total}"


def _hand(view: TableView, voice: Voice) -> list[str]:
    held = view.drawn if view.holding == view.you else None
    return [*_slots(view, voice), *([] if held is None else [f"You hold {voice.card(held)}."])]


def _slots(view: TableView, voice: Voice) -> list[str]:
    if view.own is None:
        return ["You have no seat at this table."]
    if not (slots := view.own.slots):
        return ["No cards have been dealt yet."]
    rules = view.rules
    return [
        f"Slot {slot}, {place_words(slot, rows=rules.rows, columns=rules.columns)}: {voice.slot(card)}."
        for slot, card in enumerate(slots, 1)
    ]


def _top(view: TableView, voice: Voice) -> list[str]:
    what = "is empty" if view.discard is None else f"shows {voice.card(view.discard)}"
    return [f"The discard pile {what}."]


def _turn(view: TableView, voice: Voice) -> list[str]:
    own = "" if view.clock is None or view.clock.seat != view.you else f" You have {seconds(view.clock.ms)}."
    is_won = view.slam is not None and view.slam.won
    offer = offer_of(worthwhile(view.actions, is_won=is_won), view.targets)
    what = hint(view.phase, offer, you=view.you, is_spoken=voice.settings.style is Style.SPEECH)
    return [f"{status(view, voice)}{own}", *([what] if what else [])]


def _score(view: TableView, voice: Voice) -> list[str]:
    none = ["No hole has been finished yet."]
    return score_card(view.scores, view.totals, voice, voice.settings.width - 2) if view.scores else none


_ANSWERS: Final = {"hand": _hand, "top": _top, "turn": _turn, "score": _score}


def _others(seat: SeatView, view: TableView, voice: Voice) -> str:
    head = ", ".join([voice.name(seat_of(seat)), *own_points(seat, view, voice.settings), *notes(seat, view)])
    seen = [f"slot {slot} {slot_words(card)}" for slot, card in enumerate(seat.slots, 1) if card != HIDDEN]
    hidden = [slot for slot, card in enumerate(seat.slots, 1) if card == HIDDEN]
    shown = ", ".join(seen)
    if hidden:
        what = slots_words(hidden) if seen else f"{count(len(hidden), 'card')}, all"
        shown = f"{shown}; {what} face down".removeprefix("; ")
    return f"{head}: {shown}."
