"""Events as English sentences for one viewer.

Every event has its sentence here; events contain nothing that the viewer may not know. The end of a hole or match has
only a heading here: other modules show the scores, as pictures, tables or more sentences.
"""

from typing import Final

from golfnet.engine import events as ev
from golfnet.engine.cards import SEAT_LETTERS, Seat
from golfnet.engine.forms import listed
from golfnet.engine.hole import Phase
from golfnet.engine.rules import Placed, SlamMode
from golfnet.protocol.commands.settings import Style
from golfnet.protocol.replies import presence
from golfnet.protocol.text.status import bots_come, sealing_closed
from golfnet.protocol.text.words import Voice, capital, counted, points, seconds, slots_words, third_person

SHORT_HASH: Final = 12
"""How many characters of a commitment are shown; the command ``seal`` shows all of it."""


def play_sentence(
    event: ev.Event, voice: Voice, *, closer: Seat | None = None, peeked: tuple[int, ...] | None = None
) -> str:
    """Return the sentence for an event of a match, for one viewer; empty for a pass in a slam window.

    ``closer`` is the seat that has closed the hole, ``peeked`` the slots of a completed start choice.
    """
    match event:  # The most frequent events come first.
        case ev.TurnBegan():
            return _turn(event, closer, voice)
        case ev.Drew(seat=seat, card=card):
            what = "" if card is None else f" {voice.card(card)}"
            return f"{voice.does(seat, 'draw')}{what} from the stock ({event.stock} left)."
        case ev.Took(seat=seat):
            return f"{voice.does(seat, 'take')} {voice.card(event.card)} from the discard pile."
        case ev.Swapped():
            return _swapped(event, voice)
        case ev.Discarded(seat=seat):
            return f"{voice.does(seat, 'discard')} {voice.card(event.card)}."
        case ev.Flipped(seat=seat):
            return f"{voice.does(seat, 'turn')} up slot {event.slot}: {voice.card(event.card)}."
        case ev.Passed(seat=seat):
            # Passes in a slam window are not shown, only its end.
            has_slams = voice.rules is not None and voice.rules.slam is not SlamMode.OFF
            return "" if has_slams else f"{voice.does(seat, 'pass')}."
        case ev.Peeked(seat=seat, cards=None) if peeked:
            return f"{voice.does(seat, 'look')} at {slots_words(peeked)}."
        case ev.Peeked():
            return _peeked(event, voice)
        case ev.Switched(seat=seat, at=(first, second)):
            what = f"{voice.at(first, seat)} with {voice.at(second, seat)}"
            return f"{voice.does(seat, 'switch')} {what}, unseen."
        case ev.Declined(seat=seat):
            return f"{voice.does(seat, 'leave')} the power unused."
        case ev.Knocked(seat=seat):
            return f"{voice.does(seat, 'knock')}. {_others(seat, voice)} one more turn."
        case ev.SlamOpened():
            return _slam_opened(event, voice)
        case ev.SlamClosed():
            return "The slam window is closed."
        case ev.Slammed():
            return _slammed(event, voice)
        case ev.Penalized(seat=seat, source=source):
            what = "a penalty card from the stock"
            if source is not None:
                what = f"the card from {voice.at(source, seat)} as a penalty"
            return f"{voice.does(seat, 'get')} {what}, in slot {event.slot}."
        case ev.Gave(seat=seat):
            given = "the card" if event.card is None else voice.card(event.card)
            return f"{voice.does(seat, 'give')} {given} from slot {event.slot} to {voice.at(event.to, seat)}."
        case ev.Reshuffled():
            return (
                f"The discard pile is shuffled and becomes a new stock of {counted(event.stock, 'card')}; "
                f"{voice.card(event.discard)} stays on the discard pile."
            )
        case ev.Committed():
            shown = "." if voice.settings.style is Style.SPEECH else f": {event.commitment[:SHORT_HASH]}..."
            cut = "" if voice.you is None else " To add text to the shuffle, type: cut TEXT"
            return f"The seed of hole {event.hole} is fixed{shown}{cut}"
        case ev.MatchStarted():
            seats = [f"{name} ({letter})" for name, letter in zip(event.seats, SEAT_LETTERS, strict=False)]
            you = "" if voice.you is None else f" You are seat {SEAT_LETTERS[voice.you]}."
            return f"The match begins: {event.options.title}. At the table: {listed(seats)}.{you}"
        case ev.HoleStarted():
            return _hole_started(event, voice)
        case ev.Dealt(discard=card):
            top = "is empty" if card is None else f"shows {voice.card(card)}"
            stock = counted(event.stock, "card")
            return f"The cards are dealt. The discard pile {top}; the stock has {stock}."
        case ev.HoleEnded():
            return f"The hole is over: {_reason(event, voice)}."
        case ev.MatchEnded():
            return _match_ended(event, voice)


