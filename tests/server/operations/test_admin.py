import contextlib
import json
import os
import socket
import stat
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import trio

from golfnet.server.operations.admin import answer, open_socket, serve_admin
from golfnet.server.operations.audit import AuditLog
from golfnet.server.transport.listeners import CannotListen
from tests.server.house import House, open_house


@contextlib.asynccontextmanager
async def operated(folder: Path) -> AsyncIterator[tuple[House, trio.SocketStream]]:
    async with open_house() as house:
        await house.nursery.start(serve_admin, house.lobby, folder / "admin", AuditLog(folder / "audit"))
        stream = await trio.open_unix_socket(folder / "admin")
        yield house, stream
        await stream.aclose()


async def reply(stream: trio.SocketStream) -> dict[str, object]:
    received = b""
    while not received.endswith(b"\n"):
        received += await stream.receive_some()
    return dict(json.loads(received))


async def test_a_line_is_answered_by_a_line_of_json(tmp_path: Path) -> None:
    async with operated(tmp_path) as (house, stream):
        await house.person("Ann")
        await stream.send_all(b"announce 'in ten  minutes'\n")
        assert await reply(stream) == {"ok": True, "told": 1}
        await stream.send_all(b"halt\n")
        refused = await reply(stream)
        assert refused["ok"] is False
        assert str(refused["error"]).startswith("expected one of status, who")


async def test_only_the_owner_reaches_the_socket_and_it_goes_with_the_server(tmp_path: Path) -> None:
    async with operated(tmp_path):
        mode = os.stat(tmp_path / "admin").st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o600
    assert not (tmp_path / "admin").exists()


async def test_a_socket_that_cannot_be_removed_fails_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with operated(tmp_path):
        (tmp_path / "admin").unlink()
        (tmp_path / "admin").mkdir()
    assert "cannot be removed" in caplog.text


async def test_every_operation_is_audited_with_who_and_what_came_of_it(tmp_path: Path) -> None:
    async with operated(tmp_path) as (house, stream):
        await house.person("Ann")
        for line in (b"kick Ann\n", b"kick Ann\n", b"'\n"):
            await stream.send_all(line)
            await reply(stream)
    entries = [json.loads(line) for line in (tmp_path / "audit").read_text().splitlines()]
    assert [(entry["operation"], bool(entry["error"])) for entry in entries] == [
        (["kick", "Ann"], False),
        (["kick", "Ann"], True),
        ([], True),
    ]
    assert {entry["uid"] for entry in entries} == {os.getuid()}
    assert datetime.fromisoformat(entries[0]["time"]).utcoffset() == timedelta(0)
    assert (tmp_path / "audit").stat().st_mode & 0o777 == 0o600


async def test_an_endless_line_is_cut_off(tmp_path: Path) -> None:
    async with operated(tmp_path) as (_, stream):
        with contextlib.suppress(trio.BrokenResourceError):
            await stream.send_all(b"x" * 20_000)
        with contextlib.suppress(trio.BrokenResourceError):
            assert await stream.receive_some() == b""


async def test_bytes_that_are_no_text_are_refused() -> None:
    async with open_house() as house:
        refused = await answer(house.lobby, b"\xff", AuditLog(None), 0)
        assert refused == {"ok": False, "error": "expected a line of UTF-8 with closed quotation marks"}


async def test_an_audit_log_that_cannot_be_written_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_house() as house:
        assert (await answer(house.lobby, b"status", AuditLog(tmp_path / "none" / "x"), 0))["ok"] is True
    assert "cannot be written" in caplog.text


def test_a_socket_left_behind_is_replaced_and_one_in_use_is_not(tmp_path: Path) -> None:
    path = tmp_path / "admin"
    open_socket(path).close()
    assert path.exists()
    with open_socket(path) as served:
        with pytest.raises(CannotListen, match=r"admin.*Address already in use"):
            open_socket(path)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
            served.accept()[0].close()


def test_a_path_that_fits_no_socket_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotListen, match="expected a path of at most 107 bytes"):
        open_socket(tmp_path / ("x" * 110))


def test_a_file_in_the_way_is_kept(tmp_path: Path) -> None:
    (tmp_path / "admin").write_text("mine")
    with pytest.raises(CannotListen):
        open_socket(tmp_path / "admin")
    assert (tmp_path / "admin").read_text() == "mine"
