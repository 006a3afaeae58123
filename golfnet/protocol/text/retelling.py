"""A hole or match retold: one line per move, and at the end of a hole every layout with its sum.

The lines reveal what the events contain: everything in a record, only masked events at a table. Lines are generated
lazily, because a match may have thousands.
"""

from collections.abc import Iterable, Iterator

from msgspec import structs

from golfnet.engine import events as ev
from golfnet.engine.cards import Seat
from golfnet.engine.forms import listed
from golfnet.engine.rules import Cancel
from golfnet.protocol.commands.settings import Style
from golfnet.protocol.text.scene import counted_layouts, hole_score, score_card
from golfnet.protocol.text.sentences import play_sentence
from golfnet.protocol.text.speech import spoken_hole_end
from golfnet.protocol.text.words import Voice, number


def retold(events: Iterable[ev.Event], voice: Voice, width: int) -> Iterator[str]:
    """Yield the lines of one hole or of a whole match; pictures have at most ``width`` columns.

    If the voice has no names and rules, they are taken from the start of the match.
    """
    teller = _Retelling(voice, width)
    for event in events:
        yield from teller.tell(event)
    yield from teller.finish()


class _Retelling:
    """The state of a retelling: the scores, and the current move, to which later events may add."""

    def __init__(self, voice: Voice, width: int) -> None:
        self._voice = voice
        self._width = width
        self._move: tuple[Seat, str] | None = None
        """The seat that acts, and the sentence about its move, without the full stop."""
        self._pending: ev.Drew | ev.Took | ev.Peeked | None = None
        """The card that the seat has drawn or taken, or the cards that it has looked at."""
        self._begun: ev.HoleStarted | None = None
        self._is_window = self._is_match = False
        self._scores: list[tuple[int, ...]] = []

    def tell(self, event: ev.Event) -> Iterator[str]:
        """Yield the lines that an event completes."""
        match event:
            case ev.Swapped(seat=seat) | ev.Discarded(seat=seat):
                self._move, self._pending = (seat, self._placed(event)), None
            case ev.Flipped(seat=seat):
                shown = f"slot {event.slot}: {self._voice.card(event.card)}"
                yield from self._continue(seat, "turn", f"up {shown}", shown)
            case ev.Peeked() if isinstance(looked := self._pending, ev.Peeked) and looked.seat == event.seat:
                cards = None if looked.cards is None or event.cards is None else looked.cards + event.cards
                self._pending = ev.Peeked(seat=event.seat, at=looked.at + event.at, cards=cards)
            case ev.Drew() | ev.Took() | ev.Peeked():
                yield from self.finish()
                self._pending = event
            case ev.Passed(seat=seat) if not self._is_window and self._move is None:
                self._move = seat, self._voice.does(seat, "pass")
            case ev.SlamOpened() | ev.SlamClosed():
                self._is_window = isinstance(event, ev.SlamOpened)
            case ev.TurnBegan():
                yield from self.finish()
            case ev.Committed() | ev.Declined() | ev.Passed():
                pass
            case _:
                yield from self.finish()
                yield from self._tell_alone(event)

    def finish(self) -> Iterator[str]:
        """Yield the lines of the current move, which is now complete."""
        voice = self._voice
        match self._pending:
            case ev.Took(seat=seat, card=card):
                yield f"{voice.does(seat, 'take')} {voice.card(card)}."
            case ev.Drew(seat=seat, card=drawn):
                yield f"{voice.does(seat, 'draw')}{'' if drawn is None else f' {voice.card(drawn)}'}."
            case ev.Peeked():
                yield play_sentence(self._pending, voice)
        if self._move is not None:
            yield f"{self._move[1]}."
        self._pending = self._move = None

    def _placed(self, event: ev.Swapped | ev.Discarded) -> str:
        voice, seat, held = self._voice, event.seat, self._pending
        discards = voice.verb(seat, "discard")
        if isinstance(event, ev.Discarded):
            return f"{voice.does(seat, 'draw')} and {discards} {voice.card(event.card)}"
        card = held.card if event.card is None and isinstance(held, ev.Drew | ev.Took) else event.card
        shown = "" if card is None else f" {voice.card(card)}"
        verb = "take" if isinstance(held, ev.Took) else "draw"
        return (
            f"{voice.does(seat, verb)}{shown} into slot {event.slot}, {discards} {voice.card(event.discard)}"
        )

    def _continue(self, seat: Seat, verb: str, what: str, more: str) -> Iterator[str]:
        """Add to a seat's current move, after yielding another seat's move; omit a verb that the move already has."""
        voice, move = self._voice, self._move
        if move is None or move[0] != seat:
            yield from self.finish()
            self._move = seat, f"{voice.does(seat, verb)} {what}"
        elif f" {voice.verb(seat, verb)} " in move[1]:
            self._move = seat, f"{move[1]}, {more}"
        else:
            self._move = seat, f"{move[1]}, {voice.verb(seat, verb)} {what}"

    def _tell_alone(self, event: ev.Event) -> Iterator[str]:
        voice, is_spoken = self._voice, self._voice.settings.style is Style.SPEECH
        match event:
            case ev.MatchStarted():
                self._voice, self._is_match = (
                    structs.replace(voice, names=event.seats, rules=event.options),
                    True,
                )
                yield f"Match {event.match}, {event.variant}: {listed(event.seats)}."
            case ev.HoleStarted():
                self._begun = event
            case ev.Dealt(discard=card):
                top = "" if card is None else f" The discard pile shows {voice.card(card)}."
                begun = "" if self._begun is None else play_sentence(self._begun, voice)
                yield from [""] if self._is_match and not is_spoken else []
                yield f"{begun}{top}".lstrip()
            case ev.HoleEnded():
                yield play_sentence(event, voice)
                yield from self._count(event)
            case ev.MatchEnded() if not self._scores:
                yield "The match is over. None of its holes counts."
            case ev.MatchEnded():
                yield from [] if is_spoken else [""]
                yield play_sentence(event, voice)
                yield from score_card(self._scores, event.totals, voice, self._width)
            case _:
                yield play_sentence(event, voice)

    def _count(self, event: ev.HoleEnded) -> Iterator[str]:
        voice, rules = self._voice, self._voice.rules
        if event.scores is not None:
            self._scores.append(event.scores)
        if rules is not None and voice.settings.style is not Style.SPEECH:
            yield from counted_layouts(event, rules, voice, self._width)
        elif rules is not None:
            what = "Columns" if rules.cancelling is Cancel.COLUMN else "Cards"
            for seat, line in enumerate(spoken_hole_end(event, rules, voice)):
                score = hole_score(rules, event, Seat(seat))
                parts = [] if score is None else [number(each, voice.settings) for each in score.parts]
                yield f"{line.text} {what}: {listed(parts)}." if parts else line.text
