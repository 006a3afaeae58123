"""What may be done: the only home of legality.

``choices`` lists what a seat may ask for now, ``check`` refuses everything else with a reason. Both are built from
the same small questions about a hole (``start_slots``, ``replaceable`` …); a property test holds them together.
"""

from functools import cache
from itertools import combinations
from typing import NamedTuple, NoReturn

from golfnet.engine.actions import (
    Action,
    Decline,
    Discard,
    Draw,
    Flip,
    Give,
    Knock,
    Pass,
    Peek,
    Slam,
    Swap,
    Switch,
    Take,
)
from golfnet.engine.errors import IllegalAction, Refusal
from golfnet.engine.hole import Hole, Phase, Stage, phase
from golfnet.engine.layout import Position, Seat, face_down, occupied
from golfnet.engine.notation import position_text, seat_letter
from golfnet.engine.rules import SlamMode, StartMode

_PEEKS = (StartMode.PEEK_BOTTOM, StartMode.PEEK_ANY)
_FLIPS = (StartMode.FLIP_BOTTOM, StartMode.FLIP_ANY)
_ANY = (StartMode.PEEK_ANY, StartMode.FLIP_ANY)


class Choices(NamedTuple):
    """All that a seat may ask for now: single actions, and the positions that may be switched or slammed."""

    actions: tuple[Action, ...] = ()
    switchable: tuple[Position, ...] = ()
    slammable: tuple[Position, ...] = ()


def choices(hole: Hole, seat: Seat) -> Choices:
    """Return what the seat may ask for now, pairs of positions not multiplied out."""
    stage = hole.stage
    if stage is Stage.DONE:
        return _after_the_turn(hole, seat)
    if stage is Stage.START:
        return Choices(_start(hole, seat))
    if seat != hole.turn or stage is Stage.OVER:
        return _NOTHING
    if stage is Stage.TURN:
        return Choices(_turn(hole, seat))
    if stage is Stage.HOLDING:
        actions = _swaps(replaceable(hole, seat))
        return Choices(actions if hole.drawn and hole.drawn.from_discard else (_DISCARD, *actions))
    return Choices((*[_flip((slot,)) for slot in face_down(hole.layouts[seat])], _PASS))


def legal_actions(hole: Hole, seat: Seat) -> tuple[Action, ...]:
    """Return every action that the seat may ask for now, pairs of positions multiplied out."""
    actions, switchable, slammable = choices(hole, seat)
    if not switchable and not slammable:
        return actions
    number = hole.window.discard_no if hole.window else 0
    return (
        *actions,
        *(Switch(first, second) for first, second in combinations(switchable, 2)),
        *(Slam(at, number) for at in slammable),
    )


def awaited(hole: Hole) -> tuple[Seat, ...]:
    """Return the seats without whose action the hole does not go on: all in a slam window that have not passed."""
    match phase(hole):
        case Phase.OVER:
            return ()
        case Phase.START:
            return tuple(Seat(seat) for seat in hole.seats if hole.owed[seat])
        case Phase.GIVE if hole.gift is not None:
            return (hole.gift.seat,)
        case Phase.SLAM if hole.window is not None:
            return tuple(Seat(seat) for seat in hole.seats if not hole.window.passed >> seat & 1)
        case _:
            return () if hole.turn is None else (hole.turn,)


def house_action(hole: Hole, seat: Seat) -> Action | None:
    """Return the safe choice for a seat whose clock has run out (X12, X13), None if nothing is asked of it."""
    actions = choices(hole, seat).actions
    if not actions:
        return None
    if hole.stage is Stage.START:
        count = hole.owed[seat]
        slots = start_slots(hole, seat)[:count]
        if hole.rules.start.mode in _PEEKS:
            return Peek(tuple(Position(seat, slot) for slot in slots))
        return Flip(slots)
    for safe in (_DRAW, _DISCARD, _DECLINE, _PASS):
        if safe in actions:
            return safe
    return next(action for action in actions if not isinstance(action, Knock) and action != _TAKE)


