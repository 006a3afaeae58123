"""The waiting room says how empty chairs can be filled, and offers only what the viewer may do."""

from msgspec.structs import replace

from golfnet.protocol.replies.replies import Rows, TableView
from golfnet_client.screens.table_screen import waiting_lines
from tests.client import tables


def said(view: TableView, *, is_solo: bool = False, is_private: bool = False) -> str:
    model = tables.a_model(view)
    assert "tables" in model.wants, "the server says whether a table is private"
    model.receive(Rows(kind="tables", rows=(tables.a_row("t1", private=is_private),)), 100.0)
    model.is_solo = is_solo
    return "\n".join([text for text, _ in waiting_lines(model)])


def test_the_command_to_join_is_shown_while_others_can_join() -> None:
    assert "join t1 password=..." in said(tables.waiting(), is_private=True)
    alone = said(tables.waiting(actions=("start",)), is_solo=True)
    assert "join" not in alone
    assert "Press o to start." in alone
    view = tables.waiting()
    full = said(replace(view, options=view.options | {"seats": "2"}))
    assert "2 of 2 chairs taken" in full
    assert "join" not in full


def test_a_guest_is_not_told_what_only_the_host_can_do() -> None:
    text = said(tables.waiting(you="B"))
    assert "b adds" not in text
    assert "Ann can add bots: b" in text
