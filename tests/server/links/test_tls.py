"""Links over TLS: both ends present a certificate from one authority; peers without one get nothing and cost little."""

import contextlib
import logging
import ssl
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.testing
import trustme

from golfnet.server.links.link_end import dial
from golfnet.server.links.links import CHECK_SECONDS, UNPROVEN
from golfnet.server.net.entrance import PortOpener, secured
from golfnet.server.net.tls import HANDSHAKE_SECONDS, NodeCertificate
from tests.server.cluster import apart, open_cluster
from tests.server.net.test_tls import node_files

STRANGER = "203.0.113.9"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path, Path]]:
    """Return the files of three nodes: two with certificates from one authority, and one from another."""
    folder, authority = tmp_path_factory.mktemp("nodes"), trustme.CA()
    authorities = {"first": authority, "second": authority, "foreign": trustme.CA()}
    return {name: node_files(folder / name, signing) for name, signing in authorities.items()}


@pytest.fixture(scope="module")
def certificates(files: dict[str, tuple[Path, Path, Path]]) -> dict[int, NodeCertificate]:
    return {1: NodeCertificate(*files["first"]), 2: NodeCertificate(*files["second"])}


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        (("first", None), ("it has no cluster_tls, but", "it has cluster_tls, but")),
        (("first", "foreign"), ("certificate verify failed", "certificate verify failed")),
    ],
    ids=str,
)
async def test_nodes_without_a_common_authority_refuse_each_other_and_say_why(
    autojump_clock: object,
    files: dict[str, tuple[Path, Path, Path]],
    caplog: pytest.LogCaptureFixture,
    shown: tuple[str | None, str | None],
    why: tuple[str, str],
) -> None:
    tls = {number: NodeCertificate(*files[name]) for number, name in enumerate(shown, 1) if name}
    async with open_cluster(tls=tls) as cluster:
        (_, ben), table = await apart(cluster, "Ann", "Ben")
        since = trio.current_time()
        assert (await ben.ask(f"join {table}"))["code"] == "MOVED"
        assert trio.current_time() - since < 1
        await trio.sleep(4 * CHECK_SECONDS)
        assert cluster.state.unreached == {1: {2}, 2: {1}}
    for other, words in zip((2, 1), why, strict=True):
        (said,) = {each for each in caplog.messages if each.startswith(f"cannot link to node {other}: ")}
        assert words in said


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        (None, "peer did not return a certificate"),
        ("foreign", "certificate verify failed"),
        ("first", "unsupported protocol"),
    ],
    ids=["no certificate", "from another authority", "TLS 1.2"],
)
async def test_strangers_without_a_certificate_from_the_authority_get_no_link_bytes(
    autojump_clock: object,
    certificates: dict[int, NodeCertificate],
    files: dict[str, tuple[Path, Path, Path]],
    caplog: pytest.LogCaptureFixture,
    shown: str | None,
    why: str,
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if shown is not None:
        context.load_cert_chain(*files[shown][:2])
    if shown == "first":
        context.maximum_version = ssl.TLSVersion.TLSv1_2
    caplog.set_level(logging.INFO, "golfnet")
    async with open_cluster(tls=certificates) as cluster:
        told = b""
        with contextlib.suppress(OSError, trio.BrokenResourceError):
            stream = await secured(cluster.knock(1, STRANGER), context)
            # With TLS 1.3, this end cannot know yet that it is refused.
            await stream.send_all(bytes(26))
            told = bytes(await stream.receive_some())
        assert told == b""
        assert len(cluster.nodes[1].links.silent) == 0
    (said,) = [
        each for each in caplog.messages if each.startswith(f"the TLS handshake with {STRANGER} failed: ")
    ]
    assert why in said


async def test_players_share_a_table_over_tls_although_silent_strangers_knock(
    autojump_clock: object, certificates: dict[int, NodeCertificate]
) -> None:
    async with open_cluster(tls=certificates) as cluster:
        silent = [cluster.knock(1, STRANGER) for _ in range(UNPROVEN + 2)]
        await trio.testing.wait_all_tasks_blocked()
        links = cluster.nodes[1].links
        assert len(links.silent) == UNPROVEN
        for evicted in silent[:2]:
            assert await evicted.receive_some() == b""
        (_, ben), table = await apart(cluster, "Ann", "Ben")
        assert (await ben.done(f"join {table}"))["table"] == table
        await trio.sleep(HANDSHAKE_SECONDS + 3 * CHECK_SECONDS)
        assert len(links.silent) == len(links.greeted) == 0
        assert cluster.state.unreached == {}
        assert links.admit("8.8.8.8"), "with TLS, any address may link"
        assert await silent[-1].receive_some() == b""


async def test_a_link_to_an_end_that_cannot_be_verified_leaves_no_socket_open(
    certificates: dict[int, NodeCertificate], files: dict[str, tuple[Path, Path, Path]]
) -> None:
    ended = trio.Event()

    async def serve(stream: trio.SocketStream) -> None:
        with pytest.raises(OSError, match="EOF"):
            await secured(stream, NodeCertificate(*files["foreign"]).accepting, server_side=True)
        assert await stream.receive_some() == b""
        ended.set()

    async with trio.open_nursery() as nursery:
        (listener,) = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
        port = listener.socket.getsockname()[1]
        opener = PortOpener(nursery, lambda _: True, None, 65536)
        with pytest.raises(OSError, match="certificate verify failed"):
            await dial(opener, certificates[1].dialling, "127.0.0.1", port)
        with trio.fail_after(30):
            await ended.wait()
        nursery.cancel_scope.cancel()