def start_slots(hole: Hole, seat: Seat) -> tuple[int, ...]:
    """Return the slots among which the seat's start choices are still to be made (X12)."""
    rules = hole.rules
    first = 1 if rules.start.mode in _ANY else rules.slots - rules.start.cards + 1
    layout = hole.layouts[seat]
    return tuple(
        slot
        for slot in range(first, rules.slots + 1)
        if (card := layout[slot - 1]) is not None and not card.face_up and not card.known >> seat & 1
    )


def replaceable(hole: Hole, seat: Seat) -> tuple[int, ...]:
    """Return the slots in which the seat may place a drawn card: any own card, face-down ones only under a lock."""
    layout = hole.layouts[seat]
    return face_down(layout) if hole.rules.lock else occupied(layout)


def switchable(hole: Hole) -> tuple[Position, ...]:
    """Return the positions of all face-down cards on the table (C6)."""
    return tuple(
        [Position(Seat(seat), slot) for seat, layout in enumerate(hole.layouts) for slot in face_down(layout)]
    )


def slammable(hole: Hole) -> tuple[Position, ...]:
    """Return the positions whose cards may be slammed in the open window: face down and not moved since (C11)."""
    if hole.window is None:
        return ()
    moved = hole.window.moved
    return tuple([at for at in switchable(hole) if at not in moved]) if moved else switchable(hole)


def check(hole: Hole, seat: Seat, action: Action) -> None:
    """Raise ``IllegalAction`` unless the seat may do this now."""
    if hole.stage is Stage.OVER:
        _refuse(Refusal.BAD_PHASE, "The hole is over; the next deal comes first.")
    match action:
        case Draw() | Take() | Knock():
            _check_turn(hole, seat, action)
        case Swap() | Discard():
            _check_placing(hole, seat, action)
        case Flip():
            _check_flip(hole, seat, action)
        case Peek() if hole.stage is Stage.START or not hole.rules.power:
            _check_start_peek(hole, seat, action)
        case Peek() | Switch() | Decline():
            _check_power(hole, seat, action)
        case Pass():
            _check_pass(hole, seat)
        case Slam():
            _check_slam(hole, seat, action)
        case Give():
            _check_give(hole, seat, action)


_NOTHING = Choices()
_DRAW, _TAKE, _DISCARD, _KNOCK, _PASS, _DECLINE = Draw(), Take(), Discard(), Knock(), Pass(), Decline()


@cache
def _flip(slots: tuple[int, ...]) -> Flip:
    return Flip(slots)


@cache
def _swaps(slots: tuple[int, ...]) -> tuple[Action, ...]:
    return tuple(Swap(slot) for slot in slots)


@cache
def _takes(slots: tuple[int, ...]) -> tuple[Action, ...]:
    return (_TAKE, *(Take(slot) for slot in slots))


@cache
def _subsets(slots: tuple[int, ...], most: int) -> tuple[tuple[int, ...], ...]:
    return tuple(some for count in range(1, most + 1) for some in combinations(slots, count))


@cache
def _start_actions(mode: StartMode, seat: Seat, slots: tuple[int, ...], most: int) -> tuple[Action, ...]:
    if mode in _FLIPS:
        return tuple(Flip(some) for some in _subsets(slots, most))
    return tuple(Peek(tuple(Position(seat, slot) for slot in some)) for some in _subsets(slots, most))


def _start(hole: Hole, seat: Seat) -> tuple[Action, ...]:
    owed = hole.owed[seat]
    return _start_actions(hole.rules.start.mode, seat, start_slots(hole, seat), owed) if owed else ()


def _turn(hole: Hole, seat: Seat) -> tuple[Action, ...]:
    actions: tuple[Action, ...] = (_DRAW,) if hole.can_draw else ()
    if hole.discards and (slots := replaceable(hole, seat)):
        actions += _takes(slots)
    if hole.rules.knock and hole.closer is None:
        actions += (_KNOCK,)
    if hole.rules.reveal:
        actions += tuple([_flip((slot,)) for slot in face_down(hole.layouts[seat])])
    return actions


