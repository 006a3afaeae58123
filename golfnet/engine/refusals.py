"""Why an action is refused: a reason, and a sentence that says what was expected.

Actions that ``legality`` lists are accepted and all others refused; a property test checks that the two agree.
"""

from itertools import combinations
from typing import NoReturn

from golfnet.engine import actions as do
from golfnet.engine.cards import Position, Seat, position_text, seat_letter
from golfnet.engine.errors import IllegalAction, Refusal
from golfnet.engine.forms import listed
from golfnet.engine.hole import FLIP, HOLDING, OVER, START, TURN, Hole, Phase, phase
from golfnet.engine.legality import awaited, replaceable, slammable, start_slots, switchable
from golfnet.engine.rules import FLIPS, PEEKS, SlamMode


def check(hole: Hole, seat: Seat, action: do.Action) -> None:
    """Raise ``IllegalAction`` unless the seat may do this now."""
    if hole.stage is OVER:
        _refuse(Refusal.BAD_PHASE, "The hole is over. Wait until the next one is dealt.")
    match action:
        case do.Draw():
            _check_own_turn(hole, seat, TURN)
            if not hole.can_draw:
                _refuse(Refusal.BAD_PHASE, "The stock is empty: take the discard.")
        case do.Take(slot=slot):
            _check_own_turn(hole, seat, TURN)
            if not hole.discards:
                _refuse(Refusal.NOTHING_TO_TAKE, "The discard pile is empty: draw from the stock.")
            if not replaceable(hole, seat):
                _refuse(
                    Refusal.LOCKED,
                    "All your cards are face up and locked, so you cannot take: draw, then discard.",
                )
            if slot is not None:
                _check_replaceable(hole, seat, slot)
        case do.Knock():
            if not hole.rules.knock:
                waiting = _waiting_for(hole, seat)
                _refuse(Refusal.NOT_IN_RULES, f"You cannot knock in {hole.rules.name}. {waiting}")
            _check_own_turn(hole, seat, TURN)
            if hole.closer is not None:
                _refuse(
                    Refusal.BAD_PHASE,
                    f"{_who(hole.closer)} has already ended the hole, so you cannot knock: draw, or take the discard.",
                )
        case do.Swap(slot=slot):
            _check_own_turn(hole, seat, HOLDING)
            _check_replaceable(hole, seat, slot)
        case do.Discard():
            _check_own_turn(hole, seat, HOLDING)
            if hole.drawn is not None and hole.drawn.from_discard:
                _refuse(
                    Refusal.MUST_PLACE,
                    "The card you hold came from the discard pile, so you have to keep it: swap SLOT.",
                )
        case do.Flip():
            _check_flip(hole, seat, action)
        case do.Peek():
            _check_peek(hole, seat, action)
        case do.Switch() | do.Decline():
            _check_power(hole, seat, action)
        case do.Pass():
            _check_pass(hole, seat)
        case do.Slam():
            _check_slam(hole, seat, action)
        case do.Give(slot=slot):
            if hole.gift is None:
                _refuse(Refusal.BAD_PHASE, f"There is no card to give now. {_waiting_for(hole, seat)}")
            if seat != hole.gift.seat:
                _refuse(Refusal.NOT_YOUR_TURN, _waiting_for(hole, seat))
            occupied = hole.layouts[seat].occupied
            if slot not in occupied:
                _refuse(Refusal.BAD_SLOT, f"Give one of your cards: slot {_slots_text(occupied)}.")


def _refuse(refusal: Refusal, sentence: str) -> NoReturn:
    raise IllegalAction(refusal, sentence)


def _who(seat: Seat) -> str:
    """Return the seat in braces, which ``IllegalAction.with_names`` replaces with its player's name."""
    return f"{{{seat_letter(seat)}}}"


def _slots_text(slots: tuple[int, ...]) -> str:
    return listed(slots, "or") if slots else "none"


def _positions_text(positions: tuple[Position, ...]) -> str:
    return " ".join(map(position_text, positions))


