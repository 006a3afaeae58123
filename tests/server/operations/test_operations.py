import contextlib
import json
import os
import socket
import stat
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trio

from golfnet.server.accounts.sanctions import BadSanctions, Sanctions
from golfnet.server.net.listeners import CannotListen
from golfnet.server.operations.operations import carry_out, open_socket, serve_admin
from golfnet.server.operations.reaching import BadOperation
from tests.server.house import House, open_house
from tests.server.test_serve import Caller


async def do(house: House, line: str) -> dict[str, Any]:
    return await carry_out(house.lobby, line.split())


async def test_the_status_reports_the_numbers_of_a_server_with_a_table(house: House) -> None:
    programs = await house.table("six-card seats=2", "Ann", "Bob")
    await house.connect()
    status = await do(house, "status")
    assert (status["connections"], status["players"], status["not_ready"]) == (3, 2, "")
    assert status["tables"] == {"open": 0, "playing": 1, "between": 0, "finished": 0}
    answers = [thing for p in programs for thing in p.objects if thing["type"] in ("ok", "error")]
    assert status["commands"] == len(answers)
    who = await do(house, "who")
    assert [(row["name"], row["address"], row["table"]) for row in who["rows"]] == [
        ("Ann", "127.0.0.1", "t1"),
        ("Bob", "127.0.0.1", "t1"),
    ]
    assert who["strangers"] == ["127.0.0.1"]
    assert [row["table"] for row in (await do(house, "tables"))["rows"]] == ["t1"]


async def test_everybody_gets_an_announcement_without_its_control_characters(house: House) -> None:
    person, program = await house.person("Ann"), await house.program("Bob")
    await person.take()
    assert await do(house, "announce at\x1b[2J ten") == {"told": 2}
    heard = (await person.take()).decode()
    assert heard.startswith("! ")
    assert "\x1b" not in heard
    await program.poll()
    assert program.last("notice")["code"] == "ANNOUNCEMENT"


async def test_a_kicked_player_may_return_to_their_seat(house: House) -> None:
    programs = await house.table("six-card seats=2", "Ann", "Bob")
    assert await do(house, "kick bob") == {"kicked": "Bob"}
    await programs[1].poll()
    assert programs[1].last("bye")["code"] == "KICKED"
    await programs[0].poll()
    assert [event["cause"] for event in programs[0].events("dropped")] == ["kicked"]
    back = await house.program()
    assert (await back.done(f"resume {programs[1].token}"))["table"] == "t1"
    with pytest.raises(BadOperation, match="there is no player Carol here"):
        await do(house, "kick Carol")


async def test_a_banned_name_cannot_be_used_and_the_house_takes_over_its_seat(house: House) -> None:
    ann, bob = await house.table("six-card seats=2", "Ann", "Bob")
    assert await do(house, "ban Bob swears at people") == {"banned": "Bob", "closed": 1}
    assert await do(house, "ban Mallory") == {"banned": "Mallory", "closed": 0}
    await ann.poll()
    assert [event["cause"] for event in ann.events("house_plays")] == ["kicked"]
    back = await house.program()
    names = ("mallory", "Mall0ry", "Mallorys")
    codes = await back.codes(f"resume {bob.token}", *[f"name {name}" for name in names])
    assert codes == ["NOT_AVAILABLE"] * 3 + ["ok"], "look-alikes are banned too"
    rows = [(row["kind"], row["whom"], row["reason"]) for row in (await do(house, "bans"))["rows"]]
    assert rows == [("ban", "Bob", "swears at people"), ("ban", "Mallory", "")]
    for name, line in (("Bob", f"resume {bob.token}"), ("Mallory", "name Mallory")):
        await do(house, f"unban {name.upper()}")
        await (await house.program()).done(line)
        with pytest.raises(BadOperation, match=f"{name} is not banned"):
            await do(house, f"unban {name}")


async def test_a_ban_that_cannot_be_stored_is_still_enforced(house: House, tmp_path: Path) -> None:
    house.lobby.sanctions = Sanctions(tmp_path / "file" / "bans.json")
    (tmp_path / "file").touch()
    ann, bob = await house.table("six-card seats=2", "Ann", "Bob")
    with pytest.raises(BadSanctions, match="cannot be written"):
        await do(house, "ban Bob")
    await ann.poll()
    assert [event["cause"] for event in ann.events("house_plays")] == ["kicked"]
    assert (await (await house.program()).ask(f"resume {bob.token}"))["code"] == "NOT_AVAILABLE"


async def test_banning_a_network_or_an_ipv6_address_disconnects_all_players_on_it(house: House) -> None:
    near, far = await house.connect(), await house.connect(address="203.0.113.9")
    assert await do(house, "ban 203.0.113.0/24") == {"banned": "203.0.113.0/24", "closed": 1}
    assert b"The operator of this server has banned you." in await far.take()
    assert (near.is_closed, far.is_closed) == (False, True)
    far = await house.connect(address="2001:db8:0:7:ffff::2")
    answer = await do(house, "ban 2001:db8:0:7::1")
    assert (answer["banned"], answer["closed"]) == ("2001:db8:0:7::/64", 1)
    assert "2001:db8:0:7::1" in answer["note"]
    await far.take()
    assert far.is_closed
    for network in ("2001:db8:0:8::/64", "2001:DB8:0:8::/64", "2001:db8:0:8::1/64"):
        assert "note" not in await do(house, f"ban {network}")
    assert await do(house, "ban 192.0.2.9") == {"banned": "192.0.2.9", "closed": 0}


