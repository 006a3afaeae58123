"""What happens at a table beside play as English sentences: who sits, who is gone and why, who plays for whom."""

from typing import Final

from golfnet.engine.hole import Phase
from golfnet.engine.layout import Seat
from golfnet.engine.notation import SEAT_LETTERS
from golfnet.protocol.replies.presence import (
    BotsWanted,
    Cause,
    ClockWarning,
    Closed,
    Cut,
    Dropped,
    HostChanged,
    HousePlays,
    Left,
    Opened,
    Paused,
    ReadySaid,
    Resumed,
    Returned,
    Sealed,
    SealsClosed,
    Seated,
    TableEvent,
    TimedOut,
    Watching,
)
from golfnet.protocol.text.words import Voice, capital, seconds, third_person


def table_sentence(event: TableEvent, voice: Voice) -> str:
    """Return the sentence for a table event, as it is said to one viewer."""
    match event:
        case Opened():
            return f"{event.player} opens the table."
        case Seated():
            return f"{_does(event, voice, 'sit')} down in seat {SEAT_LETTERS[event.seat]}."
        case Left(seat=None):
            return f"{event.player} stops watching{_why(event.cause)}."
        case Left(cause=Cause.KICKED):
            return f"The host has removed {_who(event, voice)} from the table."
        case Left():
            return f"{_does(event, voice, 'leave')} the table{_why(event.cause)}."
        case Dropped():
            kept = f"; the seat is kept for {seconds(event.grace_ms)}" if event.grace_ms else ""
            return f"{_does(event, voice, 'are')} away{_why(event.cause)}{kept}."
        case Returned():
            owner = voice.names[event.seat] if event.seat < len(voice.names) else event.player
            if event.player != owner:
                return f"{event.player} plays for {owner} ({SEAT_LETTERS[event.seat]}) now."
            return f"{_does(event, voice, 'are')} back."
        case HousePlays():
            how = _TAKE_BACK if event.cause is Cause.IDLE and voice.is_you(event.seat) else ""
            return f"A bot takes over for {_who(event, voice)}{_why(event.cause)}.{how}"
        case Watching():
            return f"{event.player} is watching."
        case _:
            return _of_running(event, voice)


def _of_running(
    event: Cut
    | Sealed
    | SealsClosed
    | HostChanged
    | ReadySaid
    | BotsWanted
    | ClockWarning
    | TimedOut
    | Paused
    | Resumed
    | Closed,
    voice: Voice,
) -> str:
    match event:
        case Cut():
            return f"{_does(event, voice, 'cut')} the cards for the next hole."
        case Sealed():
            return f"{_does(event, voice, 'seal')} a text for the shuffle of the next hole."
        case SealsClosed():
            return _seals_closed(event, voice)
        case HostChanged():
            return f"{_does(event, voice, 'are')} the host now."
        case ReadySaid():
            return f"{_does(event, voice, 'are')} ready."
        case BotsWanted():
            return _bots(event)
        case ClockWarning():
            return clock_call(event, voice)
        case TimedOut():
            return f"{_time_is_up(event, voice)}; the safest choice is made."
        case Paused():
            return f"Play is paused: {_clause(event.reason)}."
        case Resumed():
            return "Play continues."
        case Closed():
            return f"The table is closed: {_clause(event.reason)}."


def clock_call(event: ClockWarning, voice: Voice, clock_for: Phase | None = None) -> str:
    """Return how long a seat still has, with what it is for where that is known and no turn."""
    what = f" to {_FOR[clock_for]}" if clock_for in _FOR else ""
    return f"{voice.does(event.seat, 'have')} {seconds(event.ms)} left{what}."


_FOR: Final[dict[Phase | None, str]] = {Phase.POWER: "use your power", Phase.GIVE: "give a card"}


def _seals_closed(event: SealsClosed, voice: Voice) -> str:
    """Return who may tell a text now; whoever has sealed one is told how."""
    if voice.you is not None and event.seals[voice.you : voice.you + 1] not in ((None,), ()):
        return f"Sealing is closed. Send your sealed text within {seconds(event.ms)}; type: cut TEXT"
    seats = [Seat(seat) for seat, seal in enumerate(event.seals) if seal is not None]
    return (
        f"Sealing is closed. Waiting up to {seconds(event.ms)} for the sealed text of {voice.all_of(seats)}."
    )


def _bots(event: BotsWanted) -> str:
    if event.ms is None:
        return "No more bots will fill the free seats."
    when = f"will fill the free seats in {seconds(event.ms)}" if event.ms else "fill the free seats"
    return f"{event.level.capitalize()} bots {when}."


def _time_is_up(event: TimedOut, voice: Voice) -> str:
    if voice.is_you(event.seat):
        return "Your time is up"
    return f"{capital(voice.whose(event.seat))} time is up ({SEAT_LETTERS[event.seat]})"


_Personal = Seated | Left | Dropped | Returned | HousePlays | Cut | Sealed | HostChanged | ReadySaid

_WHY: Final = {
    Cause.QUIT: "quit",
    Cause.LOST: "connection lost",
    Cause.IDLE: "inactive for too long",
    Cause.SLOW: "connection too slow",
    Cause.KICKED: "removed by the host",
    Cause.RESTART: "server restart",
    Cause.GRACE: "not back in time",
}


_TAKE_BACK: Final = " Play, or type ready, to take your seat back."


def _who(event: _Personal, voice: Voice) -> str:
    """Return the player with the seat letter: the names of the table may no longer, or not yet, have this one."""
    if event.seat is None:
        return event.player
    return "you" if voice.is_you(event.seat) else f"{event.player} ({SEAT_LETTERS[event.seat]})"


def _does(event: _Personal, voice: Voice, verb: str) -> str:
    if event.seat is None:
        return f"{event.player} {third_person(verb)}"
    subject = "You" if voice.is_you(event.seat) else _who(event, voice)
    return f"{subject} {voice.verb(event.seat, verb)}"


def _why(cause: Cause) -> str:
    return f" ({_WHY[cause]})" if cause in _WHY else ""


def _clause(reason: str) -> str:
    return reason.strip().rstrip(".")
