"""The rules engine: pure, standard library only, shared by server, bots, client, verifier and tests.

It is also a library: the names in ``_MODULES`` can be imported from here, and ``LIBRARY.md`` shows how to deal, play,
view and score a match. A module is imported only when one of its names is first used, to keep startup fast.
"""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from golfnet.engine.actions import *
    from golfnet.engine.cards import *
    from golfnet.engine.errors import *
    from golfnet.engine.events import *
    from golfnet.engine.hole import (
        Hole as Hole,  # not its ``evolve``: the exported one is that of a match
        Phase as Phase,
        phase as phase,
    )
    from golfnet.engine.legality import *
    from golfnet.engine.match import *
    from golfnet.engine.options import *
    from golfnet.engine.rulebook import *
    from golfnet.engine.rules import *
    from golfnet.engine.scoring import *
    from golfnet.engine.variants import *
    from golfnet.engine.views import *

_MODULES: Final = {
    "actions": (
        "Action Decline Discard Draw Flip Give Knock Pass Peek Slam Swap Switch Take action_text parse_action"
    ),
    "cards": "Card Position Seat deck_text parse_card parse_deck parse_seat position_text seat_letter",
    "errors": "IllegalAction Refusal RuleError",
    "events": "EVENTS Event",
    "hole": "Hole Phase phase",
    "legality": "legal_actions",
    "match": "Match abandon act close_window commit deal evolve start",
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
    """Return an exported object, after importing its module."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(__import__(f"{__name__}.{_HOMES[name]}", fromlist=(name,)), name)


def __dir__() -> list[str]:
    """Return all names, imported or not."""
    return sorted({*globals(), *__all__})
