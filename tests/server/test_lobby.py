"""The server as a whole: faults stay contained, it stops properly, and its tables are limited."""

import logging
import re
from pathlib import Path

import pytest
import trio

from golfnet.engine import match as matches
from golfnet.protocol.replies.presence import Ending
from golfnet.protocol.telnet.wire import Command, TelnetOption, negotiation
from golfnet.server.faults import fault_boundary
from golfnet.server.table.starting import Starting
from golfnet.storage.results import HONOURS_KEPT
from tests.server.house import House, open_house
from tests.storage.rows import match, tables_aside


async def test_a_fault_in_a_timer_closes_only_its_table_which_is_set_aside(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await house.opened("four-turn seats=2", "Ann")
    cid, _ = await house.table("four-turn seats=2", "Cid", "Dan")
    monkeypatch.setattr(Starting, "begin", lambda starting: 1 / 0)
    bob = await house.program("Bob", "join t1")
    await trio.sleep(6)
    assert "fault" in bob.events("closed")[-1]["reason"]
    assert "ZeroDivisionError" in caplog.text
    assert list(house.lobby.tables) == ["t2"]
    assert [log.table for log in tables_aside(house.lobby.store)] == ["t1"]
    await cid.done("peek 3 4")
    await bob.done("create four-turn")


async def test_a_table_is_closed_after_a_fault_even_if_announcing_that_fails(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ann, bob = await house.table("four-turn seats=2", "Ann", "Bob")
    monkeypatch.setattr(house.lobby.tables["t1"], "emit", lambda *events, but=None: 1 / 0)
    assert (await ann.ask("peek 3 4"))["code"] == "INTERNAL"
    assert not house.lobby.tables
    monkeypatch.undo()
    await bob.done("create four-turn")
    assert caplog.records


async def test_a_table_is_removed_even_if_its_match_cannot_be_abandoned(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    _, bob = await house.table("four-turn seats=2", "Ann", "Bob")
    monkeypatch.setattr(matches, "abandon", lambda match: 1 / 0)
    house.lobby.tables["t1"].close(Ending.OPERATOR)
    assert "ZeroDivisionError" in caplog.text
    assert not house.lobby.tables
    await bob.done("create four-turn")


async def test_a_server_about_to_stop_says_so_and_opens_no_tables(house: House) -> None:
    ann, bob = await house.table("four-turn seats=2", "Ann", "Bob")
    cid = await house.program("Cid")
    house.lobby.drain()
    await cid.poll()
    assert cid.last("notice")["code"] == "SHUTTING_DOWN"
    for line in ("create four-turn", "seek four-turn"):
        assert (await cid.ask(line))["code"] == "SHUTTING_DOWN"
    await ann.done("peek 3 4")
    house.lobby.stop()
    for program in (ann, bob, cid):
        await program.poll()
        assert (program.objects[-1]["type"], program.objects[-1]["code"]) == ("bye", "SHUTDOWN")
        assert program.is_closed
    assert not bob.events("dropped")


@pytest.mark.parametrize("memory", [True, False])
async def test_a_stopping_server_promises_only_what_it_keeps(memory: bool) -> None:
    async with open_house(memory=memory) as house:
        ann = await house.program("Ann")
        house.lobby.drain()
        house.lobby.stop()
        await ann.poll()
    assert ("kept" in ann.last("notice")["text"]) is not memory
    assert ("return" in ann.last("bye")["message"]) is not memory


async def test_the_announcement_says_how_many_players_are_connected(house: House) -> None:
    [ann] = await house.opened("four-turn", "Ann")
    await house.program("Bob")
    await house.program()  # a peer without a name is not a player
    await ann.drop()  # Ann's seat is kept
    crawler = await house.connect(telnet=True)
    await crawler.take()
    await crawler.send(negotiation(Command.DO, TelnetOption.MSSP))
    assert b"\1PLAYERS\x021\1" in await crawler.take()


# --- the fault boundary


log = logging.getLogger(__name__)
SERVER = Path(__file__).parents[2] / "golfnet/server"


def test_a_fault_is_logged_with_its_traceback_and_reported(caplog: pytest.LogCaptureFixture) -> None:
    notified: list[str] = []
    with fault_boundary(log, "a fault", on_fault=lambda: notified.append("without one")):
        pass
    with fault_boundary(log, "a fault at %s", "t7", on_fault=lambda: notified.append("t7")):
        notified.remove("a bug")
    assert notified == ["t7"]
    (record,) = caplog.records
    assert record.getMessage() == "a fault at t7"
    assert record.exc_info is not None
    assert record.exc_info[0] is ValueError


@pytest.mark.parametrize("leaves", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_exceptions_that_are_not_faults_propagate(leaves: type[BaseException]) -> None:
    with pytest.raises(leaves), fault_boundary(log, "a fault"):
        raise leaves


def test_a_fault_in_the_callback_is_handled_by_the_next_boundary(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise LookupError("another bug")

    with fault_boundary(log, "outer"), fault_boundary(log, "inner", on_fault=fail):
        fail()
    assert [record.getMessage() for record in caplog.records] == ["inner", "outer"]


def test_no_other_code_in_the_server_swallows_arbitrary_exceptions() -> None:
    """Only the modules listed here may do so; other code has to raise the exception again within a boundary."""
    swallows = re.compile(r"except Exception(?!.*\n +with [\w.]+\(.*\):.*\n +raise\n)")
    found = [path for path in SERVER.rglob("*.py") if swallows.search(path.read_text("utf-8"))]
    catching = {str(path.relative_to(SERVER)) for path in found}
    assert catching <= {"faults.py", "tables.py", "lobby.py", "lookups.py"}


async def test_honours_are_computed_once_per_match_and_a_limited_number_is_kept(house: House) -> None:
    honours = house.lobby.honours
    first = honours(match(1))
    assert honours(match(1)) is first
    for number in range(HONOURS_KEPT):
        honours(match(number + 2))
    assert honours(match(1)) is not first
