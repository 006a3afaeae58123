"""The headline: the one sentence that matters now, saying what the player should do or who everyone is waiting for."""

from typing import Final

from golfnet.engine.cards import HIDDEN, JOKER
from golfnet.engine.forms import word
from golfnet.engine.rules import Cancel, Penalty, Placed, RuleSet, StartMode
from golfnet.protocol.replies.replies import TableView
from golfnet_client.model.model import Model, Place
from golfnet_client.screens.choices import can_slam, digits_of, is_asked, is_won, picking
from golfnet_client.screens.faces import card_text


def lesson(view: TableView) -> str:
    """Return the tip that a beginner needs now, or ``""`` if there is none."""
    rules = view.rules
    match view.state:
        case "finished":
            return "That was a whole hole. The lowest total wins. Press q to go back, or r to play again."
        case "between":
            return "Every card was turned up and counted. Press r for the next hole."
        case "open":
            return "Press o to start once somebody else has joined; b adds a bot."
    if not is_asked(view):
        return "" if view.actions else _meanwhile(view, rules)
    match view.phase:
        case "start":
            return _start(view, rules)
        case "turn":
            return _turn(view, rules)
        case "holding":
            return _holding(view, rules)
        case "flip":
            return "You can turn up one card: press its number. p leaves them face down."
        case "power" if "decline" in view.offer:
            also_slam = f" Or space slams another {_slammed(view)}, p passes." if can_slam(view) else ""
            return (
                "Your power: Enter looks at the chosen card, or mark two with m and press w to switch them; n skips it."
                f"{also_slam}"
            )
        case "give":
            return "Right! Now give one of your cards away: press its number. Give a high one."
        case "power" | "slam" if can_slam(view):
            return _slam(view)
    return ""


def _start(view: TableView, rules: RuleSet) -> str:
    owed = view.offer.most
    if rules.start.mode in (StartMode.PEEK_BOTTOM, StartMode.FLIP_BOTTOM):
        if picking(view) == "peek":
            return f"Press Enter to look at your {word(owed)} bottom cards: you see them once."
        return f"Press Enter to turn up your {word(owed)} bottom cards."
    if picking(view) == "peek":
        return f"Look at {word(owed)} of your cards: press {digits_of(view)}. You see them once."
    if owed < rules.start.cards:
        return f"Turn up {word(owed)} more: press {digits_of(view)}."
    return f"Turn up {word(owed)} of your {word(rules.slots)} cards: press their numbers, {digits_of(view)}."


def _turn(view: TableView, rules: RuleSet) -> str:
    keys = ["d draws a card"]
    if "take" in view.offer and view.discard is not None:
        keys.append(f"t takes {card_text(view.discard)}")
    if "knock" in view.offer and _turns(view) > 1:
        low = "5 points or less" if rules.penalty is Penalty.DOUBLE_OVER_FIVE else "few points"
        return f"{', '.join(keys)}. k knocks, which ends the hole: do it only with {low}."
    last = " This is your last turn." if view.closer not in (None, view.you) else ""
    # The aim is explained in the first turns only.
    aim = f" {_aim(rules)}" if _turns(view) <= 2 else ""
    return f"{', '.join(keys)}.{last}{aim}"


def _holding(view: TableView, rules: RuleSet) -> str:
    card = card_text(view.drawn) if view.drawn is not None else "the card"
    numbers = digits_of(view)
    down = " It will lie face down: remember it." if rules.placed is Placed.DOWN else _PAIRS[rules.cancelling]
    if "discard" not in view.offer:
        return f"Press {numbers} to put {card} there: you have to keep a taken card.{down}"
    if view.drawn is not None and view.drawn[:-1] in rules.power:
        return f"x throws {card} away, and you may use its power: look at a card, or switch two."
    return f"Press {numbers} to put {card} there, or x to throw it away.{down}"


def _slam(view: TableView) -> str:
    example = next((at.lower() for at in view.targets if at[0] != view.you), "b3")
    return (
        f"space slams another {_slammed(view)} that you know, p passes. Choose it with the arrows, or "
        f"{example[0]} then {example[1:]}. If it is wrong, you get a penalty card."
    )


def _meanwhile(view: TableView, rules: RuleSet) -> str:
    if view.closer is not None and view.closer != view.you:
        how = "knocked" if knocked(view) else "has all cards face up"
        return f"{_name(view, view.closer) or 'Somebody'} {how}. Everybody else gets one more turn."
    who = _name(view, view.turn)
    return f"{f'{who} plays. ' if who else ''}{_aim(rules)}{_PAIRS[rules.cancelling]}"


def _name(view: TableView, seat: str | None) -> str:
    """Return the name of the player in a seat, or ``""`` if there is none."""
    return next((each.name for each in view.seats if each.seat == seat), "")


def knocked(view: TableView) -> bool:
    """Return whether the last turns were caused by a knock, not by turning up the closer's last card."""
    return any(
        slot.startswith(HIDDEN) for seat in view.seats if seat.seat == view.closer for slot in seat.slots
    )


