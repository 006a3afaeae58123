"""The one sentence that matters now: what the person is asked for, or who is waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet_client.model.model import Place
from golfnet_client.screens.choices import picking
from golfnet_client.screens.faces import card_text
from golfnet_client.screens.lessons import lesson

if TYPE_CHECKING:
    from golfnet.protocol.replies.replies import TableView
    from golfnet_client.model.model import Model
    from golfnet_client.screens.faces import Look


def headline(model: Model, look: Look) -> tuple[str, str]:
    """Return the sentence and the style it is drawn in."""
    view = model.table
    if model.place is Place.REPLAY:
        return (model.log[-1].text if model.log else ""), "class:turn"
    if model.link != "connected":
        return model.link_sentence, "class:urgent"
    if model.news is not None and model.news_kind == "refused":
        return model.news.what, "class:urgent"
    if view is None:
        return "", ""
    if model.lesson and view.you is not None and (text := lesson(view, look)):
        return text, "class:turn"
    asked = _asked(view, look)
    if asked:
        return asked, "class:turn"
    return _waiting(view), "class:dim"


def _asked(view: TableView, look: Look) -> str:
    """Return what the viewer is asked for, empty where nothing is."""
    if not view.actions:
        return ""
    drawn = card_text(view.drawn, look) if view.drawn is not None else "card"
    window = f"Slam! Who has {_article(view.slam.card)}? " if view.slam is not None else ""
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
        case "power":
            return f"{window}Your power: look at a card, or switch two."
        case "give":
            return "Right! Choose one of your cards to give away."
        case "slam":
            return f"{window}Choose a card, or pass."
        case "open":
            asked = "Ready?" if "ready" in view.actions else "Start when everybody is here."
            return f"{asked}{_coming(view)}"
        case "between":
            return f"{_result(view)}Ready for the next hole?"
        case "finished":
            return f"{_winner(view)} Once more?"
        case _:
            return ""


def _waiting(view: TableView) -> str:
    names = {seat.seat: seat.name for seat in view.seats}
    who = names.get(view.owes or view.turn or "", "")
    match view.state:
        case "open":
            return f"Waiting for players.{_coming(view)}"
        case "between" if view.sealing_ms is not None:
            return "The cards are being shuffled."
        case "between":
            return "The next hole is dealt when everybody is ready."
        case "finished":
            return _winner(view)
    match view.phase:
        case "start":
            return "Waiting for the others to choose their cards."
        case "give":
            return f"{who} chooses a card to give away."
        case "power":
            return f"{who} may look at a card or switch two."
        case "slam":
            return f"Slam window for {_article(view.slam.card)}." if view.slam is not None else ""
        case _:
            return f"{who}'s turn." if who else ""


def _coming(view: TableView) -> str:
    """Return that bots will come; when, the clock beside the sentence says."""
    return "" if view.filling is None else f" Bots ({view.filling.level}) come soon."


def _result(view: TableView) -> str:
    """Return what the last hole brought the viewer."""
    letters = [seat.seat for seat in view.seats]
    if not view.scores or view.you not in letters or len(view.scores[-1]) != len(letters):
        return ""
    scores, mine = view.scores[-1], view.scores[-1][letters.index(view.you)]
    best = ", the best of the hole" if mine == min(scores) else ""
    return f"{mine} point{'' if abs(mine) == 1 else 's'}{best}. "


def _winner(view: TableView) -> str:
    best = min((seat.total for seat in view.seats), default=0)
    winners = [("You" if seat.seat == view.you else seat.name) for seat in view.seats if seat.total == best]
    verb = "win" if len(winners) > 1 or winners == ["You"] else "wins"
    return f"{' and '.join(winners)} {verb} with {best}."


def _article(card: str) -> str:
    rank = "joker" if card == "*" else card[:-1]
    return f"{'an' if rank in ('A', '8') else 'a'} {rank}"