def _hole_started(event: ev.HoleStarted, voice: Voice) -> str:
    dealer, leader = event.dealer, event.leader
    of = f" of {voice.rules.holes}" if voice.rules is not None and voice.rules.holes else ""
    plays = f" and {voice.verb(leader, 'play')}" if dealer == leader else f", {voice.says(leader, 'play')}"
    late = ""
    if event.unrevealed:
        names = capital(listed([voice.who(seat) for seat in event.unrevealed]))
        late = f" {names} did not send the sealed text in time, so the hole is dealt without it."
    return f"Hole {event.hole}{of}: {voice.says(dealer, 'deal')}{plays} first.{late}"


def _turn(event: ev.TurnBegan, closer: Seat | None, voice: Voice) -> str:
    turn = "turn" if closer in (None, event.seat) else "last turn"
    turns = None if voice.rules is None else voice.rules.turns
    number = "" if turns is None else f"{event.turn} of {turns}"
    if voice.brief:
        return capital(f"{voice.whose(event.seat)} {turn}{number and f', {number}'}.")
    return f"{voice.turn(event.seat, turn)}{number and f', turn {number}'}."


def _others(seat: Seat, voice: Voice) -> str:
    """Return who has one more turn after a seat has knocked, such as ``Everybody else has``."""
    if len(voice.names) == 2:
        return voice.does(Seat(1 - seat), "have")
    return "The others each have" if seat == voice.you else "Everybody else has"


def _swapped(event: ev.Swapped, voice: Voice) -> str:
    lies_down = event.hidden or (voice.rules is not None and voice.rules.placed is Placed.DOWN)
    what = "the drawn card" if event.card is None else voice.card(event.card)
    where = f"in slot {event.slot}, face down," if lies_down else f"in slot {event.slot}"
    discards = f"{voice.verb(event.seat, 'discard')} {voice.card(event.discard)}"
    return f"{voice.does(event.seat, 'put')} {what} {where} and {discards}."


def _peeked(event: ev.Peeked, voice: Voice) -> str:
    own = [at.slot for at in event.at if at.seat == event.seat]
    others = [voice.at(at, event.seat) for at in event.at if at.seat != event.seat]
    what = listed([*([slots_words(own)] if own else []), *others])
    cards = "" if event.cards is None else f": {listed([voice.card(card) for card in event.cards])}"
    return f"{voice.does(event.seat, 'look')} at {what}{cards}."


def _slam_opened(event: ev.SlamOpened, voice: Voice) -> str:
    """Return the sentence for an open slam window, short enough for one line: there is little time to read it."""
    time = seconds(event.ms) + ("" if event.mode is SlamMode.RACE else ", claims are secret")
    if voice.settings.style is Style.SPEECH:
        return f"Slam window {event.discard_no}, {voice.card(event.card)}: {time}."
    rank = voice.rank(event.card.rank)
    return f"Slam window #{event.discard_no} for {voice.card(event.card)}: {time}. Slam any {rank} you know."


def _slammed(event: ev.Slammed, voice: Voice) -> str:
    by, at = event.by, event.at
    where = f"slot {at.slot}" if at.seat == by else voice.at(at, by)
    slams = f"{voice.does(by, 'slam')} {where}: {voice.card(event.card)}"
    match event.result:
        case ev.SlamResult.HIT if at.seat == by:
            return f"{slams}. Right! The slot stays empty."
        case ev.SlamResult.HIT:
            owes = f"{voice.says(by, 'owe')} {voice.who(at.seat)} a card"
            return f"{slams}. Right! It is discarded, and {owes}."
        case ev.SlamResult.WRONG:
            return f"{slams}. Wrong!"
        case ev.SlamResult.LATE:
            return f"{slams}. Too late!"


def _reason(event: ev.HoleEnded, voice: Voice) -> str:
    match event.reason, event.closer:
        case ev.EndReason.FACE_UP, closer if closer is not None:
            return f"{voice.says(closer, 'have')} all cards face up"
        case ev.EndReason.KNOCK, closer if closer is not None:
            return f"{voice.who(closer)} knocked"
        case _:
            return _REASONS[event.reason]


_REASONS: Final = {
    ev.EndReason.EMPTY: "a layout has no cards left",
    ev.EndReason.STOCK: "the stock is used up",
    ev.EndReason.TURNS: "everybody has played all turns",
    ev.EndReason.FACE_UP: "all cards are face up",
    ev.EndReason.KNOCK: "somebody knocked",
    ev.EndReason.CAP: "the turn limit was reached",
    ev.EndReason.ABANDONED: "it was ended early and does not count",
}


