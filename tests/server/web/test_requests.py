"""Who may have the page: a name that was rebound to this machine, and a page of another site, get nothing."""

from __future__ import annotations

from http import HTTPStatus

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from golfnet.server.web.requests import LINES, answer, own_names, read_page

PAGE = read_page()
NAMES = own_names(["golf.example"])
HOST = "192.168.1.20:7780"


def ask(
    path: str, headers: list[tuple[str, str]], *, secure: bool = False, method: str = "GET"
) -> int | None:
    """Return the status of the answer, None where a WebSocket may begin."""
    request = Request(path, Headers(headers), method=method)
    response = answer(request, PAGE, NAMES, secure=secure)
    return None if response is None else response.status_code


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        HOST,
        "[::1]:7780",
        "[fe80::1]",
        "localhost:7780",
        "LOCALHOST",
        "golf.example:80",
        *sorted(NAMES),
    ],
)
def test_the_page_is_for_who_asks_by_address_or_own_name(host: str) -> None:
    assert ask("/", [("Host", host)]) == HTTPStatus.OK


@pytest.mark.parametrize(
    "hosts",
    [
        (),
        ("evil.example",),
        ("127.0.0.1.evil.example",),
        ("localhost.evil",),
        (HOST, HOST),
        ("127.0.0.1:7780@evil",),
        ("127.0.0.1/x",),
        ("[::1",),
        ("",),
        ("192.168.1.20:7780; script-src *",),
    ],
)
def test_another_name_or_none_gets_no_answer(hosts: tuple[str, ...]) -> None:
    for path in ("/", LINES, "/golf.js"):
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
def test_a_web_socket_is_for_the_page_itself(origins: tuple[str, ...], secure: bool, may: bool) -> None:
    headers = [("Host", HOST), *(("Origin", origin) for origin in origins)]
    assert ask(LINES, headers, secure=secure) == (None if may else HTTPStatus.FORBIDDEN)


@pytest.mark.parametrize(
    "path", ["/../etc/passwd", "/golf.html", "/page/golf.js", "//", "/lines/", "/%2e%2e/x", ""]
)
def test_there_is_nothing_else(path: str) -> None:
    assert ask(path, [("Host", HOST)]) == HTTPStatus.NOT_FOUND


def test_only_get_is_known() -> None:
    assert ask("/", [("Host", HOST)], method="POST") == HTTPStatus.METHOD_NOT_ALLOWED


def test_a_browser_is_told_to_load_nothing_from_elsewhere() -> None:
    response = answer(Request("/", Headers({"Host": HOST})), PAGE, NAMES, secure=False)
    assert response is not None
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert f"connect-src 'self' ws://{HOST};" in policy
    assert "unsafe" not in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_the_page_has_no_word_from_elsewhere() -> None:
    for body, _ in PAGE.values():
        text = body.decode()
        assert "http://" not in text
        assert "https://" not in text.replace('"https:"', "")
        assert "innerHTML" not in text
        assert "style=" not in text
