"""The rules engine: pure, standard library only, shared by server, bots, client, verifier and tests.

It is also a library: the names in ``_MODULES`` can be imported from here, and ``LIBRARY.md`` shows how to deal, play,
view and score a match. A module is imported only when one of its names is first used, to keep startup fast.
"""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from golfnet.engine.actions import Action as Action
    from golfnet.engine.actions import Decline as Decline
    from golfnet.engine.actions import Discard as Discard
    from golfnet.engine.actions import Draw as Draw
    from golfnet.engine.actions import Flip as Flip
    from golfnet.engine.actions import Give as Give
    from golfnet.engine.actions import Knock as Knock
    from golfnet.engine.actions import Pass as Pass
    from golfnet.engine.actions import Peek as Peek
    from golfnet.engine.actions import Slam as Slam
    from golfnet.engine.actions import Swap as Swap
    from golfnet.engine.actions import Switch as Switch
    from golfnet.engine.actions import Take as Take
    from golfnet.engine.cards import Card as Card
    from golfnet.engine.cards import deck_text as deck_text
    from golfnet.engine.cards import parse_deck as parse_deck
    from golfnet.engine.errors import IllegalAction as IllegalAction
    from golfnet.engine.errors import Refusal as Refusal
    from golfnet.engine.errors import RuleError as RuleError
    from golfnet.engine.events import EVENTS as EVENTS
    from golfnet.engine.events import Event as Event
    from golfnet.engine.hole import Hole as Hole
    from golfnet.engine.hole import Phase as Phase
    from golfnet.engine.hole import phase as phase
    from golfnet.engine.layout import Position as Position
    from golfnet.engine.layout import Seat as Seat
    from golfnet.engine.legality import legal_actions as legal_actions
    from golfnet.engine.match import Match as Match
    from golfnet.engine.match import abandon as abandon
    from golfnet.engine.match import act as act
    from golfnet.engine.match import close_window as close_window
    from golfnet.engine.match import commit as commit
    from golfnet.engine.match import deal as deal
    from golfnet.engine.match import evolve as evolve
    from golfnet.engine.match import start as start
    from golfnet.engine.notation import action_text as action_text
    from golfnet.engine.notation import parse_action as parse_action
    from golfnet.engine.notation import parse_card as parse_card
    from golfnet.engine.notation import parse_seat as parse_seat
    from golfnet.engine.notation import position_text as position_text
    from golfnet.engine.notation import seat_letter as seat_letter
    from golfnet.engine.options import as_options as as_options
    from golfnet.engine.options import from_options as from_options
    from golfnet.engine.options import override as override
    from golfnet.engine.rulebook import rules_in_short as rules_in_short
    from golfnet.engine.rulebook import rules_text as rules_text
    from golfnet.engine.rules import Cancel as Cancel
    from golfnet.engine.rules import DeckKind as DeckKind
    from golfnet.engine.rules import FaceUp as FaceUp
    from golfnet.engine.rules import FirstDealer as FirstDealer
    from golfnet.engine.rules import Leader as Leader
    from golfnet.engine.rules import Packs as Packs
    from golfnet.engine.rules import Penalty as Penalty
    from golfnet.engine.rules import Placed as Placed
    from golfnet.engine.rules import Recall as Recall
    from golfnet.engine.rules import RuleSet as RuleSet
    from golfnet.engine.rules import SlamMode as SlamMode
    from golfnet.engine.rules import Span as Span
    from golfnet.engine.rules import Start as Start
    from golfnet.engine.rules import StartMode as StartMode
    from golfnet.engine.rules import StockEnd as StockEnd
    from golfnet.engine.scoring import cancelled_slots as cancelled_slots
    from golfnet.engine.scoring import hole_scores as hole_scores
    from golfnet.engine.scoring import layout_score as layout_score
    from golfnet.engine.scoring import places as places
    from golfnet.engine.variants import VARIANTS as VARIANTS
    from golfnet.engine.variants import parse_house_rules as parse_house_rules
    from golfnet.engine.views import View as View
    from golfnet.engine.views import evolve_view as evolve_view
    from golfnet.engine.views import mask as mask
    from golfnet.engine.views import view as view

_MODULES: Final = {
    "actions": "Action Decline Discard Draw Flip Give Knock Pass Peek Slam Swap Switch Take",
    "cards": "Card deck_text parse_deck",
    "errors": "IllegalAction Refusal RuleError",
    "events": "EVENTS Event",
    "hole": "Hole Phase phase",
    "layout": "Position Seat",
    "legality": "legal_actions",
    "match": "Match abandon act close_window commit deal evolve start",
    "notation": "action_text parse_action parse_card parse_seat position_text seat_letter",
    "options": "as_options from_options override",
    "rulebook": "rules_in_short rules_text",
    "rules": (
        "Cancel DeckKind FaceUp FirstDealer Leader Packs Penalty Placed Recall RuleSet SlamMode Span Start "
        "StartMode StockEnd "
    ),
    "scoring": "cancelled_slots hole_scores layout_score places",
    "variants": "VARIANTS parse_house_rules",
    "views": "View evolve_view mask view",
}
"""The exported names, by module."""

_HOMES: Final = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Return an exported object; import its module on first use, and cache the object."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(__import__(f"{__name__}.{_HOMES[name]}", fromlist=(name,)), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all names, imported or not."""
    return sorted({*globals(), *__all__})