def _after_the_turn(hole: Hole, seat: Seat) -> Choices:
    if hole.gift is not None:
        if seat != hole.gift.seat:
            return _NOTHING
        return Choices(tuple([Give(slot) for slot in occupied(hole.layouts[seat])]))
    actions: tuple[Action, ...] = ()
    targets: tuple[Position, ...] = ()
    if hole.power and seat == hole.turn:
        targets = switchable(hole)
        actions = (*[Peek((at,)) for at in targets], _DECLINE)
    if hole.window is None:
        return Choices(actions, targets)
    if not hole.window.passed >> seat & 1:
        actions = (*actions, _PASS)
    elif hole.rules.slam is not SlamMode.RACE:
        return Choices(actions, targets)
    return Choices(actions, targets, slammable(hole))


def _refuse(refusal: Refusal, expected: str) -> NoReturn:
    raise IllegalAction(refusal, expected)


def _slots_text(slots: tuple[int, ...]) -> str:
    if not slots:
        return "none"
    *others, last = map(str, slots)
    return f"{', '.join(others)} or {last}" if others else last


def _positions_text(positions: tuple[Position, ...]) -> str:
    return " ".join(map(position_text, positions))


def _waiting_for(hole: Hole, seat: Seat) -> str:
    """Return a sentence that says what the hole waits for, spoken to ``seat``."""
    here = phase(hole)
    if here is Phase.START:
        verb = "peek at" if hole.rules.start.mode in _PEEKS else "turn up"
        if hole.owed[seat]:
            return (
                f"First {verb} {hole.owed[seat]} of your cards: slots {_slots_text(start_slots(hole, seat))}."
            )
        return f"The other seats are still to {verb} their cards."
    who = awaited(hole)
    if here is Phase.SLAM or seat not in who:
        names = ", ".join(map(seat_letter, who))
        return {
            Phase.SLAM: "The slam window is open: slam POSITION or pass.",
            Phase.GIVE: f"{names} owes a gift first.",
            Phase.POWER: f"{names} may use a power first.",
        }.get(here, f"It is {names}'s turn.")
    match here:
        case Phase.TURN:
            return "It is your turn: draw, or take the top discard."
        case Phase.HOLDING if hole.drawn is not None and hole.drawn.from_discard:
            return f"You hold {hole.drawn.card} from the discard pile: swap SLOT."
        case Phase.HOLDING if hole.drawn is not None:
            return f"You hold {hole.drawn.card}: swap SLOT, or discard."
        case Phase.FLIP:
            return f"Turn up one of your cards ({_slots_text(face_down(hole.layouts[seat]))}) with flip SLOT, or pass."
        case Phase.POWER:
            return "You may use your power: peek POSITION, switch POSITION POSITION, or decline."
        case _:
            return f"You owe a gift: give SLOT ({_slots_text(occupied(hole.layouts[seat]))})."


def _check_own_turn(hole: Hole, seat: Seat, *stages: Stage) -> None:
    if hole.stage is Stage.START:
        _refuse(Refusal.BAD_PHASE, _waiting_for(hole, seat))
    if hole.turn is not None and seat != hole.turn:
        _refuse(Refusal.NOT_YOUR_TURN, f"It is {seat_letter(hole.turn)}'s turn.")
    if hole.stage not in stages:
        _refuse(Refusal.BAD_PHASE, _waiting_for(hole, seat))


