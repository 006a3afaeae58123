"""Browsers at the web port: each WebSocket gets a session, and every other connection ends, whatever is sent."""

import base64
import contextlib
import gzip
import hashlib
import json
import re
import ssl
from http import HTTPStatus

import pytest
import trio
import trustme
from hypothesis import given, settings, strategies as st
from websockets.client import ClientProtocol
from websockets.datastructures import Headers
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.uri import parse_uri

from golfnet.server.budget import Addresses
from golfnet.server.commands.dispatch import LobbyAcceptor
from golfnet.server.net.transport import Carrier
from golfnet.server.web import (
    LINES,
    MESSAGE_BYTES,
    PING_SECONDS,
    REQUEST_SECONDS,
    UNANSWERED,
    WebEntrance,
    answer,
    own_names,
    qr_svg,
    read_page,
)
from tests.server.house import House, open_house

GET = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
ANSWERS = ('{"type":"ok"', '{"type":"error"')


class Browser:
    """The other end of a connection to the web port."""

    def __init__(self, stream: trio.abc.Stream, *, secure: str = "") -> None:
        self.stream = stream
        uri = parse_uri(f"ws{secure}://127.0.0.1/lines")
        self.client = ClientProtocol(uri, origin=f"http{secure}://127.0.0.1")  # type: ignore[arg-type]
        self.lines: list[str] = []

    async def open(self) -> None:
        self.client.send_request(self.client.connect())
        await self.flush()
        while self.client.state.name == "CONNECTING":
            await self.read()

    async def flush(self) -> None:
        await self.stream.send_all(b"".join(self.client.data_to_send()))

    async def read(self) -> bool:
        """Read some data; return whether more can follow."""
        data = await self.stream.receive_some(65536)
        if not data:
            return False
        self.client.receive_data(bytes(data))
        for event in self.client.events_received():
            if isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                self.lines.append(bytes(event.data).decode())
        await self.flush()
        return True

    async def send(self, line: str | bytes) -> None:
        self.client.send_text(line if isinstance(line, bytes) else line.encode())
        await self.flush()

    async def ask(self, line: str) -> dict[str, object]:
        """Send a command in machine mode; return its answer."""
        before = len(self.lines)
        await self.send(line)
        while not (answers := [text for text in self.lines[before:] if text.startswith(ANSWERS)]):
            assert await self.read()
        return dict(json.loads(answers[0]))


class Web:
    def __init__(self, house: House, context: ssl.SSLContext | None = None) -> None:
        acceptor, outbox = LobbyAcceptor(house.dispatcher, Addresses(50)), house.lobby.config.outbox
        self.entrance = WebEntrance(acceptor, outbox, (), context)
        self.nursery = house.nursery

    def connect(self, address: str = "127.0.0.1") -> trio.abc.Stream:
        ours, theirs = trio.testing.memory_stream_pair()
        self.nursery.start_soon(self.entrance.carry, theirs, address)
        return ours

    async def browser(self, *lines: str) -> Browser:
        """Return a browser that has sent some requests."""
        browser = Browser(self.connect())
        await browser.open()
        for line in lines:
            await browser.ask(line)
        return browser


@pytest.fixture
def web(house: House) -> Web:
    return Web(house)


async def answer_to(stream: trio.abc.Stream, request: bytes) -> bytes:
    await stream.send_all(request)
    got = b""
    while data := await stream.receive_some(65536):
        got += data
    return got


async def test_only_a_websocket_over_tls_counts_as_encrypted(house: House) -> None:
    authority, near = trustme.CA(), ssl.create_default_context()
    authority.configure_trust(near)
    far = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(far)
    await Browser(Web(house).connect()).open()
    line = Web(house, far).connect()
    secured = trio.SSLStream(line, near, server_hostname="127.0.0.1", https_compatible=True)
    await Browser(secured, secure="s").open()
    carriers = [session.transport.carrier for session in house.lobby.sessions]
    assert carriers == [Carrier.PLAIN, Carrier.TLS]


async def test_the_game_can_be_played_over_a_websocket(web: Web) -> None:
    ann = await web.browser("hello 1 client=web/1")
    assert (await ann.ask("1 name Ann"))["name"] == "Ann"
    assert (await ann.ask("2 create six-card seats=2"))["table"] == "t1"
    await ann.send("x" * 1500)
    assert "LINE_TOO_LONG" in str(await ann.ask("3 ping"))
    await ann.send(b"4 ping one\n5 ping two")
    while '"key":"two"' not in ann.lines[-1]:
        await ann.read()
    assert '"key":"one"' in ann.lines[-2]
    assert all("\n" not in line for line in ann.lines)


async def test_an_incomplete_request_times_out_and_an_endless_one_is_cut_off(web: Web) -> None:
    began = trio.current_time()
    assert await answer_to(web.connect(), GET[:20]) == b""
    assert trio.current_time() - began == pytest.approx(REQUEST_SECONDS)
    assert b"200" not in await answer_to(web.connect(), b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 3000)


