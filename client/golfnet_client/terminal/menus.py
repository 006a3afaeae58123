"""The menus: ways to play, rule sets, matches to replay, and a welcome for new players.

Every menu is built when it is opened, from the current state of the client.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from golfnet.engine.variants import VARIANTS
from golfnet.protocol.address import BadAddress, parse_address
from golfnet_client.model.model import Place
from golfnet_client.model.pages import Field, Item, Menu, Way
from golfnet_client.screens.lobby_screen import about, rule_sets_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from golfnet_client.terminal.client import Client

LESSONS_FIRST: Final = ("six-card", "cactus")
"""The rule sets to learn first: the easiest one, and the one with the most to learn."""


def home_menu(client: Client, text: str = "") -> Menu:
    """Return the start menu."""
    items = (
        ("p", "Play alone", "against bots; no server needed", partial(_open, client, _solo_menu)),
        ("j", "Join nearby", "servers on your network, and recent ones", lambda: client.ways.look_around()),
        ("a", "Type an address", "such as golf.example.org", partial(type_address, client)),
        ("l", "Learn", "one hole, every step explained", partial(_open, client, learn_menu)),
        ("r", "Replays", "matches that you played alone", partial(_open, client, _replays_menu)),
        ("q", "Quit", "", client.quit),
    )
    return Menu(
        title="Golf, the card game",
        text=text,
        stays=True,
        items=tuple([Item(key=key, label=label, meaning=what, do=do) for key, label, what, do in items]),
    )


def _open(client: Client, menu: Callable[[Client], Menu]) -> None:
    client.menu = menu(client)


def type_address(client: Client, text: str = "") -> None:
    """Ask for the address of a server, and ask again if it is invalid."""

    def enter(typed: str) -> None:
        if not _connect(client, typed):
            type_address(client, typed)

    client.field = Field(label="address: ", text=text, do=enter, back=client.ways.home, hint=_ADDRESS)


def _connect(client: Client, address: str) -> bool:
    """Connect to a server; if the address is invalid, say so and return False."""
    try:
        client.ways.go(Way(address=parse_address(address.strip())))
    except BadAddress as problem:
        client.model.notify(f"Expected {problem}.", client.now())
        return False
    return True


def servers_menu(client: Client, servers: Sequence[tuple[str, str]], note: str) -> Menu:
    """Return a menu of servers: the address of each, and what is known about it."""

    def connect(address: str) -> None:
        if not _connect(client, address):
            client.ways.home()

    items = [Item(label=address, meaning=what, do=partial(connect, address)) for address, what in servers]
    typed = Item(
        key="a", label="Type an address", meaning="of another server", do=partial(type_address, client)
    )
    return Menu(title="Servers", text=note, back=client.ways.home, items=(*items, typed))


def _rules_menu(
    client: Client, title: str, text: str, choose: Callable[[str], None], *, teaches: bool = False
) -> Menu:
    """Return a menu of rule sets, each with a short description.

    If it ``teaches``, the rule sets to learn first come first, and those already learned are marked.
    """
    # Imported here because the first picture does not need it.
    from golfnet.rulesets import catalogue

    is_home = client.model.place is Place.HOME
    # The engine's rule sets are offered until the server has listed its own.
    offered = catalogue() if is_home else rule_sets_of(client.model.lobby.variants) or VARIANTS
    order = [*LESSONS_FIRST, *offered] if teaches else offered
    learned = client.remembered.taught if teaches else frozenset()
    items = [
        Item(
            label=name,
            meaning=f"learned; {about(offered[name])}" if name in learned else about(offered[name]),
            do=partial(choose, name),
        )
        for name in dict.fromkeys(order)
        if name in offered
    ]
    return Menu(title=title, text=text, items=tuple(items), back=client.ways.home if is_home else None)


def _solo_menu(client: Client) -> Menu:
    text = "Choose a rule set. You play against three bots."
    return _rules_menu(client, "Play alone", text, lambda name: client.ways.go(Way(solo=name)))


def seek_menu(client: Client) -> Menu:
    """Return the menu that asks for which rule set to find players."""
    text = "You sit down with the next people who want to play by the same rules."
    return _rules_menu(client, "Find players", text, lambda name: client.send(f"seek {name}"))


def create_menu(client: Client) -> Menu:
    """Return the menu that asks for the rule set of a new table."""
    text = "Choose a rule set. You can change any of its options next."
    return _rules_menu(client, "New table", text, client.open_form)


def learn_menu(client: Client) -> Menu:
    """Return the menu that asks which rule set to learn: at the server or, from the start menu, alone."""

    def learn(name: str) -> None:
        if client.model.place is Place.HOME:
            client.ways.go(Way(solo=name, lesson=True))
            return
        client.model.lesson = True
        for line in lesson_lines(name):
            client.send(line)

    text = "You play one hole against an easy bot, and are told what to do at each step. Begin with six-card."
    return _rules_menu(client, "Learn", text, learn, teaches=True)


def history_menu(client: Client) -> Menu:
    """Return a menu of lists of finished matches: the player's, everybody's, and this table's."""
    view = client.model.table
    lists = [
        ("Yours", "your latest matches", "history"),
        ("Everybody's", "the latest on this server", "history all"),
    ]
    if view is not None:
        lists.append(("This table's", "played here before", f"history {view.table}"))
    items = [Item(label=label, meaning=what, do=partial(client.send, line)) for label, what, line in lists]
    return Menu(title="Finished matches", items=tuple(items))


def _replays_menu(client: Client) -> Menu:
    def show(name: str) -> None:
        client.open_replay(client.archive.read(name))
        if client.model.place is Place.HOME:  # the file could not be read
            client.ways.home()

    text = ""
    items = [
        Item(label=each.when, meaning=each.what, do=partial(show, each.name))
        for each in client.archive.matches()
    ]
    if not items:
        text = "No matches are stored yet. Matches you play alone are stored when they end."
        items = [Item(label="Back", do=client.ways.home)]
    return Menu(title="Replays", text=text, items=tuple(items), back=client.ways.home)


def welcome_menu(client: Client) -> Menu:
    """Return the menu that a new player is shown once."""
    return Menu(
        title="Welcome",
        text="New to the card game Golf?",
        items=(
            Item(label="Learn it", do=partial(_open, client, learn_menu), meaning="one hole against a bot"),
            Item(label="Go to the lobby", meaning="tables, players, chat"),
        ),
    )


def lesson_lines(variant: str) -> tuple[str, ...]:
    """Return the lines that open a table for one hole of a rule set against an easy bot."""
    return (f"create {variant} seats=2 holes=1 clock=0 name=Lesson", "bot easy", "start")


_ADDRESS: Final = (
    "Type the address of a server, such as golf.example.org, 192.168.1.5:7777 or tls://golf.example.org. Enter "
    "connects, Esc goes back."
)