def _match_ended(event: ev.MatchEnded, voice: Voice) -> str:
    winners = [Seat(seat) for seat, place in enumerate(event.places) if place == 1]
    if not winners:
        return "The match is over."
    total = points(event.totals[winners[0]], voice.settings)
    if len(winners) == 1:
        return f"The match is over. {voice.does(winners[0], 'win')} with {total}."
    if len(winners) == len(event.places):  # as in a match that ends before any hole counts
        return f"The match is over. It is a draw: everybody has {total}."
    return f"The match is over. {capital(voice.all_of(winners))} tie for first place with {total}."


def table_sentence(event: presence.TableEvent, voice: Voice) -> str:
    """Return the sentence for a table event, for one viewer."""
    match event:
        case presence.Opened():
            return f"{event.player} opens the table."
        case presence.Seated():
            who = "You sit" if event.seat == voice.you else f"{event.player} sits"
            return f"{who} down in seat {SEAT_LETTERS[event.seat]}."
        case presence.Left(seat=None):
            return f"{event.player} stops watching{_why(event.cause)}."
        case presence.Left(cause=presence.Cause.KICKED):
            return f"The host has removed {_who(event, voice)} from the table."
        case presence.Left():
            return f"{_does(event, voice, 'leave')} the table{_why(event.cause)}."
        case presence.Dropped():
            kept = f"; the seat is kept for {seconds(event.grace_ms)}" if event.grace_ms else ""
            return f"{_does(event, voice, 'are')} away{_why(event.cause)}{kept}."
        case presence.Returned():
            owner = voice.names[event.seat] if event.seat < len(voice.names) else event.player
            if event.player != owner:
                return f"{event.player} is now playing for {owner} ({SEAT_LETTERS[event.seat]})."
            return f"{_does(event, voice, 'are')} back."
        case presence.HousePlays():
            is_yours = event.cause is presence.Cause.IDLE and event.seat == voice.you
            how = " Play, or type ready, to take your seat back." if is_yours else ""
            return f"A bot takes over for {_who(event, voice)}{_why(event.cause)}.{how}"
        case presence.Watching():
            return f"{event.player} is watching."
        case presence.Cut():
            return f"{_does(event, voice, 'cut')} the cards for the next hole."
        case presence.Sealed():
            return f"{_does(event, voice, 'seal')} a text for the shuffle of the next hole."
        case presence.SealsClosed():
            sealed = [Seat(seat) for seat, seal in enumerate(event.seals) if seal is not None]
            return sealing_closed(sealed, event.ms, voice)
        case presence.HostChanged():
            return f"{_does(event, voice, 'are')} the host now."
        case presence.ReadySaid():
            return f"{_does(event, voice, 'are')} ready."
        case presence.BotsWanted(level=level, ms=ms):
            return "Bots will no longer take the free seats." if ms is None else bots_come(level, ms)
        case presence.ClockWarning():
            return clock_call(event, voice)
        case presence.TimedOut():
            is_up = (
                "Your time is up" if event.seat == voice.you else f"Time is up for {voice.who(event.seat)}"
            )
            return f"{is_up}; the safest choice is made."
        case presence.Paused():
            return f"Play is paused: {event.reason.strip().rstrip('.')}."
        case presence.Resumed():
            return "Play continues."
        case presence.Closed():
            return f"The table is closed: {event.reason.strip().rstrip('.')}."


def clock_call(event: presence.ClockWarning, voice: Voice, clock_for: Phase | None = None) -> str:
    """Return a sentence that says how much time a seat has left and, except for a turn, what it has to do."""
    what = f" to {_FOR[clock_for]}" if clock_for in _FOR else ""
    return f"{voice.does(event.seat, 'have')} {seconds(event.ms)} left{what}."


_FOR: Final[dict[Phase | None, str]] = {Phase.POWER: "use your power", Phase.GIVE: "give a card"}


_WHY: Final = {
    presence.Cause.QUIT: "quit",
    presence.Cause.LOST: "connection lost",
    presence.Cause.IDLE: "inactive for too long",
    presence.Cause.SLOW: "connection too slow",
    presence.Cause.KICKED: "removed by the host",
    presence.Cause.RESTART: "server restart",
    presence.Cause.GRACE: "not back in time",
}


def _who(event: presence.SeatEvent | presence.Left, voice: Voice) -> str:
    """Return "you", or the player's name with the seat; the name is the event's, since the voice may not have it."""
    letter = "" if event.seat is None else f" ({SEAT_LETTERS[event.seat]})"
    return "you" if letter and event.seat == voice.you else f"{event.player}{letter}"


def _does(event: presence.SeatEvent | presence.Left, voice: Voice, verb: str) -> str:
    who = _who(event, voice)
    return f"You {verb}" if who == "you" else f"{who} {third_person(verb)}"


def _why(cause: presence.Cause) -> str:
    return f" ({_WHY[cause]})" if cause in _WHY else ""