def _waiting_for(hole: Hole, seat: Seat) -> str:
    here = phase(hole)
    if here is Phase.START:
        verb, command = ("peek at", "peek") if hole.rules.start.mode in PEEKS else ("turn up", "flip")
        if owed := hole.owed[seat]:
            count, slots = "one" if owed == 1 else owed, _slots_text(start_slots(hole, seat))
            return f"First {verb} {count} of your cards ({slots}) with {command}{' SLOT' * owed}."
        return f"Wait for the others: they still have to {verb} their cards."
    who = awaited(hole)
    if here is Phase.SLAM or seat not in who:
        names = " and ".join(map(_who, who))
        return {
            Phase.SLAM: "The discard has been slammed. The next turn begins in a moment."
            if hole.window is not None and hole.window.won
            else "A slam window is open: type slam POSITION, or pass.",
            Phase.GIVE: f"{names} has to give a card first.",
            Phase.POWER: f"{names} can use a power first.",
        }.get(here, f"It is {names}'s turn.")
    match here:
        case Phase.TURN:
            return "It is your turn: draw, or take the discard."
        case Phase.HOLDING if hole.drawn is not None and hole.drawn.from_discard:
            return "You hold the card from the discard pile: swap it into a slot with swap SLOT."
        case Phase.HOLDING:
            return "You hold a card: swap it into a slot with swap SLOT, or discard it with discard."
        case Phase.FLIP:
            return f"Turn up one of your cards ({_slots_text(hole.layouts[seat].face_down)}) with flip SLOT, or pass."
        case Phase.POWER:
            return "You can use your power: peek POSITION, switch POSITION POSITION, or decline."
        case _:
            return f"You have to give a card: give SLOT ({_slots_text(hole.layouts[seat].occupied)})."


def _check_own_turn(hole: Hole, seat: Seat, *stages: Phase) -> None:
    if hole.stage in stages and seat == hole.turn:
        return
    if hole.turn is not None and seat != hole.turn:
        _refuse(Refusal.NOT_YOUR_TURN, f"It is {_who(hole.turn)}'s turn.")
    _refuse(Refusal.BAD_PHASE, _waiting_for(hole, seat))


def _check_replaceable(hole: Hole, seat: Seat, slot: int) -> None:
    slots = replaceable(hole, seat)
    if slot in slots:
        return
    layout, free = hole.layouts[seat], _slots_text(slots)
    if not 1 <= slot <= len(layout):
        _refuse(Refusal.BAD_SLOT, f"You have no slot {slot}; you can replace {free}.")
    if layout[slot - 1] is None:
        _refuse(Refusal.BAD_SLOT, f"Slot {slot} is empty; you can replace {free}.")
    _refuse(Refusal.LOCKED, f"The card in slot {slot} is face up and locked; you can replace {free}.")


def _check_owed(hole: Hole, seat: Seat, slots: tuple[int, ...]) -> None:
    owed = hole.owed[seat]
    if not owed:
        _refuse(Refusal.BAD_PHASE, "You have chosen your start cards. Wait for the others to choose.")
    free = start_slots(hole, seat)
    if not slots or len(slots) > owed or slots not in combinations(free, len(slots)):
        more = "one more" if owed < hole.rules.start.cards else "one"
        most, kind = (more, "slot") if owed == 1 else (f"at most {owed}", "slots")
        expected = f"Choose {most} of your own cards: {kind} {_slots_text(free)}."
        _refuse(Refusal.BAD_SLOT, f"{expected}{_meant(hole, seat, slots)}")


def _meant(hole: Hole, seat: Seat, slots: tuple[int, ...]) -> str:
    """Return a hint to type a space between slots; empty if that cannot be what was meant."""
    written = str(slots[0]) if len(slots) == 1 else ""
    apart = {digit for digit in written if digit in map(str, start_slots(hole, seat))}
    if not 1 < len(written) == len(apart) <= hole.owed[seat]:
        return ""
    return (
        f" With a space between: {'peek' if hole.rules.start.mode in PEEKS else 'flip'} {' '.join(written)}."
    )


def _check_peek(hole: Hole, seat: Seat, action: do.Peek) -> None:
    if hole.stage is not START:
        if hole.rules.power:
            return _check_power(hole, seat, action)
        _refuse(Refusal.BAD_PHASE, f"You cannot peek any more. {_waiting_for(hole, seat)}")
    if hole.rules.start.mode not in PEEKS:
        _refuse(Refusal.BAD_PHASE, _waiting_for(hole, seat))
    own = tuple([slot if owner == seat else 0 for owner, slot in action.at])  # there is no slot 0
    return _check_owed(hole, seat, own)


