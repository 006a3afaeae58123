"""Brief sentences for screen readers: one short sentence per move, and no repetition.

A draw is reported only to the player who drew: for others, the sentence about the next step includes it. Events that
change nothing are left out, such as passes by others and the end of a slam window. Events without a brief form get the
sentence from ``sentences``.
"""

from typing import Final

from golfnet.engine import events as ev
from golfnet.engine.layout import Seat
from golfnet.engine.notation import listed
from golfnet.protocol.commands.settings import Settings, Style, Talk
from golfnet.protocol.replies.offers import Offer
from golfnet.protocol.replies.replies import Happened
from golfnet.protocol.text.sentences import play_sentence
from golfnet.protocol.text.words import Voice, capital

RECURRING: Final = frozenset(("turn", "holding", "flip", "power", "slam"))
"""The phases that recur within a hole: the full hint for each of them is given once per hole."""

_FEW: Final = 5
"""If the stock has at most this many cards, each draw says how many are left."""


def is_brief(settings: Settings) -> bool:
    """Return whether the settings ask for brief speech."""
    return settings.style is Style.SPEECH and settings.talk is Talk.BRIEF


def brief_sentence(happened: Happened, event: ev.Event, voice: Voice) -> str:
    """Return the brief sentence for an event of a match, empty if there is nothing to say."""
    match event:
        case ev.TurnBegan():
            return _turn(event, happened.closer, voice)
        case ev.Drew(seat=seat, card=card):
            left = f", {event.stock} left" if event.stock <= _FEW else ""
            return f"You draw {voice.card(card)}{left}." if card is not None and voice.is_you(seat) else ""
        case ev.Took() if happened.taken_into_slot:
            return ""
        case ev.Swapped():
            discards = f"{voice.verb(event.seat, 'discard')} {voice.card(event.discard)}"
            return f"{_placed(event, voice, is_taken=happened.taken_into_slot)}, {discards}."
        case ev.Discarded(seat=seat, card=card):
            is_you = voice.is_you(seat)
            return (
                "You discard it."
                if is_you
                else f"{voice.does(seat, 'draw')} and discards {voice.card(card)}."
            )
        case ev.Passed(seat=seat) | ev.Declined(seat=seat) if not voice.is_you(seat):
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
            return play_sentence(happened, event, voice)


def reminder(phase: str, offer: Offer) -> str:
    """Return a shorter form of a hint that was already given; empty if an event has said enough."""
    if phase not in _ASKED:
        return ""
    verbs = [verb for verb in offer.arguments if verb not in ("pass", "slam") or phase == "flip"]
    verbs.sort(key="decline".__eq__)  # the choice that does nothing comes last
    return f"{listed(verbs, 'or').capitalize()}?" if verbs else ""


_ASKED: Final = ("flip", "power")
"""The recurring phases that no event announces."""


def _turn(event: ev.TurnBegan, closer: Seat | None, voice: Voice) -> str:
    last = " last" if closer is not None and closer != event.seat else ""
    turns = None if voice.rules is None else voice.rules.turns
    number = "" if turns is None else f", {event.turn} of {turns}"
    return capital(f"{voice.whose(event.seat)}{last} turn{number}.")


def _placed(event: ev.Swapped, voice: Voice, *, is_taken: bool) -> str:
    seat, slot = event.seat, event.slot
    if is_taken and event.card is not None:
        return f"{voice.does(seat, 'take')} {voice.card(event.card)} into slot {slot}"
    if voice.is_you(seat):
        return f"You put it in slot {slot}"
    if event.card is None:
        return f"{voice.does(seat, 'draw')} into slot {slot}"
    return f"{voice.does(seat, 'put')} {voice.card(event.card)} in slot {slot}"
