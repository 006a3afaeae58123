"""Certificates are trusted once."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

import pytest
import trio
import trustme

from golfnet.protocol.address import Address
from golfnet_client.address import Untrusted, open_stream
from golfnet_client.remembered import Remembered

if TYPE_CHECKING:
    from pathlib import Path


async def speak(context: ssl.SSLContext, task_status: trio.TaskStatus[int]) -> None:
    async def greet(stream: trio.SocketStream) -> None:
        secure = trio.SSLStream(stream, context, server_side=True)
        try:
            await secure.do_handshake()
            await secure.send_all(b"hello")
            await secure.receive_some()
        except trio.BrokenResourceError:
            pass
        await trio.aclose_forcefully(secure)

    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    task_status.started(listeners[0].socket.getsockname()[1])
    await trio.serve_listeners(greet, listeners)


def a_certificate() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("localhost").configure_cert(context)
    return context


async def test_the_first_certificate_is_trusted_and_no_other(tmp_path: Path) -> None:
    remembered = Remembered(tmp_path)
    async with trio.open_nursery() as nursery:
        port = await nursery.start(speak, a_certificate())
        other = await nursery.start(speak, a_certificate())
        address = Address(host="127.0.0.1", port=port, tls=True)
        for _ in range(2):
            stream = await open_stream(address, remembered)
            assert await stream.receive_some() == b"hello"
            await trio.aclose_forcefully(stream)
        kept = remembered.fingerprint(str(address))
        assert kept is not None
        assert len(kept) == 64
        moved = Address(host="127.0.0.1", port=other, tls=True)
        remembered.trust(str(moved), kept)
        with pytest.raises(Untrusted, match="has changed"):
            await open_stream(moved, remembered)
        assert remembered.fingerprint(str(moved)) == kept, "it is not trusted by being shown twice"
        nursery.cancel_scope.cancel()


async def test_a_server_without_tls_is_said_to_be_one(tmp_path: Path) -> None:
    async def mumble(stream: trio.SocketStream) -> None:
        await stream.send_all(b"golfnet: the card game Golf\r\n")
        await trio.aclose_forcefully(stream)

    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, mumble, listeners)
        port = listeners[0].socket.getsockname()[1]
        with pytest.raises(OSError, match="does not speak TLS"):
            await open_stream(Address(host="127.0.0.1", port=port, tls=True), Remembered(tmp_path))
        nursery.cancel_scope.cancel()