async def test_unfinished_requests_do_not_lock_out_other_addresses(web: Web) -> None:
    slow = web.connect("10.0.0.8")
    await slow.send_all(GET[:-2])
    for _ in range(UNANSWERED + 6):
        await web.connect("10.0.0.9").send_all(GET[:20])
        await trio.testing.wait_all_tasks_blocked()
    assert (await answer_to(web.connect("10.0.0.9"), GET)).startswith(b"HTTP/1.1 200")
    assert (await answer_to(slow, GET[-2:])).startswith(b"HTTP/1.1 200")


async def test_an_overlong_message_closes_only_its_connection(web: Web) -> None:
    bob = await web.browser()
    await bob.send("x" * (MESSAGE_BYTES + 1))
    while await bob.read():
        pass
    await web.browser("hello 1")


@pytest.mark.parametrize(("opcode", "fin"), [(Opcode.CONT, False), (Opcode.PING, True), (Opcode.TEXT, True)])
async def test_frames_without_a_line_are_limited(web: Web, house: House, opcode: Opcode, fin: bool) -> None:
    eve = await web.browser("hello 1")
    if not fin:
        await eve.stream.send_all(Frame(Opcode.TEXT, b"ping", fin=False).serialize(mask=True))
    sent = Frame(opcode, b"", fin=fin).serialize(mask=True)
    with contextlib.suppress(trio.BrokenResourceError):
        for _ in range(1000):
            await eve.stream.send_all(sent)
    # Reading also answers the server's close frame, perhaps too late.
    with contextlib.suppress(trio.BrokenResourceError):
        while await eve.read():
            pass
    assert '"code":"FLOOD"' in eve.lines[-1]
    assert house.lobby.counters.ended["flood"] == 1


async def test_an_ordinary_programs_frames_do_not_close_its_connection(web: Web) -> None:
    ann = await web.browser("hello 1")
    for number in range(60):
        for piece, opcode in ((b"%d pi" % number, Opcode.TEXT), (b"n", Opcode.CONT)):
            await ann.stream.send_all(Frame(opcode, piece, fin=False).serialize(mask=True))
        ann.client.send_ping(b"")  # a ping between the pieces of a line does not affect the line
        await ann.flush()
        await ann.stream.send_all(Frame(Opcode.CONT, b"g a").serialize(mask=True))
        while f'"id":{number},' not in ann.lines[-1]:
            assert await ann.read()
        assert '"key":"a"' in ann.lines[-1]
        await trio.sleep(0.2)


async def test_a_sleeping_phone_is_disconnected_after_two_pings(web: Web, house: House) -> None:
    await web.browser("hello 1", "1 name Ann")
    assert house.lobby.accounts.find("Ann") is not None
    await trio.sleep(2 * PING_SECONDS + 1)
    player = house.lobby.accounts.find("Ann")
    assert player is None or player.session is None


@settings(max_examples=15, deadline=None)
@given(before=st.binary(max_size=300), after=st.binary(max_size=300))
def test_the_server_survives_any_bytes(before: bytes, after: bytes) -> None:
    async def main() -> None:
        async with open_house() as house:
            web = Web(house)
            with trio.move_on_after(60):
                await answer_to(web.connect(), before)
            eve = await web.browser()
            await eve.stream.send_all(after)
            with trio.move_on_after(60):
                while await eve.stream.receive_some(65536):
                    pass
            assert (await answer_to(web.connect(), GET)).startswith(b"HTTP/1.1 200")

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


PAGE = read_page()
NAMES = own_names(["golf.example"])
HOST = "192.168.1.20:7780"


def ask(
    path: str, headers: list[tuple[str, str]], *, secure: bool = False, method: str = "GET"
) -> int | None:
    """Return the status of the answer, or None if a WebSocket may start."""
    request = Request(path, Headers(headers), method=method)
    response = answer(request, PAGE, NAMES, secure=secure)
    return None if response is None else response.status_code


def page_file(path: str, *headers: tuple[str, str], method: str = "GET", secure: bool = False) -> Response:
    """Return the answer to a request for a file."""
    request = Request(path, Headers([("Host", HOST), *headers]), method=method)
    response = answer(request, PAGE, NAMES, secure=secure)
    assert response is not None
    return response


OTHER_HOSTS = (
    *("evil.example", "127.0.0.1.evil.example", "localhost.evil", "127.0.0.1:7780@evil", "127.0.0.1/x"),
    *("[::1", "", "192.168.1.20:7780; script-src *"),
)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", HOST, "[::1]:7780", "[fe80::1]", "localhost:7780", "LOCALHOST", "golf.example:80"]
)
def test_the_page_is_served_under_the_servers_address_or_its_own_name(host: str) -> None:
    assert ask("/", [("Host", host)]) == HTTPStatus.OK