def _check_turn(hole: Hole, seat: Seat, action: Draw | Take | Knock) -> None:
    rules = hole.rules
    if isinstance(action, Knock) and not rules.knock:
        _refuse(Refusal.NOT_IN_RULES, f"There is no knocking in {rules.name}: draw, or take the top discard.")
    if isinstance(action, Draw | Knock) and hole.stage is Stage.HOLDING and seat == hole.turn:
        _refuse(Refusal.BAD_PHASE, _waiting_for(hole, seat))
    _check_own_turn(hole, seat, Stage.TURN)
    match action:
        case Knock() if hole.closer is not None:
            _refuse(
                Refusal.BAD_PHASE,
                f"{seat_letter(hole.closer)} has closed already: draw, or take the top discard.",
            )
        case Draw() if not hole.can_draw:
            _refuse(Refusal.BAD_PHASE, "The stock is empty: take the top discard.")
        case Take() if not hole.discards:
            _refuse(Refusal.NOTHING_TO_TAKE, "The discard pile is empty: draw from the stock.")
        case Take(slot=slot):
            slots = replaceable(hole, seat)
            if not slots:
                _refuse(Refusal.LOCKED, "All your cards lie face up and are locked: draw, then discard.")
            if slot is not None:
                _check_replaceable(hole, seat, slot)


def _check_replaceable(hole: Hole, seat: Seat, slot: int) -> None:
    if slot in replaceable(hole, seat):
        return
    layout = hole.layouts[seat]
    free = _slots_text(replaceable(hole, seat))
    if not 1 <= slot <= len(layout):
        _refuse(Refusal.BAD_SLOT, f"You have no slot {slot}; yours to replace: {free}.")
    if layout[slot - 1] is None:
        _refuse(Refusal.BAD_SLOT, f"Slot {slot} is empty; yours to replace: {free}.")
    _refuse(Refusal.LOCKED, f"Slot {slot} lies face up and is locked; yours to replace: {free}.")


def _check_placing(hole: Hole, seat: Seat, action: Swap | Discard) -> None:
    _check_own_turn(hole, seat, Stage.HOLDING)
    if isinstance(action, Swap):
        _check_replaceable(hole, seat, action.slot)
    elif hole.drawn is not None and hole.drawn.from_discard:
        _refuse(
            Refusal.MUST_PLACE, f"{hole.drawn.card} came from the discard pile and must be placed: swap SLOT."
        )


def _check_owed(hole: Hole, seat: Seat, slots: tuple[int, ...]) -> None:
    if not hole.owed[seat]:
        _refuse(Refusal.BAD_PHASE, "You have made your start choices; the other seats are still choosing.")
    free = start_slots(hole, seat)
    if (
        not slots
        or len(slots) > hole.owed[seat]
        or slots != tuple(sorted(set(slots)))
        or not set(slots) <= set(free)
    ):
        _refuse(
            Refusal.BAD_SLOT,
            f"Choose at most {hole.owed[seat]} of your own cards: slots {_slots_text(free)}.",
        )


def _check_start_peek(hole: Hole, seat: Seat, action: Peek) -> None:
    if hole.stage is not Stage.START:
        _refuse(Refusal.BAD_PHASE, f"Peeking is over. {_waiting_for(hole, seat)}")
    if hole.rules.start.mode not in _PEEKS:
        _refuse(Refusal.BAD_PHASE, _waiting_for(hole, seat))
    own = tuple(at.slot if at.seat == seat else 0 for at in action.at)  # nobody has a slot 0
    _check_owed(hole, seat, own)


def _check_flip(hole: Hole, seat: Seat, action: Flip) -> None:
    rules = hole.rules
    if hole.stage is Stage.START:
        if rules.start.mode not in _FLIPS:
            _refuse(Refusal.BAD_PHASE, _waiting_for(hole, seat))
        _check_owed(hole, seat, action.slots)
        return
    if not (rules.flip or rules.reveal):
        _refuse(
            Refusal.NOT_IN_RULES,
            f"Cards are not turned up in play in {rules.name}. {_waiting_for(hole, seat)}",
        )
    _check_own_turn(hole, seat, Stage.FLIP, *((Stage.TURN,) if rules.reveal else ()))
    free = face_down(hole.layouts[seat])
    if len(action.slots) != 1 or action.slots[0] not in free:
        which = f"one of {_slots_text(free)}" if free else "no card, all of yours lie face up"
        _refuse(Refusal.BAD_SLOT, f"You may turn up {which}.")


