"""The menus: ways to play, rule sets, matches to replay, and a welcome for new players.

Every menu is built when it is opened, from the current state of the desk.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from golfnet.engine.variants import VARIANTS
from golfnet_client.model.lobby import about, rule_sets_of
from golfnet_client.model.pages import Field, Item, Menu, nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from golfnet.engine.rules import RuleSet
    from golfnet_client.model.replay import Kept
    from golfnet_client.terminal.desk import Desk

LESSONS_FIRST: Final = ("six-card", "cactus")
"""The rule sets to learn first: the easiest one, and the one with the most to learn."""


def home_menu(desk: Desk, text: str = "") -> Menu:
    """Return the start menu."""
    ways = desk.ways
    items = (
        ("p", "Play alone", "against bots; no server needed", partial(_solo, desk)),
        ("j", "Join nearby", "servers on your network, and recent ones", ways.look_around),
        ("a", "Type an address", "such as golf.example.org", partial(type_address, desk)),
        ("l", "Learn", "one hole, every step explained", partial(_learn_alone, desk)),
        ("r", "Replays", "matches that you played alone", partial(_replays, desk)),
        ("q", "Quit", "", desk.quit),
    )
    return Menu(
        title="Golf, the card game",
        text=text,
        stays=True,
        items=tuple([Item(key=key, label=label, meaning=what, do=do) for key, label, what, do in items]),
    )


def type_address(desk: Desk) -> None:
    """Ask for the address of a server, and ask again if it is invalid."""

    def connect(text: str) -> None:
        problem = desk.ways.connect(text)
        if problem:
            desk.model.notify(problem, desk.now())
            desk.field = field(text)

    def field(text: str) -> Field:
        return Field(label="address: ", text=text, do=connect, back=desk.ways.home, hint=_ADDRESS)

    desk.field = field("")


def servers_menu(desk: Desk, servers: Sequence[tuple[str, str]], note: str) -> Menu:
    """Return a menu of servers: the address of each, and what is known about it."""

    def connect(address: str) -> None:
        problem = desk.ways.connect(address)
        if problem:
            desk.model.notify(problem, desk.now())
            desk.ways.home()

    items = [Item(label=address, meaning=what, do=partial(connect, address)) for address, what in servers]
    return Menu(
        title="Servers",
        text=note,
        back=desk.ways.home,
        items=(
            *items,
            Item(
                key="a", label="Type an address", do=partial(type_address, desk), meaning="of another server"
            ),
        ),
    )


def rules_menu(
    title: str,
    rule_sets: Mapping[str, RuleSet],
    choose: Callable[[str], None],
    *,
    text: str = "",
    done: frozenset[str] = frozenset(),
    back: Callable[[], None] | None = None,
) -> Menu:
    """Return a menu of rule sets, each with a short description; those in ``done`` are marked as learned."""
    items = [
        Item(
            label=name,
            meaning=f"learned; {about(rules)}" if name in done else about(rules),
            do=partial(choose, name),
        )
        for name, rules in rule_sets.items()
    ]
    return Menu(title=title, text=text, items=tuple(items), back=back)


def seek_menu(desk: Desk) -> Menu:
    """Return the menu that asks for which rule set to find players."""
    return rules_menu(
        "Find players",
        rule_sets_here(desk),
        lambda name: desk.send(f"seek {name}"),
        text="You sit down with the next people who want to play by the same rules.",
    )


def create_menu(desk: Desk) -> Menu:
    """Return the menu that asks for the rule set of a new table."""
    return rules_menu(
        "New table",
        rule_sets_here(desk),
        desk.open_form,
        text="Choose a rule set. You can change any of its options next.",
    )


def learn_menu(desk: Desk) -> Menu:
    """Return the menu that asks which of the server's rule sets to learn."""
    return rules_menu(
        "Learn", _for_lessons(rule_sets_here(desk)), desk.open_lesson, text=_LEARN, done=desk.ways.taught()
    )


def history_menu(desk: Desk) -> Menu:
    """Return a menu of lists of finished matches: the player's, everybody's, and this table's."""
    view = desk.model.table
    lists = [("Yours", "your latest matches", "history")]
    lists.append(("Everybody's", "the latest on this server", "history all"))
    if view is not None:
        lists.append(("This table's", "played here before", f"history {view.table}"))
    items = [Item(label=label, meaning=what, do=partial(desk.send, line)) for label, what, line in lists]
    return Menu(title="Finished matches", items=tuple(items))


def replays_menu(desk: Desk, kept: Sequence[Kept]) -> Menu:
    """Return the menu of matches stored on this machine."""
    if not kept:
        return Menu(
            title="Replays",
            text="No matches are stored yet. Matches you play alone are stored when they end.",
            items=(Item(label="Back", do=desk.ways.home),),
            back=desk.ways.home,
        )
    items = [
        Item(label=each.when, meaning=each.what, do=partial(desk.ways.replay, each.name)) for each in kept
    ]
    return Menu(title="Replays", items=tuple(items), back=desk.ways.home)


def welcome_menu(desk: Desk) -> Menu:
    """Return the menu that a new player is shown once."""
    return Menu(
        title="Welcome",
        text="New to the card game Golf?",
        items=(
            Item(label="Learn it", do=lambda: desk.ask(learn_menu(desk)), meaning="one hole against a bot"),
            Item(label="Go to the lobby", do=nothing, meaning="tables, players, chat"),
        ),
    )


def rule_sets_here(desk: Desk) -> Mapping[str, RuleSet]:
    """Return the server's rule sets, or the engine's until the server has listed its own."""
    return rule_sets_of(desk.model.lobby.variants) or VARIANTS


def _solo(desk: Desk) -> None:
    desk.menu = rules_menu(
        "Play alone",
        desk.ways.rule_sets(),
        lambda name: desk.ways.solo(name, lesson=False),
        text="Choose a rule set. You play against three bots.",
        back=desk.ways.home,
    )


def _learn_alone(desk: Desk) -> None:
    desk.menu = rules_menu(
        "Learn",
        _for_lessons(desk.ways.rule_sets()),
        lambda name: desk.ways.solo(name, lesson=True),
        text=_LEARN,
        done=desk.ways.taught(),
        back=desk.ways.home,
    )


def _replays(desk: Desk) -> None:
    desk.menu = replays_menu(desk, desk.ways.kept_matches())


def _for_lessons(rule_sets: Mapping[str, RuleSet]) -> dict[str, RuleSet]:
    first = {name: rule_sets[name] for name in LESSONS_FIRST if name in rule_sets}
    return first | dict(rule_sets)


_ADDRESS: Final = (
    "Type the address of a server, such as golf.example.org, 192.168.1.5:7777 or tls://golf.example.org. Enter "
    "connects, Esc goes back."
)

_LEARN: Final = (
    "You play one hole against an easy bot, and are told what to do at each step. Begin with six-card."
)