@pytest.mark.parametrize("hosts", [(), (HOST, HOST), *[(host,) for host in OTHER_HOSTS]])
def test_requests_for_another_host_or_without_one_are_refused(hosts: tuple[str, ...]) -> None:
    for path in ("/", LINES, "/golf.svg"):
        assert ask(path, [("Host", host) for host in hosts]) == HTTPStatus.MISDIRECTED_REQUEST


@pytest.mark.parametrize(
    ("origins", "secure", "may"),
    [
        ((f"http://{HOST}",), False, True),
        ((f"https://{HOST}",), True, True),
        ((f"https://{HOST}",), False, False),
        (("http://evil.example",), False, False),
        (("null",), False, False),
        ((), False, False),
        ((f"http://{HOST}", f"http://{HOST}"), False, False),
    ],
)
def test_only_the_page_itself_may_open_websockets(origins: tuple[str, ...], secure: bool, may: bool) -> None:
    headers = [("Host", HOST), *(("Origin", origin) for origin in origins)]
    assert ask(LINES, headers, secure=secure) == (None if may else HTTPStatus.FORBIDDEN)


FILES = ("/../etc/passwd", "/golf.html", "/golf.js", "/page/golf.js", "//", "/lines/", "/%2e%2e/x", "")
CODES = ("/qr", "/qr?", "/qr?x", "/qr?t1:", "/qr?t1:" + "x" * 65, "/qr?t1&t2", "/qr?t1:<")


@pytest.mark.parametrize("path", [*FILES, *CODES])
def test_unknown_paths_are_not_found(path: str) -> None:
    assert ask(path, [("Host", HOST)]) == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize("invited", ["t1", "t12:pear", "t999999999:%C3%A4-_.!~*'()"])
def test_an_invitation_is_available_as_a_qr_code(invited: str) -> None:
    for secure in (False, True):
        response = page_file(f"/qr?{invited}", secure=secure)
        assert response.headers["Content-Type"] == "image/svg+xml"
        assert response.body == qr_svg(f"{'https' if secure else 'http'}://{HOST}/#{invited}")
    assert qr_svg("a").startswith(b"<svg ")


def test_only_get_and_head_are_supported() -> None:
    assert ask("/", [("Host", HOST)], method="POST") == HTTPStatus.METHOD_NOT_ALLOWED
    assert ask(LINES, [("Host", HOST), ("Origin", f"http://{HOST}")], method="HEAD") == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize("path", sorted(PAGE))
def test_head_answers_like_get_without_the_body(path: str) -> None:
    whole, head = page_file(path), page_file(path, method="HEAD")
    assert (head.status_code, head.headers) == (whole.status_code, whole.headers)
    assert head.body == b""
    assert int(head.headers["Content-Length"]) == len(whole.body)


@pytest.mark.parametrize("path", sorted(PAGE))
def test_files_are_compressed_for_browsers_that_accept_it(path: str) -> None:
    plain, packed = page_file(path), page_file(path, ("Accept-Encoding", "br, gzip, deflate"))
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) or path == "/golf.png"
    assert packed.headers["Vary"] == "Accept-Encoding"
    for others in ("identity", "gzip;q=0", "xgzip"):
        assert page_file(path, ("Accept-Encoding", others)).body == plain.body


def test_a_file_the_browser_already_has_is_not_sent_again() -> None:
    tag = page_file("/").headers["ETag"]
    for shown in (tag, f'"x", {tag}'):
        again = page_file("/", ("If-None-Match", shown))
        assert (again.status_code, again.body) == (HTTPStatus.NOT_MODIFIED, b"")
        assert "Content-Length" not in again.headers
    assert page_file("/golf.svg", ("If-None-Match", tag)).status_code == HTTPStatus.OK


def test_a_browser_is_told_to_load_nothing_from_elsewhere_and_over_tls_to_use_only_tls() -> None:
    response = page_file("/")
    policy = response.headers["Content-Security-Policy"]
    page = PAGE["/"].body.decode()
    assert policy.startswith("default-src 'none'; ")
    for tag in ("script", "style"):
        (inside,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f" {tag}-src 'sha256-{digest}';" in policy
    assert f"connect-src 'self' ws://{HOST};" in policy
    assert "unsafe" not in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "Strict-Transport-Security" not in response.headers
    assert "Strict-Transport-Security" in page_file("/", secure=True).headers


def test_the_page_refers_to_nothing_elsewhere() -> None:
    for file in [file for path, file in PAGE.items() if path != "/golf.png"]:
        # A namespace, which is never fetched.
        text = file.body.decode().replace("http://www.w3.org/2000/svg", "").replace('"https:"', "")
        assert not re.search(r"https?://|innerHTML|style=", text)
