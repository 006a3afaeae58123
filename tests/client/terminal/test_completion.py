"""What tab offers is what the protocol's table of commands and the model know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from golfnet_client.terminal.client import Client
from golfnet_client.terminal.completion import Commands
from tests.client import tables

if TYPE_CHECKING:
    from golfnet_client.model.model import Model


def offers(model: Model, text: str) -> list[str]:
    """Return the lines that the offers would make of a text."""
    client = Client(model, send=lambda line: None, now=lambda: 0.0)
    found = Commands(client).get_completions(Document(text), CompleteEvent())
    return [(text[: len(text) + each.start_position] + each.text).strip() for each in found]


def test_every_offer_goes_on_from_what_was_typed() -> None:
    model = tables.a_model(tables.holding())
    for text in ("", "s", "sw", "create ", "create six-card col", "say h", "help "):
        assert all(line.startswith(text.strip()) for line in offers(model, text)), text


def test_what_may_be_sent_is_offered() -> None:
    model = tables.a_model(tables.holding())
    assert "discard" in offers(model, "di")
    assert "swap 3" in offers(model, "swap ")
    assert "swap 7" not in offers(model, "swap ")


def test_tables_and_players_are_offered_by_name() -> None:
    model = tables.a_model()
    model.lobby.tables = [{"table": "t7"}]
    model.lobby.players = [{"name": "Emil"}]
    assert "join t7" in offers(model, "join ")
    assert any("Emil" in line for line in offers(model, "tell E"))
