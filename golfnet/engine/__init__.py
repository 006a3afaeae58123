"""The rules engine: pure, standard library only, shared by server, bots, client, verifier and tests.

It is a library too: what is in ``__all__`` can be imported from here, and ``LIBRARY.md`` beside this file shows how a
match is dealt, played, seen and scored. A module is imported when a name of it is first asked for, so that whoever
needs one does not wait for all.
"""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
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
    from golfnet.engine.cards import Card, DeckKind, deck_text, parse_deck
    from golfnet.engine.errors import IllegalAction, Refusal, RuleError
    from golfnet.engine.events import EVENTS, Event
    from golfnet.engine.hole import Hole, Phase, phase
    from golfnet.engine.layout import Position, Seat
    from golfnet.engine.legality import legal_actions
    from golfnet.engine.match import Match, abandon, act, close_window, commit, deal, evolve, start
    from golfnet.engine.notation import (
        action_text,
        parse_action,
        parse_card,
        parse_seat,
        position_text,
        seat_letter,
    )
    from golfnet.engine.options import as_options, from_options, override
    from golfnet.engine.rulebook import rules_in_short, rules_text
    from golfnet.engine.rules import (
        Cancel,
        FaceUp,
        FirstDealer,
        Leader,
        Packs,
        Penalty,
        Placed,
        Recall,
        RuleSet,
        SlamMode,
        Span,
        Start,
        StartMode,
        StockEnd,
    )
    from golfnet.engine.scoring import cancelled_slots, hole_scores, layout_score, places
    from golfnet.engine.variants import VARIANTS, parse_house_rules
    from golfnet.engine.view_fold import evolve_view
    from golfnet.engine.views import View, mask, view

# fmt: off
__all__ = [
    "EVENTS",
    "VARIANTS",
    "Action",
    "Cancel",
    "Card",
    "DeckKind",
    "Decline",
    "Discard",
    "Draw",
    "Event",
    "FaceUp",
    "FirstDealer",
    "Flip",
    "Give",
    "Hole",
    "IllegalAction",
    "Knock",
    "Leader",
    "Match",
    "Packs",
    "Pass",
    "Peek",
    "Penalty",
    "Phase",
    "Placed",
    "Position",
    "Recall",
    "Refusal",
    "RuleError",
    "RuleSet",
    "Seat",
    "Slam",
    "SlamMode",
    "Span",
    "Start",
    "StartMode",
    "StockEnd",
    "Swap",
    "Switch",
    "Take",
    "View",
    "abandon",
    "act",
    "action_text",
    "as_options",
    "cancelled_slots",
    "close_window",
    "commit",
    "deal",
    "deck_text",
    "evolve",
    "evolve_view",
    "from_options",
    "hole_scores",
    "layout_score",
    "legal_actions",
    "mask",
    "override",
    "parse_action",
    "parse_card",
    "parse_deck",
    "parse_house_rules",
    "parse_seat",
    "phase",
    "places",
    "position_text",
    "rules_in_short",
    "rules_text",
    "seat_letter",
    "start",
    "view",
]
# fmt: on

_MODULES: Final = {
    "actions": "Action Decline Discard Draw Flip Give Knock Pass Peek Slam Swap Switch Take",
    "cards": "Card DeckKind deck_text parse_deck",
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
        "Cancel FaceUp FirstDealer Leader Packs Penalty Placed Recall RuleSet SlamMode Span Start "
        "StartMode StockEnd "
    ),
    "scoring": "cancelled_slots hole_scores layout_score places",
    "variants": "VARIANTS parse_house_rules",
    "view_fold": "evolve_view",
    "views": "View mask view",
}
"""What is exported, by the module that has it."""

_HOMES: Final = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Return an exported name, and keep it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(__import__(f"{__name__}.{_HOMES[name]}", fromlist=(name,)), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all names, imported or not."""
    return sorted({*globals(), *__all__})