def _aim(rules: RuleSet) -> str:
    best = [
        f"a {_NAMES.get(rank, rank)} counts {rules.values[rank]}"
        for rank in rules.ranks
        if rules.values[rank] <= 0 and rank != str(rules.values[rank])
    ]
    return f"Low is good: {', '.join(best)}." if best else "Low cards are good."


def _turns(view: TableView) -> int:
    return 0 if view.own is None else view.own.turns


def _slammed(view: TableView) -> str:
    card = "" if view.slam is None else view.slam.card
    return "joker" if card == JOKER else card[:-1] or "equal card"


_NAMES: Final = {"A": "ace", "J": "jack", "Q": "queen", "K": "king", JOKER: "joker"}

_PAIRS: Final = {
    Cancel.NONE: "",
    Cancel.COLUMN: " Equal cards in a column count 0.",
    Cancel.ANYWHERE: " A pair of equal cards counts 0.",
    Cancel.ALL: " Equal cards count 0.",
}


def headline(model: Model) -> tuple[str, str]:
    """Return the sentence and its style."""
    view = model.shown
    if model.place is Place.REPLAY:
        return (model.log[-1].text if model.log else ""), "turn"
    if not model.is_connected:
        return model.link_sentence, "urgent"
    if model.refusal:
        return model.refusal, "urgent"
    if model.lesson and view.you is not None and (text := lesson(view)):
        return text, "turn"
    asked = _asked(view)
    if asked:
        return asked, "turn"
    table, place = model.line
    if place and table == view.table and view.you is None:
        line = "next in line" if place == 1 else f"number {place} in line"
        return f"You are {line} for a seat. {_waiting(view)}", "name"
    return _waiting(view), "dim"


def _asked(view: TableView) -> str:
    """Return the sentence that asks the viewer to act, or ``""`` if nothing is asked of them."""
    if not is_asked(view):
        return "A bot is playing your seat. Press r to take it back." if view.actions else ""
    drawn = card_text(view.drawn) if view.drawn is not None else "card"
    window = f"Slam! Who has {_article(view.slam.card)}? " if view.slam is not None and can_slam(view) else ""
    match view.phase if view.state == "playing" else view.state:
        case "start":
            verb = "Look at" if picking(view) == "peek" else "Turn up"
            owed = view.offer.most
            return f"{verb} {'one' if owed == 1 else owed} of your cards."
        case "turn":
            last = " This is your last." if view.closer not in (None, view.you) else ""
            return f"Your turn.{last}"
        case "holding":
            must = (
                "it must go into a slot" if "discard" not in view.actions else "choose a slot, or discard it"
            )
            return f"You hold {drawn}: {must}."
        case "flip":
            return "You can turn up one of your cards."
        case "power" if "decline" in view.offer:
            return f"{window}Your power: look at a card, or switch two."
        case "give":
            return "Right! Choose one of your cards to give away."
        case "power" | "slam" if can_slam(view):
            return f"{window}Choose a card{', or pass' if 'pass' in view.offer else ''}."
        case "open":
            asked = "Ready?" if "ready" in view.actions else "Start when everybody is here."
            return f"{asked}{_coming(view)}"
        case "between":
            return f"{_result(view)}Ready for the next hole?"
        case "finished":
            return f"{_winner(view)} Play again?"
        case _:
            return ""


def _waiting(view: TableView) -> str:
    who = _name(view, view.owes or view.turn)
    match view.state:
        case "open":
            host = next((seat.name for seat in view.seats if seat.host and seat.seat != view.you), "")
            start = f" {host} can start: o." if host else ""
            return f"Waiting for players.{start}{_coming(view)}"
        case "between" if view.sealing_ms is not None:
            return "The cards are being shuffled."
        case "between":
            return "The next hole begins when everybody is ready."
        case "finished":
            return _winner(view)
    match view.phase:
        case "start":
            return "Waiting for the others to choose their cards."
        case "give":
            return f"{who} is choosing a card to give away."
        case "power":
            return f"{who} may look at a card or switch two."
        case "slam" if is_won(view):
            return "The slam is decided."
        case "slam":
            return f"Slam window for {_article(view.slam.card)}." if view.slam is not None else ""
        case _:
            return f"{who}'s turn." if who else ""


def _coming(view: TableView) -> str:
    """Return the sentence that says that bots will join, or ``""`` if none will; the clock beside it says when."""
    return "" if view.filling is None else f" Bots ({view.filling.level}) are coming soon."


def _result(view: TableView) -> str:
    letters = [seat.seat for seat in view.seats]
    if not view.scores or view.you not in letters or len(view.scores[-1]) != len(letters):
        return ""
    scores, mine = view.scores[-1], view.scores[-1][letters.index(view.you)]
    best = ", the best of the hole" if mine == min(scores) else ""
    return f"{mine} point{'' if abs(mine) == 1 else 's'}{best}. "


def _winner(view: TableView) -> str:
    best = min(view.totals, default=0)
    winners = [("You" if seat.seat == view.you else seat.name) for seat in view.seats if seat.total == best]
    verb = "win" if len(winners) > 1 or winners == ["You"] else "wins"
    return f"{' and '.join(winners)} {verb} with {best}."


def _article(card: str) -> str:
    rank = "joker" if card == JOKER else card[:-1]
    return f"{'an' if rank in ('A', '8') else 'a'} {rank}"