def _check_power(hole: Hole, seat: Seat, action: Peek | Switch | Decline) -> None:
    if not hole.rules.power:
        _refuse(Refusal.NOT_IN_RULES, f"There are no powers in {hole.rules.name}. {_waiting_for(hole, seat)}")
    if hole.gift is not None:
        _refuse(Refusal.GIFT_OWED, _waiting_for(hole, seat))
    if not hole.power:
        _refuse(Refusal.BAD_PHASE, f"There is no power to use. {_waiting_for(hole, seat)}")
    if seat != hole.turn:
        _refuse(Refusal.NOT_YOUR_TURN, _waiting_for(hole, seat))
    free = switchable(hole)
    if not free and not isinstance(action, Decline):
        _refuse(Refusal.BAD_SLOT, "No card lies face down any more: decline.")
    match action:
        case Peek(at=at) if len(at) != 1 or at[0] not in free:
            _refuse(Refusal.BAD_SLOT, f"Peek at one face-down card of {_positions_text(free)}.")
        case Switch(first=first, second=second) if first == second or first not in free or second not in free:
            _refuse(Refusal.BAD_SLOT, f"Switch two different face-down cards of {_positions_text(free)}.")


def _check_pass(hole: Hole, seat: Seat) -> None:
    if hole.gift is not None:
        _refuse(Refusal.GIFT_OWED, _waiting_for(hole, seat))
    if hole.window is not None:
        if hole.window.passed >> seat & 1:
            _refuse(Refusal.BAD_PHASE, "You have had your say in this slam window.")
        return
    if hole.stage is not Stage.FLIP and seat == hole.turn:
        _refuse(Refusal.BAD_PHASE, f"There is no passing here. {_waiting_for(hole, seat)}")
    _check_own_turn(hole, seat, Stage.FLIP)


def _check_slam(hole: Hole, seat: Seat, action: Slam) -> None:
    if hole.rules.slam is SlamMode.OFF:
        _refuse(Refusal.NOT_IN_RULES, f"There are no slams in {hole.rules.name}.")
    at, window = action.at, hole.window
    if window is None or action.discard_no < window.discard_no:
        _refuse(Refusal.TOO_LATE, f"The window for discard #{action.discard_no} is not open.")
    if action.discard_no != window.discard_no:
        _refuse(Refusal.BAD_PHASE, f"The open window is for discard #{window.discard_no}, the {window.card}.")
    if hole.gift is not None:
        _refuse(Refusal.GIFT_OWED, _waiting_for(hole, seat))
    if window.passed >> seat & 1 and hole.rules.slam is not SlamMode.RACE:  # C21
        _refuse(Refusal.BAD_PHASE, "You have had your say in this slam window: one claim, or a pass.")
    if at in window.moved:
        _refuse(
            Refusal.CARD_MOVED, f"The card at {position_text(at)} changed since the discard; name another."
        )
    if not slammable(hole):
        _refuse(Refusal.BAD_SLOT, "No face-down card is left to slam: pass.")
    if at not in slammable(hole):
        _refuse(Refusal.BAD_SLOT, f"Slam a face-down card of {_positions_text(slammable(hole))}.")


def _check_give(hole: Hole, seat: Seat, action: Give) -> None:
    if hole.gift is None:
        _refuse(Refusal.BAD_PHASE, f"No gift is owed. {_waiting_for(hole, seat)}")
    if seat != hole.gift.seat:
        _refuse(Refusal.NOT_YOUR_TURN, _waiting_for(hole, seat))
    if action.slot not in occupied(hole.layouts[seat]):
        _refuse(
            Refusal.BAD_SLOT, f"Give one of your cards: slots {_slots_text(occupied(hole.layouts[seat]))}."
        )