def _check_flip(hole: Hole, seat: Seat, action: do.Flip) -> None:
    rules = hole.rules
    if hole.stage is START:
        if rules.start.mode not in FLIPS:
            _refuse(Refusal.BAD_PHASE, _waiting_for(hole, seat))
        _check_owed(hole, seat, action.slots)
        return
    if not (rules.flip or rules.reveal):
        _refuse(
            Refusal.NOT_IN_RULES,
            f"You cannot turn up cards during play in {rules.name}. {_waiting_for(hole, seat)}",
        )
    _check_own_turn(hole, seat, FLIP, *((TURN,) if rules.reveal else ()))
    free = hole.layouts[seat].face_down
    if len(action.slots) != 1 or action.slots[0] not in free:
        which = f"one of {_slots_text(free)}" if free else "none of your cards: all are face up"
        _refuse(Refusal.BAD_SLOT, f"You can turn up {which}.")


def _check_power(hole: Hole, seat: Seat, action: do.Peek | do.Switch | do.Decline) -> None:
    if not hole.rules.power:
        _refuse(Refusal.NOT_IN_RULES, f"There are no powers in {hole.rules.name}. {_waiting_for(hole, seat)}")
    if hole.gift is not None:
        _refuse(Refusal.GIFT_OWED, _waiting_for(hole, seat))
    if not hole.power:
        _refuse(Refusal.BAD_PHASE, f"There is no power to use now. {_waiting_for(hole, seat)}")
    if seat != hole.turn:
        _refuse(Refusal.NOT_YOUR_TURN, _waiting_for(hole, seat))
    free = switchable(hole)
    match action:
        case do.Decline():
            return
        case do.Peek(at=(at,)) if at in free:
            return
        case do.Switch(first=first, second=second) if first != second and first in free and second in free:
            return
    if not free:
        _refuse(Refusal.BAD_SLOT, "There are no face-down cards left: decline.")
    wanted = (
        "Peek at one face-down card"
        if isinstance(action, do.Peek)
        else "Switch two different face-down cards"
    )
    _refuse(Refusal.BAD_SLOT, f"{wanted}: {_positions_text(free)}.")


def _check_pass(hole: Hole, seat: Seat) -> None:
    if hole.gift is not None:
        _refuse(Refusal.GIFT_OWED, _waiting_for(hole, seat))
    if hole.window is not None:
        if hole.window.passed >> seat & 1:
            _refuse(Refusal.BAD_PHASE, "You have already claimed or passed in this slam window.")
        return
    if hole.stage is not FLIP and seat == hole.turn:
        _refuse(Refusal.BAD_PHASE, f"You cannot pass now. {_waiting_for(hole, seat)}")
    _check_own_turn(hole, seat, FLIP)


def _check_slam(hole: Hole, seat: Seat, action: do.Slam) -> None:
    if hole.rules.slam is SlamMode.OFF:
        _refuse(Refusal.NOT_IN_RULES, f"There are no slams in {hole.rules.name}.")
    at, window = action.at, hole.window
    if window is None or action.discard_no < window.discard_no:
        which = f" for discard #{action.discard_no}" if action.discard_no else ""
        _refuse(Refusal.TOO_LATE, f"No slam window is open{which}.")
    if action.discard_no != window.discard_no:
        _refuse(Refusal.BAD_PHASE, f"The open slam window is for discard #{window.discard_no}.")
    if hole.gift is not None:
        _refuse(Refusal.GIFT_OWED, _waiting_for(hole, seat))
    if window.passed >> seat & 1 and hole.rules.slam is not SlamMode.RACE:  # C21
        _refuse(Refusal.BAD_PHASE, "You have already claimed or passed in this slam window.")
    if at in window.moved:
        _refuse(
            Refusal.CARD_MOVED,
            f"The card at {position_text(at)} has changed since the discard. Choose another one.",
        )
    free = slammable(hole)
    if not free:
        _refuse(Refusal.BAD_SLOT, "No face-down card is left to slam: pass.")
    if at not in free:
        _refuse(Refusal.BAD_SLOT, f"Slam a face-down card: {_positions_text(free)}.")
