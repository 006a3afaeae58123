"""A person at the terminal client: keys, clicks and typed lines, with no server at the other end."""

from golfnet.protocol.replies.replies import Ok, TableView
from golfnet_client.model.model import Place
from golfnet_client.model.pages import Menu, Pages, Way
from golfnet_client.terminal.client import Client
from golfnet_client.terminal.keys import click, press
from golfnet_client.terminal.menus import home_menu
from golfnet_client.visits import Visits
from tests.client import tables


class NoWay(Visits):
    """The ways into a game that the start menu offers. They lead nowhere; ``taken`` lists those that were chosen."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    def home(self) -> None:
        self.taken.append("home")

    def go(self, way: Way) -> None:
        self.taken.append(f"{'learn' if way.lesson else 'solo'} {way.solo}" if way.solo else f"{way.address}")

    def look_around(self) -> None:
        self.taken.append("nearby")


def choose(client: Client, label: str) -> None:
    """Choose the menu item whose label starts with this text."""
    assert client.menu is not None
    labels = [item.label for item in client.menu.items]
    client.choose(next(number for number, each in enumerate(labels) if each.startswith(label)))


class Person:
    """A client on a screen of 80 by 23, and the lines it has sent."""

    def __init__(self, view: TableView | None = None) -> None:
        self.sent: list[str] = []
        self.time = 100.0
        remembered = tables.nothing_remembered()
        remembered.keep_taught("six-card")
        self.client = Client(tables.a_model(), remembered, now=lambda: self.time)
        self.client.send = self.client.ask_quietly = self.sent.append
        self.ways = NoWay()
        self.client.ways = self.ways
        if view is not None:
            self.client.receive(view)
        self.client.picture(80, 23)

    @property
    def screen(self) -> str:
        return "\n".join(self.client.picture(80, 23).lines())

    def wait(self, seconds: float) -> str:
        """Let time pass; return the text on the screen after that."""
        self.time += seconds
        return self.screen

    def press(self, *keys: str) -> list[str]:
        """Press keys, drawing the screen after each; return the lines sent."""
        self.sent.clear()
        for key in keys:
            press(self.client, key)
            self.client.picture(80, 23)
        return list(self.sent)

    def click(self, target: str) -> list[str]:
        """Click in the middle of a target; return the lines sent."""
        self.sent.clear()
        canvas = self.client.picture(80, 23)
        zone = next(zone for zone in canvas.zones if zone.target == target)
        click(self.client, zone.x + zone.width // 2, zone.y + zone.height // 2)
        return list(self.sent)

    @property
    def pages(self) -> Pages:
        assert self.client.model.pages is not None
        return self.client.model.pages

    @property
    def menu(self) -> Menu:
        assert self.client.menu is not None
        return self.client.menu

    def choose(self, label: str) -> list[str]:
        """Choose the menu item whose label starts with this text; return the lines sent."""
        self.sent.clear()
        choose(self.client, label)
        return list(self.sent)

    def says(self) -> str:
        news = self.client.model.news
        return news.text if news is not None else ""

    def type(self, line: str) -> str:
        """Type a line; return what stays on the command line."""
        self.sent.clear()
        return self.client.typed(line)


def at_home() -> Person:
    """Return a person at the start menu."""
    person = Person()
    person.client.model.place = Place.HOME
    person.client.menu = home_menu(person.client)
    person.press("escape")  # the menu stays open, as nothing is below it
    return person


def newcomer() -> Person:
    """Return a person who has just given a name and is offered a lesson."""
    person = Person()
    person.client.model.place = Place.WELCOME
    person.client.receive(Ok(id=1, name="Ann", token="x"))
    return person