async def test_a_muted_player_can_play_but_not_chat(house: House) -> None:
    _, bob = await house.table("six-card seats=2", "Ann", "Bob")
    assert await do(house, "mute bob shouts") == {"muted": "Bob"}
    codes = await bob.codes("say hello", "shout hello", "tell Ann hello", "look")
    assert codes == ["NOT_AVAILABLE"] * 3 + ["ok"]
    assert await do(house, "unmute BOB") == {"unmuted": "BOB"}
    await bob.done("say hello")


async def test_closing_a_table_keeps_its_record(house: House) -> None:
    ann, _ = await house.table("six-card seats=2", "Ann", "Bob")
    assert await do(house, "close 1") == {"closed": "t1"}
    await ann.done("record m1")
    assert ann.events("closed")
    with pytest.raises(BadOperation, match="there is no table 1; to see all: tables"):
        await do(house, "close 1")


async def test_a_drained_server_opens_no_tables_and_reports_when_everybody_has_gone(house: House) -> None:
    program = await house.program("Ann")
    assert await do(house, "drain") == {"draining": True, "connections": 1}
    assert (await program.ask("create six-card"))["code"] == "SHUTTING_DOWN"
    assert (await do(house, "status"))["not_ready"] == "the server is about to stop"
    assert not house.lobby.emptied.is_set()
    await program.drop()
    assert house.lobby.emptied.is_set()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("", "expected one of status, who, .*; not ''"),
        ("halt", "expected one of .*; not 'halt'"),
        ("status now", "expected status"),
        ("kick", "expected kick NAME"),
        ("ban", r"expected ban NAME\|NETWORK \[REASON\]"),
        ("ban 10.0.0.0/99 spam", "expected a name, an address or a network, not 10.0.0.0/99: a name is .*"),
        ("ban 203", "expected a name, an address or a network, not 203: a name has at least one letter"),
        ("ban admin", "expected a name, an address or a network, not admin: that name is reserved"),
    ],
)
async def test_a_mistyped_operation_is_refused_with_what_was_expected(
    house: House, line: str, complaint: str
) -> None:
    with pytest.raises(BadOperation, match=f"^{complaint}$"):
        await do(house, line)


@contextlib.asynccontextmanager
async def operated(folder: Path) -> AsyncIterator[tuple[House, Caller]]:
    async with open_house() as house:
        await house.nursery.start(serve_admin, house.lobby, folder / "admin", folder / "audit")
        async with await trio.open_unix_socket(folder / "admin") as stream:
            yield house, Caller(stream)


async def test_each_line_is_answered_in_json_and_each_operation_audited(tmp_path: Path) -> None:
    async with operated(tmp_path) as (house, operator):
        await house.person("Ann")
        replies = []
        for line in (b"announce 'in ten  minutes'", b"kick Ann", b"kick Ann", b"halt", b"'", b"\xff"):
            await operator.send(line + b"\n")
            replies.append(json.loads(await operator.until(b"\n")))
    assert replies[:2] == [{"ok": True, "told": 1}, {"ok": True, "kicked": "Ann"}]
    assert [each["ok"] for each in replies[2:]] == [False] * 4
    assert replies[3]["error"].startswith("expected one of status, who")
    assert (
        replies[4]["error"] == replies[5]["error"] == "expected a line of UTF-8 with closed quotation marks"
    )
    entries = [json.loads(line) for line in (tmp_path / "audit").read_text().splitlines()]
    assert [(entry["operation"], bool(entry["error"])) for entry in entries] == [
        (["announce", "in ten  minutes"], False),
        *((["kick", "Ann"], False), (["kick", "Ann"], True), (["halt"], True), ([], True), ([], True)),
    ]
    assert {entry["uid"] for entry in entries} == {os.getuid()}
    assert datetime.fromisoformat(entries[0]["time"]).utcoffset() == timedelta(0)
    assert (tmp_path / "audit").stat().st_mode & 0o777 == 0o600


async def test_only_the_owner_can_use_the_socket_and_it_is_removed_with_the_server(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with operated(tmp_path):
        assert stat.filemode((tmp_path / "admin").stat().st_mode) == "srw-------"
    assert not (tmp_path / "admin").exists()
    async with operated(tmp_path):
        (tmp_path / "admin").unlink()
        (tmp_path / "admin").mkdir()
    assert "could not remove" in caplog.text


async def test_an_endless_line_is_cut_off(tmp_path: Path) -> None:
    async with operated(tmp_path) as (_, operator):
        with contextlib.suppress(trio.BrokenResourceError):
            await operator.send(b"x" * 20_000)
        assert await operator.rest() == b""


def test_a_stale_socket_is_replaced_but_not_a_file_a_socket_in_use_or_a_long_path(tmp_path: Path) -> None:
    path = tmp_path / "admin"
    open_socket(path).close()
    assert path.exists()
    with open_socket(path) as served:
        with pytest.raises(CannotListen, match=r"admin.*Address already in use"):
            open_socket(path)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
            served.accept()[0].close()
    path = tmp_path / "mine"
    path.write_text("mine")
    with pytest.raises(CannotListen):
        open_socket(path)
    assert path.read_text() == "mine"
    with pytest.raises(CannotListen, match="expected a path of at most 107 bytes"):
        open_socket(tmp_path / ("x" * 110))
