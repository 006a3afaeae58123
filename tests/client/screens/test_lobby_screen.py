"""The waiting room says how empty chairs can be filled, and offers only what the viewer can do."""

from msgspec.structs import replace

from golfnet.protocol.replies.replies import Rows, TableView
from golfnet_client.model.model import Model
from golfnet_client.screens.canvas import Look
from golfnet_client.screens.table_screen import waiting_lines
from tests.client import tables


def said(model: Model) -> str:
    return "\n".join([text for text, _ in waiting_lines(model, Look())])


def listed(view: TableView, **changes: object) -> Model:
    model = tables.a_model(view)
    row = {"table": "t1", "variant": "six-card", "state": "open", "taken": 2, "seats": 4} | changes
    model.receive(Rows(kind="tables", rows=(row,)), 100.0)
    return model


def test_the_invitation_to_a_private_table_mentions_its_password() -> None:
    assert "tables" in tables.a_model(tables.waiting()).wants, "the server says whether a table is private"
    assert "join t1 password=..." in said(listed(tables.waiting(), private=True))


def test_a_solo_or_full_table_shows_no_invitation() -> None:
    model = listed(tables.waiting(actions=("start",)))
    model.is_solo = True
    assert "join" not in said(model)
    assert "Press o to start." in said(model)
    view = tables.waiting()
    full = said(listed(replace(view, options=view.options | {"seats": "2"})))
    assert "2 of 2 chairs taken" in full
    assert "join" not in full


def test_a_guest_is_not_told_what_only_the_host_can_do() -> None:
    text = said(listed(tables.waiting(you="B")))
    assert "b adds" not in text
    assert "Ann can add bots: b" in text
